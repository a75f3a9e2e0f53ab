package assess

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/node"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// said is what a vision reports about a frame.
type said struct {
	self      *report
	balls     []report
	obstacles []report
}

// testedVision is a vision in this process. It receives the robot's measurements in the order of their time.
type testedVision interface {
	begin(sim *omnipitch.Sim)
	odometry(o *sensors.Observation)
	compass(o *sensors.Observation)
	look(o *sensors.Observation) said // called for each frame of the omni camera
}

func inBaseAt(k Kind, x, y float64) report {
	return report{kind: k, frame: inBase, pos: mgl64.Vec3{x, y, 0}, heading: math.NaN(), confidence: math.NaN()}
}

func inMapAt(x, y, heading float64) *report {
	return &report{kind: Self, frame: inMap, pos: mgl64.Vec3{x, y, 0}, heading: heading, confidence: math.NaN()}
}

// ours is the vision of refbot.
type ours struct{ *node.Eyes }

func newOurs(model *vision.OmniModel, table *vision.ColorTable) testedVision {
	floor := vision.NewFloor(model, mounted, 7)
	eyes := node.NewEyes(floor, locate.NewField(locate.Markings{Pitch: pitch.Pitch{Length: 18, Width: 12},
		LineWidth: 0.125, CentreCircle: 2, CornerArc: 0.75}))
	eyes.UseColors(table, vision.NewOmniView(model, mounted), floor)
	return &ours{eyes}
}

func (v *ours) begin(*omnipitch.Sim) {}

func (v *ours) compass(o *sensors.Observation) {
	v.Tracker.Compass(float64(o.Reading.(*sensors.CompassReading).Heading))
}

func (v *ours) odometry(o *sensors.Observation) {
	p := o.Reading.(*sensors.OdometryReading).PoseOB
	v.Tracker.Odometry(o.Stamp, locate.Pose{Pos: pitch.Vec{p.Pos[0], p.Pos[1]}, Heading: p.Heading()})
}

func (v *ours) look(o *sensors.Observation) (s said) {
	seen := v.Omni(o.Stamp, o.Color.Pix)
	if e := &seen.Pose; e.Known {
		s.self = inMapAt(e.Pos[0], e.Pos[1], e.Heading)
	}
	if seen.HasBall {
		s.balls = append(s.balls, inBaseAt(Ball, seen.Ball.Pos[0], seen.Ball.Pos[1]))
	}
	for _, b := range seen.Obstacles {
		s.obstacles = append(s.obstacles, inBaseAt(Obstacles, b.X, b.Y))
	}
	return s
}

// bad is a vision as a beginner may write it. It takes the lowest pixel of a cluster of the ball's colour for the ball
// on the floor. An obstacle begins where black begins along one of thirty scan lines. The vision assumes a mirror that
// is 6 cm too low and turned by two degrees. It does not adapt to the light.
type bad struct {
	floor     *vision.Floor
	segmenter *vision.Segmenter
}

func newBad(model *vision.OmniModel, table *vision.ColorTable) testedVision {
	wrong := mounted
	wrong.Height -= 0.06
	wrong.Yaw += 2 * math.Pi / 180
	floor := vision.NewFloor(model, wrong, 7)
	return &bad{floor, vision.NewSegmenter(table, floor.Width, floor.Height, nil)}
}

func (v *bad) begin(*omnipitch.Sim)          {}
func (v *bad) compass(*sensors.Observation)  {}
func (v *bad) odometry(*sensors.Observation) {}

const (
	tile      = 20 // pixels; the tile with the most orange pixels has the ball
	fewOrange = 5  // smallest number of such pixels in the tile
	sectors   = 30
	hull      = 80.0 // radius in pixels, around the centre of the image, that shows the robot itself
	fewDark   = 8    // consecutive pixels
)

func (v *bad) look(o *sensors.Observation) (s said) {
	classes, w, h := v.segmenter.Segment(o.Color.Pix), v.floor.Width, v.floor.Height
	rho := func(x, y int) float64 { return math.Hypot(float64(x)-v.floor.Column, float64(y)-v.floor.Row) }
	orange := func(x, y int) bool { return classes[y*w+x] == vision.ClassBall && rho(x, y) > hull }
	counts := make([]int, (w/tile+1)*(h/tile+1))
	best := 0
	for y := range h {
		for x := range w {
			if orange(x, y) {
				i := y/tile*(w/tile+1) + x/tile
				if counts[i]++; counts[i] > counts[best] {
					best = i
				}
			}
		}
	}
	if counts[best] >= fewOrange {
		x0, y0 := best%(w/tile+1)*tile, best/(w/tile+1)*tile
		lx, ly, low := 0, 0, math.Inf(1)
		for y := max(0, y0-tile/2); y < min(h, y0+3*tile/2); y++ {
			for x := max(0, x0-tile/2); x < min(w, x0+3*tile/2); x++ {
				if orange(x, y) && rho(x, y) < low {
					lx, ly, low = x, y, rho(x, y)
				}
			}
		}
		if fx, fy, ok := v.floor.At(lx, ly); ok {
			s.balls = append(s.balls, inBaseAt(Ball, fx, fy))
		}
	}
	for k := range sectors {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / sectors)
		dark := 0
		for d := hull; ; d++ {
			x, y := int(v.floor.Column+d*cos), int(v.floor.Row+d*sin)
			fx, fy, ok := v.floor.At(x, y)
			if !ok {
				break
			}
			if classes[y*w+x] == vision.ClassBlack {
				dark++
			} else {
				dark = 0
			}
			if dark == fewDark {
				if n := len(s.obstacles); n > 0 && math.Hypot(fx-s.obstacles[n-1].pos[0],
					fy-s.obstacles[n-1].pos[1]) < 0.8 {
					s.obstacles[n-1] = inBaseAt(Obstacles, (fx+s.obstacles[n-1].pos[0])/2,
						(fy+s.obstacles[n-1].pos[1])/2)
				} else {
					s.obstacles = append(s.obstacles, inBaseAt(Obstacles, fx, fy))
				}
				break
			}
		}
	}
	return s
}

