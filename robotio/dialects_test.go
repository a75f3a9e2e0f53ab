package robotio

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// rigOf starts a shipped world after a change.
func rigOf(t *testing.T, world string, change func(*worlds.World)) *rig {
	t.Helper()
	w := must.Get(worlds.Load(world))(t)
	if change != nil {
		change(w)
	}
	return newRigIn(t, w, omnipitch.Options{})
}

// fastestBall returns the velocity of the ball after the step in which it was fastest.
func (r *rig) fastestBall() (v mgl64.Vec3) {
	for _, s := range r.truth {
		if now := mgl64.Vec3(s.ballV); now.Len() > v.Len() {
			v = now
		}
	}
	return v
}

// params fails unless the master has the given parameters.
func params(t *testing.T, r *rig, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if got, err := r.robot.GetParam(name); err != nil || got != value {
			t.Errorf("%s = %v (%T), %v; want %v", name, got, got, err, value)
		}
	}
}

// In gazebo_visual, position 1 makes the ball roll at 2.3 times the strength. Position −1 lobs it into the goal ahead
// in 0.808 s, whatever the strength. Both set the ball's velocity. They require only that the ball is within 0.5 m and
// 15°.
func TestGazeboVisualShoots(t *testing.T) {
	for _, c := range []struct {
		name     string
		x, y     float64 // of the robot, which faces the middle of the goal
		ahead    float64 // distance of the ball along the floor
		strength float32
		pos      int64
		done     int64
		want     float64 // speed of a rolling ball
		flies    bool
	}{
		{"flat", 0, 1, 0.4, 2, 1, 1, 4.6, false},
		{"flat, at most 15 · 2.3, which our kicker does not reach", 0, 1, 0.4, 40, 1, 1, 30, false},
		{"lob from near", 5, 1, 0.4, 1, -1, 1, 0, true},
		{"lob from afar", -1, 2, 0.45, 15, -1, 1, 0, true},
		{"a strength of 0 is done at once", 0, 1, 0.4, 0, 1, 1, 0, false},
		{"out of reach", 0, 1, 0.52, 5, 1, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			aim := math.Atan2(-c.y, 9-c.x)
			r := rigOf(t, "gazebo-visual", func(w *worlds.World) {
				for i := range w.Robots[1:] { // out of the way
					w.Robots[1+i].Pose = worlds.Pose{X: -8, Y: float64(i) - 3}
				}
				w.Robots[0].Pose = worlds.Pose{X: c.x, Y: c.y, Heading: aim}
				w.Ball.X, w.Ball.Y = c.x+c.ahead*math.Cos(aim), c.y+c.ahead*math.Sin(aim)
			})
			reachable := int64(0)
			if c.done == 1 {
				reachable = 1
			}
			handle := func(enable int64) int64 {
				return call[msg.BallHandleRequest, msg.BallHandleResponse](r, "/nubot2/BallHandle",
					"nubot_common/BallHandle", &msg.BallHandleRequest{Enable: enable}).BallIsHolding
			}
			must.Equal(t, handle(0), reachable, "BallHandle(0)")
			must.Equal(t, r.sim.Truth().Ball.HeldBy, -1, "held by")
			if c.name == "flat" {
				if got := handle(1); got != 1 || r.sim.Truth().Ball.HeldBy != 0 {
					t.Errorf("BallHandle(1) = %d, held by %d", got, r.sim.Truth().Ball.HeldBy)
				}
				d := r.sim.Truth().Ball.PosW.Sub(r.sim.Truth().Robots[0].PoseWB.Pos)
				must.Near(t, "a held ball before the robot", math.Hypot(d[0], d[1]), 0.43, 1e-3)
			}
			var kicked, crossed physics.Snapshot // first state of each kind
			r.sim.OnStep(func(s *physics.Snapshot) {
				if kicked.Time == 0 && s.Robots[0].Kicks > 0 {
					kicked = *s.Clone()
				}
				if crossed.Time == 0 && s.Ball.PosW[0] >= 9 {
					crossed = *s.Clone()
				}
			})
			done := call[msg.ShootRequest, msg.ShootResponse](r, "/nubot2/Shoot", "nubot_common/Shoot",
				&msg.ShootRequest{Strength: c.strength, ShootPos: c.pos}).ShootIsDone
			if done != c.done {
				t.Fatalf("ShootIsDone = %d, want %d", done, c.done)
			}
			if !c.flies {
				// sliding friction and drag reduce the speed in a step
				must.Near(t, "the ball's speed", r.fastestBall().Len(), c.want, 0.08+0.005*c.want)
				must.Near(t, "its way up", r.fastestBall()[2], 0, 1e-9)
				return
			}
			r.until("the ball over the goal line", func() bool { return crossed.Time > 0 })
			// drag costs up to 5 %
			if took := (crossed.Time - kicked.Time).Seconds(); !(took >= 0.8 && took <= 0.85) {
				t.Errorf("the lob took %.3f s, want 0.808 s", took)
			}
			if p := crossed.Ball.PosW; !(math.Abs(p[1]) <= 0.1 && p[2] > 0.7 && p[2] <= 0.8) {
				t.Errorf("the lob passed the goal line at %.2f, want 0.78 m above its middle", p)
			}
		})
	}
}

