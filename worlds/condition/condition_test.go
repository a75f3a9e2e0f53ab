package condition

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Each condition holds when it should, and not when it is violated. The first line of a case is the condition.
func TestConditions(t *testing.T) {
	for _, c := range must.Cases(t, "testdata/conditions.txt") {
		t.Run(c.Name, func(t *testing.T) {
			text, script, _ := strings.Cut(c.Text, "\n")
			var condition Choice
			must.Do(t, must.Get(schema.Parse("c.toml", []byte(text)))(t).Bind(&condition))
			f := newFake()
			test := must.Get(condition.Bind(f))(t)
			happens, undo, _ := strings.Cut("\n"+script, "\nundo\n")
			if f.run(t, happens); !test.Holds() {
				t.Errorf("does not hold: %s", test.Now())
			}
			if f.run(t, undo); test.Holds() {
				t.Errorf("holds although it is broken: %s", test.Now())
			}
			must.Equal(t, []string{condition.String(), test.Now()}, c.Want, "condition and values")
			must.Equal(t, testing.AllocsPerRun(10, func() { test.Holds() }), 0, "allocations")
		})
	}
}

func TestBindFails(t *testing.T) {
	for want, c := range map[string]Condition{
		`name = "bal": there is no such body, and no body of that kind`:   &InArea{Name: "bal", Area: "field"},
		"there is no such area; did you mean field?":                      &InArea{Name: "ball", Area: "fild"},
		`name = "cyan2": there is no such body, and no body of that kind`: &Near{Name: "ball", Of: "cyan2"},
		`robot = "cyan2": there is no such robot`:                         &BallHeld{Robot: "cyan2"},
		`robot = "cyan3": there is no such robot`:                         &Motion{Robot: "cyan3", Is: "fallen"},
		"there is no such sensor":                                         &Detects{Robot: "cyan1", Sensor: "front", Name: "ball"},
		"there is no such event":                                          &Happened{Event: "pass"},
		"needs one condition of in_area, near, ":                          &Choice{},
		"has in_area and ball_held: needs one condition; all ":            &Choice{InArea: &InArea{}, BallHeld: &BallHeld{}},
	} {
		must.Refuse(c.Bind(newFake()))(t, want)
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
		{Choice{All: All{near, held("cyan")}}, false, true, false, false,
			"cyan1 within 1 m of ball and ball held by team cyan"},
		{Choice{Any: Any{near, held("cyan")}}, true, true, true, true, "cyan1 within 1 m of ball or ball held by " +
			"team cyan"},
		{Choice{Not: &Not{held("cyan")}}, true, false, false, true, "not (ball held by team cyan)"},
		{Choice{All: All{{Any: Any{near, held("magenta")}}, {Not: &Not{held("cyan")}}}}, true, false, false, true,
			"(cyan1 within 1 m of ball or ball held by team magenta) and not (ball held by team cyan)"},
	} {
		f := newFake()
		test := must.Get(c.c.Bind(f))(t)
		judge := func(heldBy int, ballX float64, want bool) {
			f.truth.Ball.HeldBy = heldBy
			f.ball(ballX, 0, 0)
			must.Equal(t, test.Holds(), want, "%v, held by %d at %v m", &c.c, heldBy, ballX)
		}
		judge(-1, 0, c.free)
		judge(0, 0, c.cyan)
		judge(0, 5, c.cyanFar)
		judge(1, 0, c.magentaNear)
		must.Equal(t, c.c.String(), c.text, "text")
	}
}

