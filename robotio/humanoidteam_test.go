package robotio

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A teammate tells what the level of its sensor says, with its errors: the pose that the simulator publishes for it,
// the ball and the robots that it sees. What its own programs publish replaces that. With cut wires it tells nothing.
func TestHumanoidTeamData(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) {
		second := w.Robots[0]
		second.Name, second.Number, second.Pose = "cyan2", 2, worlds.Pose{X: -3, Y: 2, Heading: 0.2}
		second.Sensors = slices.Clone(second.Sensors)
		w.Robots[0].Sensors = nil
		w.Robots[1].Pose = worlds.Pose{X: 0.5, Y: 2, Heading: math.Pi}
		w.Robots, w.Obstacles = append(w.Robots, second), nil
		free(w)
		w.Ball.X, w.Ball.Y = -1, 1
		for i := range second.Sensors {
			if s := &second.Sensors[i]; s.Vision != nil {
				s.Level = abstraction.Features // of which nobody learns
				if s.Name == "omni" {
					s.Level, s.Vision.SelfPosNoise, s.Vision.MissRate = abstraction.Objects, 0.3, 0
				}
			}
		}
	})
	believe(r)
	var mu sync.Mutex
	published := map[pose2D]bool{}
	must.Get(ros1.Subscribe(r.robot, "/cyan2/position", "humanoid_league_msgs/Position2D", func(m *position2D) {
		mu.Lock()
		defer mu.Unlock()
		published[m.Pose] = true
	}))(t)
	in := subscribe[teamData](r, "/cyan1/team_data", "humanoid_league_msgs/TeamData")
	// until returns the first message that satisfies ok.
	until := func(what string, ok func(m *teamData) bool) (m *teamData) {
		t.Helper()
		r.until(what, func() bool { m = in.newest(); return m != nil && ok(m) })
		if len(m.RobotIDs) != 1 || m.RobotIDs[0] != 2 || len(m.TeamRobotC) != 1 || len(m.OffensiveSide) != 1 {
			t.Fatalf("%+v", m)
		}
		return m
	}

	m := until("a simulated pose, the ball and the opponent", func(m *teamData) bool {
		return !math.IsNaN(m.RobotPositions[0].X) && m.BallRelative[0].Confidence > 0 &&
			m.OpponentRobotA[0].Confidence > 0
	})
	told := m.RobotPositions[0]
	r.until("the pose that the simulator publishes for the teammate", func() bool {
		mu.Lock()
		defer mu.Unlock()
		m = in.newest()
		return published[m.RobotPositions[0]]
	})
	if told == (pose2D{-3, 2, 0.2}) || !(math.Hypot(told.X+3, told.Y-2) < 1.5) {
		t.Errorf("the teammate tells %+v, want (-3, 2) with an error", told)
	}
	truth := r.sim.Truth()
	ballB := truth.Robots[2].PoseWB.Inverse().Apply(truth.Ball.PosW)
	ball := m.BallRelative[0]
	must.Near(t, "ball x", ball.Pose.X, ballB[0], 0.5)
	must.Near(t, "ball y", ball.Pose.Y, ballB[1], 0.5)
	must.Equal(t, ball.Header.FrameID, "cyan2/base_link", "frame of the ball")
	speed := r.sim.World().Robots[2].Drive.MaxSpeed
	must.Near(t, "time to the ball", float64(m.TimeToPositionAtBall[0]),
		math.Hypot(ball.Pose.X, ball.Pose.Y)/speed, 1e-4)
	kicker, ground := r.sim.World().Robots[2].Kicker, r.sim.World().Ball.RollingDecel
	must.Near(t, "farthest kick", float64(m.MaxKickingDistance[0]), kicker.MaxSpeed*kicker.MaxSpeed/2/ground, 1e-3)
	rival := m.OpponentRobotA[0]
	must.Equal(t, rival.Header.FrameID, "map", "frame of the opponent")
	if !(math.Hypot(rival.Pose.X-0.5, rival.Pose.Y-2) < 1.5) || m.OpponentRobotB[0].Confidence != 0 {
		t.Errorf("opponents %+v and %+v, want one near (0.5, 2)", rival, m.OpponentRobotB[0])
	}

	position := say(r, "/cyan2/position", "humanoid_league_msgs/Position2D")
	relative := say(r, "/cyan2/ball_relative", "humanoid_league_msgs/BallRelative")
	strategy := say(r, "/cyan2/strategy", "humanoid_league_msgs/Strategy")
	must.Equal(t, [3]uint8{m.Role[0], m.Action[0], m.OffensiveSide[0]}, [3]uint8{1, 0, 0},
		"OTHER, UNDEFINED, UNSPECIFIED")
	m = until("the programs' estimates", func(m *teamData) bool {
		position(`{"pose": {"x": 1, "y": -1, "theta": 0.5}, "confidence": 0.9}`)
		relative(`{"ball_relative": {"x": 2, "y": -0.5}, "confidence": 0.25}`)
		strategy(`{"role": 2, "action": 3, "offensive_side": 2}`)
		return m.Role[0] == 2 && m.Action[0] == 3 && m.OffensiveSide[0] == 2 &&
			m.RobotPositions[0] == pose2D{1, -1, 0.5} && m.BallRelative[0].Confidence == 0.25
	})
	must.Equal(t, m.BallRelative[0].Pose, pose2D{X: 2, Y: -0.5}, "ball of the programs")
	relative(`{"confidence": 0}`)
	until("a ball that the programs do not know", func(m *teamData) bool { return m.BallRelative[0].Confidence == 0 })

	must.Equal(t, m.State[0], 1, "ACTIVE")
	r.do(&action.CutWires{Robot: "cyan2"})
	until("silence of a robot with cut wires", func(m *teamData) bool {
		return m.State[0] == 0 && math.IsNaN(m.RobotPositions[0].X) && m.BallRelative[0].Confidence == 0 &&
			m.OpponentRobotA[0].Confidence == 0
	})
	r.do(&action.Delete{Name: "cyan2"})
	r.until("no entry of an absent robot", func() bool { return len(in.newest().RobotIDs) == 0 })
}