// The world has the poses, names and parameters of gazebo_visual's own files. It publishes a message with all bodies at
// each of gazebo_visual's steps.
func TestGazeboVisualWorld(t *testing.T) {
	r := rigOf(t, "gazebo-visual", nil)
	params(t, r, map[string]any{
		"/cyan/prefix": "nubot", "/magenta/prefix": "rival", "/cyan/num": 4, "/magenta/num": 4, "/field/length": 18,
		"/field/width":   12,
		"/football/name": "football", "/football/chassis_link": "football::chassis",
		"/general/dribble_distance_thres": 0.5, "/general/dribble_angle_thres": 30.0,
	})
	m := receive[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
	places := map[string][2]float64{"nubot2": {-2, 1}, "nubot3": {-2, -1}, "nubot4": {-5, 2}, "nubot5": {-5, -2},
		"rival2": {2, 1}, "rival3": {2, -1}, "rival4": {5, 2}, "rival5": {5, -2}, "football": {0, 0},
		"left_goal": {-9, 0}, "right_goal": {9, 0}}
	for i, name := range m.Name {
		want, ok := places[name]
		if !ok {
			continue
		}
		delete(places, name)
		must.Near(t, name+".x", m.Pose[i].Position.X, want[0], 1e-3)
		must.Near(t, name+".y", m.Pose[i].Position.Y, want[1], 1e-3)
		if yaw := 2 * math.Atan2(m.Pose[i].Orientation.Z, m.Pose[i].Orientation.W); name != "left_goal" &&
			!(math.Abs(spatial.WrapAngle(yaw)) <= 1e-3) {
			t.Errorf("%s is spawned with a yaw of %v, want 0", name, yaw)
		}
	}
	if len(places) > 0 {
		t.Errorf("model_states lacks %v", places)
	}
	vision := receive[msg.OminiVisionInfo](r, "/rival4/omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo")
	if len(vision.RobotInfo) != 4 || len(vision.ObstacleInfo.Pos) != 7 || !vision.BallInfo.PosKnown {
		t.Errorf("rival4 sees %d of its team, %d obstacles, the ball: %v", len(vision.RobotInfo),
			len(vision.ObstacleInfo.Pos), vision.BallInfo.PosKnown)
	}
	reach(t, r, "/nubot2/nubotcontrol/velcmd", "nubot_common/VelCmd", &msg.VelCmd{Vx: 150, Vy: -50, W: 1},
		physics.PlanarTwist{VX: 1.5, VY: -0.5, Omega: 1})
}

// single_nubot_gazebo's robot takes commands in m/s under absolute names. Its Shoot takes whole numbers: −1 makes the
// ball roll, 1 lobs it.
func TestNubotSingleWorld(t *testing.T) {
	type (
		request  struct{ Strength, ShootPos int64 }
		response struct{ ShootIsDone int64 }
	)
	start := func(change func(*worlds.World)) *rig { return rigOf(t, "nubot-single", change) }
	r := start(nil)
	params(t, r, map[string]any{
		"/field/length": 18, "/field/width": 12, "/field/robot_prefix": "bot", "/nubot/number": 1,
		"/nubot/max_linear_vel": 3.0, "/nubot/max_angular_vel": 120.0,
		"/nubot/distance_thres": 0.5, "/nubot/angle_thres": 30.0, "/nubot/kick_ball_vel": 20,
		"/football/name": "football", "/football/chassis_link": "football::ball",
	})
	at := r.sim.Truth()
	must.Near(t, "x", at.Robots[0].PoseWB.Pos[0], -8.42, 1e-3)
	must.Near(t, "y", at.Robots[0].PoseWB.Pos[1], 3, 1e-3)
	must.Near(t, "the ball's y", at.Ball.PosW[1], 5, 1e-3)
	reach(t, r, "/nubotcontrol/velcmd", "nubot_common/VelCmd", &msg.VelCmd{Vx: 1, Vy: -0.5, W: 0.5},
		physics.PlanarTwist{VX: 1, VY: -0.5, Omega: 0.5})

	before := func(w *worlds.World) {
		w.Robots[0].Player = nil // its own routine would drive to the ball until the service is called
		w.Robots[0].Pose = worlds.Pose{X: 5}
		w.Ball.X, w.Ball.Y = 5.45, 0
	}
	shoot := func(r *rig, strength, pos int64) int64 {
		return call[request, response](r, "/Shoot", "nubot_common/Shoot", &request{strength, pos}).ShootIsDone
	}
	r = start(before)
	must.Equal(t, call[msg.BallHandleRequest, msg.BallHandleResponse](r, "/BallHandle", "nubot_common/BallHandle",
		&msg.BallHandleRequest{Enable: 1}).BallIsHolding, 1, "the robot does not hold a ball 0.45 m ahead")
	must.Equal(t, shoot(r, 5, -1), 1, "ShootIsDone")
	must.Near(t, "a flat shot of 5", r.fastestBall().Len(), 5, 0.1)

	r = start(before)
	must.Equal(t, shoot(r, 20, 1), 1, "ShootIsDone")
	v := r.fastestBall()
	// 3.55 m to the line in 0.788 s. Drag and the height under the bar account for the rest.
	must.Near(t, "a lob forwards", math.Hypot(v[0], v[1]), 3.55/0.788, 0.2)
	must.Near(t, "a lob upwards", v[2], (0.78-0.11)/0.788+9.8*0.788/2, 0.15)

	r = start(func(w *worlds.World) { before(w); w.Ball.X = 5.51 })
	if done := shoot(r, 5, -1); done != 0 || r.sim.Truth().Robots[0].Kicks != 0 {
		t.Errorf("shot a ball 0.51 m ahead: %d", done)
	}
}