// simulated reports the output of level objects.
type simulated struct{}

func (simulated) begin(*omnipitch.Sim)          {}
func (simulated) compass(*sensors.Observation)  {}
func (simulated) odometry(*sensors.Observation) {}

func (simulated) look(o *sensors.Observation) (s said) {
	l := o.Objects
	for i := range l.Detections {
		switch d := &l.Detections[i]; d.Kind {
		case abstraction.BallKind:
			s.balls = append(s.balls, inBaseAt(Ball, d.PosB[0], d.PosB[1]))
		case abstraction.RobotKind, abstraction.ObstacleKind:
			s.obstacles = append(s.obstacles, inBaseAt(Obstacles, d.PosB[0], d.PosB[1]))
		}
	}
	if l.SelfKnown {
		s.self = inMapAt(l.Self.Pos[0], l.Self.Pos[1], l.Self.Heading())
	}
	return s
}

// hall is the world in which visions are assessed. It has four robots, two boxes and the appearance "natural".
type hall struct {
	name, base, light string
	table             func() *vision.ColorTable // colour table as a person would make it from some of its images
}

func newHall(t testing.TB, name, base, light string) *hall {
	h := &hall{name: name, base: base, light: light}
	h.table = sync.OnceValue(func() *vision.ColorTable { return h.pointedOut(t) })
	return h
}

// world returns the hall with a seed and the robot's camera at a level and a rate. keys are more keys of the camera.
// The world includes the given files.
func (h *hall) world(t testing.TB, seed int, level string, rate float64, keys string, files ...string) *worlds.World {
	t.Helper()
	text := fmt.Sprintf(`
name = "%s"
include = [%s]
seed = %d
look = "natural"
%s
[time]
speed = "max"
[physics]
engine = "planar"
[[robot]]
name = "cyan1"
[[robot.sensor]]
name = "omni"
level = %q
rate_hz = %g
%s
[[robot.sensor]]
name = "compass"
kind = "compass"
[[robot]]
for_each = [{ name = "cyan2", team = "cyan", x = -3, y = 2 }, { name = "magenta3", team = "magenta", x = -4, y = -2.5 }]
name = "{name}"
team = "{team}"
model = "nubot"
pose = { x_m = "{x}", y_m = "{y}" }
`, h.name, quoted(append([]string{h.base}, files...)), seed, h.light, level, rate, keys)
	return must.Get(worlds.Parse("hall.toml", []byte(text)))(t)
}

func quoted(all []string) string {
	var text []string
	for _, s := range all {
		text = append(text, strconv.Quote(s))
	}
	return strings.Join(text, ", ")
}

// pointedOut returns a colour table made from the pixels of twenty images, as a person would point them out.
func (h *hall) pointedOut(t testing.TB) *vision.ColorTable {
	t.Helper()
	samples := new(calibration.ColorHistogram)
	tourOf(t, h.world(t, 1000, "raw", 1, "ground_truth = true"), 20*time.Second, &pointing{samples: samples})
	return must.Get(vision.ReadColorTable(bytes.NewReader(samples.Table(calibration.BGR).Bytes()), vision.BGR))(t)
}

// pointing is a vision that reports nothing and collects colours.
type pointing struct {
	samples *calibration.ColorHistogram
	ball    uint16 // label of the ball
}

func (p *pointing) begin(sim *omnipitch.Sim) {
	p.ball = uint16(int(render.LabelBody) + sim.Sensors().Scenery().Ball())
}
func (p *pointing) compass(*sensors.Observation)  {}
func (p *pointing) odometry(*sensors.Observation) {}

func (p *pointing) look(o *sensors.Observation) (s said) {
	for i, label := range o.Truth.Labels {
		pix := o.Color.Pix[3*i : 3*i+3]
		class := vision.ClassUnknown
		switch {
		case label == p.ball:
			class = vision.ClassBall
		case label == render.LabelFloor:
			class = vision.ClassGreen
		case label >= render.LabelBody && max(pix[0], pix[1], pix[2]) < 80:
			class = vision.ClassBlack
		}
		p.samples.Add(pix[0], pix[1], pix[2], int(class))
	}
	return s
}

// calibrated returns the model of the robot's camera as omnipitch calibration --format ocamcalib writes it.
func calibrated(t testing.TB, h *hall) *vision.OmniModel {
	t.Helper()
	sim := must.Get(omnipitch.New(h.world(t, 1, "raw", 1, ""), omnipitch.Options{}))(t)
	defer sim.Close()
	cam, _ := sim.Sensors().Camera("cyan1", "omni")
	fit := must.Get(calibration.FitOCam(calibration.Sample(must.Get(calibration.Central(cam.Model(), cam.PoseBC()))(t),
		92)))(t)
	var file bytes.Buffer
	must.Do(t, calibration.WriteOCamCalib(&file, fit))
	return must.Get(vision.ReadOmniModel(&file))(t)
}

// mounted is the mounting of the camera on the robot.
var mounted = vision.OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}