// A kick and the extension of the goalkeeper are animations, and a robot that drives beside the field is on its way.
func TestHumanoidAnimations(t *testing.T) {
	r := humanoidRig(t, omnipitch.Options{}, func(w *worlds.World) { free(w) })
	var mu sync.Mutex
	seen := map[uint8]int{}
	must.Get(ros1.Subscribe(r.robot, "/cyan1/robot_state", "humanoid_league_msgs/RobotControlState",
		func(m *robotControlState) {
			mu.Lock()
			defer mu.Unlock()
			seen[m.State]++
		}))(t)
	count := func(state uint8) int {
		mu.Lock()
		defer mu.Unlock()
		return seen[state]
	}
	r.until("CONTROLABLE", func() bool { return count(0) > 0 })
	pose := r.sim.Truth().Robots[0].PoseWB
	r.do(&action.Place{Name: "ball", X: pose.Apply([3]float64{0.33})[0], Y: pose.Apply([3]float64{0.33})[1]})
	r.do(&action.Dribble{Robot: "cyan1", Enable: true})
	r.until("the ball to be held", func() bool { return r.sim.Truth().Ball.HeldBy == 0 })
	must.Equal(t, count(4), 0, "number of states ANIMATION_RUNNING before the kick")
	r.do(&action.Kick{Robot: "cyan1", Way: "flat", Speed: 4, Now: true})
	r.until("ANIMATION_RUNNING", func() bool { return count(4) > 0 })
	at := r.sim.Clock().Time()
	r.until("a second", func() bool { return r.sim.Clock().Time() > at+time.Second })
	if n := count(4); n > 2 {
		t.Errorf("%d states ANIMATION_RUNNING after one kick, want at most 2", n)
	}
	r.do(&action.SendOff{Robot: "cyan1", Number: -1})
	r.until("PENALTY", func() bool { return count(7) > 0 })
	r.do(&action.Drive{Robot: "cyan1", VX: 0.3})
	r.until("PENALTY_ANIMATION", func() bool { return count(8) > 0 })
}
