package robotio

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Messages of the appendix of the thesis.
type (
	ballInImage struct {
		Header     msg.Header
		Center     msg.Point
		Diameter   float64
		Confidence float32
	}
	postInImage struct {
		Header              msg.Header
		FootPoint, TopPoint msg.Point
		Width, Confidence   float32
	}
	goalInImage struct {
		Header              msg.Header
		LeftPost, RightPost postInImage
		CenterDirection     msg.Point
		Confidence          float32
	}
	ballRelative struct {
		Header       msg.Header
		BallRelative msg.Point
		Confidence   float32
	}
	gameState struct {
		Header                    msg.Header
		GameState, SecondaryState uint8
		FirstHalf                 bool
		OwnScore, RivalScore      uint8
		SecondsRemaining          int16
		SecondarySecondsRemaining uint16
		HasKickOff, Penalized     bool
		SecondsTillUnpenalized    uint16
		AllowedToMove, DropInTeam bool
		DropInTime                uint16
		PenaltyShot               uint8
		SingleShots               uint16
		CoachMessage              string
	}
	robotControlState struct{ State uint8 }
	compassRotation   struct{ Orientation, Confidence float32 }
	pose2D            struct{ X, Y, Theta float64 }
	position2D        struct {
		Header     msg.Header
		Pose       pose2D
		Confidence float32
	}
	teamData struct {
		Header                                                         msg.Header
		RobotIDs, Role, Action, State                                  []uint8
		RobotPositions                                                 []pose2D
		BallRelative, OppgoalRelative                                  []position2D
		OpponentRobotA, OpponentRobotB, OpponentRobotC, OpponentRobotD []position2D
		TeamRobotA, TeamRobotB, TeamRobotC                             []position2D
		AvgWalkingSpeed, TimeToPositionAtBall, MaxKickingDistance      []float32
		OffensiveSide                                                  []uint8
	}
)

// humanoidRig returns a rig whose robots have the profile humanoid.
func humanoidRig(t *testing.T, opts omnipitch.Options, change func(*worlds.World)) *rig {
	t.Helper()
	return newRigWith(t, opts, func(w *worlds.World) {
		change(w)
		for i := range w.Robots {
			w.Robots[i].ROS1.Profiles = []string{"humanoid"}
		}
	})
}

// At features the ball, the goal and the lines are where the lens images them.
func TestHumanoidFeatures(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{NewRenderer: backend.RayCaster}, func(w *worlds.World) {
		s, _ := w.Sensor("cyan1", "front")
		s.Level, s.Vision.PixelNoise, s.Vision.MissRate, s.Vision.MaxRange = abstraction.Features, 0, 0, 20
		w.Robots[0].Pose, w.Robots[1].Pose, w.Obstacles = worlds.Pose{X: 5}, worlds.Pose{X: -5}, nil
		w.Ball.X, w.Ball.Y = 7, 0.3
	})
	camera, _ := r.sim.Sensors().Camera("cyan1", "front")
	field, truth := r.sim.World().Field, r.sim.Truth()
	poseWC := truth.Robots[0].PoseWB.Mul(camera.PoseBC())
	pixel := func(what string, got msg.Point, p mgl64.Vec3, tolerance float64) {
		t.Helper()
		u, v, ok := camera.Model().Project(poseWC.Inverse().Apply(p))
		must.Near(t, what+" u", got.X, u, tolerance)
		must.Near(t, what+" v", got.Y, v, tolerance)
		if !ok {
			t.Errorf("%s is not imaged", what)
		}
	}
	ball := receive[ballInImage](r, "/cyan1/ball_in_image", "humanoid_league_msgs/BallInImage")
	pixel("ball", ball.Center, truth.Ball.PosW, 1)
	if ball.Confidence != 1 || ball.Header.FrameID != "cyan1/front_optical" {
		t.Errorf("%+v", ball)
	}

	goal := receive[goalInImage](r, "/cyan1/goal_in_image", "humanoid_league_msgs/GoalInImage")
	for side, post := range map[float64]postInImage{1: goal.LeftPost, -1: goal.RightPost} {
		foot := mgl64.Vec3{field.Length/2 + field.PostWidth/2, side * (field.GoalWidth/2 + field.PostWidth/2), 0}
		pixel("foot", post.FootPoint, foot, 0.1)
		pixel("top", post.TopPoint, foot.Add(mgl64.Vec3{0, 0, field.GoalHeight + field.PostWidth}), 0.1)
		if post.Header.FrameID != "cyan1/front_optical" || post.Header.Stamp != goal.Header.Stamp ||
			!(post.Confidence > 0.9) {
			t.Errorf("post %+v", post)
		}
	}
	if goal.CenterDirection != (msg.Point{}) || !(goal.Confidence > 0.9) {
		t.Errorf("of two posts, direction %+v, confidence %v", goal.CenterDirection, goal.Confidence)
	}

	cloud := receive[msg.PointCloud2](r, "/cyan1/line_points_in_image", "sensor_msgs/PointCloud2")
	n := int(cloud.Width)
	if n < 20 || cloud.Height != 1 || cloud.PointStep != 12 || int(cloud.RowStep) != 12*n || len(cloud.Data) != 12*n ||
		len(cloud.Fields) != 3 {
		t.Fatalf("%d × %d points, step %d, row %d, %d bytes", n, cloud.Height, cloud.PointStep, cloud.RowStep,
			len(cloud.Data))
	}
	marks := field.Marks()
	for i := range n {
		at := func(k int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(cloud.Data[12*i+4*k:])))
		}
		dir, ok := camera.Model().Unproject(at(0), at(1))
		dirW := poseWC.Rotate(dir)
		if !ok || !(dirW[2] < 0) || at(2) != 0 {
			t.Fatalf("point %d: (%v, %v, %v) is not on the floor", i, at(0), at(1), at(2))
		}
		p := poseWC.Pos.Add(dirW.Mul(-poseWC.Pos[2] / dirW[2]))
		if !slices.ContainsFunc(marks, func(m spatial.Mark) bool { return onMark(m, p, 0.08) }) {
			t.Errorf("point %d at (%.2f, %.2f) m is on no line", i, p[0], p[1])
		}
	}
}

