package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// entry has the fields that the box adds to a world state.
type entry struct {
	TeamName   string `json:"teamName"`
	Timestamp  int64  `json:"timestamp"`
	GametimeMs int64  `json:"gametimeMs"`
	Worldstate state  `json:"worldstate"`
}

// state is a world state, as documented by cPacketRefboxLogger.
type state struct {
	Type      string        `json:"type"`
	TeamName  string        `json:"teamName"`
	Intention string        `json:"intention"`
	Robots    []mslRobot    `json:"robots"`
	Balls     []mslBall     `json:"balls"`
	Obstacles []mslObstacle `json:"obstacles"`
	AgeMs     int           `json:"ageMs"`
}

type mslRobot struct {
	ID           int        `json:"id"`
	Pose         [3]float64 `json:"pose"`
	TargetPose   [3]float64 `json:"targetPose"`
	Velocity     [3]float64 `json:"velocity"`
	Intention    string     `json:"intention"`
	BatteryLevel float64    `json:"batteryLevel"`
	BallEngaged  int        `json:"ballEngaged"`
}

type mslBall struct {
	Position   [3]float64 `json:"position"`
	Velocity   [3]float64 `json:"velocity"`
	Confidence float64    `json:"confidence"`
}

type mslObstacle struct {
	Position   [2]float64 `json:"position"`
	Velocity   [2]float64 `json:"velocity"`
	Radius     float64    `json:"radius"`
	Confidence float64    `json:"confidence"`
}

// duel returns a world with a robot of each team and a box.
func duel(t *testing.T) *worlds.World {
	t.Helper()
	w := must.Get(worlds.LoadBundle(worlds.Bundle{"world.toml": []byte(`name = "duel"
field = "msl-18x12"
[[robot]]
name = "cyan1"
model = "nubot"
number = 3
[[robot]]
name = "magenta1"
model = "nubot"
team = "magenta"
number = 4
pose = { x_m = 3 }
[[obstacle]]
name = "box"
pose = { x_m = 5 }
size_x_m = 0.6
size_y_m = 0.8
height_m = 0.5
mass_kg = 10
`)}))(t)
	return w
}

// body returns a body at x and y with a heading, which moves along x.
func body(name string, x, y, heading, speed float64) msg.Body {
	return msg.Body{Name: name, Pose: msg.Pose{Position: msg.Point{X: x, Y: y},
		Orientation: msg.Quaternion{Z: math.Sin(heading / 2), W: math.Cos(heading / 2)}},
		Twist: msg.Twist{Linear: msg.Vector3{X: speed}, Angular: msg.Vector3{Z: 0.5}}}
}

// truthOf records the truth of bodies at 50 Hz.
func truthOf(t *testing.T, bodies ...msg.Body) string {
	t.Helper()
	codec := must.Get(msg.Compile[msg.Truth](definitionOf(t, truthType)))(t)
	return recorded(t, func(w *recording.Writer) {
		c := channel(t, w, "/omnipitch/truth", truthType)
		for i := range 26 { // half a second
			at := time.Duration(i) * 20 * time.Millisecond
			c.Write(2*time.Second+at, at, codec.Append(nil, &msg.Truth{HeldBy: "cyan1", Bodies: bodies}))
		}
	})
}

