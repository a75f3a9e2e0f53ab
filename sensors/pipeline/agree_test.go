//go:build cgo

package pipeline_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// `make verify-levels` sets these to larger numbers.
var (
	scenes    = flag.Int("scenes", 12, "random scenes in which levels are compared")
	rayScenes = flag.Int("scenes.rays", 4, "random scenes in which features are compared with the ray caster's "+
		"images, which take the longest")
	long = flag.Bool("long", false, "run tests with all their worlds and cameras")
)

// fewScenes is the least number of random scenes for comparisons of rare things, such as the bars of goals.
const fewScenes = 48

// tally counts comparisons, and those that failed.
type tally struct{ of, off int }

// add counts a comparison, and reports whether it failed.
func (c *tally) add(off bool) bool {
	c.of++
	if off {
		c.off++
	}
	return off
}

// judge fails the test without comparisons, or if a larger share of them failed than allowed.
func (c *tally) judge(t *testing.T, what string, most float64) {
	t.Helper()
	t.Logf("%s: %d of %d are off", what, c.off, c.of)
	if c.of == 0 || !(float64(c.off) <= most*float64(c.of)) {
		t.Errorf("%s: %d of %d are off, want at most %v of them", what, c.off, c.of, most)
	}
}

// view is a camera of a Sim, and the Sim's state.
type view struct {
	*sensors.Camera
	simtest.Sim
	robot           int
	name, robotName string
}

// views returns all cameras of a Sim.
func views(s simtest.Sim) (all []view) {
	for i, r := range s.World().Robots {
		for _, c := range r.Sensors {
			if c.Image != nil {
				all = append(all, view{s.Camera(r.Name, c.Name), s, i, r.Name + "." + c.Name, r.Name})
			}
		}
	}
	return all
}

func (v *view) instant() *sensors.Instant {
	return &sensors.Instant{Snapshot: v.Truth(), Robot: v.robot}
}

func (v *view) capture(level abstraction.Level) *sensors.Observation {
	return v.Capture(v.robotName, v.Config().Name, level)
}

// render draws the camera's ideal image of the field and the bodies for which visible returns true, or if labels is set
// the labels of these bodies. The extension of a robot has the robot's name.
func (v *view) render(t *testing.T, r render.Renderer, labels bool, visible func(name string) bool) render.View {
	t.Helper()
	scenery := v.Sensors().Scenery()
	out := v.View(abstraction.Ideal, v.instant())
	if labels {
		out.Truth = render.NewTruth(out.Model.Size())
	} else {
		out.Color = render.NewImage(out.Model.Size())
	}
	poses := scenery.Poses(v.Truth(), nil)
	for i := range poses {
		if (labels || i != scenery.Field()) && !visible(bodyName(scenery.Scene, i)) {
			poses[i] = spatial.Translation([3]float64{0, 0, -50})
		}
	}
	must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: []render.View{out}}))
	return out
}

// bodyName returns the name of a body, or of the robot to which the body belongs.
func bodyName(scene *render.Scene, body int) string {
	name, _ := strings.CutSuffix(scene.Bodies[body].Name, ".frame")
	return name
}

func all(string) bool { return true }

func only(name string) func(string) bool { return func(other string) bool { return other == name } }

func except(name string) func(string) bool { return func(other string) bool { return other != name } }

// randomScenes makes n random scenes, with all bodies of a match at random poses, and calls each with a random camera
// and a renderer of the scene.
func randomScenes(t *testing.T, n int, newRenderer func(*render.Scene) (render.Renderer, error),
	each func(v view, r render.Renderer)) {
	t.Helper()
	w := simtest.World(t, "planar", simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Vision = &abstraction.VisionConfig{MaxRange: 100} // without errors
		}
	}))
	// the light that a body casts on others, or takes from them, reaches beyond its outline
	w.Look, w.Light.Shadows = worlds.LookPlain, false
	s := simtest.New(t, w, omnipitch.Options{})
	r := must.Get(newRenderer(s.Sensors().Scenery().Scene))(t)
	defer r.Close()
	rnd := rand.New(rand.NewPCG(5, 6))
	for range n {
		var put []action.Place
		for _, robot := range w.Robots {
			pose := action.Place{Name: robot.Name}
			for free := false; !free; {
				pose.X, pose.Y, pose.Heading = 16*(rnd.Float64()-0.5), 11*(rnd.Float64()-0.5), 2*math.Pi*rnd.Float64()
				free = !slices.ContainsFunc(put, func(o action.Place) bool {
					return math.Hypot(o.X-pose.X, o.Y-pose.Y) < 0.55
				})
			}
			put = append(put, pose)
			s.Must(&pose)
		}
		near := put[rnd.IntN(len(put))] // the ball is placed near this body
		a, d := 2*math.Pi*rnd.Float64(), 0.4+2*rnd.Float64()
		s.Must(&action.Place{Name: "ball", X: near.X + d*math.Cos(a), Y: near.Y + d*math.Sin(a)})
		cameras := views(s)
		each(cameras[rnd.IntN(len(cameras))], r)
	}
}

