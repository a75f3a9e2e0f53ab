package robotio

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

const (
	visionType = "nubot_common/OminiVisionInfo"
	cyanVision = "/cyan1/omnivision/OmniVisionInfo"
)

// spot is a point on the field in a message, cm.
type spot struct{ x, y float64 }

// toRobot converts a point of a field frame into polar coordinates of a robot with the given pose.
func toRobot(x, y, headingDeg float64, p spot) (angle, radius float64) {
	dx, dy := p.x-x, p.y-y
	return math.Remainder(math.Atan2(dy, dx)-headingDeg*math.Pi/180, 2*math.Pi), math.Hypot(dx, dy)
}

// At truth the message has the positions in nubot-attack in cm, in each team's field frame and relative to the robot.
// Magenta's frame is the world rotated by 180°.
func TestOmniVisionInfo(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { add(&w.Robots[1], "omni", sensors.OmniKind, abstraction.Truth) })
	for _, c := range []struct {
		topic, frame  string
		agent         int32
		x, y, heading float64 // of the robot
		ball          spot
		obstacles     []spot
	}{
		{cyanVision, "cyan1", 2, 50, -50, 15, spot{300, 50}, []spot{{850, 40}, {500, 160}, {560, -120}}},
		{"/magenta1/omnivision/OmniVisionInfo", "magenta1", 1, -850, -40, 0, spot{-300, -50},
			[]spot{{-50, 50}, {-500, -160}, {-560, 120}}},
	} {
		m := receive[msg.OminiVisionInfo](r, c.topic, visionType)
		const tol = 0.2 // cm; bodies settle on the floor by less
		if len(m.RobotInfo) != 1 {
			t.Fatalf("%s: %d robots, want itself", c.topic, len(m.RobotInfo))
		}
		me, ball := m.RobotInfo[0], m.BallInfo
		must.Near(t, c.topic+" robotinfo.pos.x", float64(me.Pos.X), c.x, tol)
		must.Near(t, c.topic+" robotinfo.pos.y", float64(me.Pos.Y), c.y, tol)
		must.Near(t, c.topic+" robotinfo.heading", math.Remainder(float64(me.Heading.Theta)-c.heading*math.Pi/180,
			2*math.Pi), 0, 1e-3)
		must.Near(t, c.topic+" ballinfo.pos.x", float64(ball.Pos.X), c.ball.x, tol)
		must.Near(t, c.topic+" ballinfo.pos.y", float64(ball.Pos.Y), c.ball.y, tol)
		if me.AgentID != c.agent || !me.IsValid || !ball.PosKnown || !ball.VelocityKnown || ball.BallInfoState != 1 {
			t.Errorf("%s: robot %+v, ball %+v", c.topic, me, ball)
		}
		for _, h := range []msg.Header{m.Header, ball.Header, m.ObstacleInfo.Header, me.Header} {
			if h.FrameID != c.frame || h.Stamp != m.Header.Stamp {
				t.Errorf("%s: header %+v", c.topic, h)
			}
		}
		polar := func(what string, got msg.PPoint, p spot) {
			t.Helper()
			angle, radius := toRobot(c.x, c.y, c.heading, p)
			must.Near(t, c.topic+" "+what+" angle", float64(got.Angle), angle, 2e-3)
			must.Near(t, c.topic+" "+what+" radius", float64(got.Radius), radius, 2*tol)
		}
		polar("ball", ball.RealPos, c.ball)
		if len(m.ObstacleInfo.Pos) != len(c.obstacles) || len(m.ObstacleInfo.PolarPos) != len(c.obstacles) {
			t.Fatalf("%s: obstacles %+v, want %v", c.topic, m.ObstacleInfo, c.obstacles)
		}
		for i, want := range c.obstacles { // in the order of the scene: robots first
			must.Near(t, c.topic+" obstacle x", float64(m.ObstacleInfo.Pos[i].X), want.x, tol)
			must.Near(t, c.topic+" obstacle y", float64(m.ObstacleInfo.Pos[i].Y), want.y, tol)
			polar("obstacle", m.ObstacleInfo.PolarPos[i], want)
		}
	}
}

