package condition

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// fake is a world that stands still until a test moves it.
type fake struct {
	model  physics.Model
	truth  physics.Snapshot
	events map[string]*Happenings
}

func newFake() *fake {
	f := &fake{events: map[string]*Happenings{"kick": {}}}
	f.model.Step = 10 * time.Millisecond
	f.model.Field = physics.Field{Length: 18, Width: 12, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5}
	f.model.Ball.Radius = 0.11
	f.model.Robots = []physics.Robot{{Name: "cyan1", Team: physics.Cyan, Dribbler: &physics.Dribbler{}}, {Name: "magenta1", Team: physics.Magenta}}
	f.model.Obstacles = []physics.Obstacle{{Name: "box"}}
	f.truth.Robots, f.truth.Obstacles = make([]physics.RobotState, 2), make([]physics.ObstacleState, 1)
	f.truth.Ball.HeldBy = -1
	return f
}

func (f *fake) Model() *physics.Model                        { return &f.model }
func (f *fake) Truth() *physics.Snapshot                     { return &f.truth }
func (f *fake) Areas() area.Areas                            { return area.Of(&f.model.Field, nil) }
func (f *fake) Level(_, _ string) (abstraction.Level, error) { return abstraction.Objects, nil }

func (f *fake) Event(name string) (*Happenings, error) {
	if h := f.events[name]; h != nil {
		return h, nil
	}
	return nil, errors.New("there is no such event")
}

func (f *fake) step() {
	f.truth.Step++
	f.truth.Time += f.model.Step
}

func (f *fake) ball(x, y, z float64)      { f.truth.Ball.PosW = mgl64.Vec3{x, y, z} }
func (f *fake) robot(i int, x, y float64) { f.truth.Robots[i].PoseWB = spatial.Planar(x, y, 0) }

