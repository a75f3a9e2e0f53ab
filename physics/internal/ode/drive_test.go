package ode

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

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

// A robot with its centre of mass beside its origin stands on two wheels and one caster, whose loads balance about the
// centre, and drives. Without friction, impulses turn and move it about the centre.
func TestCentreOfMassBesideTheOrigin(t *testing.T) {
	with := func(friction float64) (*rig, *physics.Body) {
		model := enginetest.Alone(physics.WheelsDrive, 0, 0, 0.3)
		model.Config.Contacts.WheelCarpet.Friction = friction
		d := &model.Robots[0].Drive
		d.WheelAngles, d.Casters = nil, []physics.Caster{{X: -0.2}}
		for _, y := range []float64{0.2, -0.2} {
			d.Wheels = append(d.Wheels, physics.Wheel{Kind: physics.StandardWheel, Y: y, Roller: math.Pi / 2})
		}
		b := &model.Robots[0].Body
		b.CoMX, b.CoMY = -0.08, 0.02
		return start(t, model), b
	}
	r, b := with(0.75)
	r.Run(1)
	weight := b.Mass * 9.81
	for k, want := range []float64{0.35, 0.25} { // the caster bears 0.4 of it
		must.Near(t, "share of the weight", float64(r.world.parts[0].wheel[k].load)/weight, want, 0.003)
	}
	must.Near(t, "tilt", r.Tilt(0), 0, 0.002)
	must.Near(t, "x", r.S.Robots[0].PoseWB.Pos[0], 0, 0.001)
	r.Commands[0].TwistB.VX = 0.5
	r.Run(2)
	twist := r.S.Robots[0].TwistWBInB()
	must.Near(t, "speed", twist.VX, 0.5, 0.01)
	must.Near(t, "turn", twist.Omega, 0, 0.01)
	must.Near(t, "tilt", r.Tilt(0), 0, 0.002)

	r, b = with(1e-6)
	r.Push(0, mgl64.Vec3{3, 1, 0}, mgl64.Vec3{})
	r.Run(0.5)
	s := &r.S.Robots[0]
	must.Near(t, "turn after a push", s.TwistWBInW.Ang[2], 0, 1e-3)
	must.Near(t, "x", s.PoseWB.Pos[0], 0.5*3/b.Mass, 2e-3)
	must.Near(t, "y", s.PoseWB.Pos[1], 0.5*1/b.Mass, 2e-3)
	before := s.TwistWBInW
	r.Push(0, mgl64.Vec3{}, mgl64.Vec3{0, 0, 0.5})
	r.Run(0.02)
	s = &r.S.Robots[0]
	rate := 0.5 / b.InertiaZ
	must.Near(t, "rate after a moment", s.TwistWBInW.Ang[2], rate, 1e-3)
	// the centre of mass goes on as before, and the origin turns about it
	arm := s.PoseWB.Rotate(mgl64.Vec3{b.CoMX, b.CoMY, 0})
	change := s.TwistWBInW.Lin.Sub(before.Lin)
	must.Near(t, "speed of the origin along x", change[0], rate*arm[1], 1e-3)
	must.Near(t, "speed of the origin along y", change[1], -rate*arm[0], 1e-3)
}
