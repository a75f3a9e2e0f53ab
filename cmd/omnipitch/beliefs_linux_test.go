package main

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
)

// believingWorld has three robots with beliefs. For one robot of each team, rospy publishes them as NuBot's world model
// and as standard messages. refbot plays for the third.
const believingWorld = `
name = "believing"
field = "msl-18x12"
[ball]
x_m = 1
y_m = 3
[[robot]]
name = "cyan2"
model = "nubot"
pose = { x_m = -5, y_m = 2.1, heading_deg = 90 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "cyan3"
model = "nubot"
pose = { x_m = -6, y_m = -3 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta4"
number = 4
model = "nubot"
team = "magenta"
pose = { x_m = 5, y_m = -2, heading_deg = -80 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta5"
number = 5
model = "nubot"
team = "magenta"
pose = { x_m = 6, y_m = 3, heading_deg = 180 }
sensor = [{ name = "omni", level = "truth" }, { name = "front", level = "truth" }]
[[robot]]
name = "magenta2"
number = 2
model = "nubot"
team = "magenta"
pose = { x_m = 3, y_m = -1, heading_deg = 100 }
ros1 = { profiles = ["refbot"] }
sensor = [{ name = "omni", level = "objects" }, { name = "front", level = "objects" }]
`

type placeAnswer struct {
	X       float64 `json:"x_m"`
	Y       float64 `json:"y_m"`
	Heading float64 `json:"heading_deg"`
}

type believedAnswer struct {
	Topic      string
	At, Truth  placeAnswer
	Error      *float64 `json:"error_m"`
	ErrorAngle *float64 `json:"error_deg"`
}

type mindAnswer struct {
	Name       string
	Pose, Ball *believedAnswer
	Obstacles  *struct{ Places []placeAnswer }
	Path       *struct {
		Points [][2]float64 `json:"points_m"`
	}
}

type graphAnswer struct {
	Name       string
	Publishers []string
	Listeners  int
	Rate       *float64 `json:"rate_hz"`
}

// TestBeliefsOfPrograms checks the dashboard's beliefs of robots, in the frame of the map and next to the truth. rospy
// publishes beliefs of both teams in team frames and robot frames, and refbot publishes its own. Topics must list their
// publishers. Viewing a robot must add no listener to the simulator.
func TestBeliefsOfPrograms(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	p := simulateWorld(t, uri, aWorld(t, believingWorld), "--web", "0", "--no-programs")
	p.says(": dashboard at http")
	at := dashboardLine.FindStringSubmatch(p.stderr())[1]
	start(t, uri, debianPython, "../../testdata/rospy/believes.py", definitions, "cyan", "2", "magenta", "4")
	robot := must(wire.Connect(wire.Config{Namespace: "magenta2", MasterURI: uri}, soccer.NewPlayer(soccer.ByCards)))(t)
	t.Cleanup(func() { robot.Close() })

	var minds map[string]mindAnswer
	until(t, "what five robots believe", func() bool {
		var j struct{ Robots []mindAnswer }
		if status, body := get(t, at+"/api/beliefs"); status != http.StatusOK || json.Unmarshal([]byte(body),
			&j) != nil {
			t.Fatalf("%d, %s", status, body)
		}
		minds = map[string]mindAnswer{}
		for _, m := range j.Robots {
			minds[m.Name] = m
		}
		ref := minds["magenta2"]
		return len(minds) == 5 && minds["cyan3"].Ball != nil && minds["magenta5"].Ball != nil && ref.Path != nil &&
			len(ref.Path.Points) > 0 && ref.Ball != nil && ref.Ball.Error != nil &&
			minds["cyan2"].Pose.Error != nil && minds["magenta4"].Pose.Error != nil
	})
	is := func(what string, b *believedAnswer, x, y, heading, turned float64) {
		t.Helper()
		if b == nil || b.Error == nil || !(math.Hypot(b.At.X-x, b.At.Y-y) < 2e-3) ||
			!(math.Abs(math.Remainder(b.At.Heading-heading, 360)) < 0.05) {
			t.Errorf("%s: %+v, want %v %v %v", what, b, x, y, heading)
		} else if off := math.Hypot(b.At.X-b.Truth.X, b.At.Y-b.Truth.Y); !(math.Abs(*b.Error-off) < 1e-3) ||
			b.ErrorAngle != nil && !(math.Abs(*b.ErrorAngle-turned) < 0.1) {
			t.Errorf("%s: off by %v m and %+v°, want %v m and %v°", what, *b.Error, b.ErrorAngle, off, turned)
		}
	}
	is("cyan2's pose", minds["cyan2"].Pose, -5, 2, 90, 0)
	is("magenta4's pose", minds["magenta4"].Pose, 5, -2, -90, -10)
	is("cyan2's ball", minds["cyan2"].Ball, 1, 3, 0, 0)
	is("magenta4's ball", minds["magenta4"].Ball, -1, -3, 0, 0)
	is("cyan3's pose", minds["cyan3"].Pose, -6, -3, 0, 0)
	is("magenta5's pose", minds["magenta5"].Pose, 6, 3, 180, 0)
	is("cyan3's ball", minds["cyan3"].Ball, -4, -2, 0, 0)
	is("magenta5's ball", minds["magenta5"].Ball, 4, 2, 180, 0)
	if off := *minds["cyan2"].Pose.Error; !(math.Abs(off-0.1) < 2e-3) {
		t.Errorf("cyan2 is off by %v m, want 0.1 m", off)
	}
	if o := minds["magenta4"].Obstacles; o == nil || len(o.Places) != 1 ||
		!(math.Hypot(o.Places[0].X+2, o.Places[0].Y-4) < 1e-3) {
		t.Errorf("magenta4's obstacles: %+v", o)
	}
	// refbot's errors come from its vision at level objects and from its prediction.
	ref := minds["magenta2"]
	if !(*ref.Pose.Error < 0.3) || !(*ref.Ball.Error < 0.6) || ref.Pose.Topic != "/magenta2/world_model/pose" ||
		ref.Obstacles == nil {
		t.Errorf("refbot's pose %+v, ball %+v, obstacles %+v", ref.Pose, ref.Ball, ref.Obstacles)
	}

	var topics struct{ Topics []graphAnswer }
	status, body := get(t, at+"/api/topics?filter=/magenta4/")
	if err := json.Unmarshal([]byte(body), &topics); err != nil || status != http.StatusOK {
		t.Fatalf("%d, %s", status, body)
	}
	for name, publisher := range map[string]string{"/magenta4/worldmodel/worldmodelinfo": "/believes",
		"/magenta4/omnivision/OmniVisionInfo": "/omnipitch"} {
		i := slices.IndexFunc(topics.Topics, func(g graphAnswer) bool { return g.Name == name })
		if i < 0 || !slices.Equal(topics.Topics[i].Publishers, []string{publisher}) ||
			topics.Topics[i].Listeners != 0 || topics.Topics[i].Rate == nil {
			t.Errorf("%s: %s", name, body)
		}
	}
	p.interrupt()
	if text := p.stderr(); strings.Contains(text, "not known") {
		t.Error(text)
	}
}
