package omnipitch

import (
	"flag"
	"github.com/omnipitch/omnipitch/worlds/action"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// `make verify-levels` sets these to larger numbers.
var (
	scenes    = flag.Int("scenes", 30, "random scenes in which levels are compared")
	rayScenes = flag.Int("scenes.rays", 6, "random scenes in which features are compared with the ray caster's "+
		"images, which take the longest")
)

// randomScenes makes n random scenes, with all bodies of a match at random poses, and calls each with the Sim.
func randomScenes(t *testing.T, n int, each func(s *Sim, rnd *rand.Rand)) {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	// the light that a body casts on others, or takes from them, reaches beyond its outline
	w.Look, w.Light.Shadows = worlds.LookPlain, false
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				c.Vision = &abstraction.VisionConfig{MaxRange: 100} // without errors
			}
		}
	}
	s, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rnd := rand.New(rand.NewPCG(5, 6))
	for range n {
		var put []worlds.Pose
		for _, r := range w.Robots {
			pose := worlds.Pose{}
			for free := false; !free; {
				pose = worlds.Pose{X: 16 * (rnd.Float64() - 0.5), Y: 11 * (rnd.Float64() - 0.5), Heading: 2 * math.Pi *
					rnd.Float64()}
				free = !slices.ContainsFunc(put, func(o worlds.Pose) bool {
					return math.Hypot(o.X-pose.X,
						o.Y-pose.Y) < 0.55
				})
			}
			put = append(put, pose)
			if err := s.Do(&action.Place{Name: r.Name, X: pose.X, Y: pose.Y, Heading: pose.Heading}); err != nil {
				t.Fatal(err)
			}
		}
		near := put[rnd.IntN(len(put))] // the ball is placed near this body
		a, d := 2*math.Pi*rnd.Float64(), 0.4+2*rnd.Float64()
		if err := s.Do(&action.Place{Name: "ball", X: near.X + d*math.Cos(a), Y: near.Y + d*math.Sin(a)}); err != nil {
			t.Fatal(err)
		}
		each(s, rnd)
	}
}

// camera is a camera of a Sim, with its robot.
type camera struct {
	*sensors.Camera
	robot     int
	robotName string
}

func camerasOf(s *Sim) (all []camera) {
	for i, r := range s.world.Robots {
		for _, c := range r.Sensors {
			if found, ok := s.Sensors().Camera(r.Name, c.Name); ok {
				all = append(all, camera{found, i, r.Name})
			}
		}
	}
	return all
}

func (c camera) instant(s *Sim) *sensors.Instant {
	return &sensors.Instant{Snapshot: &s.truth, Robot: c.robot}
}

// robotOf returns the name of the robot to which a body belongs, or the name of any other body.
func robotOf(s *Sim, body int) string {
	name, _ := strings.CutSuffix(s.scenery.Scene.Bodies[body].Name, ".frame")
	return name
}

// labels counts the pixels of each label in a camera's image. Unless alone is negative, it removes all bodies but this
// one and its robot from the scene.
func labels(t *testing.T, r render.Renderer, s *Sim, in camera, alone int) map[uint16]int {
	t.Helper()
	view := in.View(abstraction.Ideal, in.instant(s))
	w, h := view.Model.Size()
	view.Truth = render.NewTruth(w, h)
	poses := s.scenery.Poses(&s.truth, nil)
	for i := range poses {
		if alone >= 0 && robotOf(s, i) != robotOf(s, alone) {
			poses[i] = spatial.Translation([3]float64{0, 0, -50})
		}
	}
	if err := r.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}}); err != nil {
		t.Fatal(err)
	}
	count := map[uint16]int{}
	for _, l := range view.Truth.Labels {
		if l >= render.LabelBody { // the frame of a robot counts as the robot
			l = render.LabelBody + uint16(slices.IndexFunc(s.scenery.Scene.Bodies,
				func(b render.Body) bool { return b.Name == robotOf(s, int(l-render.LabelBody)) }))
		}
		count[l]++
	}
	return count
}

