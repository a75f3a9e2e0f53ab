package player_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

func ballAt(x, y float64) string { return fmt.Sprintf("[ball]\nx_m = %v\ny_m = %v\n", x, y) }

const obstacle = "[[obstacle]]\nname = \"o\"\npose = { x_m = 1 }\n"

func TestChaseBallBringsTheBall(t *testing.T) {
	const bring = "chase_ball = { bring_to = { x_m = -3, y_m = 2 } }"
	for name, c := range map[string]struct {
		text   string
		tol, s float64
	}{
		"past an obstacle":       {ballAt(3, 0) + cyan("x_m = -1", bring) + obstacle, 0.05, 12},
		"on wheels that hold":    {ballAt(3, 0) + robot("r", "differential", "cyan", "x_m = -1", bring), 0.05, 20},
		"that rolls away":        {ballAt(1, 0) + "vx_m_s = 1.5\n" + cyan("x_m = -1", bring), 0.05, 14},
		"before it":              {ballAt(-2.8, 2) + cyan("x_m = -4, y_m = 2", bring), 0.05, 6},
		"without a dribbler":     {ballAt(3, 0) + robot("r", "nubot-goalkeeper", "cyan", "x_m = -1", bring), 0.6, 25},
		"a box without dribbler": {ballAt(2, -1) + robot("r", "mecanum", "cyan", "x_m = -1", bring), 0.6, 25},
	} {
		m := kickOff(t, c.text)
		touched := 0
		m.run(t, c.s, func() {
			if m.touched() {
				touched++
			}
		})
		if !near(m.ball(), -3, 2, c.tol) || touched > 0 {
			t.Errorf("%s: the ball is at %.3f after %v s; robot at %.3f; %d steps with touches", name, m.ball(), c.s,
				m.at(0), touched)
		}
	}
}

func TestChaseBallShoots(t *testing.T) {
	for name, c := range map[string]struct {
		shot string
		want func(m *match) bool
	}{
		"at the goal": {"shoot_goal = true", func(m *match) bool {
			return m.Field.InGoal(m.Field.Goals()[1], m.now.Ball.PosW, m.Model.Ball.Radius)
		}},
		"at a point": {"shoot_at = { x_m = 6, y_m = 5 }, shot_range_m = 5", func(m *match) bool {
			way := mgl64.Vec2{6, 5}.Sub(mgl64.Vec2{3, 1})
			v := mgl64.Vec2{m.now.Ball.TwistInW.Lin[0], m.now.Ball.TwistInW.Lin[1]}
			return v.Len() > 2 && m.ball().Sub(mgl64.Vec2{6, 5}).Len() < 0.3 && v.Dot(way) > 0
		}},
	} {
		for _, robotText := range []string{cyan("x_m = 1", "chase_ball = { "+c.shot+" }"), robot("r", "three-wheels",
			"cyan", "x_m = 1", "chase_ball = { "+c.shot+" }")} {
			m := kickOff(t, ballAt(3, 1)+robotText)
			done := false
			m.run(t, 12, func() { done = done || c.want(m) })
			if !done {
				t.Errorf("%s: the ball is at %v after 12 s, %d kicks", name, m.ball(), m.now.Robots[0].Kicks)
			}
		}
	}
}

// A kicker's strength table is inverted, so that the ball gets the speed that the player wants.
func TestKickersAreAskedForWhatTheyNeed(t *testing.T) {
	const strong = "[[robot.kicker.strength]]\nasked = 50\nspeed_m_s = 2\n[[robot.kicker.strength]]\nasked = " +
		"100\nspeed_m_s = 10\n"
	m := kickOff(t, ballAt(1, 0)+cyan("x_m = 0", "chase_ball = { shoot_goal = true, shot_range_m = 20, "+
		"shot_speed_m_s = 6 }")+strong)
	fastest := 0.0
	m.run(t, 4, func() { fastest = max(fastest, m.now.Ball.TwistInW.Lin.Len()) })
	if !(math.Abs(fastest-6) <= 0.2) {
		t.Errorf("the ball flies %.2f m/s at most, want 6", fastest)
	}
}

