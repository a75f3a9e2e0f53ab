package robotio

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
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

// acting is a profile in which a message of each topic causes one action.
const acting = `types = ["std"]
[[subscribe]]
topic = "/place"
type = "geometry_msgs/Twist"
for = "world"
do.place = { name = { text = "ball" }, x = "linear.x", y = "linear.y", vx = "angular.x", vy = "angular.y" }
[[subscribe]]
topic = "kick"
type = "geometry_msgs/Twist"
do.kick = { way = { text = "flat" }, speed = "linear.x" }
[[subscribe]]
topic = "dribble"
type = "geometry_msgs/Twist"
do.dribble = { enable = "linear.x" }
[[subscribe]]
topic = "level"
type = "std_msgs/String"
for = "camera"
do.set_level = { level = "data" }
[[subscribe]]
topic = "aim"
type = "geometry_msgs/Twist"
for = "camera"
do.aim_head = { pan = "angular.z", tilt = "angular.y" }
[[subscribe]]
topic = "/command"
type = "std_msgs/String"
for = "world"
do.game_command = { command = "data" }
`

// A message has the same effect as the same action in Go. The states after the step that applies it, and after later
// steps, are bit-identical.
func TestMessagesDoWhatGoDoes(t *testing.T) {
	file := must.File(t, "acting.toml", acting)
	twist := func(x, y, wx, wy, wz float64) *msg.Twist {
		return &msg.Twist{Linear: msg.Vector3{X: x, Y: y}, Angular: msg.Vector3{X: wx, Y: wy, Z: wz}}
	}
	change := func(w *worlds.World) {
		before(w)
		w.Robots = w.Robots[:1]
		w.Robots[0].ROS1.Profiles = []string{file}
		front, _ := w.Sensor("cyan1", "front")
		front.Head = &sensors.HeadConfig{}
		front.Head.SetDefaults()
		w.Events = []worlds.Event{{Choice: action.Choice{Dribble: &action.Dribble{Robot: "cyan1", Enable: true}}}}
	}
	for topic, c := range map[string]struct {
		message any
		same    action.Action
	}{
		"/place": {twist(2, 1, 3, -1, 0), &action.Place{Name: "ball", X: 2, Y: 1, VX: 3, VY: -1}},
		"/cyan1/kick": {twist(4, 0, 0, 0, 0), &action.Kick{Robot: "cyan1", Way: "flat", Speed: 4, Limit: 100,
			Now: true}},
		"/cyan1/dribble": {twist(0, 0, 0, 0, 0), &action.Dribble{Robot: "cyan1"}},
		"/cyan1/level": {&msg.String{Data: "objects"}, &action.SetLevel{Robot: "cyan1", Sensor: "front",
			Level: abstraction.Objects}},
		"/cyan1/aim": {twist(0, 0, 0, 0.2, 1), &action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 1, Tilt: 0.2}},
		"/command":   {&msg.String{Data: "stop"}, &action.GameCommand{Command: "stop"}},
	} {
		r := newRig(t, change)
		w := *r.sim.World()
		plain := must.Get(omnipitch.New(&w, omnipitch.Options{}))(t)
		both := func(n int) {
			t.Helper()
			for range n {
				for _, s := range []*omnipitch.Sim{r.sim, plain} {
					must.Do(t, s.Step())
				}
			}
		}
		both(40)
		send(t, r, topic, c.message)
		do := func(time.Duration) {
			if err := plain.Do(c.same); err != nil {
				t.Errorf("%s: %v", topic, err)
			}
		}
		if action.Anytime(c.same) {
			do(0)
		} else {
			plain.Clock().After(0, do)
		}
		for range 100 {
			both(1)
			heads := [2][2]float64{}
			for i, s := range []*omnipitch.Sim{r.sim, plain} {
				camera, _ := s.Sensors().Camera("cyan1", "front")
				heads[i][0], heads[i][1] = camera.Head().Angles()
			}
			level, _ := r.sim.Sensors().Level("cyan1", "front")
			same, _ := plain.Sensors().Level("cyan1", "front")
			if r.sim.Truth().Hash() != plain.Truth().Hash() || heads[0] != heads[1] || level != same ||
				r.sim.Match().Game() != plain.Match().Game() {
				t.Errorf("%s: a message does something else than Go, at %v", topic, r.sim.Truth().Time)
				break
			}
		}
		plain.Close()
	}
}

// send publishes a message and returns once the simulation has received it.
func send(t *testing.T, r *rig, topic string, message any) {
	t.Helper()
	taken := func() (n uint64) {
		for _, row := range r.bridge.Topics() {
			if row.Taken && row.Topic == topic {
				n += row.Messages
			}
		}
		return n
	}
	var publish func()
	var connected func() int
	switch m := message.(type) {
	case *msg.Twist:
		p := advertise[msg.Twist](r, topic, "geometry_msgs/Twist")
		publish, connected = func() { p.Publish(m) }, p.NumSubscribers
	case *msg.String:
		p := advertise[msg.String](r, topic, "std_msgs/String")
		publish, connected = func() { p.Publish(m) }, p.NumSubscribers
	}
	must.Until(t, topic+" to be connected", func() bool { return connected() > 0 })
	publish()
	must.Until(t, topic+" to be taken", func() bool { return taken() > 0 })
}