// TestVisibilityAgreesWithImages compares the visible share of each object at the levels without images with the
// images. The share is relative to the pixels of the object when it is alone in the hall.
func TestVisibilityAgreesWithImages(t *testing.T) {
	const least = 0.02 // smallest share of a visible object: less is one or two pixels
	var seen, shares tally
	randomScenes(t, max(*scenes, fewScenes/2), backend.RayCaster, func(v view, r render.Renderer) {
		scenery := v.Sensors().Scenery()
		pixels := func(visible func(string) bool) map[string]int { // by the names of bodies
			count := map[string]int{}
			for _, l := range v.render(t, r, true, visible).Truth.Labels {
				if l >= render.LabelBody {
					count[bodyName(scenery.Scene, int(l-render.LabelBody))]++
				}
			}
			return count
		}
		model := v.World().Model()
		scene := sensors.NewTargets(model, scenery.Bodies(render.Brightness{Even: 1})).Of(v.robot, v.Truth())
		eye := v.Viewpoint(v.instant())
		eye.MaxRange = 100
		count := pixels(all)
		for i := range scene.Targets {
			target := &scene.Targets[i]
			body := func(b render.Body) bool { return b.Name == target.Name }
			if target == scene.Self || !slices.ContainsFunc(scenery.Scene.Bodies, body) {
				continue
			}
			got, want, free := eye.Visible(&scene, i), 0.0, 0
			if got > 0 || count[target.Name] > 0 {
				free = pixels(only(target.Name))[target.Name]
				alone, open := scene, eye
				alone.Targets, open.SelfOcclusion = []abstraction.Target{*target}, nil
				want = open.Visible(&alone, 0) * float64(count[target.Name]) / float64(max(free, 1))
			}
			if seen.add((got > least) != (want > least)) {
				t.Logf("%s sees %s: visible %.3f, %d of %d pixels are %.3f", v.name, target.Name, got,
					count[target.Name], free, want)
			}
			if free >= 200 {
				shares.add(!scalar.EqualWithinAbs(got, want, 0.05))
			}
		}
	})
	seen.judge(t, "visible objects", 0.005)
	shares.judge(t, "visible shares", 0.06)
}

// leastPixels is the smallest number of pixels of an object that is compared.
const leastPixels = 30

type pixelBox struct{ minU, maxU, minV, maxV, n int }

// differing returns the bounding box and the number of the pixels in which two images differ.
func differing(a, b *render.Image) pixelBox {
	box := pixelBox{a.Width, -1, a.Height, -1, 0}
	for i := 0; i < len(a.Pix); i += 3 {
		if u, v := i/3%a.Width, i/3/a.Width; [3]uint8(a.Pix[i:i+3]) != [3]uint8(b.Pix[i:i+3]) {
			box = pixelBox{min(box.minU, u), max(box.maxU, u), min(box.minV, v), max(box.maxV, v), box.n + 1}
		}
	}
	return box
}