// TestVisibilityAgreesWithThePictures compares the visible share of each object at the levels without images with the
// images. The share is relative to the pixels of the object when it is alone in the hall.
func TestVisibilityAgreesWithThePictures(t *testing.T) {
	const seen = 0.02 // smallest share of a visible object: less is one or two pixels
	var r render.Renderer
	cases, wrong, shares, far := 0, 0, 0, 0
	randomScenes(t, *scenes, func(s *Sim, rnd *rand.Rand) {
		if r == nil {
			var err error
			if r, err = backend.RayCaster(s.scenery.Scene); err != nil {
				t.Fatal(err)
			}
		}
		cameras := camerasOf(s)
		in := cameras[rnd.IntN(len(cameras))]
		scene := sensors.NewTargets(s.model, s.scenery.Bodies(render.Brightness{Even: 1})).Of(in.robot, &s.truth)
		eye := in.Viewpoint(in.instant(s))
		eye.MaxRange = 100
		count := labels(t, r, s, in, -1)
		for i := range scene.Targets {
			target := &scene.Targets[i]
			body := slices.IndexFunc(s.scenery.Scene.Bodies, func(b render.Body) bool { return b.Name == target.Name })
			if body < 0 || target == scene.Self {
				continue
			}
			label := render.LabelBody + uint16(body)
			got, want, free := eye.Visible(&scene, i), 0.0, 0
			if got > 0 || count[label] > 0 {
				free = labels(t, r, s, in, body)[label]
				alone, open := scene, eye
				alone.Targets, open.SelfOcclusion = []abstraction.Target{*target}, nil
				want = open.Visible(&alone, 0) * float64(count[label]) / float64(max(free, 1))
			}
			cases++
			if (got > seen) != (want > seen) {
				wrong++
				t.Logf("%s of %s sees %s: visible %.3f, %d of %d pixels are %.3f", in.Config().Name, in.robotName,
					target.Name, got, count[label], free, want)
			}
			if free >= 200 {
				shares++
				if !scalar.EqualWithinAbs(got, want, 0.05) {
					far++
				}
			}
		}
	})
	t.Logf("of %d cases %d wrong; of %d shares %d off by more than 5 %%", cases, wrong, shares, far)
	if !(float64(wrong) <= 0.005*float64(cases)) {
		t.Errorf("%d of %d cases disagree", wrong, cases)
	}
	if !(float64(far) <= 0.06*float64(shares)) {
		t.Errorf("%d of %d shares are off by more than 5 %%", far, shares)
	}
}

// leastPixels is the smallest number of pixels of an object that is compared.
const leastPixels = 30

type pixelBox struct{ minU, maxU, minV, maxV, n int }

// differing returns the bounding box and the number of the pixels in which two images differ.
func differing(a, b *render.Image) pixelBox {
	box := pixelBox{a.Width, -1, a.Height, -1, 0}
	differs := func(u, v int) bool {
		i := 3 * (v*a.Width + u)
		return [3]uint8(a.Pix[i:i+3]) != [3]uint8(b.Pix[i:i+3])
	}
	for v := range a.Height {
		for u := range a.Width {
			if differs(u, v) {
				box = pixelBox{min(box.minU, u), max(box.maxU, u), min(box.minV, v), max(box.maxV, v), box.n + 1}
			}
		}
	}
	return box
}

// TestFeaturesAgreeWithThePictures compares level features with a plain segmentation of the ideal image: the pixels
// that change when the object is removed. Without shadows no other pixels change.
func TestFeaturesAgreeWithThePictures(t *testing.T) {
	// Removing a thin object may also change a neighbouring pixel: one box in a thousand is too small.
	t.Run("of rays", func(t *testing.T) { featuresAgree(t, *rayScenes, backend.RayCaster, 0.002) })
	// OpenGL samples a cube map here, so that an object one pixel thin is sometimes two pixels wide in the image.
	t.Run("of OpenGL", func(t *testing.T) { featuresAgree(t, *scenes, backend.OpenGL, 0.04) })
}

