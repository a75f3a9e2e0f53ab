package window

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// statusRows is the number of rows at the top that contain the status line.
const statusRows = 40

// drawn counts the pixels below the status line that are not grey: within a rectangle with corner (x, y), and in total.
func drawn(im *render.Image, x, y, width, height int) (within, all int) {
	for i := 3 * im.Width * statusRows; i < len(im.Pix); i += 3 {
		if im.Pix[i] == grey && im.Pix[i+1] == grey && im.Pix[i+2] == grey {
			continue
		}
		all++
		if u, v := i/3%im.Width, i/3/im.Width; u >= x && u < x+width && v >= y && v < y+height {
			within++
		}
	}
	return within, all
}

// Each label is centred above its body, as wide as its letters, and nothing else is drawn.
func TestLabelsStandOverTheirBodies(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	if _, all := drawn(s.frame(), 0, 0, 0, 0); all != 0 {
		t.Fatalf("%d pixels are drawn without an overlay", all)
	}
	must.Do(t, s.sim.Do(&action.Place{Name: "ball", X: -2, Y: -1, Z: 0.5, VX: 1.5}))
	s.press("L")
	im := s.frame()
	truth, total := s.sim.Truth(), 0
	for _, c := range []struct {
		text string
		over mgl64.Vec3
	}{
		{"cyan1", truth.Robots[0].PoseWB.Pos.Add(mgl64.Vec3{0, 0, s.shapes.all[0].Height})},
		{"magenta1", truth.Robots[1].PoseWB.Pos.Add(mgl64.Vec3{0, 0, s.shapes.all[1].Height})},
		{"crate", truth.Obstacles[0].PoseWO.Pos.Add(mgl64.Vec3{0, 0, s.shapes.all[2].Height})},
		{"1.5 m/s, 0.39 m up", truth.Ball.PosW.Add(mgl64.Vec3{0, 0, 0.11})},
	} {
		x, y := seen(c.over.Add(mgl64.Vec3{0, 0, labelGap}))
		wide := 7 * len(c.text)
		within, _ := drawn(im, int(math.Round(x))-wide/2, int(math.Round(y))-14, wide+2, 16)
		if total += within; within < 12*len(c.text) {
			t.Errorf("%q: %d pixels are drawn above %v", c.text, within, c.over)
		}
	}
	if _, all := drawn(im, 0, 0, 0, 0); all != total {
		t.Errorf("%d pixels are drawn, %d of them labels", all, total)
	}
	if got := ballLabel(&truth.Ball, 0.11); got != "1.5 m/s, 0.39 m up" {
		t.Errorf("the ball's label is %q", got)
	}
}

// A laser's beams extend from the scanner to the measured points.
func TestRaysEndWhereTheyAreMeasured(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	s.press("B")
	var scan sensors.LaserScan
	must.Get(s.sim.Listen("cyan1", "laser", omnipitch.Listener{Observe: func(o *sensors.Observation) {
		scan = *o.Reading.(*sensors.LaserScan)
		scan.Ranges = slices.Clone(scan.Ranges)
	}}))(t)
	var im *render.Image
	for range 20 {
		im = s.frame()
	}
	base := spatial.Planar(1, 0.5, 30*spatial.Degree)
	from := base.Apply(mgl64.Vec3{0.1, 0, 0.3})
	hits, beams := 0, 0
	for i, r := range scan.Ranges {
		if math.IsInf(r, 0) {
			continue
		}
		sin, cos := math.Sincos(30*spatial.Degree + scan.First + float64(i)*scan.Step)
		to := from.Add(mgl64.Vec3{r * cos, r * sin, 0})
		if x, y := seen(to); x < 0 || y < statusRows || x > 959 || y > 719 {
			continue
		}
		if c := pixel(im, to); c != [3]byte{hitInk.R, hitInk.G, hitInk.B} {
			t.Errorf("beam %d of %.2f m ends at a pixel %v", i, r, c)
		}
		x, y := seen(from.Add(to).Mul(0.5)) // a beam is one pixel wide
		if within, _ := drawn(im, int(x), int(y), 2, 2); within == 0 {
			t.Errorf("beam %d: nothing is drawn at its middle, (%.1f, %.1f)", i, x, y)
		}
		hits++
		// Halfway between the end points of two beams, at 2 m, nothing is drawn.
		if sin, cos := math.Sincos(30*spatial.Degree + scan.First + (float64(i)+0.5)*scan.Step); r > 3 {
			if c := pixel(im, from.Add(mgl64.Vec3{2 * cos, 2 * sin, 0})); c == [3]byte{grey, grey, grey} {
				beams++
			}
		}
	}
	if hits < 20 || beams < 10 {
		t.Errorf("%d end points are visible, and %d gaps between beams", hits, beams)
	}
	s.press("B")
	if _, all := drawn(s.frame(), 0, 0, 0, 0); all != 0 {
		t.Errorf("%d pixels are drawn without rays", all)
	}
}