// TestFeaturesAgreeWithImages compares level features in random scenes with a plain segmentation of the ideal image:
// the pixels that change when the object is removed. Without shadows no other pixels change.
func TestFeaturesAgreeWithImages(t *testing.T) {
	for _, c := range []struct {
		renderer func(*render.Scene) (render.Renderer, error)
		scenes   int
		most     float64 // largest share of boxes, balls and shares that may differ
	}{
		// Removing a thin object may also change a neighbouring pixel: one box in a thousand is too small.
		{backend.RayCaster, *rayScenes, 0.002},
		// OpenGL samples a cube map here: an object one pixel thin is sometimes two pixels wide in the image.
		{backend.OpenGL, *scenes, 0.04},
	} {
		var boxes, balls, shares tally
		randomScenes(t, c.scenes, c.renderer, func(v view, r render.Renderer) {
			image := func(visible func(string) bool) *render.Image { return v.render(t, r, false, visible).Color }
			v.Config().Vision.FeaturesFromPixels = true
			f := v.capture(abstraction.Features).Features
			with, empty := image(all), image(only(""))
			for _, o := range f.Obstacles {
				b := differing(with, image(except(o.Name)))
				if b.n < leastPixels {
					continue
				}
				if boxes.add(!(max(math.Abs(o.MinU-float64(b.minU)), math.Abs(o.MaxU-float64(b.maxU)),
					math.Abs(o.MinV-float64(b.minV)), math.Abs(o.MaxV-float64(b.maxV))) <= 1)) {
					t.Logf("%s sees %s in [%g, %g] × [%g, %g], the image has it in %+v", v.name, o.Name, o.MinU, o.MaxU,
						o.MinV, o.MaxV, b)
				}
				if o.Confidence == 1 || o.MinU < 1 || o.MinV < 1 || o.MaxU > float64(with.Width-2) ||
					o.MaxV > float64(with.Height-2) {
					continue // the share includes parts outside the image, which cannot be counted
				}
				if alone := differing(image(only(o.Name)), empty); alone.n >= 5*leastPixels &&
					shares.add(!scalar.EqualWithinAbs(o.Confidence, float64(b.n)/float64(alone.n), 0.05)) {
					t.Logf("%s sees %.3f of %s, the image %d of %d pixels", v.name, o.Confidence, o.Name, b.n, alone.n)
				}
			}
			for _, o := range f.Balls {
				b := differing(with, image(except("ball")))
				d := math.Hypot(o.U-float64(b.minU+b.maxU)/2, o.V-float64(b.minV+b.maxV)/2)
				if b.n >= leastPixels && balls.add(!(d <= 1)) {
					t.Logf("%s sees the ball %.2f px off, of which %d pixels are seen", v.name, d, b.n)
				}
			}
		})
		balls.judge(t, "balls", c.most)
		boxes.judge(t, "boxes", c.most)
		shares.judge(t, "visible shares", c.most)
	}
}

// featureAgreement counts how well features from outlines agree with features from pixels.
type featureAgreement struct{ boxes, found, shares, balls, cards, points, segments, posts, bars tally }

// compareBoxes compares the boxes with at least leastPixels pixels.
func (c *featureAgreement) compareBoxes(t *testing.T, name string, got, want []abstraction.BoxFeature, boxes,
	shares *tally) {
	for i := range want {
		b := &want[i]
		k := slices.IndexFunc(got, func(a abstraction.BoxFeature) bool { return a.Name == b.Name })
		if b.Pixels < leastPixels {
			continue
		}
		if c.found.add(k < 0) {
			t.Logf("%s: nothing of %s, of which %d pixels are seen", name, b.Name, b.Pixels)
			continue
		}
		a := &got[k]
		off := max(math.Abs(a.MinU-b.MinU), math.Abs(a.MaxU-b.MaxU), math.Abs(a.MinV-b.MinV), math.Abs(a.MaxV-b.MaxV))
		if boxes.add(!(off <= 1)) {
			t.Logf("%s: %s in [%g, %g] × [%g, %g], its pixels in [%g, %g] × [%g, %g]", name, b.Name, a.MinU, a.MaxU,
				a.MinV, a.MaxV, b.MinU, b.MaxU, b.MinV, b.MaxV)
		}
		if b.Pixels >= 5*leastPixels {
			shares.add(!(math.Abs(a.Confidence-b.Confidence) <= 0.05))
		}
	}
	for i := range got {
		if a := &got[i]; a.Pixels >= leastPixels {
			c.found.add(!slices.ContainsFunc(want, func(b abstraction.BoxFeature) bool { return b.Name == a.Name }))
		}
	}
}

// compare compares a camera's features from outlines with those from pixels.
func (c *featureAgreement) compare(t *testing.T, v view) {
	t.Helper()
	features := func(pixels bool) *abstraction.FeatureList {
		v.Config().Vision.FeaturesFromPixels = pixels
		return v.capture(abstraction.Features).Features
	}
	got, want := features(false), features(true)
	c.compareBoxes(t, v.name, got.Obstacles, want.Obstacles, &c.boxes, &c.shares)
	c.compareBoxes(t, v.name+" (cards)", got.Cards, want.Cards, &c.cards, &tally{}) // the share of cards is always 1
	if !c.found.add(len(got.Balls) != len(want.Balls)) {
		for i, b := range want.Balls {
			a := got.Balls[i]
			c.balls.add(!(math.Hypot(a.U-b.U, a.V-b.V) <= 1 && math.Abs(a.Diameter-b.Diameter) <= 1.5))
		}
	}
	apart := func(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }
	points := func(these, others [][2]float64) {
		for _, p := range these {
			c.points.add(!slices.ContainsFunc(others, func(q [2]float64) bool { return apart(p, q) <= 1 }))
		}
	}
	points(want.LinePoints, got.LinePoints)
	points(got.LinePoints, want.LinePoints)
	c.segments.add(!(math.Abs(confidences(got.Segments)-confidences(want.Segments)) <=
		0.02*confidences(want.Segments)+0.1))
	c.posts.add(!reflect.DeepEqual(got.Posts, want.Posts))
	for i := range max(len(got.Bars), len(want.Bars)) {
		c.bars.add(len(got.Bars) != len(want.Bars) || !(max(apart(got.Bars[i].Left, want.Bars[i].Left),
			apart(got.Bars[i].Right, want.Bars[i].Right)) <= 3))
	}
}