// featuresAgree compares features in n random scenes with the images of a renderer. most is the largest share of boxes
// that may differ.
func featuresAgree(t *testing.T, n int, newRenderer func(*render.Scene) (render.Renderer, error), most float64) {
	boxes, off, balls, ballsOff, shares, sharesOff := 0, 0, 0, 0, 0, 0
	var r render.Renderer
	randomScenes(t, n, func(s *Sim, rnd *rand.Rand) {
		if r == nil {
			var err error
			if r, err = newRenderer(s.scenery.Scene); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Close)
		}
		cameras := camerasOf(s)
		in := cameras[rnd.IntN(len(cameras))]
		// picture draws the ideal image with only the bodies for which there returns true.
		picture := func(there func(name string) bool) *render.Image {
			view := in.View(abstraction.Ideal, in.instant(s))
			view.Color = render.NewImage(view.Model.Size())
			poses := s.scenery.Poses(&s.truth, nil)
			for i := range poses {
				if i != s.scenery.Field() && !there(robotOf(s, i)) {
					poses[i] = spatial.Translation([3]float64{0, 0, -50})
				}
			}
			if err := r.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}}); err != nil {
				t.Fatal(err)
			}
			return view.Color
		}
		but := func(name string) func(string) bool { return func(other string) bool { return other != name } }
		in.Config().Vision.FeaturesFromPixels = true
		f, err := s.Sensors().Capture(in.robotName, in.Config().Name, abstraction.Features)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Release()
		with, empty := picture(but("")), picture(func(string) bool { return false })
		for _, o := range f.Features.Obstacles {
			b := differing(with, picture(but(o.Name)))
			if b.n < leastPixels {
				continue
			}
			boxes++
			if !(max(math.Abs(o.MinU-float64(b.minU)), math.Abs(o.MaxU-float64(b.maxU)),
				math.Abs(o.MinV-float64(b.minV)), math.Abs(o.MaxV-float64(b.maxV))) <= 1) {
				off++
				t.Logf("%s of %s sees %s in [%g, %g] × [%g, %g], the picture has it in [%d, %d] × [%d, %d]",
					in.Config().Name, in.robotName, o.Name, o.MinU, o.MaxU, o.MinV, o.MaxV, b.minU, b.maxU, b.minV,
					b.maxV)
			}
			if o.Confidence == 1 || o.MinU < 1 || o.MinV < 1 || o.MaxU > float64(with.Width-2) ||
				o.MaxV > float64(with.Height-2) {
				continue // the share includes parts outside the image, which cannot be counted
			}
			if alone := differing(picture(func(name string) bool { return name == o.Name }),
				empty); alone.n >= 5*leastPixels {
				shares++
				if !scalar.EqualWithinAbs(o.Confidence, float64(b.n)/float64(alone.n), 0.05) {
					sharesOff++
					t.Logf("%s of %s sees %.3f of %s, the picture %d of %d pixels", in.Config().Name, in.robotName,
						o.Confidence, o.Name, b.n, alone.n)
				}
			}
		}
		for _, o := range f.Features.Balls {
			b := differing(with, picture(but("ball")))
			if d := math.Hypot(o.U-float64(b.minU+b.maxU)/2, o.V-float64(b.minV+b.maxV)/2); b.n >= leastPixels {
				balls++
				if !(d <= 1) {
					ballsOff++
					t.Logf("%s of %s sees the ball %.2f px off, of which %d pixels are seen", in.Config().Name,
						in.robotName, d, b.n)
				}
			}
		}
	})
	t.Logf("of %d balls %d and of %d boxes %d are off by more than a pixel", balls, ballsOff, boxes, off)
	t.Logf("of %d visible shares below 1, %d are off by more than 5 %%", shares, sharesOff)
	for _, c := range []struct {
		what   string
		of, is int
	}{{"balls", balls, ballsOff}, {"boxes", boxes, off}, {"visible shares", shares, sharesOff}} {
		if c.of == 0 || !(float64(c.is) <= most*float64(c.of)) {
			t.Errorf("%d of %d %s are off", c.is, c.of, c.what)
		}
	}
}
