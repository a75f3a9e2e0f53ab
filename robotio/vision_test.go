package robotio

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
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
		{cyanVision, "cyan1", 1, 50, -50, 15, spot{300, 50}, []spot{{850, 40}, {500, 160}, {560, -120}}},
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

// Sensors that NuBot's nodes do not know publish the truth at level truth. cyan1 is at (0.5, −0.5) m and faces 15° to
// the left.
func TestDevices(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		for _, kind := range []sensors.Kind{"laser", "compass", "arms", "bumper", "battery"} {
			add(&w.Robots[0], string(kind), kind, abstraction.Truth)
		}
	})
	scan := receive[msg.LaserScan](r, "/cyan1/scan", "sensor_msgs/LaserScan")
	if n := len(scan.Ranges); n < 100 ||
		!scalar.EqualWithinAbs(float64(scan.AngleMin)+float64(n-1)*float64(scan.AngleIncrement), float64(scan.AngleMax),
			1e-4) {
		t.Errorf("%d beams from %v to %v", n, scan.AngleMin, scan.AngleMax)
	}
	seen := 0
	for _, x := range scan.Ranges {
		if x >= scan.RangeMin && x <= scan.RangeMax {
			seen++
		}
	}
	if seen == 0 {
		t.Error("the scanner sees nothing")
	}
	pose := receive[msg.PoseStamped](r, "/cyan1/laser_pose", "geometry_msgs/PoseStamped")
	must.Near(t, "pose x", pose.Pose.Position.X, 0.5, 1e-2)
	must.Near(t, "pose y", pose.Pose.Position.Y, -0.5, 1e-2)
	must.Near(t, "pose heading", 2*math.Atan2(pose.Pose.Orientation.Z, pose.Pose.Orientation.W), 15*math.Pi/180, 1e-2)
	compass := receive[msg.Imu](r, "/cyan1/compass", "sensor_msgs/Imu")
	must.Near(t, "compass", 2*math.Atan2(compass.Orientation.Z, compass.Orientation.W), 15*math.Pi/180, 1e-2)
	if compass.AngularVelocityCovariance[0] != -1 || compass.LinearAccelerationCovariance[0] != -1 {
		t.Error("a compass claims to know rates and accelerations")
	}
	arms := receive[msg.JointState](r, "/cyan1/dribbler", "sensor_msgs/JointState")
	if len(arms.Name) != 2 || len(arms.Position) != 2 || arms.Position[0] != 0 {
		t.Errorf("arms without a ball: %+v", arms)
	}
	if receive[msg.Bool](r, "/cyan1/bumper", "std_msgs/Bool").Data {
		t.Error("something touches the robot")
	}
	battery := receive[msg.BatteryState](r, "/cyan1/battery", "sensor_msgs/BatteryState")
	if !(battery.Voltage >= 10) || !(battery.Current <= 0) || !math.IsNaN(float64(battery.Percentage)) {
		t.Errorf("battery %+v", battery)
	}
}

func TestSetLevel(t *testing.T) {
	r := newRig(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	set := func(logger, level string) error {
		_, err := ros1.Call[msg.SetLoggerLevelRequest, msg.SetLoggerLevelResponse](ctx, r.robot,
			"/cyan1/omni/set_level",
			"roscpp/SetLoggerLevel", &msg.SetLoggerLevelRequest{Logger: logger, Level: level})
		return err
	}
	must.Do(t, set("", "objects"))
	if level, err := r.sim.Sensors().Level("cyan1", "omni"); err != nil || level != abstraction.Objects {
		t.Errorf("stands at %s, %v", level, err)
	}
	for _, c := range [][3]string{
		{"omni", "pose", `level = "pose": must be one of raw, ideal, features, objects, truth`},
		{"front", "objects", `logger = "front": must be "omni" or empty`},
	} {
		must.Fail(t, set(c[0], c[1]), c[2])
	}
	if level := receive[msg.String](r, "/cyan1/omni/level", "std_msgs/String"); level.Data != "objects" {
		t.Errorf("the topic says %q", level.Data)
	}
}

// The second sensor of a kind has its own topics in addition to those of the first.
func TestSecondSensorsPublish(t *testing.T) {
	r := newRig(t, func(w *worlds.World) {
		for _, kind := range []sensors.Kind{sensors.OmniKind, sensors.CameraKind, "odometry", "imu"} {
			add(&w.Robots[0], string(kind)+"2", kind, abstraction.Truth)
		}
	})
	for _, topic := range []string{cyanVision, "/cyan1/omni2/OmniVisionInfo"} {
		if m := receive[msg.OminiVisionInfo](r, topic, visionType); !m.BallInfo.PosKnown {
			t.Errorf("%s: %+v", topic, m.BallInfo)
		}
	}
	receive[msg.FrontBallInfo](r, "/cyan1/camera2/FrontBallInfo", "nubot_common/FrontBallInfo")
	receive[msg.OdoInfo](r, "/cyan1/odometry2/odoinfo", "nubot_common/OdoInfo")
	receive[msg.Odometry](r, "/cyan1/odometry2/odom", "nav_msgs/Odometry")
	if m := receive[msg.Imu](r, "/cyan1/imu2/imu", "sensor_msgs/Imu"); m.Header.FrameID != "cyan1/imu2" {
		t.Errorf("frame %q", m.Header.FrameID)
	}
}

// mates gives each team of nubot-attack a second robot, lets these robots turn and drive, and gives all robots an omni
// camera at a level.
func mates(level abstraction.Level, profiles ...string) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Ball.X, w.Ball.Y = -6, 4
		w.Obstacles = nil
		add(&w.Robots[1], "omni", sensors.OmniKind, level)
		w.Robots[1].Number = 1
		for i, pose := range []worlds.Pose{{X: -4, Y: w.Field.Width/2 + 0.7}, {X: 2, Y: -3, Heading: 2}} {
			r := w.Robots[0]
			r.Name, r.Team, r.Number, r.Pose = []string{"cyan3", "magenta2"}[i], []physics.Team{physics.Cyan,
				physics.Magenta}[i], 3-i, pose
			w.Robots = append(w.Robots, r)
		}
		for i := range w.Robots {
			r := &w.Robots[i]
			r.Drive.Level, r.ROS1.Profiles = physics.ChassisDrive, profiles
			r.Sensors = slices.Clone(r.Sensors)
			for j := range r.Sensors {
				if r.Sensors[j].Kind.TakesImages() {
					r.Sensors[j].Level = level
				}
			}
		}
	}
}

