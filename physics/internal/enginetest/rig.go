// Package enginetest provides models, and a rig that steps an engine, for the tests of physics engines.
package enginetest

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// StepTime is the step of the models in this package.
const StepTime = 5 * time.Millisecond

// New creates an engine.
type New func(*physics.Model) (physics.Engine, error)

// Field is the middle-size field of 18 m × 12 m.
func Field() physics.Field {
	return physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, CentreCircle: 2,
		PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5, GoalAreaDepth: 0.75, PenaltyMark: 3,
		CornerArc: 0.75,
		GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6, PostWidth: 0.125, WallHeight: 0.5,
	}
}

// Model returns a model without robots and air, with the ball far from the centre of the field.
func Model() *physics.Model {
	s := &physics.Model{Config: physics.DefaultConfig(), Step: StepTime, Seed: 1, Field: Field(),
		Ball: physics.DefaultBall()}
	s.Ball.X, s.Ball.Y = -6, 5
	s.Config.AirDensity = 0 // without air, flight has a closed form
	return s
}

// Robot returns a robot with team NuBot's dimensions where they are published, and with motors that react at once.
func Robot(level physics.DriveLevel, x, y, heading float64) physics.Robot {
	var angles []float64
	for _, a := range []float64{45, 135, -135, -45} {
		angles = append(angles, a*math.Pi/180)
	}
	return physics.Robot{
		Name: "robot", Team: physics.Cyan,
		Pose: spatial.Planar(x, y, heading),
		Body: physics.Body{Radius: 0.25, Height: 0.8, Mass: 31, InertiaZ: 2.86, CoMZ: 0.2},
		Drive: physics.Drive{
			Level: level, WheelAngles: angles, WheelDistance: 0.203, WheelRadius: 0.06,
			MaxWheelSpeed: 5, MaxWheelForce: 100, MaxSpeed: 5, MaxOmega: 2 * math.Pi, MaxAccel: 4, MaxAlpha: 40,
		},
		Kicker:   &physics.Kicker{MaxSpeed: 12, LobAngle: math.Pi / 4},
		Dribbler: &physics.Dribbler{Method: physics.DribblePose, Reach: 0.05, MaxAngle: 0.5, Hold: 0.36},
	}
}

// Alone returns a model with one robot.
func Alone(level physics.DriveLevel, x, y, heading float64) *physics.Model {
	s := Model()
	s.Robots = []physics.Robot{Robot(level, x, y, heading)}
	return s
}

// WithBall returns a model with one robot that has the ball right in front of it.
func WithBall(level physics.DriveLevel, x, y, heading float64) *physics.Model {
	s := Alone(level, x, y, heading)
	s.Ball.X, s.Ball.Y = x+0.37*math.Cos(heading), y+0.37*math.Sin(heading)
	return s
}

// Match returns a model with n robots around the ball, and three obstacles.
func Match(n int, level func(i int) physics.DriveLevel) *physics.Model {
	model := Model()
	model.Ball.X, model.Ball.Y = 0, 0
	for i := range n {
		a, d := 2*math.Pi*float64(i)/10+0.1, 1.5+0.7*float64(i/10)
		model.Robots = append(model.Robots, Robot(level(i), d*math.Cos(a), d*math.Sin(a), a+math.Pi))
		if i%2 == 1 {
			model.Robots[i].Team = physics.Magenta
		}
	}
	for i := range 3 {
		model.Obstacles = append(model.Obstacles, physics.Obstacle{
			Pose: spatial.Planar(-4+4*float64(i), 4.5, 0.3), SizeX: 0.5, SizeY: 0.5, Height: 0.8, Mass: 8})
	}
	return model
}

// Rig steps an engine and keeps its latest snapshot.
type Rig struct {
	physics.Engine
	T        testing.TB
	Commands []physics.Command
	S        physics.Snapshot
}

// Start creates an engine, which is closed at the end of the test. A model with kinematic drives gets the engine
// planar.
func Start(t testing.TB, start New, model *physics.Model) *Rig {
	t.Helper()
	for i := range model.Robots {
		if model.Robots[i].Drive.Level == physics.KinematicDrive {
			model.Config.Engine = "planar"
		}
	}
	e, err := start(model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	r := &Rig{Engine: e, T: t, Commands: make([]physics.Command, len(model.Robots))}
	e.Snapshot(&r.S)
	return r
}

// Step takes a step and a snapshot, and fails the test after an error.
func (r *Rig) Step() {
	if err := r.Engine.Step(r.Commands); err != nil {
		r.T.Fatal(err)
	}
	r.Engine.Snapshot(&r.S)
}

// Run takes steps for a sim time in seconds, and calls the given functions after every step.
func (r *Rig) Run(seconds float64, each ...func()) {
	r.T.Helper()
	for range int(math.Round(seconds / StepTime.Seconds())) {
		r.Step()
		for _, f := range each {
			f()
		}
	}
}

// Put places the ball, and fails the test after an error.
func (r *Rig) Put(posW mgl64.Vec3, twist spatial.Twist) {
	r.T.Helper()
	if err := r.PlaceBall(posW, twist); err != nil {
		r.T.Fatal(err)
	}
}

// Place places a robot at rest, and fails the test after an error.
func (r *Rig) Place(robot int, pose spatial.Pose) {
	r.T.Helper()
	if err := r.PlaceRobot(robot, pose, spatial.Twist{}); err != nil {
		r.T.Fatal(err)
	}
}

// Tilt returns how far a robot leans, rad.
func (r *Rig) Tilt(robot int) float64 {
	return math.Acos(math.Min(1, r.S.Robots[robot].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2]))
}

// Benchmark measures the time of steps, and calls the given functions after every step.
func (r *Rig) Benchmark(b *testing.B, each ...func()) {
	r.Run(1, each...)
	b.ReportAllocs()
	for b.Loop() {
		r.Step()
		for _, f := range each {
			f()
		}
	}
}
