package ode

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// On ice the wheels turn as commanded and the robot stays behind: encoders do not measure slip. A weak motor stalls
// instead.
func TestSlippingWheelsTurnFasterThanTheFloorPasses(t *testing.T) {
	for _, tt := range []struct {
		name            string
		friction, force float64
		wantRatio       float64
	}{{"ice", 0.02, 100, 1}, {"weak motors", 0.75, 2, 0}} {
		model := enginetest.Alone(physics.WheelsDrive, 0, 0, 0)
		model.Config.Contacts.WheelCarpet.Friction = tt.friction
		model.Robots[0].Drive.MaxWheelForce = tt.force
		r := start(t, model)
		wheels, _ := model.Robots[0].Drive.WheelSet()
		r.Commands[0].TwistB = physics.PlanarTwist{VX: 2}
		r.Run(0.6)
		turned, moved := wheels.Twist(r.S.Robots[0].WheelRadS).VX, r.S.Robots[0].TwistWBInB().VX
		if !(moved <= 0.4) {
			t.Errorf("%s: moves at %v m/s", tt.name, moved)
		}
		must.Near(t, tt.name+": slip", turned-moved, tt.wantRatio*(2-moved), 0.01)
	}
}

func TestStuckAgainstAWall(t *testing.T) {
	for _, level := range levels {
		model := enginetest.Alone(level, 9.5, 3, 0)
		model.Robots[0].Drive.MaxWheelForce = 50 // too weak to spin the wheels
		r := start(t, model)
		r.Commands[0].TwistB.VX = 3
		tilt := 0.0
		r.Run(3, func() {
			tilt = math.Max(tilt, r.Tilt(0))
			if x := r.S.Robots[0].PoseWB.Pos[0]; !(x <= 10.26) {
				t.Fatalf("%s: in the wall, x = %v", level, x)
			}
		})
		must.Near(t, string(level)+" tilt", tilt, 0, 0.05)
		must.Near(t, string(level)+" x", r.S.Robots[0].PoseWB.Pos[0], 10.25, 0.01)
		if !r.S.Robots[0].Stuck {
			t.Errorf("%s: not stuck", level)
		}
		r.Commands[0].TwistB.VX = -3
		r.Run(1)
		if r.S.Robots[0].Stuck || !(r.S.Robots[0].PoseWB.Pos[0] <= 9.5) {
			t.Errorf("%s: does not get away", level)
		}
	}
}
