package robotio

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Messages of simatch's robots, field by field.
type (
	point2d   struct{ X, Y float32 }
	actionCmd struct {
		Target       point2d
		TargetOri    float32
		TargetW      float32
		TargetVel    point2d
		Maxvel       float32
		Maxw         float32
		RobotPos     point2d
		RobotVel     point2d
		RobotOri     float32
		RobotW       float32
		MoveAction   uint8
		RotateActon  uint8
		RotateMode   int32
		HandleEnable int64
		Strength     float32
		ShootPos     int64
	}
	ballIsHolding struct{ BallIsHolding uint8 }
)

// player returns a simatch rig whose cyan1 is at the origin. Its node acts as a robot of that simulator.
func player(t *testing.T, change func(*worlds.World)) (*rig, *ros1.Publisher[actionCmd]) {
	r := newRig(t, func(w *worlds.World) {
		for i := range w.Robots {
			w.Robots[i].ROS1.Profiles = []string{"simatch"}
		}
		w.Robots[0].Pose = worlds.Pose{}
		w.Ball.X, w.Ball.Y = 0.37, 0
		if change != nil {
			change(w)
		}
	})
	pub := advertise[actionCmd](r, "/cyan1/nubotcontrol/actioncmd", "nubot_common/ActionCmd")
	r.until("a connection", func() bool { return pub.NumSubscribers() == 1 })
	return r, pub
}

// commanded simulates for a short time and returns the number of commands that the first robot has executed.
func (r *rig) commanded() uint64 {
	r.t.Helper()
	return r.run(20*time.Millisecond, timesync.Factor(10)).Robots[0].Commands
}

// The plugin's rule: the ball's centre must be within 0.40 m of the robot's origin along the floor and within 10° to
// either side, whether or not the dribbler is on. A lob leaves with 0.8 of the strength along the floor and 0.6
// upwards. A kick sets the ball's velocity.
func TestSimatchHoldsAndKicksByDistanceAndAngle(t *testing.T) {
	within := math.Sqrt(0.4*0.4-0.11*0.11) - 2e-3
	for _, c := range []struct {
		name     string
		away     float64 // along the floor, metres
		bearing  float64 // degrees
		shootPos int64
		want     mgl64.Vec3 // the ball's velocity; 0: no kick
	}{
		{"a lob", 0.37, 0, -1, mgl64.Vec3{4, 0, 3}},
		{"a lob at the end of reach", within, 9.5, -1, mgl64.Vec3{4, 0, 3}},
		{"flat", 0.37, 0, 1, mgl64.Vec3{5, 0, 0}},
		{"too far", within + 4e-3, 0, 1, mgl64.Vec3{}},
		{"too far aside", 0.37, 10.5, 1, mgl64.Vec3{}},
		{"neither way", 0.37, 0, 2, mgl64.Vec3{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, pub := player(t, func(w *worlds.World) {
				sin, cos := math.Sincos(c.bearing * spatial.Degree)
				w.Ball.X, w.Ball.Y = c.away*cos, c.away*sin
			})
			holding := subscribe[ballIsHolding](r, "/cyan1/ballisholding/BallIsHolding", "nubot_common/BallIsHolding")
			r.until("what it holds", func() bool { return holding.newest() != nil })
			reachable := c.want != (mgl64.Vec3{}) || c.shootPos == 2
			must.Equal(t, holding.newest().BallIsHolding == 1, reachable, "BallIsHolding")
			before := r.commanded()
			pub.Publish(&actionCmd{Strength: 5, ShootPos: c.shootPos})
			r.until("the action", func() bool { return r.commanded() > before })
			r.commanded() // simulate another step, in which it takes effect
			fastest := r.fastestBall()
			if d := fastest.Sub(c.want).Len(); !(d <= 0.1) { // one step of gravity and sliding friction costs 0.05
				t.Errorf("the ball leaves with %.3v m/s, want %v", fastest, c.want)
			}
			must.Equal(t, r.sim.Truth().Ball.HeldBy, -1, "a robot whose dribbler is off holds the ball")
		})
	}
}

