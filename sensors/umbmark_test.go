package sensors

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// differential is a robot with two driven wheels, the right one first, 0.4 m apart.
func differential() *physics.Robot {
	return &physics.Robot{Name: "robot1", Drive: physics.Drive{WheelRadius: 0.06, Wheels: []physics.Wheel{
		{Kind: physics.StandardWheel, Y: -0.2}, {Kind: physics.StandardWheel, Y: 0.2}}}}
}

// square drives the robot by its odometry around a square of 4 m, to the left or to the right, and returns the robot's
// true place relative to the start, minus that of its odometry.
func square(t *testing.T, o *Odometry, left bool) (x, y float64) {
	t.Helper()
	r := differential()
	cfg := &Config{Name: "odometry", Kind: "odometry"}
	cfg.Odometry = o
	cfg.Complete()
	must.Do(t, cfg.Validate())
	s := must.Get(New(cfg, Site{Robot: r, Model: &physics.Model{Step: 5 * time.Millisecond}, Seed: 1}))(t)
	assumed := must.Get(r.Drive.AssumedWheels(o.RadiusBias, o.BaseBias))(t)
	wheels := must.Get(r.Drive.WheelSet())(t)
	var state physics.RobotState
	pose, frame, last := planarPose{}, uint64(0), (*OdometryReading)(nil)
	turn := math.Pi / 2
	if !left {
		turn = -turn
	}
	observe := func() {
		state.PoseWB = spatial.Planar(pose.x, pose.y, pose.heading)
		last = read[OdometryReading](s, abstraction.Raw, frame, at(state))
		frame++
	}
	observe()
	for range 4 {
		for _, move := range []physics.PlanarTwist{{VX: 1}, {Omega: turn / 4}} {
			rates := assumed.Speeds(move)
			for range 400 { // 4 s
				for i := range wheels.Len() {
					state.WheelRad[i] += rates[i] / 100
				}
				pose.move(wheels.Twist(rates), 0.01)
				observe()
			}
		}
	}
	if off := last.PoseOB.Pos.Len(); !(off <= 1e-3) {
		t.Fatalf("by its odometry the robot ends %v m from its start", off)
	}
	return pose.x - last.PoseOB.Pos[0], pose.y - last.PoseOB.Pos[1]
}

// The return errors of UMBmark's squares are those of the closed form, and its calibration finds the configured errors.
// Source: Borenstein and Feng 1996.
func TestOdometryReturnsFromUMBmark(t *testing.T) {
	const side, base = 4, 0.4
	for name, o := range map[string]Odometry{
		"unequal diameters": {RadiusBias: []float64{0.001, -0.001}},
		"wrong wheelbase":   {BaseBias: 0.01},
		"both":              {RadiusBias: []float64{-0.001, 0.001}, BaseBias: -0.012},
	} {
		o.Ticks = 1e7
		o.Steps.SetDefaults()
		if o.RadiusBias == nil {
			o.RadiusBias = []float64{0, 0}
		}
		actual := 1 / (1 + o.BaseBias) // of the wheelbase, divided by what odometry assumes
		ratio := (1 + o.RadiusBias[1]) / (1 + o.RadiusBias[0])
		// too small a turn at a corner, and the turn to the left along a side
		alpha, beta := math.Pi/2*(1-1/actual), side/base*(1/(1+o.RadiusBias[0])-1/(1+o.RadiusBias[1]))
		xLeft, yLeft := square(t, &o, true)
		xRight, yRight := square(t, &o, false)
		t.Logf("%s: returns %.1f mm, %.1f mm from the left square and %.1f mm, %.1f mm from the right square", name,
			1e3*xLeft, 1e3*yLeft, 1e3*xRight, 1e3*yRight)
		most := 2 * side * (math.Abs(alpha) + math.Abs(beta))
		must.Near(t, name+": x of the left square", xLeft, -2*side*(alpha-beta), 0.1*most)
		must.Near(t, name+": x of the right square", xRight, -2*side*(alpha+beta), 0.1*most)
		must.Near(t, name+": |y| of the left square", math.Abs(yLeft), 2*side*math.Abs(alpha-beta), 0.1*most)
		must.Near(t, name+": |y| of the right square", math.Abs(yRight), 2*side*math.Abs(alpha+beta), 0.1*most)

		gotAlpha, gotBeta := -(xRight+xLeft)/(4*side), -(xRight-xLeft)/(4*side)
		radius := side / 2 / math.Sin(gotBeta/2)
		must.Near(t, name+": wheelbase", math.Pi/2/(math.Pi/2-gotAlpha), actual, 0.001)
		must.Near(t, name+": ratio of diameters", (radius+base/2)/(radius-base/2), ratio, 0.0002)
	}
}

// The covariance of odometry includes the square of the error of biased dimensions.
func TestOdometryCovarianceIncludesBiases(t *testing.T) {
	s := build(t, "odometry", func(c *Config) {
		c.Odometry.ScaleError, c.Odometry.Ticks, c.Odometry.BaseBias = 0, 1e7, 0.1
	})
	drive := robot().Drive
	wheels := must.Get(drive.WheelSet())(t)
	rates := wheels.Speeds(physics.PlanarTwist{Omega: 1})
	var got *OdometryReading
	for k := range uint64(101) { // the robot turns by 1 rad, without slip
		state := standing()
		state.PoseWB = spatial.Planar(0, 0, float64(k)/100)
		for i := range rates {
			state.WheelRad[i] = rates[i] * float64(k) / 100
		}
		got = read[OdometryReading](s, abstraction.Raw, k, at(state))
	}
	must.Near(t, "heading", got.PoseOB.Heading(), 1/1.1, 1e-4)
	must.Near(t, "σ of the heading", math.Sqrt(got.PoseCov[8]), 1-1/1.1, 1e-3)
}

func TestOdometryNeedsABiasOfEveryWheel(t *testing.T) {
	cfg := &Config{Name: "odometry", Kind: "odometry"}
	cfg.Complete()
	cfg.Odometry.RadiusBias = []float64{0.01}
	_, err := New(cfg, Site{Robot: differential(), Model: &physics.Model{}})
	must.Fail(t, err, "has 1 values: must have one for each of the 2 wheels", "one bias for two wheels")
}