func TestTeamMatesAndOpponentsAtOneBall(t *testing.T) {
	const bring = "chase_ball = { bring_to = { x_m = -3 } }"
	mates := kickOff(t, cyan("x_m = -2", bring)+robot("cyan3", "nubot", "cyan", "x_m = 2", bring))
	mates.run(t, 10, nil)
	if !near(mates.ball(), -3, 0, 0.05) || !(mates.at(0).Sub(mates.at(1)).Len() >= 0.8) {
		t.Errorf("two of a team: ball at %v, robots at %v and %v", mates.ball(), mates.at(0), mates.at(1))
	}
	rivals := kickOff(t, cyan("x_m = -2", "chase_ball = { shoot_goal = true }")+robot("m2", "nubot", "magenta",
		"x_m = 2", "chase_ball = { shoot_goal = true }"))
	pushing, longest := 0, 0
	rivals.run(t, 20, func() {
		if pushing++; !rivals.touched() {
			pushing = 0
		}
		longest = max(longest, pushing)
	})
	if longest > 100 {
		t.Errorf("rivals push each other for %d steps on end", longest)
	}
}

func keeperAt(x float64, behaviour string) string {
	return robot("magenta1", "nubot-goalkeeper", "magenta", fmt.Sprintf("x_m = %v, heading_deg = 180", x),
		"keeper = { "+behaviour+" }")
}

// The keeper stands on its path, between the ball and the middle of the goal, for either goal.
func TestKeeperStandsBetweenBallAndGoal(t *testing.T) {
	for _, ball := range [][2]float64{{4, 0}, {4, 3}, {7, -4}, {8, 2}, {8.8, 4}} {
		for path, on := range map[string]func(x, y float64) bool{
			"line": func(x, y float64) bool { return math.Abs(x-0.5) <= 0.02 },
			"arc": func(x, y float64) bool { // half an ellipse, except for its ends
				return math.Abs(math.Hypot(x/0.5, y/0.67)-1) <= 0.06 || math.Abs(x-0.25) <= 0.02
			},
		} {
			for side, team := range map[float64]string{1: "magenta", -1: "cyan"} {
				m := kickOff(t, ballAt(side*ball[0], side*ball[1])+
					robot("k", "nubot-goalkeeper", team, fmt.Sprintf("x_m = %v", side*8.5),
						"keeper = { path = \""+path+"\" }"))
				m.run(t, 4, nil)
				x, y := 9-side*m.at(0)[0], side*m.at(0)[1]
				wantY := mgl64.Clamp(x*ball[1]/(9-ball[0]), -0.67, 0.67)
				if !on(x, y) || !(math.Abs(y-wantY) <= 0.05) {
					t.Errorf("%s, goal of %s, ball at %v: %.3f m from the line, %.3f to the side, want %.3f", path,
						team, ball, x, y, wantY)
				}
				b := m.ball().Sub(m.at(0))
				if off := math.Abs(math.Atan2(b[1], b[0]) - m.now.Robots[0].PoseWB.Heading()); !(min(off,
					2*math.Pi-off) <= 0.02) {
					t.Errorf("%s: looks %.3f rad off the ball", team, off)
				}
			}
		}
	}
}

// shots counts the goals of shots from the penalty mark at heights y of the goal line, against a keeper who stands in
// the middle.
func shots(t *testing.T, speed float64, behaviour string, extension bool, ys ...float64) (goals, extended int) {
	for _, y := range ys {
		text := ballAt(6, 0) + fmt.Sprintf("vx_m_s = %v\nvy_m_s = %v\n", speed, speed*y/3)
		if behaviour == "" {
			text += robot("magenta1", "nubot-goalkeeper", "magenta", "x_m = 8.5, heading_deg = 180", "")
		} else {
			text += keeperAt(8.5, behaviour)
		}
		m := kickOff(t, text)
		if !extension {
			m.Robots[0].Extension = nil
			m.players[0] = nil
		}
		scored, out := false, false
		m.run(t, 4, func() {
			scored = scored || m.Field.InGoal(m.Field.Goals()[1], m.now.Ball.PosW, m.Model.Ball.Radius)
			out = out || m.now.Robots[0].Extension != physics.NotExtended
			if x := m.at(0); behaviour != "" && !(x[0] <= 9 && x[0] >= 8.25 && math.Abs(x[1]) <= 1.75) {
				t.Fatalf("the keeper leaves its goal area: %v", x)
			}
		})
		if scored {
			goals++
		}
		if out {
			extended++
		}
	}
	return goals, extended
}