// The logs of both teams are in their own frames, with the other team as obstacles, 10 times per second.
func TestMSL(t *testing.T) {
	path := truthOf(t, body("ball", 1, 2, 0, 3), body("cyan1", 1, -2, math.Pi/2, 0), body("magenta1", 4, 1, math.Pi,
		-1), body("box", 5, 0, 0, 0))
	var b bytes.Buffer
	must.Do(t, MSL(t.Context(), opened(t, path), Selection{}, duel(t), MSLConfig{Name: "final", Rate: 10}, &b))
	archive := must.Get(zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	must.Do(t, fstest.TestFS(archive, "final.A.msl", "final.B.msl"))
	radius := duel(t).Robots[0].Body.Radius
	for name, want := range map[string]state{
		"final.A.msl": {Type: "worldstate", TeamName: "cyan",
			Robots: []mslRobot{{ID: 3, Pose: [3]float64{2, 1, 1.571}, TargetPose: [3]float64{2, 1, 1.571},
				Velocity: [3]float64{0, 0, 0.5}, BatteryLevel: 100, BallEngaged: 1}},
			Balls: []mslBall{{Position: [3]float64{-2, 1, 0}, Velocity: [3]float64{0, 3, 0}, Confidence: 1}},
			Obstacles: []mslObstacle{{Position: [2]float64{-1, 4}, Velocity: [2]float64{0, -1}, Radius: radius,
				Confidence: 1}, {Position: [2]float64{0, 5}, Radius: 0.5, Confidence: 1}}},
		"final.B.msl": {Type: "worldstate", TeamName: "magenta",
			Robots: []mslRobot{{ID: 4, Pose: [3]float64{1, -4, 0}, TargetPose: [3]float64{1, -4, 0},
				Velocity: [3]float64{0, 1, 0.5}, BatteryLevel: 100}},
			Balls: []mslBall{{Position: [3]float64{2, -1, 0}, Velocity: [3]float64{0, -3, 0}, Confidence: 1}},
			Obstacles: []mslObstacle{{Position: [2]float64{-2, -1}, Radius: radius, Confidence: 1},
				{Position: [2]float64{0, -5}, Radius: 0.5, Confidence: 1}}},
	} {
		f := must.Get(archive.Open(name))(t)
		text := must.Get(io.ReadAll(f))(t)
		var got []entry
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got) != 6 {
			t.Fatalf("%s: %d world states in half a second, want 6", name, len(got))
		}
		for i := range got {
			wanted := entry{want.TeamName, 2000 + 100*int64(i), 100 * int64(i), want}
			// the rounding to three decimals
			near := gocmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 0.0005 })
			if d := gocmp.Diff(wanted, got[i], near); d != "" {
				t.Fatalf("%s: entry %d (-want +got):\n%s", name, i, d)
			}
		}
		// The text around a world state, with these spaces, is as in the box.
		begin := `{"teamName": "` + want.TeamName + `","timestamp": 2000,"gametimeMs": 0,"worldstate": {"type":"worldstate"`
		if s := string(text); !strings.HasPrefix(s, "[\n"+begin) || !strings.Contains(s, "}},\n{\"teamName\": ") ||
			!strings.HasSuffix(s, "}]\n") || strings.Contains(s, "-0.000") {
			t.Errorf("%s: lines are not the box's:\n%.200s", name, s)
		}
	}
}

// MSL fails without truth, with a state that is not finite, and on a full disk.
func TestMSLRefuses(t *testing.T) {
	good := truthOf(t, body("ball", 0, 0, 0, 0))
	other := recorded(t, func(w *recording.Writer) {
		channel(t, w, "/omnipitch/truth", "std_msgs/String").Write(0, 0, encodedText("a"))
	})
	full := errors.New("no room")
	for _, c := range []struct {
		path, want string
		to         io.Writer
	}{
		{truthOf(t, body("ball", math.NaN(), 0, 0, 0)), "a body's state must be finite", io.Discard},
		{truthOf(t, body("ball", 0, 0, 0, math.Inf(1))), "a body's state must be finite", io.Discard},
		{other, "the recording has no topic of truth", io.Discard},
		{good, full.Error(), failing{full}},
	} {
		err := MSL(t.Context(), opened(t, c.path), Selection{}, duel(t), MSLConfig{Name: "x", Rate: 50}, c.to)
		must.Fail(t, err, c.want)
	}
	for _, rate := range []float64{0, math.NaN(), 51} {
		if (MSLConfig{Rate: rate}).Validate() == nil {
			t.Errorf("rate %v is valid", rate)
		}
	}
}
