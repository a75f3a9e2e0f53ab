package vision_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/colortable"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// hall is a world in which images are taken.
type hall struct {
	name, head string
	table      string  // hall whose colour table is used, if different
	least      float64 // least fraction of balls found; for robots a tenth less
	loose      float64 // largest fraction of reported obstacles that are none
}

var (
	natural  = hall{"natural", "include = [\"nubot-attack\"]\nlook = \"natural\"\n", "", 0.85, 0.1}
	plain    = hall{"plain", "include = [\"nubot-attack\"]\nlook = \"plain\"\n", "", 0.85, 0.1}
	allHalls = []hall{
		natural,
		plain,
		{"worn", "include = [\"worn-hall\"]\nlook = \"natural\"\n", "", 0.85, 0.1},
		// a white ball with blue pentagons, robots with skins, people, and an orange and a yellow ball beside the field
		{"busy", "include = [\"busy-hall\"]\nlook = \"natural\"\n", "", 0.5, 0.1},
		// the same with a yellow ball
		{"yellow", "include = [\"busy-hall\"]\nlook = \"natural\"\n[ball]\ncolor = \"#efbc21\"\ncolor2 = \"#141414\"\n",
			"", 0.85, 0.1},
		// light that differs from the table's
		{"dim", natural.head + "[light]\nlamp = 0.4\nambient = 0.4\n", "natural", 0.8, 0.2},
		// less drag than the tracker assumes: a ball past the drag crisis
		{"glide", natural.head + "[ball]\ndrag_coefficient = 0.25\n", "natural", 0.85, 0.1},
		{v1, natural.head, "natural", 0.85, 0.1},
		{"warm", natural.head + "[light]\nlamp_temperature_k = 3500\nambient_temperature_k = 3500\n", "natural", 0.8,
			0.2},
	}
)

// crowd is further robots in nubot-attack.
const crowd = `
[[robot]]
name = "cyan3"
model = "nubot"
pose = { x_m = -3, y_m = 2 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta3"
team = "magenta"
model = "nubot"
pose = { x_m = -4, y_m = -2.5 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
`

// world returns a hall's world with cyan1's cameras, optionally with smaller images; more is appended TOML.
func (h hall) world(t testing.TB, seed int, small bool, more string) *worlds.World {
	t.Helper()
	omni, front := "", ""
	if small {
		omni, front = "image = { width_px = 320, height_px = 320 }", "image = { width_px = 320, height_px = 240 }"
	}
	text := fmt.Sprintf("name = \"vision\"\nseed = %d\n%s\n[[robot]]\nname = \"cyan1\"\n[[robot.sensor]]\nname = "+
		"\"omni\"\nlevel = \"raw\"\nground_truth = true\n%s\n"+
		"[[robot.sensor]]\nname = \"front\"\nlevel = \"raw\"\nground_truth = true\n%s\n%s\n%s", seed, h.head, omni,
		front, crowd, more)
	w := must.Get(worlds.Parse("vision.toml", []byte(text)))(t)
	return w
}

// body is a robot or an obstacle in the frame of the observing robot.
type body struct {
	name   string
	x, y   float64
	radius float64
}

// scene is the positions of bodies and their image, lent.
type scene struct {
	self   locate.Pose
	ball   mgl64.Vec3 // in the robot's frame, m
	bodies []body
	image  *sensors.Observation
	label  uint16 // of the ball's pixels in the image's truth
}

// placing draws positions that do not overlap.
type placing struct {
	*rand.Rand
	taken [][3]float64
}

func (p *placing) between(lo, hi float64) float64 { return lo + (hi-lo)*p.Float64() }

func (p *placing) place(radius float64, choose func() (x, y float64)) (x, y float64) {
	for range 200 {
		x, y = choose()
		free := true
		for _, t := range p.taken {
			free = free && math.Hypot(x-t[0], y-t[1]) > radius+t[2]+0.1
		}
		if free {
			break
		}
	}
	p.taken = append(p.taken, [3]float64{x, y, radius})
	return x, y
}

// around is where the ball is placed, in the robot's frame.
type around struct {
	nearest, farthest, side float64 // m; side is rad to either side of ahead
	others                  float64 // rad to either side of ahead where robots and boxes are placed; 0 for all around
}

