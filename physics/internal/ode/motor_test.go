package ode

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// motorised returns a model of a robot with motors on a battery that sags.
func motorised(level physics.DriveLevel) *physics.Model {
	s := enginetest.Alone(level, 0, 0, 0)
	m := &physics.Motor{Torque: 0.03, Resistance: 0.4, NoLoad: 0.1, Rotor: 1.4e-5, MaxCurrent: 20, Gear: 10,
		Wheel: 0.001}
	m.SetDefaults()
	m.Efficiency = 0.9
	s.Robots[0].Drive.Motor = m
	s.Robots[0].Drive.Battery = &physics.Battery{Voltage: 25, Resistance: 0.05}
	return s
}

// Wheels in the air follow a closed form: they accelerate until the voltage is used up, at (u − R·i0)/k.
func TestFreeWheelsReachTheirNoLoadRate(t *testing.T) {
	s := motorised(physics.WheelsDrive)
	d := &s.Robots[0].Drive
	d.MaxWheelSpeed, d.MaxAccel, d.MaxSpeed, d.MaxOmega, d.MaxAlpha = 20, 100, 20, 50, 600
	r := start(t, s)
	k := d.Motor.Torque * d.Motor.Gear
	want := (25 - d.Motor.Resistance*d.Motor.NoLoad/d.Motor.Efficiency) / k
	r.Place(0, spatial.Translation(mgl64.Vec3{0, 0, 5}))
	r.Commands[0].TwistB = physics.PlanarTwist{Omega: -50}
	r.Run(0.9) // the robot falls for a second
	rate := r.S.Robots[0].WheelRadS[0]
	if !scalar.EqualWithinAbs(rate, want, 0.02*want) {
		t.Errorf("%v rad/s, want %v", rate, want)
	}
}

// Whatever is commanded, and wherever the robot is, motors draw no more than their amplifiers give, the battery sags by
// Ohm's law, and nothing exceeds its limits.
func TestMotorsKeepTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := motorised(physics.WheelsDrive)
		m := s.Robots[0].Drive.Motor
		m.P, m.I, m.D = rapid.Float64Range(0, 50).Draw(t, "p"), rapid.Float64Range(0, 500).Draw(t, "i"),
			rapid.Float64Range(0, 0.1).Draw(t, "d")
		s.Config.Contacts.WheelCarpet.Friction = rapid.Float64Range(0, 2).Draw(t, "friction")
		s.Robots[0].Pose = spatial.Planar(rapid.Float64Range(-9, 8).Draw(t, "x"), rapid.Float64Range(-6, 6).Draw(t,
			"y"), 0)
		if s.Validate() != nil {
			t.Skip("the robot stands in a goal")
		}
		e := must.Get(New(s))(t)
		defer e.Close()
		f := rapid.Float64Range(-10, 10)
		var now physics.Snapshot
		for range 5 {
			c := []physics.Command{{TwistB: physics.PlanarTwist{VX: f.Draw(t, "vx"), VY: f.Draw(t, "vy"),
				Omega: f.Draw(t, "omega")}}}
			for range 40 {
				must.Do(t, e.Step(c))
				e.Snapshot(&now)
				r := &now.Robots[0]
				if !(r.MotorA <= 4*m.MaxCurrent+1e-9) || !(r.BatteryV <= 25) || !(r.BatteryV >= 25./4) {
					t.Fatalf("%v A, %v V", r.MotorA, r.BatteryV)
				}
				top := 25 / (m.Torque * m.Gear)
				for k, w := range r.WheelRadS[:4] {
					if !(math.Abs(w) <= 2*top) {
						t.Fatalf("wheel %d turns at %v rad/s, its voltage allows %v", k, w, top)
					}
				}
				if speed := r.TwistWBInW.Lin.Len(); !(speed <= math.Sqrt2*top*s.Robots[0].Drive.WheelRadius) {
					t.Fatalf("%v m/s", speed)
				}
			}
		}
	})
}

// A weak motor against a wall reports that its wheel is stuck, with one event.
func TestStuckWheelsAreReported(t *testing.T) {
	s := motorised(physics.WheelsDrive)
	s.Robots[0].Pose = spatial.Planar(9.9, 3, 0)
	s.Robots[0].Drive.Motor.MaxCurrent = 3 // too little to spin the wheels
	r := start(t, s)
	r.Commands[0].TwistB.VX = 2
	events := map[string]int{}
	r.Run(2, func() {
		for _, e := range r.S.Events {
			events[e.Kind.String()]++
		}
	})
	for k := range 4 {
		if !r.S.Robots[0].WheelStuck[k] {
			t.Errorf("wheel %d is not stuck", k)
		}
	}
	for _, kind := range []string{"wheels_stuck", "stuck", "push_begins"} {
		if events[kind] != 1 {
			t.Errorf("%d events of %s in %v", events[kind], kind, events)
		}
	}
	r.Commands[0].TwistB.VX = -1
	r.Run(0.5, func() {
		for _, e := range r.S.Events {
			events[e.Kind.String()]++
		}
	})
	if events["wheels_free"] != 1 || events["free"] != 1 || events["push_ends"] != 1 {
		t.Errorf("afterwards: %v", events)
	}
}

// A differential drive turns and drives, and does not slip sideways.
func TestDifferentialDriveHoldsItsSide(t *testing.T) {
	s := motorised(physics.WheelsDrive)
	d := &s.Robots[0].Drive
	d.WheelAngles = nil
	d.Wheels = []physics.Wheel{{Kind: physics.StandardWheel, Y: 0.18}, {Kind: physics.StandardWheel, Y: -0.18}}
	d.Casters = []physics.Caster{{X: 0.18}, {X: -0.18}}
	d.MaxAccel = 1.5
	r := start(t, s)
	r.Commands[0].TwistB = physics.PlanarTwist{VX: 1, VY: 1, Omega: 1}
	r.Run(3, func() {
		if side := r.S.Robots[0].TwistWBInB().VY; !(math.Abs(side) <= 0.02) {
			t.Fatalf("slips sideways at %v m/s", side)
		}
	})
	got := r.S.Robots[0].TwistWBInB()
	must.Near(t, "vx", got.VX, 1, 0.01)
	must.Near(t, "omega", got.Omega, 1, 0.01)
}

// This package detects one kind of broken state. Without a guard, the other kind would make libode end the process.
func TestABrokenStateIsAnError(t *testing.T) {
	for want, pose := range map[string]spatial.Pose{
		"without a finite state": spatial.Translation(mgl64.Vec3{math.NaN(), 0, 0}),
		"libode assertion":       {}, // an invalid rotation
	} {
		r := start(t, enginetest.Match(2, mixed))
		r.Step()
		r.world.robot(0).put(pose, spatial.Twist{})
		err := r.Engine.Step(r.Commands)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("Step = %v, want %q", err, want)
		}
		if again := r.Engine.Step(r.Commands); again != err {
			t.Errorf("the next step: %v", again)
		}
		r.Close()
		start(t, enginetest.Match(2, mixed)).Run(0.1) // other engines continue to work
	}
}
