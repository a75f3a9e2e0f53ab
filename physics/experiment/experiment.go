// Package experiment measures how the bodies of the engines move, and compares the motion with a closed form if a
// closed form exists. Some experiments repeat those of papers on other simulators. The package also defines the figures
// and plots of all reports.
//
// Experiments build their own models, and return figures and curves. They do not measure wall time; the command
// omnipitch bench physics measures it.
//
//	out, err := experiment.Circle(physics.WheelsDrive, true)
//	fmt.Println(out.Figures[0].Name, out.Figures[0].Value, out.Figures[0].Unit)
package experiment

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Figure is one measured number.
type Figure struct {
	Name  string
	Value float64
	Unit  string
}

// Curve is a line of a plot.
type Curve struct {
	Name  string
	X, Y  []float64
	Steps bool // the curve keeps each value until the next value; otherwise lines join the values
	Marks bool // values are marks without lines between them
	// Low and High are the 95 % confidence interval of each value, for bars; empty if there is none.
	Low, High []float64
}

// Add appends a value.
func (c *Curve) Add(x, y float64) { c.X, c.Y = append(c.X, x), append(c.Y, y) }

// Plot is a plot of curves.
type Plot struct {
	Name           string // file name without its extension
	Title          string
	XLabel, YLabel string
	Square         bool // both axes have the same scale
	LogY           bool // the vertical axis is logarithmic; all values must be positive
	// names of the values 0, 1, … of the horizontal axis; above each name, the curves have their marks side by side
	Names  []string
	Bars   bool // values are bars that begin at 0, side by side at each name, with their confidence intervals
	Rows   bool // each curve has its own axes, one below the other
	Curves []Curve
}

// Outcome is the result of an experiment.
type Outcome struct {
	Figures []Figure
	Plots   []Plot
}

func (o *Outcome) add(name string, value float64, unit string) {
	o.Figures = append(o.Figures, Figure{name, value, unit})
}

// Find returns a figure's value, or NaN if there is no figure of that name.
func (o *Outcome) Find(name string) float64 {
	for _, f := range o.Figures {
		if f.Name == name {
			return f.Value
		}
	}
	return math.NaN()
}

// stepTime is the step of all models here, the default of world files.
const stepTime = 5 * time.Millisecond

// model returns an empty hall with the ball in a corner, without air, for the engine of that name.
func model(name string) *physics.Model {
	s := &physics.Model{Config: physics.DefaultConfig(), Step: stepTime, Seed: 1, Ball: physics.DefaultBall()}
	s.Config.Engine, s.Config.AirDensity = name, 0
	s.Field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, LineWidth: 0.125, Border: 1.5, CentreCircle: 2,
		PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5, GoalAreaDepth: 0.75, PenaltyMark: 3,
		CornerArc: 0.75,
		GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.6, PostWidth: 0.125, WallHeight: 0.5,
	}
	s.Ball.X, s.Ball.Y = -8, 5
	return s
}

// rig steps an engine and keeps its latest snapshot. After an error it takes no more steps; the field err holds the
// error.
type rig struct {
	physics.Engine
	commands []physics.Command
	s        physics.Snapshot
	err      error
}

// start makes an engine. It panics if the model is invalid, because all models are made in this package.
func start(s *physics.Model) *rig {
	e, err := engine.New(s)
	if err != nil {
		panic(err)
	}
	r := &rig{Engine: e, commands: make([]physics.Command, len(s.Robots))}
	e.Snapshot(&r.s)
	return r
}

func (r *rig) step() {
	if r.err == nil {
		r.err = r.Engine.Step(r.commands)
		r.Engine.Snapshot(&r.s)
	}
}

// run takes steps for a sim time in seconds. It calls each() after every step.
func (r *rig) run(seconds float64, each func()) {
	for range int(math.Round(seconds / stepTime.Seconds())) {
		if r.step(); r.err != nil {
			return
		}
		each()
	}
}

// fail keeps the first error.
func (r *rig) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// placeBall moves the ball.
func (r *rig) placeBall(posW mgl64.Vec3, twistInW spatial.Twist) {
	r.fail(r.PlaceBall(posW, twistInW))
	r.Snapshot(&r.s)
}

// tilt returns how far a robot leans, rad.
func (r *rig) tilt(robot int) float64 {
	return math.Acos(math.Min(1, r.s.Robots[robot].PoseWB.Rotate([3]float64{0, 0, 1})[2]))
}

// engineOf returns the name of the engine that runs a level.
func engineOf(level physics.DriveLevel) string {
	if level == physics.KinematicDrive {
		return "planar"
	}
	return "ode"
}

// nubot returns a robot with team NuBot's dimensions and the shipped model's motors. Its controller asks for as much
// acceleration as the floor allows.
func nubot(level physics.DriveLevel, x, y, heading float64) physics.Robot {
	d := physics.Drive{
		Level: level, WheelAngles: []float64{math.Pi / 4, 3 * math.Pi / 4, 5 * math.Pi / 4, 7 * math.Pi / 4},
		WheelDistance: 0.203, WheelRadius: 0.0635,
		MaxWheelSpeed: 5, MaxSpeed: 5, MaxOmega: 10, MaxAccel: 4, MaxAlpha: 26, Motor: re40(),
		Battery: &physics.Battery{Voltage: 25.9, Resistance: 0.04},
	}
	d.MaxWheelForce = 95
	return physics.Robot{
		Name: "nubot", Team: physics.Cyan, Number: 2, Pose: spatial.Planar(x, y, heading), Drive: d,
		Body:     physics.Body{Radius: 0.25, Height: 0.8, Mass: 31, InertiaZ: 2.86, CoMZ: 0.15},
		Kicker:   &physics.Kicker{MaxSpeed: 15, LobAngle: math.Pi / 4},
		Dribbler: &physics.Dribbler{Method: physics.DribblePose, Reach: 0.1, MaxAngle: math.Pi / 6, Hold: 0.34},
	}
}

// re40 returns the motor of the shipped model.
func re40() *physics.Motor {
	m := &physics.Motor{Torque: 0.0302, Resistance: 0.35, NoLoad: 0.14, Rotor: 1.42e-5, MaxCurrent: 20, Gear: 10,
		Wheel: 0.0012}
	m.SetDefaults()
	m.Efficiency = 0.85
	return m
}

// FreeDrive makes an engine with robots that drive circles around a ball without touching anything, at 1 m/s and 1.5
// rad/s. The benchmark cmd/internal/bench/odeplain uses the same scene. Each call of step is one step; end closes the
// engine.
func FreeDrive(level physics.DriveLevel, robots int) (step func() error, end func()) {
	sc := model(engineOf(level))
	sc.Ball.X, sc.Ball.Y = 0, 0
	for i := range robots {
		a := 2*math.Pi*float64(i)/10 + 0.1
		sc.Robots = append(sc.Robots, nubot(level, 4*math.Cos(a), 4*math.Sin(a), a+math.Pi))
	}
	r := start(sc)
	for i := range r.commands {
		r.commands[i].TwistB = physics.PlanarTwist{VX: 1, Omega: 1.5}
	}
	return func() error {
		r.step()
		return r.err
	}, r.Close
}