// scenes takes images of n random scenes with one of cyan1's cameras, and calls f with each.
func scenes(t testing.TB, w *worlds.World, sensor string, seed uint64, n int, where around, f func(i int, s *scene)) {
	t.Helper()
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	for i := range n {
		p := &placing{Rand: rand.New(rand.NewPCG(seed, uint64(i)))}
		put := func(name string, x, y, heading float64) {
			if err := sim.Do(&action.Place{Name: name, X: x, Y: y, Heading: heading}); err != nil {
				t.Fatal(err)
			}
		}
		anywhere := func() (x, y float64) { return p.between(-8.5, 8.5), p.between(-5.5, 5.5) }
		x, y := p.place(0.4, anywhere)
		heading := p.between(-math.Pi, math.Pi)
		put("cyan1", x, y, heading)
		near := func(nearest, farthest, side float64) func() (float64, float64) {
			return func() (float64, float64) {
				for {
					d, b := p.between(nearest, farthest), heading+p.between(-side, side)
					if bx, by := x+d*math.Cos(b), y+d*math.Sin(b); math.Abs(bx) < 9 && math.Abs(by) < 6 ||
						p.Float64() < 0.01 {
						return bx, by
					}
				}
			}
		}
		bx, by := p.place(0.11, near(where.nearest, where.farthest, where.side))
		put("ball", bx, by, 0)
		others := where.others
		if others == 0 {
			others = math.Pi
		}
		for k := range w.Robots {
			if name := w.Robots[k].Name; name != "cyan1" {
				rx, ry := p.place(0.3, near(0.9, 6, others))
				put(name, rx, ry, p.between(-math.Pi, math.Pi))
			}
		}
		for k := range w.Obstacles {
			if o := &w.Obstacles[k]; !strings.HasPrefix(o.Name, "handler") {
				ox, oy := p.place(0.4, near(0.9, 6, others))
				put(o.Name, ox, oy, p.between(-math.Pi, math.Pi))
			}
		}
		for end := sim.Truth().Time + 34*time.Millisecond; sim.Truth().Time < end; {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
		truth := sim.Truth()
		s := &scene{label: uint16(int(render.LabelBody) + sim.Sensors().Scenery().Ball())}
		for k := range w.Robots {
			if w.Robots[k].Name == "cyan1" {
				pose := truth.Robots[k].PoseWB
				s.self = locate.Pose{Pos: pitch.Vec{pose.Pos[0], pose.Pos[1]}, Heading: pose.Heading()}
				inverse := truth.Robots[k].PoseWB.Inverse()
				s.ball = inverse.Apply(truth.Ball.PosW)
				for m := range w.Robots {
					if m != k {
						at := inverse.Apply(truth.Robots[m].PoseWB.Pos)
						s.bodies = append(s.bodies, body{w.Robots[m].Name, at[0], at[1], w.Robots[m].Body.Radius})
					}
				}
				for m := range w.Obstacles {
					at := inverse.Apply(truth.Obstacles[m].PoseWO.Pos)
					s.bodies = append(s.bodies, body{w.Obstacles[m].Name, at[0], at[1], w.Obstacles[m].Hull.SizeX / 2})
				}
			}
		}
		if s.image, err = sim.Sensors().Capture("cyan1", sensor, abstraction.Raw); err != nil {
			t.Fatal(err)
		}
		f(i, s)
		s.image.Release()
	}
}

// field is msl-18x12, as a team would configure it.
var field = locate.NewField(locate.Markings{Pitch: pitch.Pitch{Length: 18, Width: 12}, LineWidth: 0.125,
	CentreCircle: 2, CornerArc: 0.75})

// tracker returns a tracker with a compass and an unknown pose, at the stamp of 1 s.
func (s *scene) tracker() *locate.Tracker {
	tracker := locate.NewTracker(field)
	tracker.Compass(s.self.Heading + 0.03)
	tracker.Odometry(time.Second, locate.Pose{})
	return tracker
}

// visible returns the visible fraction of the ball's disc.
func (s *scene) visible(view *vision.View) float64 {
	c := s.ball.Sub(view.Pos)
	toward, cos := c.Normalize(), math.Cos(math.Asin(0.11/c.Len()))
	seen, all, inside := 0.0, 0.0, false
	for i, label := range s.image.Truth.Labels {
		if label == s.label {
			seen++
		}
		if d := view.Index(i).Dot(toward); d >= cos {
			all++
			inside = inside || d >= 1-0.1*(1-cos)
		}
	}
	if !inside { // its centre is outside of the image
		return 0
	}
	return seen / math.Max(all, 1)
}

// cameras returns cyan1's cameras from the output of omnipitch calibration.
type cameras struct {
	omni, front *vision.View
	floor       *vision.Floor
}

var calibrated = sync.OnceValue(func() cameras {
	t := new(testing.B) // this world must be valid, or everything fails
	sim, err := omnipitch.New(natural.world(t, 1, false, ""), omnipitch.Options{})
	if err != nil {
		panic(err)
	}
	defer sim.Close()
	cam, _ := sim.Sensors().Camera("cyan1", "omni")
	model, err := calibration.Central(cam.Model(), cam.PoseBC())
	if err != nil {
		panic(err)
	}
	fit, err := calibration.FitOCam(calibration.Sample(model, 92))
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := calibration.WriteOCamCalib(&file, fit); err != nil {
		panic(err)
	}
	m, err := vision.ReadOmniModel(&file)
	if err != nil {
		panic(err)
	}
	mount := vision.OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}
	front, _ := sim.Sensors().Camera("cyan1", "front")
	k, name, d := optics.Lens(front.Model())
	width, height := front.Model().Size()
	p, err := vision.NewPinhole(width, height, [9]float64{k.FX, 0, k.CX, 0, k.FY, k.CY, 0, 0, 1}, name, d)
	if err != nil {
		panic(err)
	}
	return cameras{
		omni:  vision.NewOmniView(m, mount),
		front: vision.NewPinholeView(p, vision.PinholeMount{X: 0.26, Height: 0.5, Pitch: 15 * math.Pi / 180}),
		floor: vision.NewFloor(m, mount, 7),
	}
})

