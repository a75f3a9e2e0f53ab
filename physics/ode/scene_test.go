package ode

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

const step = 5 * time.Millisecond

var levels = []physics.DriveLevel{physics.WheelsDrive, physics.ChassisDrive}

// testField is the middle-size field of 18 m × 12 m.
func testField() physics.Field {
	return physics.Field{
		Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, CentreCircle: 2,
		PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5, GoalAreaDepth: 0.75, PenaltyMark: 3, CornerArc: 0.75,
		GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6, PostWidth: 0.125, WallHeight: 0.5,
	}
}

// testScene has no robots, and the ball far from the middle.
func testScene() *physics.Scene {
	s := &physics.Scene{Config: physics.DefaultConfig(), Step: step, Seed: 1, Field: testField(), Ball: physics.DefaultBall()}
	s.Ball.X, s.Ball.Y = -6, 5
	return s
}

// testRobot has NuBot's measures where they are published.
func testRobot(level physics.DriveLevel, x, y, heading float64) physics.Robot {
	var angles []float64
	for _, a := range []float64{45, 135, -135, -45} {
		angles = append(angles, a*math.Pi/180)
	}
	return physics.Robot{
		Team: physics.Cyan,
		Pose: spatial.Planar(x, y, heading),
		Body: physics.Body{Radius: 0.25, Height: 0.8, Mass: 31, InertiaZ: 2.86, CoMZ: 0.2},
		Drive: physics.Drive{
			Level: level, WheelAngles: angles, WheelDistance: 0.203, WheelRadius: 0.06,
			MaxWheelSpeed: 5, MaxWheelForce: 100, MaxSpeed: 5, MaxOmega: 2 * math.Pi, MaxAccel: 4, MaxAlpha: 40,
		},
		Kicker:   &physics.Kicker{MaxSpeed: 12, LobAngle: math.Pi / 4},
		Dribbler: &physics.Dribbler{Reach: 0.05, MaxAngle: 0.5, Hold: 0.36},
	}
}

// rig steps an engine and keeps its latest snapshot.
type rig struct {
	*Engine
	t        testing.TB
	commands []physics.Command
	s        physics.Snapshot
}

func start(t testing.TB, scene *physics.Scene) *rig {
	t.Helper()
	e, err := New(scene)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	r := &rig{Engine: e, t: t, commands: make([]physics.Command, len(scene.Robots))}
	e.Snapshot(&r.s)
	return r
}

func (r *rig) step() {
	r.t.Helper()
	if err := r.Engine.Step(r.commands); err != nil {
		r.t.Fatal(err)
	}
	r.Engine.Snapshot(&r.s)
}

// run steps for a sim time, calling each after every step.
func (r *rig) run(seconds float64, each ...func()) {
	r.t.Helper()
	for range int(math.Round(seconds / step.Seconds())) {
		r.step()
		for _, f := range each {
			f()
		}
	}
}

func (r *rig) tilt(robot int) float64 {
	return math.Acos(math.Min(1, r.s.Robots[robot].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2]))
}

func near(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}