// onMark reports whether a point on the floor is within a distance of the centre line of a marking.
func onMark(m spatial.Mark, p mgl64.Vec3, within float64) bool {
	at := mgl64.Vec2{p[0] - m.A[0], p[1] - m.A[1]}
	switch m.Kind {
	case spatial.Segment:
		along := mgl64.Vec2{m.B[0] - m.A[0], m.B[1] - m.A[1]}
		length := along.Len()
		s := min(max(at.Dot(along)/length, 0), length)
		return at.Sub(along.Mul(s/length)).Len() <= within
	case spatial.Spot:
		return at.Len() <= m.Radius+within
	}
	return math.Abs(at.Len()-m.Radius) <= within
}

// Without a ball in view, the confidence says so. A ball on the floor has height 0.
func TestHumanoidBallRelative(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		for i := range w.Robots[0].Sensors {
			if s := &w.Robots[0].Sensors[i]; s.Vision != nil {
				s.Level, s.Vision.MissRate, s.Vision.PixelNoise = abstraction.Objects, 0, 0
			}
		}
		w.Robots[0].Pose = worlds.Pose{Heading: math.Pi}
		w.Ball.X, w.Ball.Y = 2, 0.7 // not hidden behind a rod of the mirror
	})
	for topic, seen := range map[string]bool{"/cyan1/ball_relative": false, "/cyan1/omni/ball_relative": true} {
		m := receive[ballRelative](r, topic, "humanoid_league_msgs/BallRelative")
		want := msg.Point{}
		if seen {
			want.X, want.Y = -2, -0.7
		}
		must.Near(t, topic+" x", m.BallRelative.X, want.X, 0.02)
		must.Near(t, topic+" y", m.BallRelative.Y, want.Y, 0.02)
		must.Near(t, topic+" z", m.BallRelative.Z, want.Z, 0.01)
		must.Equal(t, m.Confidence > 0, seen, "%s: %+v, seen", topic, m)
	}
}