// The goalkeeper is at (8.5, 0.4) m and faces −x. The ball is at (3, 0.5, 0.11) m.
func TestBallsInTheRobotsFrame(t *testing.T) {
	r := newRig(t, nil)
	for _, topic := range []string{"/magenta1/kinect/ballinfo", "/magenta1/kinect_right/ballinfo"} {
		m := receive[msg.BallInfo3d](r, topic, "nubot_common/BallInfo3d")
		must.Near(t, topic+" x", float64(m.Pos.X), 550, 0.1)
		must.Near(t, topic+" y", float64(m.Pos.Y), -10, 0.1)
		must.Near(t, topic+" z", float64(m.Pos.Z), 11, 0.1)
		if !m.PosKnown3d || !m.PosKnown2d || !m.VelocityKnown {
			t.Errorf("%s: %+v", topic, m)
		}
	}
	m := receive[msg.FrontBallInfo](r, "/cyan1/front_vision/FrontBallInfo", "nubot_common/FrontBallInfo")
	angle, radius := toRobot(50, -50, 15, spot{300, 50})
	must.Near(t, "front angle", float64(m.RealPos.Angle), angle, 1e-3)
	must.Near(t, "front radius", float64(m.RealPos.Radius), radius, 0.2)
	if !m.PosKnown {
		t.Error("the front camera does not know the ball")
	}
}

// The message from the Kinect's computer to simatch's world model is in mm.
func TestObjectInfo(t *testing.T) {
	type objectInfo struct {
		Header            msg.Header
		BallPos, ObsPos   []msg.Point
		BallKnow, ObsKnow bool
	}
	r := newRig(t, func(w *worlds.World) { w.Robots[1].ROS1.Profiles = []string{"simatch"} })
	m := receive[objectInfo](r, "/magenta1/ball_obstacle_position", "nubot_common/object_info")
	if len(m.BallPos) != 1 || len(m.ObsPos) != 3 || !m.BallKnow || !m.ObsKnow {
		t.Fatalf("%+v", m)
	}
	must.Near(t, "ball x", m.BallPos[0].X, 5500, 1)
	must.Near(t, "ball y", m.BallPos[0].Y, -100, 1)
	must.Near(t, "ball z", m.BallPos[0].Z, 110, 1)
	must.Near(t, "cyan1 x", m.ObsPos[0].X, 8000, 2)
	must.Near(t, "cyan1 y", m.ObsPos[0].Y, 900, 2)
}

// At objects the messages are noisy, within 5 σ, and arrive after the sensor's latency.
func TestObjectsReachTheWire(t *testing.T) {
	r := newRig(t, func(w *worlds.World) { w.Robots[0].Sensors[0].Level = abstraction.Objects })
	noise := r.sim.World().Robots[0].Sensors[0].Vision
	got := subscribe[msg.OminiVisionInfo](r, cyanVision, visionType)
	seen, differ := 0, false
	var stamp time.Duration
	var first float32
	for range 20 {
		r.until("the next frame", func() bool {
			return got.newest() != nil && got.newest().Header.Stamp.Since() > stamp
		})
		m := got.newest()
		stamp = m.Header.Stamp.Since()
		if late := r.sim.Truth().Time - stamp; late < noise.Delay {
			t.Errorf("seen %v after capture, vision takes %v", late, noise.Delay)
		}
		must.Near(t, "own x", float64(m.RobotInfo[0].Pos.X), 50, 5*100*noise.SelfPosNoise)
		must.Near(t, "own y", float64(m.RobotInfo[0].Pos.Y), -50, 5*100*noise.SelfPosNoise)
		if first == 0 {
			first = m.RobotInfo[0].Pos.X
		}
		differ = differ || m.RobotInfo[0].Pos.X != first
		if m.BallInfo.PosKnown {
			seen++
			must.Near(t, "ball x", float64(m.BallInfo.Pos.X), 300, 100)
			must.Near(t, "ball y", float64(m.BallInfo.Pos.Y), 50, 100)
		} else if m.BallInfo.BallInfoState != 0 {
			t.Errorf("an unseen ball is in state %d", m.BallInfo.BallInfoState)
		}
	}
	if seen < 15 || !differ { // vision misses 2 %
		t.Errorf("the ball was seen in %d of 20 frames; noise: %v", seen, differ)
	}
}