// for_s counts from the step in which the condition started to hold. It restarts after a break, or after a step in
// which nothing asked.
func TestForHowLong(t *testing.T) {
	f := newFake()
	c := Choice{All: All{{BallHeld: &BallHeld{}}, {Near: &Near{Name: "cyan1", Of: "ball", Within: 1},
		For: 30 * time.Millisecond}}}
	test := must.Get(c.Bind(f))(t)
	f.truth.Ball.HeldBy = 0
	run := func(what, near, want string) {
		t.Helper()
		for i := range near {
			if near[i] == '_' { // not asked in this step
				f.step()
				continue
			}
			f.ball(5, 0, 0)
			if near[i] == '1' {
				f.ball(0, 0, 0)
			}
			if got := test.Holds(); got != (want[i] == '1') || got != test.Holds() {
				t.Errorf("%s: step %d: got %v, then %v, want %c", what, i, got, test.Holds(), want[i])
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

// for_s continues to count while another condition of any already holds.
func TestForHowLongBesideAnother(t *testing.T) {
	f := newFake()
	test := must.Get(Any{{BallHeld: &BallHeld{}}, {Near: &Near{Name: "cyan1", Of: "ball", Within: 1},
		For: 30 * time.Millisecond}}.Bind(f))(t)
	f.truth.Ball.HeldBy = 0
	for range 3 {
		if !test.Holds() {
			t.Fatal("does not hold while the ball is held")
		}
		f.step()
	}
	f.truth.Ball.HeldBy = -1
	if !test.Holds() {
		t.Error("does not hold although they have been near for 30 ms")
	}
}

// Conditions about observations do not hold before the sensor has delivered, or at a level without such observations.
func TestNothingObserved(t *testing.T) {
	detects, brightness := &Detects{Robot: "cyan1", Sensor: "omni", Name: "ball"}, &ImageBrightness{Robot: "cyan1",
		Sensor: "omni", Under: at(0.5)}
	for want, c := range map[string]struct {
		level abstraction.Level
		c     Condition
	}{
		"cyan1.omni has not detected ball":                     {abstraction.Objects, detects},
		"cyan1.omni is at level raw, which reports no objects": {abstraction.Raw, detects},
		"rate of cyan1.omni 0 Hz": {abstraction.Raw, &SensorRate{Robot: "cyan1",
			Sensor: "omni", Under: at(10.0)}},
		"cyan1.omni has delivered no image":                   {abstraction.Raw, brightness},
		"cyan1.omni is at level objects, which has no images": {abstraction.Objects, brightness},
	} {
		f := newFake()
		f.level = c.level
		test := must.Get(c.c.Bind(f))(t)
		if test.Holds() {
			t.Errorf("%v holds", c.c)
		}
		must.Equal(t, test.Now(), want, "values")
	}
}

// A description shared by several conditions appears once.
func TestNowSaysEachThingOnce(t *testing.T) {
	inGoal, held := Choice{InArea: &InArea{Name: "ball", Area: "magenta_goal"}}, Choice{BallHeld: &BallHeld{}}
	near := Choice{Near: &Near{Name: "cyan1", Of: "ball", Within: 1}}
	for _, c := range []struct {
		c    Condition
		want string
	}{
		{All{inGoal, held}, "ball held by nobody, ball at (2.00, 0.00, 0.11) m"},
		{All{held, inGoal}, "ball held by nobody, ball at (2.00, 0.00, 0.11) m"},
		{Any{inGoal, near, inGoal}, "ball at (2.00, 0.00, 0.11) m, cyan1 2.00 m from ball"},
		{All{near, inGoal, {Any: Any{near, held}}}, "cyan1 2.00 m from ball, ball held by nobody, ball at (2.00, " +
			"0.00, 0.11) m"},
	} {
		f := newFake()
		f.ball(2, 0, 0.11)
		test := must.Get(c.c.Bind(f))(t)
		must.Equal(t, test.Now(), c.want, "%v", c.c)
	}
}

// A condition listens to a camera at relevant levels only, so that it computes nothing at others.
func TestLevelsThatAreWanted(t *testing.T) {
	for _, c := range []struct {
		c    Condition
		want []abstraction.Level
	}{
		{&Detects{Robot: "cyan1", Sensor: "omni", Name: "ball"}, []abstraction.Level{abstraction.Features,
			abstraction.Objects, abstraction.Truth}},
		{&ImageBrightness{Robot: "cyan1", Sensor: "omni"}, []abstraction.Level{abstraction.Raw, abstraction.Ideal}},
		{&SensorRate{Robot: "cyan1", Sensor: "omni"}, []abstraction.Level{abstraction.Raw, abstraction.Ideal,
			abstraction.Features, abstraction.Objects, abstraction.Truth}},
	} {
		f := newFake()
		must.Get(c.c.Bind(f))(t)
		for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Features,
			abstraction.Objects, abstraction.Truth} {
			must.Equal(t, f.wants(level), slices.Contains(c.want, level), "%T: %s", c.c, level)
		}
	}
}

// A world that has not started is judged by its state at the start.
func TestBeginning(t *testing.T) {
	f := newFake()
	f.model.Ball = physics.Ball{Radius: 0.11, X: 3, VX: 2}
	f.model.Robots[0].Pose, f.model.Robots[1].Pose = spatial.Planar(0, 0, 0), spatial.Planar(1.5, 0, 0)
	f.model.Obstacles[0].Pose = spatial.Planar(0, 4, 0)
	f.truth = *f.model.Start()
	f.truth.Robots[0].Motion = physics.Fallen
	for _, c := range []struct {
		c    Condition
		want bool
	}{
		{&Near{Name: "cyan1", Of: "magenta1", Within: 1.5}, true},
		{&Near{Name: "cyan1", Of: "ball", Within: 2.9}, false},
		{&Apart{Names: []string{"cyan1", "magenta1", "ball"}, AtLeast: 1.5}, true},
		{&LineOfSight{From: "cyan1", To: "ball"}, false},
		{&LineOfSight{From: "magenta1", To: "ball"}, true},
		{&LineOfSight{From: "cyan1", To: "box"}, true},
		{&InArea{Name: "ball", Area: "magenta_half"}, true},
		{&Speed{Name: "ball", Over: at(1.9)}, true},
		{&BallHeld{}, false},
		{&Motion{Robot: "cyan1", Is: "fallen"}, true},
		{&Motion{Robot: "magenta1", Is: "fallen"}, false},
		{&GameState{Phase: game.Playing}, true},
	} {
		test := must.Get(c.c.Bind(f))(t)
		if got := test.Holds(); got != c.want {
			t.Errorf("%v: got %v, want %v: %s", c.c, got, c.want, test.Now())
		}
	}
}

// The top of a tipped robot follows its frame.
func TestUp(t *testing.T) {
	f := newFake()
	for _, rot := range []mgl64.Quat{mgl64.QuatIdent(), mgl64.AnglesToQuat(0.3, -1.2, 2, mgl64.XYZ),
		mgl64.QuatRotate(1.5, mgl64.Vec3{1, 0, 0})} {
		r := &f.truth.Robots[0]
		r.PoseWB = spatial.Pose{Pos: mgl64.Vec3{1, 2, 0.1}, Rot: rot}
		b := bodyOf(f, 0)
		if got, want := b.up(0.8), r.PoseWB.Apply(mgl64.Vec3{0, 0, 0.8}); !(got.Sub(want).Len() <= 1e-12) { // rounding
			t.Errorf("%v: got %v, want %v", rot, got, want)
		}
	}
}
