package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/testdata/must"
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
	Velocity struct {
		At    [2]float64  `json:"at_m_s"`
		Truth *[2]float64 `json:"truth_m_s"`
	}
	Status *struct {
		Role, Action string
		Dribbling    *bool
		Holds        *bool `json:"holds_ball"`
	}
}

// says reports whether a robot has the given role and action, and believes to dribble as given while it does not.
func (m mindAnswer) says(role, action string, dribbling bool) bool {
	s := m.Status
	return s != nil && s.Role == role && s.Action == action && s.Dribbling != nil && *s.Dribbling == dribbling &&
		s.Holds != nil && !*s.Holds
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
	robot := must.Get(wire.Connect(wire.Config{Namespace: "magenta2", MasterURI: uri},
		soccer.NewPlayer(soccer.ByCards)))(t)
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
			minds["cyan2"].Pose.Error != nil && minds["magenta4"].Pose.Error != nil &&
			ref.Status != nil && ref.Velocity.Truth != nil && minds["cyan2"].says("ACTIVE", "TurnForShoot", true) &&
			minds["magenta4"].says("ACTIVE", "TurnForShoot", true)
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
	for robot, vx := range map[string]float64{"cyan2": 1, "magenta4": -1} {
		v := minds[robot].Velocity
		if !(math.Hypot(v.At[0]-vx, v.At[1]) < 1e-3) || v.Truth == nil || !(math.Hypot(v.Truth[0], v.Truth[1]) < 0.05) {
			t.Errorf("%s's velocity: %+v, want %v m/s along x; it stands", robot, v, vx)
		}
	}
	// refbot's errors come from its vision at level objects and from its prediction.
	ref := minds["magenta2"]
	if !(*ref.Pose.Error < 0.3) || !(*ref.Ball.Error < 0.6) || ref.Pose.Topic != "/magenta2/world_model/pose" ||
		ref.Obstacles == nil {
		t.Errorf("refbot's pose %+v, ball %+v, obstacles %+v", ref.Pose, ref.Ball, ref.Obstacles)
	}
	if s := ref.Status; s.Role == "" || s.Action == "" || s.Dribbling == nil || s.Holds == nil {
		t.Errorf("refbot's status: %+v", s)
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

// TestDetections checks that a rospy program without the message packages decodes the results of a vision. They come as
// vision_msgs and as the humanoid league's messages, in the shipped world that shows the levels.
func TestDetections(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "ladder", "--seed", "3")
	out := start(t, uri, debianPython, "../../testdata/rospy/detections.py", definitions, "cyan1", "omni",
		"omni_pixels").end()
	said := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		said[what] = rest
	}
	var x, y, z, sigma float64
	if n, err := fmt.Sscanf(said["3d"], "ball %g %g %g %g", &x, &y, &z, &sigma); n != 4 || err != nil {
		t.Fatalf("it says %q", out)
	}
	// An event moves the ball at 2 s.
	if off := min(math.Hypot(x-3, y-0.5), math.Hypot(x-1, y-2.5)); !(off <= 0.1+5*sigma) || !(sigma > 1e-3) ||
		!(sigma < 0.3) || !(math.Abs(z-0.11) <= 0.01) {
		t.Errorf("the ball is at (%v, %v, %v) ± %v", x, y, z, sigma)
	}
	var u, v, width, hu, hv, diameter float64
	if n, _ := fmt.Sscanf(said["2d"], "ball %g %g %g", &u, &v, &width); n != 3 {
		t.Errorf("it says %q", out)
	}
	if n, _ := fmt.Sscanf(said["humanoid"], "%g %g %g", &hu, &hv, &diameter); n != 3 || u != hu || v != hv ||
		width != diameter || !(width > 2) {
		t.Errorf("vision_msgs have the ball at (%v, %v) of %v, the humanoid league's at (%v, %v) of %v", u, v, width,
			hu, hv, diameter)
	}
	var points int
	if n, _ := fmt.Sscanf(said["points"], "%d", &points); n != 1 || points < 20 {
		t.Errorf("%q points of lines", said["points"])
	}
	for what, want := range map[string]string{"game": "3 True", "team": "2",
		"joints": "front_pan front_tilt wheel1 wheel2 wheel3 wheel4"} {
		must.Equal(t, said[what], want, "%s", what)
	}
	sim.interrupt()
}