// sampled returns a colour table from labelled pixels of some images, as a person would label them. It is faster than a
// file.
func (h hall) sampled(t testing.TB, sensor string) *vision.ColorTable {
	t.Helper()
	samples := new(calibration.ColorHistogram)
	w := h.world(t, 2, false, "")
	scenes(t, w, sensor, 1000, 12, around{nearest: 0.6, farthest: 4, side: map[string]float64{"omni": math.Pi,
		"front": 0.5}[sensor]}, func(_ int, s *scene) {
		for i, label := range s.image.Truth.Labels {
			p := s.image.Color.Pix[3*i:]
			samples.Add(p[0], p[1], p[2], int(classOf(label, s.label, p)))
		}
	})
	return vision.TableOf(t, samples)
}

// classOf returns the class of a pixel by its true label and its colour.
func classOf(label, ball uint16, p []byte) vision.Class {
	switch {
	case label == ball:
		return vision.ClassBall
	case label == render.LabelFloor:
		return vision.ClassGreen
	case label >= render.LabelBody && max(p[0], p[1], p[2]) < 80:
		return vision.ClassBlack
	}
	return vision.ClassUnknown
}

// written returns the table that omnipitch calibration --format nubot writes, from images of a quarter of the pixels.
func (h hall) written(t testing.TB, sensor string) *vision.ColorTable {
	t.Helper()
	space, ours := calibration.YUV, vision.YUV
	if sensor == "front" {
		space, ours = calibration.BGR, vision.BGR
	}
	made, _, err := colortable.Make(t.Context(), []*worlds.World{h.world(t, 1, true, "")}, "cyan1", sensor,
		func(seen *calibration.ColorHistogram) *calibration.ColorTable { return seen.Table(space) }, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	table := must.Get(vision.ReadColorTable(bytes.NewReader(made.Bytes()), ours))(t)
	return table
}

// tables caches colour tables by hall and camera.
var tables = map[string]*vision.ColorTable{}

// colors returns the colour table for a hall's images, as selected by the flag.
func (h hall) colors(t testing.TB, sensor string) *vision.ColorTable {
	t.Helper()
	if h.table != "" {
		h = allHalls[slices.IndexFunc(allHalls, func(o hall) bool { return o.name == h.table })]
	}
	if tables[h.name+sensor] == nil {
		learn := h.sampled
		if *tableOf == "files" {
			learn = h.written
		}
		tables[h.name+sensor] = learn(t, sensor)
	}
	return tables[h.name+sensor]
}
