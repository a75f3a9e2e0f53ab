package player_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// match is a world on the planar engine with players only.
type match struct {
	*physics.Model
	engine   physics.Engine
	players  []player.Player
	commands []physics.Command
	now      physics.Snapshot
}

// kickOff starts a world from the text of its file.
func kickOff(t testing.TB, text string) *match {
	t.Helper()
	w := must.Get(worlds.Parse("w.toml", []byte("name = \"w\"\n"+text)))(t)
	m := &match{Model: w.Model(), commands: make([]physics.Command, len(w.Robots))}
	m.Config.Engine = "planar"
	m.engine = must.Get(engine.New(m.Model))(t)
	t.Cleanup(m.engine.Close)
	for i := range w.Robots {
		var p player.Player
		if w.Robots[i].Player != nil {
			_, b, err := w.Robots[i].Player.Behaviour()
			if err != nil {
				t.Fatal(err)
			}
			p = b.Start(m.Model, i)
		}
		m.players = append(m.players, p)
	}
	m.engine.Snapshot(&m.now)
	return m
}

func (m *match) step(t testing.TB) {
	for i, p := range m.players {
		m.commands[i].Kick = physics.Kick{}
		if p != nil && !p.Command(&m.now, &m.commands[i]) {
			m.players[i], m.commands[i] = nil, physics.Command{}
		}
	}
	must.Do(t, m.engine.Step(m.commands))
	m.engine.Snapshot(&m.now)
}

// run runs for some seconds, and calls look after each step unless it is nil.
func (m *match) run(t testing.TB, seconds float64, look func()) {
	for range int(seconds / m.Step.Seconds()) {
		m.step(t)
		if look != nil {
			look()
		}
	}
}

func (m *match) at(robot int) mgl64.Vec2 {
	p := m.now.Robots[robot].PoseWB.Pos
	return mgl64.Vec2{p[0], p[1]}
}
func (m *match) ball() mgl64.Vec2 { return mgl64.Vec2{m.now.Ball.PosW[0], m.now.Ball.PosW[1]} }

func near(p mgl64.Vec2, x, y, tol float64) bool { return math.Hypot(p[0]-x, p[1]-y) <= tol }

// touched reports whether two bodies, other than ball and floor, pressed against each other in the last step.
func (m *match) touched() bool {
	for _, touch := range m.now.Touches {
		if touch.A != m.BallID() && touch.B != m.BallID() {
			return true
		}
	}
	return false
}

// robot returns the text of a robot in a world file.
func robot(name, model, team, pose, behaviour string) string {
	text := "[[robot]]\nname = \"" + name + "\"\nmodel = \"" + model + "\"\nteam = \"" + team + "\"\npose = { " + pose +
		" }\n"
	if behaviour != "" {
		text += "player = { " + behaviour + " }\n"
	}
	return text
}

// aside is a ball out of the way.
const aside = "[ball]\ny_m = 5\n"

func cyan(pose, behaviour string) string { return robot("cyan2", "nubot", "cyan", pose, behaviour) }

func TestHoldReturnsWhenPushed(t *testing.T) {
	for name, c := range map[string]struct {
		hold       string
		x, y, head float64
	}{
		"where it began": {"hold = {}", 1, 2, 0.5},
		"at a pose":      {"hold = { pose = { x_m = -1, y_m = 0.5, heading_deg = 90 } }", -1, 0.5, math.Pi / 2},
	} {
		m := kickOff(t, cyan("x_m = 1, y_m = 2, heading_deg = 28.64788975654116", c.hold))
		m.run(t, 6, nil)
		if !near(m.at(0), c.x, c.y, 0.01) || !(math.Abs(m.now.Robots[0].PoseWB.Heading()-c.head) <= 0.01) {
			t.Errorf("%s: stands at %v, heading %.3f", name, m.at(0), m.now.Robots[0].PoseWB.Heading())
		}
		pushed := m.now.Robots[0].PoseWB
		pushed.Pos[0] += 1
		must.Do(t, m.engine.PlaceRobot(0, pushed, m.now.Robots[0].TwistWBInW))
		m.run(t, 4, nil)
		if !near(m.at(0), c.x, c.y, 0.01) {
			t.Errorf("%s: is at %v 4 s after it was pushed", name, m.at(0))
		}
	}
}

