package refbox

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// shown is a world state as the box's documents show one, from cPacketRefboxLogger, which has what ageMs is for.
const shown = `{"type": "worldstate", "teamName": "CBD", "intention": "Searching for the ball",
	"robots": [{"id": 1, "pose": [0.002, -8.933, 0.4932], "targetPose": [0.002, null, 0.4934], "velocity": [0, -0.004,
		0.00], "intention": "", "batteryLevel": 100.0, "ballEngaged": 1}],
	"balls": [{"position": [-0.002, -0.001, 0], "velocity": [0, 0, 0], "confidence": 0.959}],
	"obstacles": [{"position": [-0.002, -0.001], "radius": 0.25, "velocity": [0, 0], "confidence": 0.959}],
	"ageMs": 20}`

func TestWorldStates(t *testing.T) {
	w := must.Get(ParseWorldState([]byte(shown)))(t)
	r := w.Robots[0]
	if w.TeamName != "CBD" || w.AgeMs != 20 || r.ID != 1 || r.BallEngaged != 1 ||
		r.Pose != (Vec3{0.002, -8.933, 0.4932}) || !math.IsNaN(r.TargetPose[1]) ||
		w.Balls[0].Confidence != 0.959 || w.Obstacles[0].Radius != 0.25 {
		t.Errorf("%+v", w)
	}
	again := string(w.Append(nil))
	want := `{"type":"worldstate","teamName":"CBD","intention":"Searching for the ball","robots":[{"id":1,"pose":[0.002,-8.933,0.493],"targetPose":[0.002,null,0.493],` +
		`"velocity":[0.000,-0.004,0.000],"intention":"","batteryLevel":100.000,"ballEngaged":1}],"balls":[{"position":[-0.002,-0.001,0.000],"velocity":[0.000,0.000,0.000],"confidence":0.959}],` +
		`"obstacles":[{"position":[-0.002,-0.001],"velocity":[0.000,0.000],"radius":0.250,"confidence":0.959}],"ageMs":20}` + "\x00"
	must.Equal(t, again, want, "text of what was parsed")
	if got := string((&WorldState{}).Append(nil)); !strings.Contains(got, `"robots":[],"balls":[],"obstacles":[]`) {
		t.Errorf("without anything: %s", got)
	}
	for from, to := range map[string][2]string{
		`"type": "worldstate"`: {`"type": "teams"`, `type = "teams": must be worldstate`}, `"teamName": "CBD",`: {"",
			"teamName is missing"}, `"intention": "Searching for the ball",`: {"", "intention is missing"},
		`"ageMs": 20`: {`"ageMs": null`, "ageMs = null: must be a number"}, `"robots": [`: {`"robots": 3, "r": [`,
			"robots = 3: must be a list of robots"},
		`[-0.002, -0.001, 0]`: {`[1, 2]`, "must be a list of balls"}, `[-0.002, -0.001],`: {`[1, 2, 3],`,
			"must be a list of obstacles"}, `"ballEngaged": 1`: {`"ballEngaged": true`,
			"ballEngaged are whole numbers"},
	} {
		must.Refuse(ParseWorldState([]byte(strings.Replace(shown, from, to[0], 1))))(t, to[1], to[0], from)
	}
}

