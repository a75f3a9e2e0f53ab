package omnipitch

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/raycast"
	"github.com/omnipitch/omnipitch/worlds"
)

var scenes = flag.Int("scenes", 100, "random scenes in which levels are compared")

// randomScenes places everything of a match at random, so many times, and calls each with the sim.
func randomScenes(t *testing.T, n int, each func(s *Sim, rnd *rand.Rand)) {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if im := w.Robots[i].Sensors[j].Image; im != nil {
				im.Width, im.Height = 320, im.Height*320/im.Width
			}
		}
	}
	s, err := New(w, Options{NewRenderer: RayCaster})
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
				pose = worlds.Pose{X: 16 * (rnd.Float64() - 0.5), Y: 11 * (rnd.Float64() - 0.5), Heading: 2 * math.Pi * rnd.Float64()}
				free = !slices.ContainsFunc(put, func(o worlds.Pose) bool { return math.Hypot(o.X-pose.X, o.Y-pose.Y) < 0.55 })
			}
			put = append(put, pose)
			if err := s.place(r.Name, pose); err != nil {
				t.Fatal(err)
			}
		}
		near := put[rnd.IntN(len(put))] // the ball, near somebody
		a, d := 2*math.Pi*rnd.Float64(), 0.4+2*rnd.Float64()
		if err := s.place("ball", worlds.Pose{X: near.X + d*math.Cos(a), Y: near.Y + d*math.Sin(a)}); err != nil {
			t.Fatal(err)
		}
		s.engine.Snapshot(&s.truth)
		each(s, rnd)
	}
}

// robotOf returns the name of a body, or of the robot that it is a part of.
func robotOf(s *Sim, body int) string {
	name, _ := strings.CutSuffix(s.stage.Scene.Bodies[body].Name, ".frame")
	return name
}

// labels counts the pixels of every label in a camera's image; alone leaves only one body in the scene.
func labels(t *testing.T, r *raycast.Renderer, s *Sim, in *instance, alone int) map[uint16]int {
	t.Helper()
	view := in.eyes.View(abstraction.Ideal, s.instant(in))
	w, h := view.Model.Size()
	view.Truth = render.NewTruth(w, h)
	poses := s.stage.Poses(&s.truth, nil)
	for i := range poses {
		if alone >= 0 && robotOf(s, i) != robotOf(s, alone) {
			poses[i] = spatial.Translation([3]float64{0, 0, -50})
		}
	}
	if err := r.Render(&render.Frame{PosesWB: poses, Views: []render.View{view}}); err != nil {
		t.Fatal(err)
	}
	count := map[uint16]int{}
	for _, l := range view.Truth.Labels {
		if l >= render.LabelBody { // a robot's frame is the robot
			l = render.LabelBody + uint16(slices.IndexFunc(s.stage.Scene.Bodies, func(b render.Body) bool { return b.Name == robotOf(s, int(l-render.LabelBody)) }))
		}
		count[l]++
	}
	return count
}

// What the levels above pictures say is visible is what the pictures show, in shares of what the camera would show of an object that
// stands alone in the hall.
func TestVisibilityAgreesWithThePictures(t *testing.T) {
	const seen = 0.02 // share from which on an object counts as visible: less is a pixel or two
	var r *raycast.Renderer
	cases, wrong, shares, far := 0, 0, 0, 0
	randomScenes(t, *scenes, func(s *Sim, rnd *rand.Rand) {
		if r == nil {
			var err error
			if r, err = raycast.New(s.stage.Scene); err != nil {
				t.Fatal(err)
			}
		}
		cameras := slices.DeleteFunc(slices.Clone(s.instances), func(in *instance) bool { return in.eyes == nil })
		in := cameras[rnd.IntN(len(cameras))]
		scene := s.around.Of(in.robot, &s.truth)
		eye := in.eyes.Eye(s.instant(in))
		eye.MaxRange = 100
		count := labels(t, r, s, in, -1)
		for i := range scene.Targets {
			target := &scene.Targets[i]
			body := slices.IndexFunc(s.stage.Scene.Bodies, func(b render.Body) bool { return b.Name == target.Name })
			if body < 0 || target == scene.Self {
				continue
			}
			label := render.LabelBody + uint16(body)
			got, want, free := eye.Visible(&scene, i), 0.0, 0
			if got > 0 || count[label] > 0 {
				free = labels(t, r, s, in, body)[label]
				alone, open := scene, eye
				alone.Targets, open.Housing = []abstraction.Target{*target}, nil
				want = open.Visible(&alone, 0) * float64(count[label]) / float64(max(free, 1))
			}
			cases++
			if (got > seen) != (want > seen) {
				wrong++
				t.Logf("%s of %s sees %s: visible %.3f, %d of %d pixels are %.3f", in.cfg.Name, in.robotName, target.Name, got, count[label], free, want)
			}
			if free >= 200 {
				shares++
				if math.Abs(got-want) > 0.05 {
					far++
				}
			}
		}
	})
	t.Logf("of %d cases %d wrong; of %d shares %d off by more than 5 %%", cases, wrong, shares, far)
	if float64(wrong) > 0.005*float64(cases) {
		t.Errorf("%d of %d cases disagree", wrong, cases)
	}
	if float64(far) > 0.03*float64(shares) {
		t.Errorf("%d of %d shares are off by more than 5 %%", far, shares)
	}
}