// A kick in simatch sets the ball's velocity even if the ball moves towards the robot.
func TestSimatchKickIsAbsolute(t *testing.T) {
	var c physics.Command
	for _, a := range actionsOf(t, must.Get(worlds.Load("simatch"))(t), 0, "/nubotcontrol/actioncmd",
		&actionCmd{Strength: 5, ShootPos: -1, HandleEnable: 1})[0] {
		a.(action.Command).Change(&c)
	}
	reach := physics.Reach{Distance: 0.4, Angle: 10 * spatial.Degree}
	must.Near(t, "elevation", c.Kick.Elevation, math.Atan2(0.6, 0.8), 1e-12)
	must.Equal(t, c, physics.Command{Dribble: true, Reach: reach, Kick: physics.Kick{Mode: physics.LobKick, Speed: 5,
		Elevation: c.Kick.Elevation, Absolute: true, Reach: reach}}, "command")
}

// The world simatch offers programs what NuBot's simulator offers, according to the sources in docs/profiles.md.
func TestSimatchIsTheirs(t *testing.T) {
	r := rigOf(t, "simatch", nil)
	// with the types that rosparam gives global_config.yaml; their scripts rely on them
	params(t, r, map[string]any{
		"/cyan/prefix": "NuBot", "/cyan/num": 5, "/magenta/prefix": "rival", "/magenta/num": 5, "/field/length": 22,
		"/field/width":   14,
		"/football/name": "football", "/football/chassis_link": "football::chassis",
		"/general/dribble_distance_thres": 0.4, "/general/dribble_angle_thres": 20.0, "/general/noise_scale": 0.0,
	})

	models := receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
	type place struct {
		name          string
		x, y, heading float64
	}
	places := []place{{"ground_plane", 0, 0, 0}, {"field", 0, 0, 0}, {"left_goal", -11, 0, math.Pi},
		{"right_goal", 11, 0, 0}, {"football", 0, 0, 0}}
	for i, p := range []place{{"NuBot", -10.5, 0, 0}, {"NuBot", -2, 1, 0}, {"NuBot", -2, -1, 0}, {"NuBot", -5, 2, 0},
		{"NuBot", -5, -2, 0}} {
		p.name += fmt.Sprint(i + 1)
		places = append(places, p)
	}
	for i := range 5 { // magenta's models face backwards, so their heading is +x
		p := places[5+i]
		places = append(places, place{fmt.Sprintf("rival%d", i+1), -p.x, -p.y, 0})
	}
	if len(models.Name) != len(places) || len(models.Pose) != len(places) || len(models.Twist) != len(places) {
		t.Fatalf("%d models, %d poses, %d twists, want %d", len(models.Name), len(models.Pose), len(models.Twist),
			len(places))
	}
	for i, want := range places {
		pose := models.Pose[i]
		heading := 2 * math.Atan2(pose.Orientation.Z, pose.Orientation.W)
		must.Equal(t, models.Name[i], want.name, "model %d", i)
		must.Near(t, want.name+" x", pose.Position.X, want.x, 1e-3)
		must.Near(t, want.name+" y", pose.Position.Y, want.y, 1e-3)
		if want.name != "football" {
			must.Near(t, want.name+" heading", math.Remainder(heading-want.heading, 2*math.Pi), 0, 1e-3)
		}
	}

	// Published in the step itself, at 200 Hz.
	for _, topic := range []string{"/NuBot1/omnivision/OmniVisionInfo", "/rival5/omnivision/OmniVisionInfo",
		"/NuBot3/ballisholding/BallIsHolding",
		"/gazebo/model_states", "/football/bumper_states"} {
		p := r.publisher(topic)
		r.until("nobody to listen to "+topic, func() bool { return p.pub.NumSubscribers() == 0 })
		seen := p.flow.messages.Load()
		sub := must.Get(ros1.SubscribeAs(r.robot, topic, p.Topic, func([]byte) error { return nil }))(t)
		r.until("a subscriber of "+topic, func() bool { return p.flow.messages.Load() > seen })
		begin, before := r.sim.Truth().Time, p.flow.messages.Load()
		r.until("half a second", func() bool { return r.sim.Truth().Time >= begin+time.Second/2 })
		steps := uint64((r.sim.Truth().Time - begin) / (5 * time.Millisecond))
		sub.Close()
		if n, delay := p.flow.messages.Load()-before, time.Duration(p.flow.delay.Load()); n != steps || delay != 0 {
			t.Errorf("%s came %d times in %d steps of 5 ms, %v late; want one a step, 0s", topic, n, steps, delay)
		}
	}
}