// A contact is marked at the physics' contact point, for a while.
func TestContactsAreMarked(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	s.press("X")
	s.frame()
	must.Do(t, s.sim.Do(&action.Place{Name: "ball", X: -2, Y: 1, VX: -6}))
	im := s.frame()
	for n := 0; len(s.sim.Truth().Touches) == 0; n++ {
		if im = s.frame(); n > 100 {
			t.Fatal("the ball never touches the crate")
		}
	}
	at := s.sim.Truth().Touches[0].PosW
	if c := pixel(im, at); !(c[0] > 200 && c[2] < 60) {
		t.Errorf("the pixel at the contact is %v", c)
	}
	x, y := seen(at)
	if within, all := drawn(im, int(x)-12, int(y)-12, 25, 25); within == 0 || within != all {
		t.Errorf("%d of %d pixels are drawn around the contact", within, all)
	}
	first := s.sim.Truth().Time
	for s.sim.Truth().Time < first+2*contactTime {
		im = s.frame()
	}
	if _, all := drawn(im, 0, 0, 0, 0); all != 0 {
		t.Errorf("%d pixels are drawn long after the contact", all)
	}
}

// A field of view ends where the camera model's corner rays meet the floor, or at the range of its vision.
func TestFieldsOfViewAreTheCameras(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	s.press("V")
	s.frame()
	im := s.frame()
	for i, robot := range []string{"cyan1", "magenta1"} {
		camera, _ := s.sim.Sensors().Camera(robot, "front")
		poseWC := s.sim.Truth().Robots[i].PoseWB.Mul(camera.PoseBC())
		w, h := camera.Model().Size()
		for _, corner := range [][2]float64{{0, 0}, {float64(w - 1), 0}, {0, float64(h - 1)},
			{float64(w - 1), float64(h - 1)}} {
			d, _ := camera.Model().Unproject(corner[0], corner[1])
			d = poseWC.Rotate(d)
			r := 8.0 // m, range of its vision
			if d[2] < 0 {
				r = min(r, -poseWC.Pos[2]/d[2])
			}
			for _, share := range []float64{0.5, 0.98} {
				p := poseWC.Pos.Add(d.Mul(r * share))
				if x, y := seen(p); x < 1 || y < statusRows || x > 958 || y > 718 {
					continue
				}
				if c := pixel(im, p); c == [3]byte{grey, grey, grey} {
					t.Errorf("%s: nothing is drawn at %.0f %% of the edge through %v", robot, 100*share, corner)
				}
			}
		}
		// The mirror sees the floor all around, up to its range.
		for k := range 12 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 12)
			pos := s.sim.Truth().Robots[i].PoseWB.Pos
			p := mgl64.Vec3{pos[0] + 8*cos, pos[1] + 8*sin, 0}
			x, y := seen(p)
			if x < 5 || y < statusRows+5 || x > 954 || y > 714 {
				continue
			}
			if within, _ := drawn(im, int(x)-4, int(y)-4, 9, 9); within == 0 {
				t.Errorf("%s: nothing is drawn at the mirror's range, at %v", robot, p)
			}
		}
	}
}

// A player's path goes from its robot through its next waypoints, in order.
func TestPathsArePlayers(t *testing.T) {
	s := newFixture(t, omnipitch.Options{}, nil)
	s.press("P")
	s.frame()
	im := s.frame()
	robot := s.sim.Truth().Robots[1].PoseWB.Pos
	first, second := mgl64.Vec3{2, 3, 0.01}, mgl64.Vec3{3, -2, 0.01}
	magenta := func(c [3]byte) bool { return c[0] > 180 && c[2] > 180 && c[1] < 140 }
	for _, p := range []mgl64.Vec3{robot.Add(first).Mul(0.5), first.Add(second).Mul(0.5), first.Add(mgl64.Vec3{0.08}),
		second.Add(mgl64.Vec3{0, 0.08})} {
		if c := pixel(im, p); !magenta(c) {
			t.Errorf("the pixel at %v is %v", p, c)
		}
	}
	if c := pixel(im, robot.Add(second).Mul(0.5)); magenta(c) {
		t.Error("the second waypoint comes first")
	}
	if err := s.sim.Do(&action.Drive{Robot: "magenta1"}); err != nil { // its own program commands it
		t.Fatal(err)
	}
	s.frame()
	if _, all := drawn(s.frame(), 0, 0, 0, 0); all != 0 {
		t.Errorf("%d pixels are drawn of a player that has ended", all)
	}
}

// Contacts, rays and paths do not change the run, whether they are shown or not.
func TestOverlaysDoNotChangeTheRun(t *testing.T) {
	plain, shown := newTestSim(t, omnipitch.Options{}), newFixture(t, omnipitch.Options{}, nil)
	shown.press("LXBVP")
	shown.frame()
	for shown.sim.Truth().Time < time.Second {
		shown.frame()
	}
	for plain.Truth().Time < time.Second {
		must.Do(t, plain.Step())
	}
	if a, b := plain.Truth().Hash(), shown.sim.Truth().Hash(); a != b {
		t.Errorf("hash %x with a window, %x without", b, a)
	}
}