func TestKeeperSaves(t *testing.T) {
	ys := []float64{-0.85, -0.6, -0.4, 0, 0.4, 0.6, 0.85}
	if goals, _ := shots(t, 4, "", true, ys...); goals != 6 {
		t.Fatalf("%d goals of 7 past one who only stands there, want 6", goals)
	}
	for _, path := range []string{"arc", "line"} {
		if goals, _ := shots(t, 3, "path = \""+path+"\"", true, ys...); goals != 0 {
			t.Errorf("%s: %d slow shots of 7 go in, want none", path, goals)
		}
	}
	goals, extended := shots(t, 9, "", true, ys...)
	keeperGoals, keeperExtended := shots(t, 9, "path = \"arc\"", true, ys...)
	if keeperGoals >= goals || keeperGoals == 0 || extended != 0 || keeperExtended == 0 {
		t.Errorf("fast shots: %d of %d go in, it extends itself %d times", keeperGoals, goals, keeperExtended)
	}
}

func TestPassBetweenPassesRound(t *testing.T) {
	three := func(first, second, third string) string {
		pass := func(name, at, others string) string {
			return robot(name, "nubot", "cyan", at, "pass_between = { with = ["+others+"] }")
		}
		return pass("a", first, `"b", "c"`) + pass("b", second, `"c", "a"`) + pass("c", third, `"a", "b"`)
	}
	for name, c := range map[string]struct {
		text  string
		least int
	}{
		"two": {cyan("x_m = -2", `pass_between = { with = ["b"] }`) + robot("b", "nubot", "cyan",
			"x_m = 2, y_m = 1", `pass_between = { with = ["cyan2"] }`), 6},
		"three":           {three("x_m = -2", "x_m = 2, y_m = -1", "x_m = 1, y_m = 3"), 6},
		"three, far":      {three("x_m = -6, y_m = -4", "x_m = 6, y_m = -4", "x_m = 0, y_m = 5"), 3},
		"a ball far away": {ballAt(5, -4) + three("x_m = -2", "x_m = 2, y_m = -1", "x_m = 1, y_m = 3"), 4},
	} {
		m := kickOff(t, c.text)
		var kicks, order []int
		kicks = make([]int, len(m.Robots))
		lost := 0
		m.run(t, 40, func() {
			for i := range m.now.Robots {
				if n := m.now.Robots[i].Kicks; n != kicks[i] {
					kicks[i] = n
					order = append(order, i)
				}
			}
			if b := m.ball(); !(math.Abs(b[0]) <= 9 && math.Abs(b[1]) <= 6) {
				lost++
			}
		})
		round := true
		for i := 1; i < len(order); i++ {
			round = round && order[i] == (order[i-1]+1)%len(m.Robots)
		}
		if len(order) < c.least || !round || lost > 0 {
			t.Errorf("%s: kicks by %v, want at least %d, round; ball out in %d steps", name, order, c.least, lost)
		}
	}
}

func TestMarkStaysBetween(t *testing.T) {
	for against, from := range map[string][2]float64{"ball": {3, 2}, "goal": {9, 0}} {
		m := kickOff(t, ballAt(3, 2)+cyan("x_m = -3", "patrol = { speed_m_s = 1, way_points = [{ x_m = -3 }, { x_m = "+
			"0, y_m = -3 }] }")+
			robot("m2", "nubot", "magenta", "x_m = 0, y_m = 1, heading_deg = 180",
				"mark = { robot = \"cyan2\", against = \""+against+"\" }"))
		worst := 0.0
		m.run(t, 20, func() {
			if m.now.Time.Seconds() < 4 {
				return
			}
			way := mgl64.Vec2(from).Sub(m.at(0))
			want := m.at(0).Add(way.Mul(0.8 / way.Len()))
			worst = max(worst, want.Sub(m.at(1)).Len())
			if m.touched() {
				t.Fatalf("%s: touches the robot that it marks", against)
			}
		})
		if !(worst <= 0.35) {
			t.Errorf("%s: is up to %.2f m from its place", against, worst)
		}
	}
}