// The messages of state, game and team follow the events of a robot. The compass of a magenta robot counts from its
// opponents' goal.
func TestHumanoidState(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		second := w.Robots[0]
		w.Robots[0].Number = 2
		second.Name, second.Number, second.Pose, second.Sensors = "cyan2", 1, worlds.Pose{X: -3, Y: 2, Heading: 1}, nil
		w.Robots = append(w.Robots, second)
		add(&w.Robots[1], "compass", "compass", abstraction.Truth)
		front, _ := w.Sensor("cyan1", "front")
		front.Head = &sensors.HeadConfig{}
		front.Head.SetDefaults()
		free(w)
	})
	is := func(what string, want uint8) {
		t.Helper()
		in := subscribe[robotControlState](r, "/cyan1/robot_state", "humanoid_league_msgs/RobotControlState")
		defer in.sub.Close()
		r.until(what, func() bool { return in.newest() != nil && in.newest().State == want })
	}
	played := func(penalized bool) {
		t.Helper()
		m := receive[gameState](r, "/cyan1/gamestate", "humanoid_league_msgs/GameState")
		if m.GameState != 3 || m.Penalized != penalized || m.AllowedToMove == penalized || !m.FirstHalf ||
			m.Header.Stamp == (msg.Time{}) {
			t.Errorf("penalized %v: %+v", penalized, m)
		}
	}
	is("CONTROLABLE", 0)
	played(false)
	rotation := receive[compassRotation](r, "/magenta1/vc_rotation", "humanoid_league_msgs/VisualCompassRotation")
	if !(math.Abs(float64(rotation.Orientation)) <= 1e-2) {
		t.Errorf("magenta1 looks at its opponents' goal, and its compass says %v", rotation.Orientation)
	}
	team := receive[teamData](r, "/cyan1/team_data", "humanoid_league_msgs/TeamData")
	if !slices.Equal(team.RobotIDs, []uint8{1}) || !slices.Equal(team.Role, []uint8{5}) || !slices.Equal(team.State,
		[]uint8{1}) ||
		len(team.RobotPositions) != 1 || len(team.TeamRobotC) != 1 || len(team.AvgWalkingSpeed) != 1 ||
		len(team.OffensiveSide) != 1 {
		t.Fatalf("%+v", team)
	}
	if p := team.RobotPositions[0]; !math.IsNaN(p.X) || !math.IsNaN(p.Y) || !math.IsNaN(p.Theta) {
		t.Errorf("a teammate without sensors and programs tells its pose: %+v", p)
	}

	r.do(&action.Drive{Robot: "cyan1", Omega: 2})
	r.do(&action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 0.5, Tilt: 0.2})
	is("WALKING", 10)
	in := subscribe[gameState](r, "/magenta1/gamestate", "humanoid_league_msgs/GameState")
	r.sim.Clock().After(0, func(time.Duration) {
		r.do(&action.GameCommand{Command: game.SecondHalfOvertime})
		r.do(&action.GameCommand{Command: game.Goal, Team: physics.Cyan})
		r.do(&action.GameCommand{Command: game.Kickoff, Team: physics.Magenta})
	})
	r.until("the referee box's commands to show", func() bool {
		m := in.newest()
		return m != nil && m.GameState == 1 && m.SecondaryState == 2 && !m.FirstHalf && m.OwnScore == 0 &&
			m.RivalScore == 1 && m.HasKickOff && m.AllowedToMove
	})
	r.sim.Clock().After(0, func(time.Duration) { r.do(&action.GameCommand{Command: game.Stop}) })
	r.until("a stopped game to show", func() bool {
		m := in.newest()
		return m.GameState == 2 && !m.HasKickOff && !m.AllowedToMove
	})
	r.sim.Clock().After(0, func(time.Duration) {
		r.do(&action.GameCommand{Command: game.FirstHalf})
		r.do(&action.GameCommand{Command: game.Start})
	})
	joints := subscribe[msg.JointState](r, "/cyan1/joint_states", "sensor_msgs/JointState")
	wheels := len(r.sim.World().Robots[0].Drive.AllWheels())
	drive := &r.sim.World().Robots[0].Drive
	rate := -2 * drive.WheelDistance / drive.WheelRadius // positive wheel rates turn the robot clockwise
	r.until("the head to arrive, and the robot to turn as it is told", func() bool {
		m := joints.newest()
		return m != nil && len(m.Position) == 2+wheels && math.Abs(m.Velocity[2]-rate) < 0.05 &&
			math.Abs(m.Position[0]-0.5) < 1e-9 && math.Abs(m.Position[1]-0.2) < 1e-9 && m.Velocity[0] == 0
	})
	m := joints.newest()
	if !slices.Equal(m.Name[:3], []string{"front_pan", "front_tilt", "wheel1"}) || len(m.Velocity) != len(m.Name) {
		t.Errorf("%+v", m)
	}
	for i := range wheels {
		must.Near(t, m.Name[2+i], m.Velocity[2+i], rate, 0.05)
	}

	r.do(&action.SendOff{Robot: "cyan1", Number: -1})
	is("PENALTY", 7)
	played(true)
}

// Each mode of HeadMode.msg has its own meaning, which the comments of its definition give.
func TestHumanoidHeadModes(t *testing.T) {
	w := must.Get(worlds.Load("ladder"))(t)
	for _, i := range mapping.Instances(compiled(t, "humanoid").Subscriptions,
		compiled(t, "humanoid").NewContext(w, 0)) {
		if i.Name != "/cyan1/head_mode" {
			continue
		}
		for mode, want := range map[byte]action.SetHeadMode{
			0: {Mode: sensors.HeadTrack, Object: "ball"}, 1: {Mode: sensors.HeadTrack, Object: "goal_post"},
			2: {Mode: sensors.HeadTrack, Object: "ball", Other: "goal_post"},
			3: {Mode: sensors.HeadScan, Object: "ball"},
			4: {Mode: sensors.HeadScanHigh, Object: "ball"}, 5: {Mode: sensors.HeadDown, Object: "ball"},
			7: {Mode: sensors.HeadForward, Object: "ball"}, 8: {Mode: sensors.HeadHold, Object: "ball"},
			9: {Mode: sensors.HeadUp, Object: "ball"},
		} {
			want.Robot, want.Sensor = "cyan1", "front"
			all := must.Get(i.Actions.Read(&i.Context, []byte{mode}))(t)
			must.Equal(t, *all[0].(*action.SetHeadMode), want, "mode %d", mode)
			must.Do(t, all[0].Validate(w))
		}
		_, err := i.Actions.Read(&i.Context, []byte{6})
		must.Fail(t, err, "mode")
		return
	}
	t.Error("no topic head_mode")
}
