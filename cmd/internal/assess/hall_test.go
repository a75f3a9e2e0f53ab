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

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

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
	return must(worlds.Parse("hall.toml", []byte(text)))(t)
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
	return must(vision.ReadColorTable(bytes.NewReader(samples.Table(calibration.BGR).Bytes()), vision.BGR))(t)
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
	sim := must(omnipitch.New(h.world(t, 1, "raw", 1, ""), omnipitch.Options{}))(t)
	defer sim.Close()
	cam, _ := sim.Sensors().Camera("cyan1", "omni")
	fit := must(calibration.FitOCam(calibration.Sample(must(calibration.Central(cam.Model(), cam.PoseBC()))(t), 92)))(t)
	var file bytes.Buffer
	if err := calibration.WriteOCamCalib(&file, fit); err != nil {
		t.Fatal(err)
	}
	return must(vision.ReadOmniModel(&file))(t)
}

// mounted is the mounting of the camera on the robot.
var mounted = vision.OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true}
