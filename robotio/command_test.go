package robotio

import (
	"math"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// free gives cyan1 room to drive, and a drive without errors.
func free(w *worlds.World) {
	w.Ball.X, w.Ball.Y = -6, 4
	w.Robots[0].Drive.Level = physics.ChassisDrive
}

// reach publishes a command until the robot moves at the given velocity, in m/s and rad/s in the robot's axes.
func reach[T any](t *testing.T, r *rig, topic, typ string, m *T, want physics.PlanarTwist) {
	t.Helper()
	pub := advertise[T](r, topic, typ)
	defer pub.Close()
	r.until("the robot to do as "+topic+" says", func() bool {
		pub.Publish(m)
		got := r.sim.Truth().Robots[0].TwistWBInB()
		const close = 0.01 // of contact with the floor
		return abs(got.VX-want.VX) < close && abs(got.VY-want.VY) < close && abs(got.Omega-want.Omega) < close
	})
}

// A command that is not finite is refused with its topic and field, and the robot continues as before.
func TestHostileVelocityIsRefused(t *testing.T) {
	r := newRig(t, free)
	reach(t, r, "/cyan1/cmd_vel", "geometry_msgs/Twist", &msg.Twist{Linear: msg.Vector3{X: 1}},
		physics.PlanarTwist{VX: 1})
	pub := r.twists()
	defer pub.Close()
	must.Fail(t, r.refusal(func() { pub.Publish(&msg.Twist{Linear: msg.Vector3{X: math.Inf(1)}}) }),
		"/cyan1/cmd_vel: linear.x = +Inf: must be finite")
	must.Near(t, "vx", r.sim.Truth().Robots[0].TwistWBInB().VX, 1, 0.01)
}

func abs(x float64) float64 { return max(x, -x) }

func TestVelocityCommands(t *testing.T) {
	r := newRig(t, free)
	reach(t, r, "/cyan1/nubotcontrol/velcmd", "nubot_common/VelCmd", &msg.VelCmd{Vx: 100, Vy: -50, W: 0.5},
		physics.PlanarTwist{VX: 1, VY: -0.5, Omega: 0.5})

	// The motion is published for the same stamp in NuBot's units and in standard ones.
	odo := receive[msg.OdoInfo](r, "/cyan1/nubotdriver/odoinfo", "nubot_common/OdoInfo")
	v := r.truth[odo.Header.Stamp.Since()].twistsB[0]
	must.Near(t, "OdoInfo.Vx", float64(odo.Vx), 100*v.VX, 1e-4)
	must.Near(t, "OdoInfo.Vy", float64(odo.Vy), 100*v.VY, 1e-4)
	must.Near(t, "OdoInfo.w", float64(odo.W), v.Omega, 1e-6)
	if !odo.PowerState || odo.RobotStuck || odo.Header.FrameID != "cyan1" {
		t.Errorf("%+v", odo)
	}
	std := receive[msg.Odometry](r, "/cyan1/odom", "nav_msgs/Odometry")
	v = r.truth[std.Header.Stamp.Since()].twistsB[0]
	must.Near(t, "Odometry.twist.linear.x", std.Twist.Twist.Linear.X, v.VX, 1e-9)
	must.Near(t, "Odometry.twist.linear.y", std.Twist.Twist.Linear.Y, v.VY, 1e-9)
	must.Near(t, "Odometry.twist.angular.z", std.Twist.Twist.Angular.Z, v.Omega, 1e-9)
	if std.Header.FrameID != "cyan1/odom" || std.ChildFrameID != "cyan1/base_link" {
		t.Errorf("frames %q, %q", std.Header.FrameID, std.ChildFrameID)
	}
	imu := receive[msg.Imu](r, "/cyan1/imu", "sensor_msgs/Imu")
	must.Near(t, "Imu.angular_velocity.z", imu.AngularVelocity.Z, r.truth[imu.Header.Stamp.Since()].twistsB[0].Omega,
		1e-9)
	must.Near(t, "Imu.linear_acceleration.z", imu.LinearAcceleration.Z, 9.81, 0.1)

	reach(t, r, "/cyan1/cmd_vel", "geometry_msgs/Twist",
		&msg.Twist{Linear: msg.Vector3{X: 0.5, Y: 0.25}, Angular: msg.Vector3{Z: -1}},
		physics.PlanarTwist{VX: 0.5, VY: 0.25, Omega: -1})
}

// before places the ball within reach of cyan1's dribbler. It lets kickers shoot harder than the Shoot service allows.
func before(w *worlds.World) {
	w.Ball.X, w.Ball.Y = 0.85, -0.4
	kicker := *w.Robots[0].Kicker
	kicker.MaxSpeed = 30
	w.Robots[0].Kicker = &kicker
	add(&w.Robots[1], "omni", sensors.OmniKind, abstraction.Truth)
}

func (r *rig) ballHandle(enable int64) int64 {
	r.t.Helper()
	return call[msg.BallHandleRequest, msg.BallHandleResponse](r, "/cyan1/BallHandle", "nubot_common/BallHandle",
		&msg.BallHandleRequest{Enable: enable}).BallIsHolding
}

func (r *rig) shoot(strength float32, pos int64) int64 {
	r.t.Helper()
	return call[msg.ShootRequest, msg.ShootResponse](r, "/cyan1/Shoot", "nubot_common/Shoot",
		&msg.ShootRequest{Strength: strength, ShootPos: pos}).ShootIsDone
}

func TestBallHandle(t *testing.T) {
	r := newRig(t, before)
	for i, enable := range []int64{0, 1, 1, 0, -5} { // any value except 0 turns dribbling on
		must.Equal(t, r.ballHandle(enable), min(enable*enable, 1), "call %d: BallHandle(%d)", i, enable)
	}
	must.Equal(t, call[msg.BallHandleRequest, msg.BallHandleResponse](r, "/magenta1/BallHandle",
		"nubot_common/BallHandle", &msg.BallHandleRequest{Enable: 1}).BallIsHolding, 0,
		"a robot without dribbler holds the ball")
}

func TestShoot(t *testing.T) {
	for _, c := range []struct {
		name       string
		strength   float32
		pos        int64
		speed, tol float64 // of the ball along the ground right after the kick, m/s
		up         bool
	}{
		// In one step, sliding friction reduces the speed a little.
		{"flat", 8, -1, 8, 0.1, false},
		{"stronger than allowed", 40, -1, 15, 0.1, false},
		{"weaker than nothing", -8, -1, 0, 0.1, false},
		// The ray along the robot's heading misses the goal.
		{"a lob ignores the strength", 40, 1, physics.DefaultLobSpeed, 0.1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, before)
			if done := r.shoot(c.strength, c.pos); done != 0 {
				t.Fatal("shot a ball that is not held")
			}
			if r.ballHandle(1) != 1 {
				t.Fatal("the ball was not taken")
			}
			if done := r.shoot(c.strength, 0); done != 1 || r.sim.Truth().Ball.HeldBy != 0 {
				t.Errorf("ShootPos 0: done %d, held by %d; want 1 and the ball still held", done,
					r.sim.Truth().Ball.HeldBy)
			}
			vision := subscribe[msg.OminiVisionInfo](r, "/magenta1/omnivision/OmniVisionInfo",
				"nubot_common/OminiVisionInfo")
			r.until("magenta1's vision", func() bool { return vision.newest() != nil })
			if done := r.shoot(c.strength, c.pos); done != 1 {
				t.Fatal("the held ball was not shot")
			}
			v := r.fastestBall()
			must.Near(t, "the ball's speed", v.Len(), c.speed, c.tol)
			must.Equal(t, c.up, v[2] > 1, "the ball leaves with %v m/s upwards, want upwards", v[2])
			// The goalkeeper observes the ball's motion in the field frame of its own team.
			now := r.sim.Truth().Time
			r.until("a report after the shot", func() bool { return vision.newest().Header.Stamp.Since() > now })
			m := vision.newest()
			v = r.truth[m.Header.Stamp.Since()].ballV
			must.Near(t, "ballinfo.velocity.x", float64(m.BallInfo.Velocity.X), -100*v[0], 0.01)
			must.Near(t, "ballinfo.velocity.y", float64(m.BallInfo.Velocity.Y), -100*v[1], 0.01)
		})
	}
}