func confidences(all []abstraction.SegmentFeature) (sum float64) {
	for _, l := range all {
		sum += l.Confidence
	}
	return sum
}

func (c *featureAgreement) judge(t *testing.T) {
	t.Helper()
	// Slivers between two bodies, or behind the rods of the camera's mirror, appear in only one of the two.
	c.boxes.judge(t, "boxes", 0.05)
	c.found.judge(t, "detections", 0.02)
	c.shares.judge(t, "visible shares", 0.02)
	c.balls.judge(t, "balls", 0.03)
	// A card seen edge-on is a sliver. So is the part of a card that the coarser shape of the tower does not hide.
	c.cards.judge(t, "boxes of cards", 0.2)
	// Distant lines are thinner than a pixel.
	c.points.judge(t, "line points", 0.04)
	c.segments.judge(t, "sums of line segments", 0.05)
	c.posts.judge(t, "lists of posts", 0)
	// A distant bar is thinner than a pixel, and behind the net of the goal.
	c.bars.judge(t, "bars", 0.05)
}

// Features from outlines are within one pixel of features from pixels, in random scenes.
func TestOutlinesAgreeWithPixels(t *testing.T) {
	var c featureAgreement
	randomScenes(t, max(*scenes, fewScenes)/2, simtest.Grey, func(v view, _ render.Renderer) { c.compare(t, v) })
	c.judge(t)
}

// Features from outlines agree with features from pixels in shipped worlds too, with their robots, lenses, mirrors,
// heads, extensions, props and boards.
func TestOutlinesAgreeWithPixelsInShippedWorlds(t *testing.T) {
	var c featureAgreement
	for _, name := range []string{"ladder", "simatch", "drives", "lenses", "corridor"} {
		s := simtest.New(t, simtest.World(t, name, simtest.EachSensor(func(k *sensors.Config) {
			if k.Image != nil {
				k.Vision = &abstraction.VisionConfig{MaxRange: 8}
			}
		})), omnipitch.Options{})
		cameras, most := views(s), 2
		if *long {
			most = 3
		}
		for _, v := range cameras[:min(most, len(cameras))] {
			c.compare(t, v)
		}
	}
	c.judge(t)
}

