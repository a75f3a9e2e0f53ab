package condition

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Each condition holds when it should, and stops holding when it is violated.
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
			func(f *fake) { f.truth.Obstacles[0].PoseWO.Pos[1] = 5 },
			func(f *fake) { f.truth.Obstacles[0].PoseWO.Pos[1] = 7 },
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
		"apart": {
			&Apart{Names: []string{"cyan1", "magenta1", "ball"}, AtLeast: 1},
			func(f *fake) { f.robot(1, 3, 0); f.ball(3, 1.1, 0) }, func(f *fake) { f.ball(3, 0.9, 5) },
			"cyan1, magenta1, ball at least 1 m apart", "magenta1 0.90 m from ball",
		},
		// The line starts 0.8 m above the origin. It has sunk to 0.3 m, the box's height, after 2.9 m of the 4 m to the
		// ball.
		"line of sight over a box": {
			&LineOfSight{From: "cyan1", To: "ball"},
			func(f *fake) { f.ball(4, 0, 0.11); f.robot(1, 0, 2); f.obstacle(2.6, 0) },
			func(f *fake) { f.obstacle(2.7, 0) },
			"line of sight from cyan1 to ball", "box between cyan1 and ball",
		},
		"line of sight past a robot": {
			&LineOfSight{From: "cyan1", To: "ball"},
			func(f *fake) { f.ball(4, 0, 0.11); f.robot(1, 2, 0.26); f.obstacle(0, 5) },
			func(f *fake) { f.robot(1, 2, 0.24) },
			"line of sight from cyan1 to ball", "magenta1 between cyan1 and ball",
		},
		"line of sight to a robot": {
			&LineOfSight{From: "ball", To: "magenta1"},
			func(f *fake) { f.ball(1, 0, 0.11); f.robot(1, 4, 0); f.obstacle(6, 0) },
			func(f *fake) { f.robot(0, 2, 0) },
			"line of sight from ball to magenta1", "cyan1 between ball and magenta1",
		},
		// The line rises from 0.11 m to 0.4 m, the middle of the robot. It is 0.26 m high over the box, which is 0.3 m
		// high.
		"line of sight to the middle": {
			&LineOfSight{From: "ball", To: "magenta1"},
			func(f *fake) { f.ball(0, 0, 0.11); f.robot(1, 4, 0); f.robot(0, 0, 3); f.obstacle(0, 5) },
			func(f *fake) { f.obstacle(2, 0) },
			"line of sight from ball to magenta1", "box between ball and magenta1",
		},
		"contact with anything": {
			&Contact{Name: "magenta1"},
			func(f *fake) { f.touch(1, 3) }, func(f *fake) { f.touch(0, 3) },
			"contact of magenta1", "magenta1 touches nothing",
		},
		"contact of two": {
			&Contact{Name: "ball", With: "cyan1"},
			func(f *fake) { f.touch(0, 3) }, func(f *fake) { f.touch(1, 3) },
			"contact of ball with cyan1", "ball touches magenta1",
		},
		"contact with what stands": {
			&Contact{Name: "cyan1", With: "hall"},
			func(f *fake) { f.touch(0, physics.Static) }, func(f *fake) { f.touch(0, 2) },
			"contact of cyan1 with hall", "cyan1 touches box",
		},
		"fast": {
			&Speed{Name: "ball", Over: at(2.0)},
			func(f *fake) { f.truth.Ball.TwistInW.Lin = mgl64.Vec3{0, -2, 1} },
			func(f *fake) { f.truth.Ball.TwistInW.Lin = mgl64.Vec3{0, -2, 0} },
			"speed of ball over 2 m/s", "speed of ball 2.00 m/s",
		},
		"between two speeds": {
			&Speed{Name: "magenta1", Over: at(1.0), Under: at(2.0)},
			func(f *fake) { f.truth.Robots[1].TwistWBInW.Lin[0] = 1.5 },
			func(f *fake) { f.truth.Robots[1].TwistWBInW.Lin[0] = 2.5 },
			"speed of magenta1 over 1 and under 2 m/s", "speed of magenta1 2.50 m/s",
		},
		"slow obstacle": {
			&Speed{Name: "box", Under: at(0.1)},
			func(f *fake) {}, func(f *fake) { f.truth.Obstacles[0].TwistWOInW.Lin[1] = math.NaN() },
			"speed of box under 0.1 m/s", "speed of box NaN m/s",
		},
		"turns, to the right": {
			&Turn{Name: "cyan1", Over: at(math.Pi / 2)},
			func(f *fake) { f.truth.Robots[0].TwistWBInW.Ang[2] = -math.Pi },
			func(f *fake) { f.truth.Robots[0].TwistWBInW.Ang = mgl64.Vec3{3, 3, math.Pi / 4} },
			"cyan1 turns at over 90 deg/s", "cyan1 turns at 45.0 deg/s",
		},
		"hardly turns": {
			&Turn{Name: "box", Under: at(math.Pi / 180)},
			func(f *fake) {}, func(f *fake) { f.truth.Obstacles[0].TwistWOInW.Ang[2] = math.NaN() },
			"box turns at under 1 deg/s", "box turns at NaN deg/s",
		},
		"goals": {
			&Score{Team: physics.Cyan, AtLeast: at(2)},
			func(f *fake) { f.game.Command(game.Goal, physics.Cyan); f.game.Command(game.Goal, physics.Cyan) },
			func(f *fake) { f.game.Command(game.SubGoal, physics.Cyan) },
			"goals of cyan at least 2", "score 1 : 0 (cyan : magenta)",
		},
		"goals at most": {
			&Score{Team: physics.Magenta, AtLeast: at(0), AtMost: at(1)},
			func(f *fake) { f.game.Command(game.Goal, physics.Magenta) },
			func(f *fake) { f.game.Command(game.Goal, physics.Magenta) },
			"goals of magenta at least 0, at most 1", "score 0 : 2 (cyan : magenta)",
		},
		"game stopped": {
			&GameState{Phase: game.Stopped},
			func(f *fake) { f.game.Command(game.Stop, "") }, func(f *fake) { f.game.Command(game.Start, "") },
			"game stopped", "game playing, first_half",
		},
		"set piece": {
			&GameState{SetPiece: game.Corner, Team: physics.Magenta},
			func(f *fake) { f.game.Command(game.Corner, physics.Magenta) },
			func(f *fake) { f.game.Command(game.Corner, physics.Cyan) },
			"game corner of magenta", "game set_piece, first_half, corner of cyan",
		},
		"decided": {
			&Decided{Rule: "ball_out", Robot: "magenta1", Team: physics.Cyan},
			func(f *fake) {
				f.decided = []referee.Decision{{Rule: "ball_out", Reason: "the ball is over the goal line",
					Against: physics.Magenta, Robots: []string{"magenta1"}, Command: game.Corner, Team: physics.Cyan}}
			},
			func(f *fake) {
				f.decided = []referee.Decision{{Rule: "ball_out", Against: physics.Cyan, Robots: []string{"cyan1"}}}
			},
			"referee decides ball_out of robot magenta1 of cyan", "decided 0.000 s: ball_out: ",
		},
		"half": {
			&GameState{Half: game.Half(game.SecondHalf)},
			func(f *fake) { f.game.Command(game.SecondHalf, "") }, func(f *fake) { f.game.Command(game.GameOver, "") },
			"game second_half", "game stopped, game_over",
		},
		"level": {
			&Level{Robot: "cyan1", Sensor: "omni", Is: abstraction.Objects},
			func(f *fake) { f.level = abstraction.Objects }, func(f *fake) { f.level = abstraction.Truth },
			"cyan1.omni at level objects", "cyan1.omni at level truth",
		},
		"detects": {
			&Detects{Robot: "cyan1", Sensor: "omni", Name: "ball"},
			func(f *fake) { f.steps(10, 0); f.sees("box", "ball"); f.steps(50, 10) }, func(f *fake) { f.step() },
			"cyan1.omni detects ball", "cyan1.omni detected ball at 0.100 s",
		},
		"detects at features": {
			&Detects{Robot: "cyan1", Sensor: "omni", Name: "ball"},
			func(f *fake) {
				f.level = abstraction.Features
				f.deliver(&sensors.Observation{Stamp: f.truth.Time,
					Features: &abstraction.FeatureList{Balls: make([]abstraction.BallFeature, 1)}})
			},
			func(f *fake) {
				f.steps(100, 0)
				f.deliver(&sensors.Observation{Stamp: f.truth.Time,
					Features: &abstraction.FeatureList{Obstacles: []abstraction.BoxFeature{{Name: "box"}}}})
				f.step()
			},
			"cyan1.omni detects ball", "cyan1.omni detected ball at 0.000 s",
		},
		"detects an obstacle at features": {
			&Detects{Robot: "cyan1", Sensor: "omni", Name: "box"},
			func(f *fake) {
				f.level = abstraction.Features
				f.deliver(&sensors.Observation{Stamp: f.truth.Time,
					Features: &abstraction.FeatureList{Obstacles: []abstraction.BoxFeature{{Name: "box"}}}})
			},
			func(f *fake) {
				f.steps(100, 0)
				f.deliver(&sensors.Observation{Stamp: f.truth.Time,
					Features: &abstraction.FeatureList{Balls: make([]abstraction.BallFeature, 1)}})
				f.step()
			},
			"cyan1.omni detects box", "cyan1.omni detected box at 0.000 s",
		},
		"detects another": {
			&Detects{Robot: "cyan1", Sensor: "omni", Name: "ball", Within: 20 * time.Millisecond},
			func(f *fake) { f.sees("ball"); f.steps(2, 0) }, func(f *fake) { f.sees("box"); f.step() },
			"cyan1.omni detects ball", "cyan1.omni detected ball at 0.000 s",
		},
		"delivers often": { // every 40 ms
			&SensorRate{Robot: "cyan1", Sensor: "omni", Over: at(24.0), Under: at(25.5)},
			func(f *fake) { f.steps(201, 4) }, func(f *fake) { f.steps(9, 0) },
			"rate of cyan1.omni over 24 and under 25.5 Hz", "rate of cyan1.omni 23 Hz",
		},
		"delivers seldom": { // every 40 ms, then every 50 ms
			&SensorRate{Robot: "cyan1", Sensor: "omni", Under: at(22.0), Window: 2 * time.Second},
			func(f *fake) { f.steps(200, 4); f.steps(200, 5) }, func(f *fake) { f.steps(200, 4) },
			"rate of cyan1.omni under 22 Hz", "rate of cyan1.omni 25 Hz",
		},
		"bright": {
			&ImageBrightness{Robot: "cyan1", Sensor: "omni", Over: at(0.3)},
			func(f *fake) { f.shows(102) }, func(f *fake) { f.shows(51) },
			"brightness of cyan1.omni over 0.3", "brightness of cyan1.omni 0.200",
		},
		"dark": {
			&ImageBrightness{Robot: "cyan1", Sensor: "omni", Under: at(0.3)},
			func(f *fake) { f.shows(51) }, func(f *fake) { f.shows(102) },
			"brightness of cyan1.omni under 0.3", "brightness of cyan1.omni 0.400",
		},
		"happened": {
			&Happened{Event: "kick"},
			func(f *fake) { f.events["kick"].Add(time.Second) }, func(f *fake) { *f.events["kick"] = Occurrences{} },
			"event kick happened", "event kick has not happened",
		},
		"happened twice": {
			&Happened{Event: "kick", Times: 2},
			func(f *fake) { f.events["kick"].Add(1); f.events["kick"].Add(2) },
			func(f *fake) { *f.events["kick"] = Occurrences{Count: 1, Last: time.Second} },
			"event kick happened twice", "event kick happened once, last at 1.000 s",
		},
	} {
		f := newFake()
		test, err := c.c.Bind(f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.make(f); !test.Holds() {
			t.Errorf("%s: does not hold", name)
		}
		if c.undo(f); test.Holds() {
			t.Errorf("%s: holds although it is broken", name)
		}
		if got := c.c.String(); got != c.wants {
			t.Errorf("%s: got %q, want %q", name, got, c.wants)
		}
		if got := test.Now(); got != c.was {
			t.Errorf("%s: got %q, want %q", name, got, c.was)
		}
		if n := testing.AllocsPerRun(10, func() { test.Holds() }); n != 0 {
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
		"there is no such sensor":                              &Detects{Robot: "cyan1", Sensor: "front", Name: "ball"},
		"there is no such event":                               &Happened{Event: "pass"},
		"needs one condition of in_area, near, ":               &Choice{},
		"has in_area and ball_held: needs one condition; all ": &Choice{InArea: &InArea{}, BallHeld: &BallHeld{}},
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
			if got := test.Holds(); got != want {
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
		if got := test.Now(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
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
		if got := test.Now(); got != c.want {
			t.Errorf("%v: got %q, want %q", c.c, got, c.want)
		}
	}
}

// A condition listens to a camera at relevant levels only, so that it computes nothing at others.
func TestLevelsThatAreWanted(t *testing.T) {
	for _, c := range []struct {
		c    Condition
		want []abstraction.Level
	}{
		{&Detects{Robot: "cyan1", Sensor: "omni"}, []abstraction.Level{abstraction.Features, abstraction.Objects,
			abstraction.Truth}},
		{&ImageBrightness{Robot: "cyan1", Sensor: "omni"}, []abstraction.Level{abstraction.Raw, abstraction.Ideal}},
		{&SensorRate{Robot: "cyan1", Sensor: "omni"}, []abstraction.Level{abstraction.Raw, abstraction.Ideal,
			abstraction.Features, abstraction.Objects, abstraction.Truth}},
	} {
		f := newFake()
		must.Get(c.c.Bind(f))(t)
		for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Features,
			abstraction.Objects, abstraction.Truth} {
			if got := f.wants(level); got != slices.Contains(c.want, level) {
				t.Errorf("%T: %s: got %v", c.c, level, got)
			}
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