// Whatever comes as a world state, it is read or refused; what is read is written so that the same is read again, but
// for rounding.
func FuzzWorldState(f *testing.F) {
	f.Add([]byte(shown))
	f.Add([]byte(`{"type":"worldstate","teamName":"","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":1e300}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ParseWorldState(text)
		if err != nil {
			return
		}
		written := w.Append(nil)
		same, err := ParseWorldState(written[:len(written)-1])
		if err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		if again := same.Append(nil); string(again) != string(written) {
			t.Errorf("%q is written as\n%q", written, again)
		}
	})
}

// A team sees the field from its own goal: y to the opponents' goal, x to the right, headings from y on,
// counter-clockwise.
func TestTeamFrames(t *testing.T) {
	field := &physics.Field{HasGoals: true, HasLines: true, HasBoards: true, Length: 18, Width: 12}
	const quarter = math.Pi / 2
	for _, c := range []struct {
		team         physics.Team
		posW, pos    [2]float64
		headingW, to float64
	}{
		{physics.Cyan, [2]float64{9, 0}, [2]float64{0, 9}, 0, 0}, // in the goal that cyan attacks
		{physics.Cyan, [2]float64{0, 6}, [2]float64{-6, 0}, quarter, quarter},
		{physics.Cyan, [2]float64{-3, -2}, [2]float64{2, -3}, -3, 2*math.Pi - 3},
		{physics.Magenta, [2]float64{9, 0}, [2]float64{0, -9}, 0, math.Pi}, // in its own goal, looking out of the field
		{physics.Magenta, [2]float64{0, 6}, [2]float64{6, 0}, quarter, 3 * quarter},
		{physics.Magenta, [2]float64{-3, -2}, [2]float64{-2, 3}, math.Pi, 0},
	} {
		f := NewTeamFrame(c.team, field)
		x, y := f.vector([3]float64{c.posW[0], c.posW[1]})
		if !(math.Abs(x-c.pos[0]) <= 1e-12 && math.Abs(y-c.pos[1]) <= 1e-12) {
			t.Errorf("%s: %v is at (%v, %v), want %v", c.team, c.posW, x, y, c.pos)
		}
		must.Near(t, fmt.Sprintf("%s: heading %v", c.team, c.headingW), f.heading(c.headingW), c.to, 1e-12)
		// A robot that drives ahead moves along its heading: -sin along x, cos along y.
		vx, vy := f.vector([3]float64{math.Cos(c.headingW), math.Sin(c.headingW)})
		sin, cos := math.Sincos(f.heading(c.headingW))
		if !(math.Hypot(vx+sin, vy-cos) <= 1e-12) {
			t.Errorf("%s: heading %v: drives along (%v, %v), want (%v, %v)", c.team, c.headingW, vx, vy, -sin, cos)
		}
	}
}

// The second team's state is the first one's turned by half a turn, as the box's audience client draws them.
func TestTeamsSeeTheSame(t *testing.T) {
	model := &physics.Model{Field: physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12}, Robots: []physics.Robot{
		{Name: "cyan2", Team: physics.Cyan, Number: 2, Pose: spatial.Planar(1, 2, 0.5),
			Body: physics.Body{Radius: 0.25}},
		{Name: "magenta4", Team: physics.Magenta, Number: 4, Pose: spatial.Planar(3, -4, 0.5),
			Body: physics.Body{Radius: 0.3}},
	}, Obstacles: []physics.Obstacle{{Name: "box", Pose: spatial.Planar(5, 5, 0), SizeX: 0.3, SizeY: 0.4}}}
	truth := model.Start()
	truth.Ball.PosW, truth.Ball.HeldBy = [3]float64{1.2, 2.1, 0.11}, 0
	truth.Robots[0].TwistWBInW.Lin = [3]float64{1, 0.5, 0}
	truth.Robots[0].TwistWBInW.Ang = [3]float64{0, 0, 2}
	var cyan, magenta WorldState
	cyan.fill(physics.Cyan, model, truth)
	magenta.fill(physics.Magenta, model, truth)
	robot := cyan.Robots[0]
	want := RobotState{ID: 2, Pose: Vec3{-2, 1, 0.5}, TargetPose: robot.Pose, Velocity: Vec3{-0.5, 1, 2},
		BatteryLevel: 100, BallEngaged: 1}
	if len(cyan.Robots) != 1 || !near(robot.Pose, want.Pose) || robot.TargetPose != want.TargetPose ||
		robot.Velocity != want.Velocity || robot.ID != 2 || robot.BallEngaged != 1 || robot.BatteryLevel != 100 {
		t.Errorf("%+v, want %+v", robot, want)
	}
	if len(magenta.Robots) != 1 || magenta.Robots[0].ID != 4 || magenta.Robots[0].BallEngaged != 0 ||
		!near(magenta.Robots[0].Pose, Vec3{-4, -3, 0.5 + math.Pi}) {
		t.Errorf("%+v", magenta.Robots)
	}
	for i, o := range []ObstacleState{{Vec2{4, 3}, Vec2{}, 0.3, 1}, {Vec2{-5, 5}, Vec2{}, 0.25, 1}} {
		if got := cyan.Obstacles[i]; !(math.Hypot(got.Position[0]-o.Position[0],
			got.Position[1]-o.Position[1]) <= 1e-12) || !(math.Abs(float64(got.Radius-o.Radius)) <= 1e-12) ||
			got.Confidence != 1 {
			t.Errorf("obstacle %d: %+v, want %+v", i, got, o)
		}
	}
	a, b := cyan.Balls[0].Position, magenta.Balls[0].Position
	if !near(a, Vec3{-2.1, 1.2, 0.11}) || !near(b, Vec3{-a[0], -a[1], a[2]}) {
		t.Errorf("balls at %v and %v", a, b)
	}
}

func near(a, b Vec3) bool {
	return math.Abs(a[0]-b[0]) <= 1e-12 && math.Abs(a[1]-b[1]) <= 1e-12 && math.Abs(a[2]-b[2]) <= 1e-12
}