// Doors, shelves and a person of the corridor are where the image's labels show them: the boxes of features surround
// their pixels, and objects are at the places, and of the size, that the world file gives.
func TestKindsAgreeWithLabels(t *testing.T) {
	w := simtest.World(t, "corridor", simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Vision = &abstraction.VisionConfig{MaxRange: 30} // without errors
		}
	}))
	s := simtest.New(t, w, omnipitch.Options{})
	r := must.Get(backend.RayCaster(s.Sensors().Scenery().Scene))(t)
	defer r.Close()
	v := views(s)[0]
	size := map[abstraction.Kind]mgl64.Vec3{"door": {1.02, 0.13, 2.11}, "shelf": {1.6, 0.4, 1.9},
		"person": {0.45, 0.5, 1.75}}
	var boxes, seen tally
	kinds := map[abstraction.Kind]int{}
	for _, pose := range []action.Place{{X: -7.5}, {X: -5, Heading: 1}, {X: 5.4, Y: 3.2, Heading: 1.2},
		{X: 3, Heading: -2}} {
		pose.Name = "cyan1"
		s.Must(&pose)
		labels := v.render(t, r, true, all)
		pixels := map[string]pixelBox{}
		for i, l := range labels.Truth.Labels {
			if l >= render.LabelBody {
				name, u, row := bodyName(s.Sensors().Scenery().Scene, int(l-render.LabelBody)), i%labels.Truth.Width,
					i/labels.Truth.Width
				name, _, _ = strings.Cut(name, ".") // a person's legs
				b, ok := pixels[name]
				if !ok {
					b = pixelBox{u, u, row, row, 0}
				}
				pixels[name] = pixelBox{min(b.minU, u), max(b.maxU, u), min(b.minV, row), max(b.maxV, row), b.n + 1}
			}
		}
		share := map[string]float64{}
		for _, f := range v.capture(abstraction.Features).Features.Obstacles {
			b := pixels[f.Name]
			share[f.Name] = f.Confidence
			if b.n < leastPixels || size[f.Kind] == (mgl64.Vec3{}) {
				continue
			}
			kinds[f.Kind]++
			if off := max(math.Abs(f.MinU-float64(b.minU)), math.Abs(f.MaxU-float64(b.maxU)),
				math.Abs(f.MinV-float64(b.minV)), math.Abs(f.MaxV-float64(b.maxV))); boxes.add(!(off <= 1)) {
				t.Logf("%+v: %s in [%g, %g] × [%g, %g], its labels in %+v", pose, f.Name, f.MinU, f.MaxU, f.MinV,
					f.MaxV, b)
			}
		}
		truth, found := map[string]abstraction.Detection{}, map[string]bool{}
		for _, d := range v.capture(abstraction.Truth).Objects.Detections {
			truth[d.Name] = d
		}
		for _, d := range v.capture(abstraction.Objects).Objects.Detections {
			found[d.Name] = true
			if want := truth[d.Name]; !(d.PosB.Sub(want.PosB).Len() <= 1e-6) || d.Kind != want.Kind {
				t.Errorf("%s is a %s at %v, want a %s at %v", d.Name, d.Kind, d.PosB, want.Kind, want.PosB)
			}
			wider := d.Name == "north_door3"
			if want, ok := size[d.Kind]; ok && !wider && !(d.Size.Sub(want).Len() <= 1e-9) {
				t.Errorf("%s: got size %v, want %v", d.Name, d.Size, want)
			}
		}
		for name, b := range pixels {
			const least = 0.05 // of the share of an object; objects may miss a smaller one
			if _, target := truth[name]; target && share[name] >= least && seen.add(!found[name]) {
				t.Logf("%+v: %s is not among the objects, and has %d pixels", pose, name, b.n)
			}
		}
	}
	for kind := range size {
		if kinds[kind] == 0 {
			t.Errorf("no %s is among the features", kind)
		}
	}
	boxes.judge(t, "boxes", 0.05)
	seen.judge(t, "objects", 0.02)
}

// Without noise, the lines of level objects lie on the field's lines. Their total length agrees with the lines that
// level features finds between the bodies of the image.
func TestLinesAgreeWithImages(t *testing.T) {
	var closed, labelled float64
	randomScenes(t, 40, simtest.Grey, func(v view, _ render.Renderer) {
		*v.Config().Vision = abstraction.VisionConfig{MaxRange: 8, Lines: true}
		truth, seen := v.capture(abstraction.Truth).Objects, v.capture(abstraction.Objects).Objects
		if len(truth.Lines) < 10 || len(truth.Crossings) < 20 || len(truth.Circles) != 1 || len(truth.Goals) != 2 {
			t.Fatalf("truth has %d lines, %d crossings, %d circles, %d goals", len(truth.Lines), len(truth.Crossings),
				len(truth.Circles), len(truth.Goals))
		}
		for _, l := range seen.Lines {
			if !slices.ContainsFunc(truth.Lines, func(m abstraction.LineObject) bool {
				return distance(l.StartB, m) < 1e-6 && distance(l.EndB, m) < 1e-6
			}) {
				t.Errorf("%s: no line runs from %v to %v", v.name, l.StartB, l.EndB)
			}
			closed += l.Confidence
		}
		for _, c := range seen.Crossings {
			if !slices.ContainsFunc(truth.Crossings,
				func(o abstraction.CrossingObject) bool { return o.Kind == c.Kind && o.AtB.Sub(c.AtB).Len() < 1e-6 }) {
				t.Errorf("%s: no %s at %v", v.name, c.Kind, c.AtB)
			}
		}
		labelled += confidences(v.capture(abstraction.Features).Features.Segments)
	})
	if labelled == 0 || !scalar.EqualWithinAbs(closed, labelled, 0.03*labelled) {
		t.Errorf("objects sees %.2f lines, features %.2f", closed, labelled)
	}
}

// distance returns the distance of a point from a line segment.
func distance(p mgl64.Vec2, l abstraction.LineObject) float64 {
	d := l.EndB.Sub(l.StartB)
	t := min(max(p.Sub(l.StartB).Dot(d)/d.Dot(d), 0), 1)
	return p.Sub(l.StartB.Add(d.Mul(t))).Len()
}
