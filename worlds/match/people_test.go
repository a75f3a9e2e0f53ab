//go:build cgo

package match_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// withPerson returns a Sim with a robot and a person.
func withPerson(t *testing.T, engine, robot, person string) simtest.Sim {
	t.Helper()
	text := fmt.Sprintf(`name = "w"
[physics]
engine = %q
[ball]
x_m = -5
[[robot]]
name = "r"
model = "nubot"
sensor = []
%s
[[obstacle]]
name = "p"
looks = "person"
%s
`, engine, robot, person)
	w := must.Get(worlds.Parse("w.toml", []byte(text)))(t)
	s := simtest.New(t, w, omnipitch.Options{})
	return s
}

// stepFor takes steps, and calls a function after each of them.
func stepFor(t *testing.T, s simtest.Sim, seconds float64, each func(*physics.Snapshot)) {
	t.Helper()
	for end := s.Truth().Time.Seconds() + seconds; s.Truth().Time.Seconds() < end; {
		must.Do(t, s.Step())
		each(s.Truth())
	}
}

var engines = []string{"ode", "planar"}

// A person follows its path at its speed, upright, and faces the direction of walking.
func TestPeopleWalkTheirWays(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			s := withPerson(t, engine, "pose = { x_m = -3 }",
				`walk = { way_points = [{ x_m = 3 }, { x_m = 3, y_m = 2 }, { x_m = 0 }], speed_m_s = 1.5, pause_s = 0.2 }`)
			points := []mgl64.Vec2{{3, 0}, {3, 2}, {0, 0}}
			at, fast, steps := 0, 0, 0
			stepFor(t, s, 9, func(now *physics.Snapshot) {
				p := &now.Obstacles[0]
				if p.PoseWO.Pos.Vec2().Sub(points[at%3]).Len() < 0.12 {
					at++
				}
				if up := p.PoseWO.Rotate(mgl64.Vec3{0, 0, 1})[2]; !(up > 0.999) || !(math.Abs(p.PoseWO.Pos[2]) < 0.01) {
					t.Fatalf("at %v: stands at %v, upright by %v", now.Time, p.PoseWO.Pos, up)
				}
				if v := p.TwistWOInW.Lin.Vec2(); v.Len() > 1.3 && v.Len() < 1.55 {
					fast++
					if sin, cos := math.Sincos(p.PoseWO.Heading()); !(v.Dot(mgl64.Vec2{cos, sin}) > 0.7*v.Len()) {
						t.Errorf("at %v: walks by %v, with a heading of %v", now.Time, v, p.PoseWO.Heading())
					}
				}
				steps++
			})
			if at < 3 {
				t.Errorf("has come to %d way points in 9 s, want 3", at)
			}
			if !(float64(fast) > 0.5*float64(steps)) {
				t.Errorf("walks at its speed in %d of %d steps, want most of them", fast, steps)
			}
		})
	}
}

// A person that does not avoid robots waits until a robot has left its path.
func TestPeopleWaitForRobots(t *testing.T) {
	s := withPerson(t, "ode", "pose = { x_m = 2 }", `walk = { way_points = [{ x_m = 4 }, { x_m = 0 }], avoid = false }`)
	stepFor(t, s, 4, func(now *physics.Snapshot) {
		if gap := now.Robots[0].PoseWB.Pos[0] - now.Obstacles[0].PoseWO.Pos[0]; !(gap > 0.6) {
			t.Fatalf("at %v: %v m before the robot", now.Time, gap)
		}
	})
	if x := s.Truth().Obstacles[0].PoseWO.Pos[0]; !(x > 0.8) {
		t.Errorf("waits at %v m, far from the robot", x)
	}
	must.Do(t, s.Do(&action.Place{Name: "r", X: 2, Y: 3}))
	stepFor(t, s, 3.5, func(*physics.Snapshot) {})
	if x := s.Truth().Obstacles[0].PoseWO.Pos[0]; !(x > 3.5) {
		t.Errorf("has come to %v m when the way is free, want the way point at 4", x)
	}
}

// A person stays upright when a robot drives into it.
func TestPeopleStayUpright(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			s := withPerson(t, engine, "pose = { x_m = -2 }", "")
			touched := false
			stepFor(t, s, 2, func(now *physics.Snapshot) {
				must.Do(t, s.Do(&action.Drive{Robot: "r", VX: 2.5}))
				touched = touched || len(now.Touches) > 0
				if up := now.Obstacles[0].PoseWO.Rotate(mgl64.Vec3{0, 0, 1})[2]; !(up > 0.99) {
					t.Fatalf("at %v: leans, upright by %v", now.Time, up)
				}
			})
			if !touched {
				t.Error("the robot has not met the person")
			}
		})
	}
}
