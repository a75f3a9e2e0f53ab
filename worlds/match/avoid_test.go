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
)

// crowd returns a Sim on a bare floor with a robot at rest and more tables.
func crowd(t *testing.T, engine, robot, tables string) simtest.Sim {
	t.Helper()
	text := fmt.Sprintf(`name = "w"
field = false
ball = false
floor = { size_m = [20, 14] }
physics = { engine = %q }
[[robot]]
name = "r"
model = "differential"
sensor = []
pose = { %s }
%s`, engine, robot, tables)
	return simtest.New(t, must.Get(worlds.Parse("w.toml", []byte(text)))(t), omnipitch.Options{})
}

// walls returns a corridor of a width along x.
func walls(width float64) (text string) {
	for i, y := range [2]float64{-width / 2, width / 2} {
		text += fmt.Sprintf("[[wall]]\nname = \"side%d\"\npoints = [[-8, %v], [8, %v]]\nthickness_m = 0.02\n", i, y, y)
	}
	return text
}

// onEngines runs a case with both engines until all walkers have come to their goals along x. It fails if anything
// touches, or if a walker leaves |y| < most.
func onEngines(t *testing.T, robot, tables string, seconds, most float64, goals ...float64) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			s := crowd(t, engine, robot, tables)
			come := make([]bool, len(goals))
			stepFor(t, s, seconds, func(now *physics.Snapshot) {
				for i, x := range goals {
					p := &now.Obstacles[i].PoseWO
					come[i] = come[i] || math.Abs(p.Pos[0]-x) < 0.15
					if !(math.Abs(p.Pos[1]) < most) {
						t.Fatalf("at %v: walker %d is at %.2f, want |y| < %v", now.Time, i, p.Pos, most)
					}
				}
				for _, c := range now.Touches {
					if c.Impulse > 0 {
						m := s.World().Model()
						t.Fatalf("at %v: %s touches %s at %.2f", now.Time, m.BodyName(c.A), m.BodyName(c.B), c.PosW)
					}
				}
			})
			for i, ok := range come {
				if !ok {
					at := s.Truth().Obstacles[i].PoseWO.Pos
					t.Errorf("walker %d is at %.2f after %v s, want x = %v", i, at, seconds, goals[i])
				}
			}
		})
	}
}

func person(name string, x, y, to float64) string {
	return fmt.Sprintf("[[obstacle]]\nname = %q\nlooks = \"person\"\npose = { x_m = %v, y_m = %v }\n"+
		"walk = { way_points = [{ x_m = %v, y_m = %v }], pause_s = 100 }\n", name, x, y, to, y)
}

// Two people who walk towards each other in a corridor pass without touching.
func TestPeoplePassInACorridor(t *testing.T) {
	for _, width := range []float64{1.6, 3} {
		for _, off := range []float64{0, 0.1, 0.3} {
			t.Run(fmt.Sprint(width, off), func(t *testing.T) {
				two := walls(width) + person("a", -4, 0, 4) + person("b", 4, off*(width-1)/2, -4)
				onEngines(t, "x_m = 0, y_m = 6", two, 16, width/2, 4, -4)
			})
		}
	}
}

// Four pairs of people cross a hall in four directions.
func TestPeopleCross(t *testing.T) {
	all := ""
	var goals []float64
	for i := range 8 {
		at := mgl64.Rotate2D(float64(i) * math.Pi / 4).Mul2x1(mgl64.Vec2{4, 0})
		all += fmt.Sprintf("[[obstacle]]\nname = \"p%d\"\nlooks = \"person\"\npose = { x_m = %v, y_m = %v }\n"+
			"walk = { way_points = [{ x_m = %v, y_m = %v }], pause_s = 100 }\n", i, at[0], at[1], -at[0], -at[1])
		goals = append(goals, -at[0])
	}
	onEngines(t, "x_m = 0, y_m = 6", all, 25, 6, goals...)
}

// A person walks around a robot, a box and a column.
func TestPeopleWalkAround(t *testing.T) {
	onEngines(t, "x_m = 0", person("a", -4, 0, 4), 12, 2, 4)
	onEngines(t, "x_m = 0, y_m = 6", person("a", -4, 0, 4)+`
[[box]]
name = "shelf"
size_m = [0.6, 3, 1]
[[cylinder]]
name = "column"
pose = { x_m = 2 }
radius_m = 0.3
height_m = 2
`, 16, 3, 4)
}

// A person does not walk through a wall to a goal behind it.
func TestPeopleStayOnTheirSide(t *testing.T) {
	for _, engine := range engines {
		s := crowd(t, engine, "x_m = 0, y_m = 6", person("a", -2, 0, 2)+`
[[wall]]
points = [[0, -1], [0, 1], [-4, 1], [-4, -1]]
closed = true
thickness_m = 0.02
`)
		stepFor(t, s, 20, func(now *physics.Snapshot) {
			if x := now.Obstacles[0].PoseWO.Pos[0]; !(x < -0.3) || len(now.Touches) > 0 {
				t.Fatalf("%s: at %v: the person is at x = %v with %d touches, want none and x < -0.3", engine, now.Time, x,
					len(now.Touches))
			}
		})
	}
}

// A cylinder that drives goes in a circle, and a box follows a person up to its distance.
func TestBodiesDriveAndFollow(t *testing.T) {
	for _, engine := range engines {
		s := crowd(t, engine, "x_m = 0, y_m = 6", person("a", -4, 0, 4)+`
[[box]]
name = "cart"
mass_kg = 20
size_m = [0.6, 0.4, 0.5]
pose = { x_m = -6, heading_deg = 90 }
follow = { name = "a", distance_m = 1.5 }
[[cylinder]]
name = "drum"
mass_kg = 8
radius_m = 0.2
height_m = 0.6
pose = { x_m = 3, y_m = -4 }
drive = { vx_m_s = 1, omega_deg_s = 90 }
`)
		far := -4.0
		stepFor(t, s, 12, func(now *physics.Snapshot) { far = max(far, now.Obstacles[2].PoseWO.Pos[1]) })
		now := s.Truth()
		must.Near(t, engine+": diameter of the circle", far, -4+2/(math.Pi/2), 0.02)
		must.Near(t, engine+": x after three circles", now.Obstacles[2].PoseWO.Pos[0], 3, 0.03)
		behind := now.Obstacles[0].PoseWO.Pos.Sub(now.Obstacles[1].PoseWO.Pos)
		must.Near(t, engine+": distance of the follower", behind.Len(), 1.5, 0.15)
		if x := now.Obstacles[1].PoseWO.Pos[0]; !(x > 2) {
			t.Errorf("%s: the cart is at x = %v, want it behind the person at 4", engine, x)
		}
	}
}