// TestMarkers has a rospy program compare the markers for rviz and other viewers with their subjects. It compares
// markers of the truth and of reports with these, and image markers with the pixels of their images.
func TestMarkers(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	// At this speed a busy machine has the time to receive all messages of a stamp.
	sim := simulateWorld(t, uri, "pass", "--seed", "1", "--level", "cyan2.front=raw", "--speed", "0.3")
	out := start(t, uri, debianPython, "../../testdata/rospy/markers.py", definitions, "cyan2", "omni", "front").end()
	said := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		said[what] = rest
	}
	scan := func(what string, into ...any) {
		t.Helper()
		if n, err := fmt.Sscan(said[what], into...); n != len(into) || err != nil {
			t.Fatalf("%s: %q of %q: %v", what, said[what], out, err)
		}
	}
	var lines, arcs, goals, n, dots int
	scan("field", &lines, &arcs, &goals)
	// Three lines along and across, two of goals, three around each of four areas; four corners and a circle; two posts
	// and a bar of each goal.
	if lines != 17 || arcs < 100 || goals != 6 || !strings.HasSuffix(said["field"], "arcs field goals spots") {
		t.Errorf("the field has %q", said["field"])
	}
	var off, sector float64
	if scan("truth", &n, &off); n < 10 || !(off < 1) {
		t.Errorf("markers of the truth are %v mm off in %d messages", off, n)
	}
	if scan("report", &n, &off, &sector); n < 10 || !(off < 1e-3) || !(sector < 1e-3) {
		t.Errorf("markers of reports are %v mm off in %d messages, their sectors %v m or rad", off, n, sector)
	}
	var pixels, outside, far, carpet int
	// A pixel at the edge may have the ball's colour although its centre is outside the ball.
	if scan("image", &n, &pixels, &outside, &far, &carpet); n < 5 || pixels < 300 || outside*50 > pixels ||
		far*200 > pixels || carpet*20 > pixels {
		t.Errorf("of %d pixels of the ball's colour %d are outside of its outline, %d by more than a pixel, and %d "+
			"of the carpet's are inside, in %d images", pixels, outside, far, carpet, n)
	}
	if scan("marked", &n, &dots); n < 3 || dots != 0 {
		t.Errorf("%d points of lines are not drawn in %d images", dots, n)
	}
	if scan("annotations", &n, &dots); n < 5 || dots != 0 {
		t.Errorf("%d points of annotations are off in %d messages", dots, n)
	}
	sim.interrupt()
}

// TestSimatch plays a scene with a rospy robot and a rospy referee, through the topics and services of NuBot's match
// simulator alone. The referee places the ball. The robot drives there, dribbles it and shoots it into the goal. The
// referee must receive who dribbled and what the ball touched. It sends a player off, to beyond the boards, which on
// this field is where the plugin parks players. It moves robots of both teams with the orientations that it reads.
func TestSimatch(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "simatch-small", "--speed", "2")
	script := func(args ...string) *process {
		return start(t, uri, append([]string{debianPython, "../../testdata/rospy/simatch.py", definitions}, args...)...)
	}
	referee := script("referee", "-1", "2")
	until(t, "the ball to lie where the referee wants it",
		func() bool { return strings.Contains(referee.stdout(), "ball -1.0 2.0") })
	if out := script("player", "nubot2").end(); !regexp.MustCompile(`(?s)holds.*shoots`).MatchString(out) {
		t.Errorf("the player says %q", out)
	}
	out := referee.end()
	for _, want := range []string{`(?m)^dribbles 2$`, `(?m)^dribbles -1$`, `(?m)^touched (hall|rival1)$`,
		`(?m)^goal 9\.`, `(?m)^off (6\.0|5\.99)\d* -9\.8`,
		`(?m)^kept rival1 0\.00\d\nkept rival1 0\.00\d\nkept nubot1 0\.00\d\nkept nubot1 0\.00\d$`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("the referee says %q, want %s", out, want)
		}
	}
	sim.interrupt()
}
