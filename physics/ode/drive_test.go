package ode

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

func alone(level physics.DriveLevel, x, y, heading float64) *physics.Scene {
	s := testScene()
	s.Robots = []physics.Robot{testRobot(level, x, y, heading)}
	return s
}

func TestDriveReachesTheCommandedSpeed(t *testing.T) {
	for _, level := range levels {
		for _, dir := range []float64{0, math.Pi / 4, math.Pi / 2, math.Pi} {
			scene := alone(level, 0, 0, 0.3)
			scene.Robots[0].Drive.MaxAccel = 3 // along a diagonal two wheels push: 0.75·g/2 = 3.7 m/s² at most
			r := start(t, scene)
			want := physics.PlanarTwist{VX: 2 * math.Cos(dir), VY: 2 * math.Sin(dir)}
			r.commands[0].TwistB = want
			r.run(1)
			got := r.s.Robots[0].TwistWBInB()
			near(t, string(level)+" vx", got.VX, want.VX, 0.01)
			near(t, string(level)+" vy", got.VY, want.VY, 0.01)
			near(t, string(level)+" omega", got.Omega, 0, 0.01)
			// 2/3 s of ramp at 3 m/s², then 1/3 s at 2 m/s; half a step earlier or later is 1 cm.
			near(t, string(level)+" distance", r.s.Robots[0].PoseWB.Pos.Len(), 4.0/3, 0.02)
			near(t, string(level)+" tilt", r.tilt(0), 0, 1e-3)
		}
	}
}

func TestEncodersTellTheMotion(t *testing.T) {
	for _, level := range levels {
		scene := alone(level, 0, 0, 0)
		r := start(t, scene)
		wheels, err := scene.Robots[0].Drive.OmniWheels()
		if err != nil {
			t.Fatal(err)
		}
		r.commands[0].TwistB = physics.PlanarTwist{VX: 1, VY: -0.5}
		r.run(1)
		s := &r.s.Robots[0]
		got := wheels.Twist(s.WheelRad) // angles instead of rates: the way instead of the velocity
		near(t, string(level)+" way x", got.VX, s.PoseWB.Pos[0], 0.01)
		near(t, string(level)+" way y", got.VY, s.PoseWB.Pos[1], 0.01)
	}
}

// On ice the wheels turn as told and the robot stays behind: encoders do not see slip. A weak motor stalls instead.
func TestSlippingWheelsTurnFasterThanTheFloorPasses(t *testing.T) {
	for _, tt := range []struct {
		name            string
		friction, force float64
		wantRatio       float64
	}{{"ice", 0.02, 100, 1}, {"weak motors", 0.75, 2, 0}} {
		scene := alone(physics.WheelsDrive, 0, 0, 0)
		scene.Config.WheelFriction = tt.friction
		scene.Robots[0].Drive.MaxWheelForce = tt.force
		r := start(t, scene)
		wheels, _ := scene.Robots[0].Drive.OmniWheels()
		r.commands[0].TwistB = physics.PlanarTwist{VX: 2}
		r.run(0.6)
		turned, moved := wheels.Twist(r.s.Robots[0].WheelRadS).VX, r.s.Robots[0].TwistWBInB().VX
		if moved > 0.4 {
			t.Errorf("%s: moves at %v m/s", tt.name, moved)
		}
		near(t, tt.name+": slip", turned-moved, tt.wantRatio*(2-moved), 0.01)
	}
}

// Commanded (2 m/s, 0, 2 rad/s) for 25.56 s after a ramp of 1 s, a robot goes round a circle of radius 1 m. The
// position error is taken against a circle of that radius around the fitted centre, in step with the commanded turn.
func TestCircle(t *testing.T) {
	for level, limit := range map[physics.DriveLevel]float64{physics.WheelsDrive: 0.01, physics.ChassisDrive: 0.001} {
		scene := alone(level, 0, 0, 0)
		scene.Ball.Y = -5
		r := start(t, scene)
		for range 200 { // ramp
			k := float64(r.s.Step+1) / 200
			r.commands[0].TwistB = physics.PlanarTwist{VX: 2 * k, Omega: 2 * k}
			r.step()
		}
		begin, h0 := r.s.Time, r.s.Robots[0].PoseWB.Heading()
		var offsets []mgl64.Vec3 // where the centre would be, by each position
		heading, tilt := 0.0, 0.0
		r.run(25.56, func() {
			s := &r.s.Robots[0]
			h := h0 + 2*(r.s.Time-begin).Seconds()
			offsets = append(offsets, s.PoseWB.Pos.Sub(mgl64.Vec3{math.Sin(h), -math.Cos(h), 0}))
			heading += math.Abs(spatial.WrapAngle(s.PoseWB.Heading() - h))
			tilt = math.Max(tilt, r.tilt(0))
		})
		var centre mgl64.Vec3
		for _, o := range offsets {
			centre = centre.Add(o.Mul(1 / float64(len(offsets))))
		}
		sum := 0.0
		for _, o := range offsets {
			sum += math.Hypot(o[0]-centre[0], o[1]-centre[1])
		}
		n := float64(len(offsets))
		t.Logf("%s: mean position error %.4f cm, mean heading error %.5f rad, tilt %.4f rad, body velocity %.4f",
			level, 100*sum/n, heading/n, tilt, r.s.Robots[0].TwistWBInB())
		near(t, string(level)+" mean position error", sum/n, 0, limit)
		near(t, string(level)+" mean heading error", heading/n, 0, 0.005)
	}
}

func TestStuckAgainstAWall(t *testing.T) {
	for _, level := range levels {
		scene := alone(level, 9.5, 3, 0)
		scene.Robots[0].Drive.MaxWheelForce = 50 // too weak to spin the wheels
		r := start(t, scene)
		r.commands[0].TwistB.VX = 3
		tilt := 0.0
		r.run(3, func() {
			tilt = math.Max(tilt, r.tilt(0))
			if x := r.s.Robots[0].PoseWB.Pos[0]; x > 10.26 {
				t.Fatalf("%s: in the wall, x = %v", level, x)
			}
		})
		near(t, string(level)+" tilt", tilt, 0, 0.05)
		near(t, string(level)+" x", r.s.Robots[0].PoseWB.Pos[0], 10.25, 0.01)
		if !r.s.Robots[0].Stuck {
			t.Errorf("%s: not stuck", level)
		}
		r.commands[0].TwistB.VX = -3
		r.run(1)
		if r.s.Robots[0].Stuck || r.s.Robots[0].PoseWB.Pos[0] > 9.5 {
			t.Errorf("%s: does not get away", level)
		}
	}
}

// What an accelerometer's model starts from.
func TestAccelerationIsTheChangeOfVelocity(t *testing.T) {
	for _, level := range levels {
		r := start(t, alone(level, 0, 0, 0))
		r.commands[0].TwistB.VX = 2
		r.run(0.3)
		near(t, string(level), r.s.Robots[0].AccelWBInW[0], 4, 0.1)
	}
}