func TestPatrolVisitsWayPointsInOrder(t *testing.T) {
	const points = "way_points = [{ x_m = 0 }, { x_m = 2 }, { x_m = 2, y_m = 2 }]"
	for name, c := range map[string]struct {
		patrol string
		want   string // points in the order of the visits
	}{
		"closed":         {"patrol = { " + points + " }", "0120120"},
		"back and forth": {"patrol = { back_and_forth = true, " + points + " }", "0121012"},
		"one":            {"patrol = { way_points = [{ x_m = 2 }] }", "01"},
		"two":            {"patrol = { back_and_forth = true, way_points = [{ x_m = 0 }, { x_m = 2 }] }", "0101010"},
	} {
		for _, model := range []string{"nubot", "differential"} {
			m := kickOff(t, robot("cyan2", model, "cyan", "x_m = -1", c.patrol))
			var seen strings.Builder
			last := -1
			m.run(t, 25, func() {
				for i, p := range [][2]float64{{0, 0}, {2, 0}, {2, 2}} {
					if i != last && near(m.at(0), p[0], p[1], 0.3) {
						seen.WriteByte('0' + byte(i))
						last = i
					}
				}
			})
			if !strings.HasPrefix(seen.String(), c.want) {
				t.Errorf("%s, %s: visits %s, want %s…", name, model, seen.String(), c.want)
			}
		}
	}
}

func TestPlayersKeepTheirLimits(t *testing.T) {
	m := kickOff(t, aside+cyan("x_m = -4, heading_deg = 90", "patrol = { speed_m_s = 1.2, accel_m_s2 = 0.8, "+
		"way_points = [{ x_m = 4 }, { x_m = -4, y_m = 1 }], heading_deg = 90 }"))
	fastest, hardest := 0.0, 0.0
	var before mgl64.Vec2
	m.run(t, 20, func() {
		v := m.now.Robots[0].TwistWBInW.Lin
		vel := mgl64.Vec2{v[0], v[1]}
		fastest = max(fastest, vel.Len())
		hardest = max(hardest, vel.Sub(before).Len()/m.Step.Seconds())
		before = vel
	})
	if !(fastest <= 1.2+1e-6) || !(fastest >= 1.19) {
		t.Errorf("drives %.3f m/s at most, want 1.2", fastest)
	}
	if !(hardest <= 0.85) { // the robot turns a little, and its command is in its own axes
		t.Errorf("accelerates by %.3f m/s² at most, want 0.8", hardest)
	}
}

func TestFollowEndsAtItsLastWayPoint(t *testing.T) {
	m := kickOff(t, cyan("x_m = 0", ""))
	x, y := player.Point{X: 2}, player.Point{X: 2, Y: 1}
	way := player.Way{Points: []player.Point{x, y}}
	way.SetDefaults()
	m.players[0] = (&player.Follow{Way: way}).Start(m.Model, 0)
	m.run(t, 6, nil)
	if m.players[0] != nil || !near(m.at(0), 2, 1, 0.05) {
		t.Errorf("ended: %v, at %v", m.players[0] == nil, m.at(0))
	}
}

// Robots whose paths cross, or are obstructed, pass without touching. Four that meet in one point may touch, but not
// push each other for long.
func TestRobotsGoRound(t *testing.T) {
	side := func(name string, x, y, toX, toY string) string {
		return robot(name, "nubot", "cyan", "x_m = "+x+", y_m = "+y,
			"patrol = { way_points = [{ x_m = "+toX+", y_m = "+toY+" }] }")
	}
	for name, text := range map[string]string{
		"head on":        side("a", "-3", "0", "3", "0") + side("b", "3", "0", "-3", "0"),
		"nearly head on": side("a", "-3", "0", "3", "0") + side("b", "3", "0.2", "-3", "0.2"),
		"crossing":       side("a", "-3", "0", "3", "0") + side("b", "0", "-3", "0", "3"),
		"four": side("a", "-3", "0", "3", "0") + side("b", "3", "0", "-3", "0") +
			side("c", "0", "-3", "0", "3") + side("d", "0", "3", "0", "-3"),
		"an obstacle": side("a", "-3", "0", "3", "0") + "[[obstacle]]\nname = \"o\"\nsize_y_m = 2\n",
		"a pocket": side("a", "-3", "0", "3", "0") + "[[obstacle]]\nname = \"o\"\n" +
			"[[obstacle]]\nname = \"p\"\npose = { x_m = -0.3, y_m = 0.7 }\n[[obstacle]]\nname = \"q\"\npose = { x_m " +
			"= -0.3, y_m = -0.7 }\n",
		"a goal post": side("a", "8.5", "2.5", "8.5", "-2.5"),
	} {
		m := kickOff(t, aside+text)
		touches := 0
		m.run(t, 15, func() {
			if m.touched() {
				touches++
			}
		})
		for i := range m.Robots {
			start := m.Robots[i].Pose.Pos
			want := mgl64.Vec2{-start[0], -start[1]}
			if name == "nearly head on" {
				want[1] = start[1]
			} else if name == "a goal post" {
				want[0] = start[0]
			}
			if !near(m.at(i), want[0], want[1], 0.05) {
				t.Errorf("%s: robot %d is at %v after 15 s, want %v", name, i, m.at(i), want)
			}
		}
		if touches > 0 && name != "four" || touches > 100 {
			t.Errorf("%s: something is touched in %d steps", name, touches)
		}
	}
}
