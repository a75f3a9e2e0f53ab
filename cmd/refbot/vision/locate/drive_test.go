package locate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// field is msl-18x12, as a team would configure it.
var field = locate.NewField(locate.Markings{Pitch: pitch.Pitch{Length: 18, Width: 12}, LineWidth: 0.125,
	CentreCircle: 2, CornerArc: 0.75})

// head is a world with a robot like team NuBot's, with a compass besides, among others.
const head = `
name = "vision"
look = "%s"
field = "msl-18x12"
seed = %d
[ball]
x_m = 2
y_m = 0.7
[[robot]]
name = "cyan1"
model = "nubot"
number = 1
pose = { x_m = %.3f, y_m = %.3f, heading_deg = %.1f }
[[robot.sensor]]
name = "omni"
level = "raw"
rate_hz = %g
[[robot.sensor]]
name = "front"
level = "truth"
[[robot.sensor]]
name = "compass"
kind = "compass"
`

const others = `
[[robot]]
name = "cyan2"
model = "nubot"
pose = { x_m = -3, y_m = 2 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta1"
team = "magenta"
model = "nubot"
pose = { x_m = 4, y_m = -2.5 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[obstacle]]
name = "obstacle1"
pose = { x_m = 1.0, y_m = 3.4 }
[[obstacle]]
name = "obstacle2"
pose = { x_m = -5.6, y_m = -1.2 }
`

// seeing is what a robot's vision is given of a frame, and the truth of the same time.
type seeing struct {
	stamp time.Duration
	pix   []byte // rgb8, lent
	truth locate.Pose
}

// drive runs a world and calls f for each image of cyan1's omni camera, with a tracker that has had the odometry and
// the compass until then.
func drive(t testing.TB, text string, span time.Duration, f func(s seeing, compass float64, tracker *locate.Tracker)) {
	t.Helper()
	w := must.Get(worlds.Parse("vision.toml", []byte(text)))(t)
	w.Time.Speed = timesync.Max
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	truths := map[time.Duration]locate.Pose{}
	note := func(s *physics.Snapshot) {
		x, y, heading := planar(s.Robots[0].PoseWB)
		truths[s.Time] = locate.Pose{Pos: pitch.Vec{x, y}, Heading: heading}
	}
	note(sim.Truth())
	sim.OnStep(note)
	tracker, compass := locate.NewTracker(field), 0.0
	listen := func(sensor string, observe func(*sensors.Observation)) {
		if _, err := sim.Listen("cyan1", sensor, omnipitch.Listener{Wants: func(abstraction.Level) bool { return true },
			Observe: observe}); err != nil {
			t.Fatal(err)
		}
	}
	listen("compass", func(o *sensors.Observation) {
		compass = float64(o.Reading.(*sensors.CompassReading).Heading)
		tracker.Compass(compass)
	})
	listen("odometry", func(o *sensors.Observation) {
		x, y, heading := planar(o.Reading.(*sensors.OdometryReading).PoseOB)
		tracker.Odometry(o.Stamp, locate.Pose{Pos: pitch.Vec{x, y}, Heading: heading})
	})
	listen("omni", func(o *sensors.Observation) {
		f(seeing{o.Stamp, o.Color.Pix, truths[o.Stamp]}, compass, tracker)
	})
	must.Get(sim.Run(context.Background(), omnipitch.Pace{For: span, Speed: timesync.Max}))(t)
}

func planar(p spatial.Pose) (x, y, heading float64) { return p.Pos[0], p.Pos[1], p.Heading() }

// calibrated is the camera by the file that omnipitch calibration writes: as its robot's team would have it.
var calibrated = sync.OnceValues(func() (*vision.OmniModel, error) {
	w, err := worlds.Parse("vision.toml", []byte(world(1, locate.Pose{}, 30)))
	if err != nil {
		return nil, err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	cam, ok := sim.Sensors().Camera("cyan1", "omni")
	if !ok {
		return nil, errors.New("no camera")
	}
	model, err := calibration.Central(cam.Model(), cam.PoseBC())
	if err != nil {
		return nil, err
	}
	rays := calibration.Sample(model, 92)
	fit, err := calibration.FitOCam(rays)
	if err != nil {
		return nil, err
	}
	var results bytes.Buffer
	if err := calibration.WriteOCamCalib(&results, fit); err != nil {
		return nil, err
	}
	return vision.ReadOmniModel(&results)
})

// finder returns a finder of lines for the camera.
func finder(t testing.TB) *vision.LineFinder {
	t.Helper()
	m := must.Get(calibrated())(t)
	return vision.NewLineFinder(vision.NewFloor(m, vision.OmniMount{Height: 0.78, Yaw: -math.Pi / 2, Mirrored: true},
		7), 360, 0.125)
}

// world writes a world's text: its head, others, and more.
func world(seed int, at locate.Pose, rate float64, more ...string) string {
	return fmt.Sprintf(head, *look, seed, at.Pos[0], at.Pos[1], at.Heading/math.Pi*180, rate) + strings.Join(more, "") +
		others
}
