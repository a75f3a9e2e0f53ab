package robotio

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
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
	w := must.Get(worlds.Load("simatch"))(t)
	p := compiled(t, "simatch")
	for _, i := range mapping.Instances(p.Subscriptions, p.NewContext(w, 0)) {
		if i.Plain != "nubotcontrol/actioncmd" {
			continue
		}
		codec := must.Get(msg.Compile[actionCmd](i.Topic))(t)
		actions := must.Get(i.Actions.Read(&i.Context, codec.Append(nil, &actionCmd{Strength: 5, ShootPos: -1,
			HandleEnable: 1})))(t)
		var c physics.Command
		for _, a := range actions {
			a.(action.Command).Change(&c)
		}
		reach := physics.Reach{Distance: 0.4, Angle: 10 * spatial.Degree}
		want := physics.Command{Dribble: true, Reach: reach,
			Kick: physics.Kick{Mode: physics.LobKick, Speed: 5, Elevation: math.Atan2(0.6, 0.8), Absolute: true,
				Reach: reach}}
		must.Near(t, "elevation", c.Kick.Elevation, want.Kick.Elevation, 1e-12)
		c.Kick.Elevation = want.Kick.Elevation
		must.Equal(t, c, want, "c")
		return
	}
	t.Fatal("simatch takes no actions")
}