// Each condition holds for what it asks, and no longer when that is broken.
func TestConditions(t *testing.T) {
	for name, c := range map[string]struct {
		c          Condition
		make, undo func(f *fake)
		wants, was string
	}{
		"ball in goal": {
			&InArea{Name: "ball", Area: "magenta_goal"},
			func(f *fake) { f.ball(9.2, 0, 0.11) }, func(f *fake) { f.ball(9.05, 0, 0.11) },
			"ball in magenta_goal", "ball at (9.05, 0.00, 0.11) m",
		},
		"robot in area": {
			&InArea{Name: "magenta1", Area: "cyan_half"},
			func(f *fake) { f.robot(1, -2, 1) }, func(f *fake) { f.robot(1, 2, 1) },
			"magenta1 in cyan_half", "magenta1 at (2.00, 1.00, 0.00) m",
		},
		"obstacle in area": {
			&InArea{Name: "box", Area: "field"},
			func(f *fake) { f.truth.Obstacles[0].PoseWO.Pos[1] = 5 }, func(f *fake) { f.truth.Obstacles[0].PoseWO.Pos[1] = 7 },
			"box in field", "box at (0.00, 7.00, 0.00) m",
		},
		"near over the floor": {
			&Near{Name: "cyan1", Of: "ball", Within: 1},
			func(f *fake) { f.ball(0.6, 0.8, 3) }, func(f *fake) { f.ball(0.6, 0.9, 0) },
			"cyan1 within 1 m of ball", "cyan1 1.08 m from ball",
		},
		"held by any": {
			&BallHeld{},
			func(f *fake) { f.truth.Ball.HeldBy = 1 }, func(f *fake) { f.truth.Ball.HeldBy = -1 },
			"ball held", "ball held by nobody, ball at (0.00, 0.00, 0.00) m",
		},
		"held by a robot": {
			&BallHeld{Robot: "cyan1"},
			func(f *fake) { f.truth.Ball.HeldBy = 0 }, func(f *fake) { f.truth.Ball.HeldBy = 1 },
			"ball held by cyan1", "ball held by magenta1",
		},
		"held by a team": {
			&BallHeld{Team: physics.Magenta},
			func(f *fake) { f.truth.Ball.HeldBy = 1 }, func(f *fake) { f.truth.Ball.HeldBy = 0 },
			"ball held by team magenta", "ball held by cyan1",
		},
		"happened": {
			&Happened{Event: "kick"},
			func(f *fake) { f.events["kick"].Add(time.Second) }, func(f *fake) { *f.events["kick"] = Happenings{} },
			"event kick happened", "event kick has not happened",
		},
		"happened twice": {
			&Happened{Event: "kick", Times: 2},
			func(f *fake) { f.events["kick"].Add(1); f.events["kick"].Add(2) }, func(f *fake) { *f.events["kick"] = Happenings{Count: 1, Last: time.Second} },
			"event kick happened 2 times", "event kick happened 1 times, last at 1.000 s",
		},
	} {
		f := newFake()
		test, err := c.c.Bind(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.make(f); !test() {
			t.Errorf("%s: does not hold", name)
		}
		if c.undo(f); test() {
			t.Errorf("%s: holds although it is broken", name)
		}
		if got := c.c.String(); got != c.wants {
			t.Errorf("%s: got %q, want %q", name, got, c.wants)
		}
		if got := c.c.Now(f); got != c.was {
			t.Errorf("%s: got %q, want %q", name, got, c.was)
		}
		if n := testing.AllocsPerRun(10, func() { test() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestBindFails(t *testing.T) {
	for want, c := range map[string]Condition{
		`name = "bal": is neither ball, robot nor obstacle`:    &InArea{Name: "bal", Area: "field"},
		"there is no such area; did you mean field?":           &InArea{Name: "ball", Area: "fild"},
		`name = "cyan2": is neither ball, robot nor obstacle`:  &Near{Name: "ball", Of: "cyan2"},
		`robot = "cyan2": there is no such robot`:              &BallHeld{Robot: "cyan2"},
		"there is no such event":                               &Happened{Event: "pass"},
		"needs one condition of in_area, near, ":               &Choice{},
		"has in_area and ball_held: needs one condition; all ": &Choice{InArea: &InArea{}, BallHeld: &BallHeld{}},
	} {
		if _, err := c.Bind(newFake()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLogic(t *testing.T) {
	held := func(team physics.Team) Choice { return Choice{BallHeld: &BallHeld{Team: team}} }
	near := Choice{Near: &Near{Name: "cyan1", Of: "ball", Within: 1}}
	for _, c := range []struct {
		c                                Choice
		free, cyan, cyanFar, magentaNear bool
		text                             string
	}{
		{Choice{All: All{near, held("cyan")}}, false, true, false, false, "cyan1 within 1 m of ball and ball held by team cyan"},
		{Choice{Any: Any{near, held("cyan")}}, true, true, true, true, "cyan1 within 1 m of ball or ball held by team cyan"},
		{Choice{Not: &Not{held("cyan")}}, true, false, false, true, "not (ball held by team cyan)"},
		{Choice{All: All{{Any: Any{near, held("magenta")}}, {Not: &Not{held("cyan")}}}}, true, false, false, true,
			"(cyan1 within 1 m of ball or ball held by team magenta) and not (ball held by team cyan)"},
	} {
		f := newFake()
		test, err := c.c.Bind(f)
		if err != nil {
			t.Fatal(err)
		}
		judge := func(heldBy int, ballX float64, want bool) {
			f.truth.Ball.HeldBy = heldBy
			f.ball(ballX, 0, 0)
			if got := test(); got != want {
				t.Errorf("%v, held by %d at %v m: got %v, want %v", &c.c, heldBy, ballX, got, want)
			}
		}
		judge(-1, 0, c.free)
		judge(0, 0, c.cyan)
		judge(0, 5, c.cyanFar)
		judge(1, 0, c.magentaNear)
		if got := c.c.String(); got != c.text {
			t.Errorf("got %q, want %q", got, c.text)
		}
	}
}

// for_s counts from the step in which the condition began to hold, and from anew after a break or a step in which nobody looked.
func TestForHowLong(t *testing.T) {
	f := newFake()
	c := Choice{All: All{{Near: &Near{Name: "cyan1", Of: "ball", Within: 1}, For: 30 * time.Millisecond}, {BallHeld: &BallHeld{}}}}
	test, err := c.Bind(f)
	if err != nil {
		t.Fatal(err)
	}
	f.truth.Ball.HeldBy = 0
	run := func(what, near, want string) {
		t.Helper()
		for i := range near {
			if near[i] == '_' { // nobody looks
				f.step()
				continue
			}
			f.ball(5, 0, 0)
			if near[i] == '1' {
				f.ball(0, 0, 0)
			}
			if got := test(); got != (want[i] == '1') || got != test() {
				t.Errorf("%s: step %d: got %v, then %v, want %c", what, i, got, test(), want[i])
			}
			f.step()
		}
	}
	run("from time 0 on", "11111", "00011")
	run("after a break", "0111101", "0000100")
	run("nobody looks", "1111_1111", "0011_0001")
	f.truth.Ball.HeldBy = -1
	run("the other does not hold", "111", "000")
	f.truth.Ball.HeldBy = 0
	run("and does again", "1", "1")
}