// teleopJoy is nubot_common/Teleop_joy of simatch.
type teleopJoy struct {
	Vx, Vy, W             float32
	HandleEnable          int64
	Strength              float32
	ShootPos, ShootLowPos int64
}

// Joystick messages alone drive a robot, in cm/s, and make it take the ball and shoot it, in m/s.
func TestSimatchJoystick(t *testing.T) {
	const robot = 1 // NuBot2, at (-2, 1)
	r := rigOf(t, "simatch", func(w *worlds.World) { w.Ball.X, w.Ball.Y = -1.62, 1 })
	def := must.Get(r.bridge.Types().Message("nubot_common/Teleop_joy"))(t)
	codec := must.Get(msg.Compile[teleopJoy](def))(t)
	pub := must.Get(ros1.AdvertiseRaw(r.robot, "/NuBot2/nubotcontrol/teleop_joy", def, ros1.PubOptions{Queue: 1}))(t)
	say := func(m teleopJoy) { pub.Publish(codec.Append(nil, &m)) }
	r.until("NuBot2 to hold the ball", func() bool {
		say(teleopJoy{Vx: 20, HandleEnable: 1})
		return r.sim.Truth().Ball.HeldBy == robot
	})
	r.until("NuBot2 to drive as told", func() bool {
		say(teleopJoy{Vx: 50, Vy: -30, W: 0.5, HandleEnable: 1})
		v := r.sim.Truth().Robots[robot].TwistWBInB()
		return abs(v.VX-0.5) < 0.01 && abs(v.VY+0.3) < 0.01 && abs(v.Omega-0.5) < 0.01
	})
	r.until("NuBot2 to stand", func() bool {
		say(teleopJoy{HandleEnable: 1})
		return r.sim.Truth().Robots[robot].TwistWBInW.Lin.Len() < 0.01
	})
	fastest := 0.0
	r.sim.OnStep(func(s *physics.Snapshot) { fastest = max(fastest, s.Ball.TwistInW.Lin.Len()) })
	r.until("the shot", func() bool {
		say(teleopJoy{HandleEnable: 1, Strength: 6, ShootPos: 1})
		return r.sim.Truth().Ball.HeldBy < 0
	})
	must.Near(t, "speed of the shot", fastest, 6, 0.2)
}

// Gazebo's link names start with those of their models. Programs search them for a team's prefix.
func TestSimatchContacts(t *testing.T) {
	// the ball rolls into the back of NuBot2
	r := rigOf(t, "simatch", func(w *worlds.World) { w.Ball.X, w.Ball.Y, w.Ball.VX = -3.2, 1, 2 })
	got := make(chan string, 1)
	sub := must.Get(ros1.SubscribeAs(r.robot, "/football/bumper_states", r.publisher("/football/bumper_states").Topic,
		func(b []byte) error {
			if text := string(b); strings.Contains(text, "NuBot2") && len(got) == 0 {
				got <- text
			}
			return nil
		}))(t)
	defer sub.Close()
	r.until("the ball to touch NuBot2", func() bool { return len(got) > 0 })
	text := <-got
	for _, want := range []string{"football::chassis::collision", "NuBot2::chassis::collision"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not name %s", text, want)
		}
	}
}
