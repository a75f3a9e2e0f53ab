package engine_test

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func (k kit) driveReachesTheCommandedSpeed(t *testing.T) {
	for _, level := range k.levels {
		for _, dir := range []float64{0, math.Pi / 4, math.Pi / 2, math.Pi} {
			model := enginetest.Alone(level, 0, 0, 0.3)
			model.Robots[0].Drive.MaxAccel = 3 // along a diagonal two wheels push: 0.75·g/2 = 3.7 m/s² at most
			r := k.start(t, model)
			want := physics.PlanarTwist{VX: 2 * math.Cos(dir), VY: 2 * math.Sin(dir)}
			r.Commands[0].TwistB = want
			r.Run(1)
			got := r.S.Robots[0].TwistWBInB()
			must.Near(t, string(level)+" vx", got.VX, want.VX, 0.01)
			must.Near(t, string(level)+" vy", got.VY, want.VY, 0.01)
			must.Near(t, string(level)+" omega", got.Omega, 0, 0.01)
			// 2/3 s of ramp at 3 m/s², then 1/3 s at 2 m/s; half a step earlier or later is 1 cm.
			must.Near(t, string(level)+" distance", r.S.Robots[0].PoseWB.Pos.Len(), 4.0/3, 0.02)
			must.Near(t, string(level)+" tilt", r.Tilt(0), 0, 1e-3)
		}
	}
}

func (k kit) encodersTellTheMotion(t *testing.T) {
	for _, level := range k.levels {
		model := enginetest.Alone(level, 0, 0, 0)
		r := k.start(t, model)
		wheels := must.Get(model.Robots[0].Drive.WheelSet())(t)
		r.Commands[0].TwistB = physics.PlanarTwist{VX: 1, VY: -0.5}
		r.Run(1)
		s := &r.S.Robots[0]
		got := wheels.Twist(s.WheelRad) // angles in place of rates give the distance in place of the velocity
		must.Near(t, string(level)+" way x", got.VX, s.PoseWB.Pos[0], 0.01)
		must.Near(t, string(level)+" way y", got.VY, s.PoseWB.Pos[1], 0.01)
	}
}

// Simatch's circle after a ramp of one second: limits of the robot's distance from it, cm, and of the error of its
// heading. The limits are the accuracy that the project aims at; docs/benchmarks.md has the results.
var circleLimits = map[physics.DriveLevel]struct{ position, heading float64 }{
	physics.RollersDrive:   {4, 0.05},
	physics.WheelsDrive:    {1, 0.005},
	physics.ChassisDrive:   {0.1, 0.005},
	physics.KinematicDrive: {0.1, 0.005},
}

func (k kit) circle(t *testing.T) {
	for _, level := range k.levels {
		out := must.Get(experiment.Circle(level, true))(t)
		name, limit := "circle_"+string(level)+"_ramp", circleLimits[level]
		must.Near(t, name+" position", out.Find(name+"_position_error"), 0, limit.position)
		must.Near(t, name+" centre", out.Find(name+"_centre_shift"), 0, 2*limit.position)
		must.Near(t, name+" heading", out.Find(name+"_heading_error"), 0, limit.heading)
	}
}

// The reported acceleration, from which an IMU is simulated, is the change of the velocity.
func (k kit) accelerationIsTheChangeOfVelocity(t *testing.T) {
	for _, level := range k.levels {
		r := k.start(t, enginetest.Alone(level, 0, 0, 0))
		r.Commands[0].TwistB.VX = 2
		r.Run(0.3)
		must.Near(t, string(level), r.S.Robots[0].AccelWBInW[0], 4, 0.1)

		r = k.start(t, enginetest.Alone(level, 0, 0, 0))
		r.Commands[0].TwistB.Omega = 3
		r.Run(0.03)
		before := r.S.Robots[0].TwistWBInW.Ang[2]
		r.Run(0.03)
		must.Near(t, string(level)+" turning", r.S.Robots[0].AngAccelWBInW[2],
			(r.S.Robots[0].TwistWBInW.Ang[2]-before)/0.03,
			2)
	}
}