// robotinfo lists all robots of the team in the world's order, with pose and velocity in the team's field frame at the
// message's stamp. At objects, which arrive 66 ms later, the teammates' entries are still true, and the robot's own
// entry is what its vision believes. Only in simatch is a robot more than 1 m outside the lines not valid.
func TestTeam(t *testing.T) {
	for _, profile := range []string{"nubot", "hawking", "simatch"} {
		for _, level := range []abstraction.Level{abstraction.Truth, abstraction.Objects} {
			t.Run(profile+" at "+string(level), func(t *testing.T) { testTeam(t, profile, level) })
		}
	}
}

func testTeam(t *testing.T, profile string, level abstraction.Level) {
	r := newRig(t, mates(level, profile))
	w := r.sim.World()
	poses := map[time.Duration][]physics.RobotState{}
	r.sim.OnStep(func(s *physics.Snapshot) { poses[s.Time] = append([]physics.RobotState(nil), s.Robots...) })
	for _, d := range []action.Drive{{Robot: "cyan1", VX: -0.6, Omega: 0.5}, {Robot: "cyan3", VY: 1},
		{Robot: "magenta2", VX: 1, VY: 0.5, Omega: -1}} {
		r.do(&d)
	}
	r.until("the robots to drive", func() bool { return r.sim.Truth().Time > time.Second })
	noise := w.Robots[0].Sensors[0].Vision
	for _, c := range []struct {
		topic string
		self  int
		team  []int // indices of its robots
		turn  float64
	}{{cyanVision, 0, []int{0, 2}, 0}, {"/magenta2/omnivision/OmniVisionInfo", 3, []int{1, 3}, math.Pi}} {
		m := receive[msg.OminiVisionInfo](r, c.topic, visionType)
		at, teamFrame := poses[m.Header.Stamp.Since()], spatial.Planar(0, 0, c.turn)
		if len(m.RobotInfo) != len(c.team) || at == nil {
			t.Fatalf("%s at %v: %d robots, want %d", c.topic, m.Header.Stamp.Since(), len(m.RobotInfo), len(c.team))
		}
		for k, i := range c.team {
			got, want, truth := m.RobotInfo[k], w.Robots[i], at[i]
			pose, vel := teamFrame.Mul(truth.PoseWB), teamFrame.Rotate(truth.TwistWBInW.Lin)
			pos, turn, fast := 1e-3, 1e-5, 1e-3 // float32
			switch {
			case level == abstraction.Objects && i == c.self:
				pos, turn, fast = 5*100*noise.SelfPosNoise, 5*noise.SelfAngNoise, 100*5*noise.SelfAngNoise*1.2
			case level == abstraction.Objects:
				pos, turn, fast = 0.5, 0.01, 12 // extrapolated back over the delay at constant velocity
			}
			must.Near(t, want.Name+" x", float64(got.Pos.X), 100*pose.Pos[0], pos)
			must.Near(t, want.Name+" y", float64(got.Pos.Y), 100*pose.Pos[1], pos)
			must.Near(t, want.Name+" heading", math.Remainder(float64(got.Heading.Theta)-pose.Heading(), 2*math.Pi), 0,
				turn)
			must.Near(t, want.Name+" vx", float64(got.Vtrans.X), 100*vel[0], fast)
			must.Near(t, want.Name+" vy", float64(got.Vtrans.Y), 100*vel[1], fast)
			must.Near(t, want.Name+" vrot", float64(got.Vrot), truth.TwistWBInW.Ang[2], 0.1)
			if got.AgentID != int32(want.Number) || got.Header.Stamp != m.Header.Stamp {
				t.Errorf("%s: %+v", want.Name, got)
			}
			// distance beyond simatch's limit, which cyan3 has passed
			beside := truth.PoseWB.Pos[1] - w.Field.Width/2 - 1
			must.Equal(t, got.IsValid, profile != "simatch" || beside <= 0, "%s, %.2f m beyond the limit, is valid",
				want.Name, beside)
		}
	}
	if beside := r.sim.Truth().Robots[2].PoseWB.Pos[1] - w.Field.Width/2 - 1; !(beside > 0.1) {
		t.Errorf("cyan3 is %.2f m beyond the limit; it was to be beyond it", beside)
	}
}
