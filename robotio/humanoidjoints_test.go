package robotio

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

type (
	animation struct {
		Header                    msg.Header
		Request, First, Last, HCM bool
		Position                  msg.JointTrajectory
	}
	manualPenalize struct{ Penalize uint8 }
	switchPower    struct{ Power bool }
	succeeded      struct{ Success bool }

	playGoal struct {
		Animation string
		HCM       bool
	}
	playResult   struct{ Successful bool }
	playFeedback struct{ PercentDone uint8 }
)

// kidRig returns a rig with the world of standing humanoids, in which kid1 has the profile humanoid.
func kidRig(t *testing.T) *rig {
	t.Helper()
	return rigOf(t, "humanoids-stand", func(w *worlds.World) {
		w.Events = nil
		w.Robots[0].ROS1.Profiles = []string{"humanoid"}
	})
}

// kidJoint returns the state of a joint of kid1.
func kidJoint(r *rig, name string) *physics.JointState {
	return &r.sim.Truth().Joints[r.sim.World().Model().Robots[0].Joint(name)]
}

// Joints take goals from walking, head, animations and the hardware control manager, whatever their stamps. A request
// of an animation stops them.
func TestHumanoidMotorGoals(t *testing.T) {
	r := kidRig(t)
	goal := func(joint string, position float64) msg.JointTrajectory {
		return msg.JointTrajectory{Header: msg.Header{Stamp: msg.Time{Sec: 1}}, JointNames: []string{joint},
			Points: []msg.JointTrajectoryPoint{{Positions: []float64{position}, Velocities: []float64{1}}}}
	}
	is := func(joint string, position float64) func() bool {
		return func() bool { return math.Abs(kidJoint(r, joint).Position-position) < 0.05 }
	}
	for topic, joint := range map[string]string{"motor_goals": "left_elbow", "walking_motor_goals": "right_elbow",
		"head_motor_goals": "head_yaw"} {
		m := goal(joint, -0.4)
		publishUntil(r, "/kid1/"+topic, "trajectory_msgs/JointTrajectory", func() *msg.JointTrajectory { return &m },
			topic+" to move "+joint, is(joint, -0.4))
	}
	played := animation{First: true, Position: goal("head_pitch", 0.5)}
	publishUntil(r, "/kid1/animation", "humanoid_league_msgs/Animation", func() *animation { return &played },
		"an animation", is("head_pitch", 0.5))

	slow := goal("head_yaw", 1)
	slow.Points[0].TimeFromStart.Sec, slow.Points[0].Velocities = 5, nil
	pub := advertise[msg.JointTrajectory](r, "/kid1/motor_goals", "trajectory_msgs/JointTrajectory")
	must.Until(t, "the simulator to subscribe", func() bool { return pub.NumSubscribers() == 1 })
	pub.Publish(&slow)
	r.until("the head to turn slowly", func() bool { return kidJoint(r, "head_yaw").Position > -0.2 })
	publishUntil(r, "/kid1/animation", "humanoid_league_msgs/Animation",
		func() *animation { return &animation{Request: true} }, "the head to stop",
		func() bool { return math.Abs(kidJoint(r, "head_yaw").Velocity) < 1e-3 })
	if at := kidJoint(r, "head_yaw").Position; !(at < 0.5) {
		t.Errorf("the head stopped at %v, want soon after -0.2", at)
	}
	must.Equal(t, len(r.refused), 0, "refused messages")
}

// Without power a robot that handles no falls collapses, and its state is MOTOR_OFF until a goal moves a joint or power
// returns.
func TestHumanoidMotorPower(t *testing.T) {
	r := rigOf(t, "humanoids-stand", func(w *worlds.World) {
		w.Events, w.Robots[0].Motion = nil, nil
		w.Robots[0].ROS1.Profiles = []string{"humanoid"}
	})
	state := subscribe[robotControlState](r, "/kid1/robot_state", "humanoid_league_msgs/RobotControlState")
	is := func(what string, want uint8) {
		t.Helper()
		r.until(what, func() bool { m := state.newest(); return m != nil && m.State == want })
	}
	power := func(on bool) {
		t.Helper()
		got := call[switchPower, succeeded](r, "/kid1/switch_motor_power", "bitbots_cm730/SwitchMotorPower",
			&switchPower{on})
		must.Equal(t, got.Success, true, "success")
	}
	is("CONTROLABLE", 0)
	power(false)
	is("MOTOR_OFF", 11)
	upright := func() float64 { return r.sim.Truth().Robots[0].PoseWB.Rotate([3]float64{0, 0, 1})[2] }
	r.until("the robot to collapse", func() bool { return upright() < 0.5 })
	must.Equal(t, state.newest().State, 11, "state of a limp robot on the floor")
	power(true)
	is("FALLEN", 2)
}

// A goal of play_animation has feedback while the robot plays, and a result at the end. Meanwhile robot_state has
// ANIMATION_RUNNING. Unknown animations are rejected.
func TestHumanoidPlayAnimation(t *testing.T) {
	r := kidRig(t)
	var mu sync.Mutex
	var percents []uint8
	states := map[uint8]bool{}
	must.Get(ros1.Subscribe(r.robot, "/kid1/robot_state", "humanoid_league_msgs/RobotControlState",
		func(m *robotControlState) {
			mu.Lock()
			defer mu.Unlock()
			states[m.State] = true
		}))(t)
	client := must.Get(ros1.NewActionClient[playGoal, playResult, playFeedback](r.robot, "/kid1/play_animation",
		"humanoid_league_msgs/PlayAnimationAction", ros1.WallTime))(t)
	must.Do(t, client.WaitForServer(t.Context()))
	type end struct {
		result *playResult
		err    error
	}
	play := func(name string) end {
		t.Helper()
		g := client.Send(&playGoal{Animation: name}, func(f *playFeedback) {
			mu.Lock()
			defer mu.Unlock()
			percents = append(percents, f.PercentDone)
		})
		done := make(chan end, 1)
		go func() {
			result, err := g.Wait(t.Context())
			done <- end{result, err}
		}()
		r.until("the end of "+name, func() bool { return len(done) > 0 })
		return <-done
	}
	e := play("wave")
	must.Do(t, e.err)
	mu.Lock()
	must.Equal(t, e.result.Successful, true, "successful")
	must.Equal(t, states[4], true, "ANIMATION_RUNNING")
	if n := len(percents); n < 10 || !slices.IsSorted(percents) || percents[n-1] < 80 {
		t.Errorf("feedback %v, want rising numbers up to 100", percents)
	}
	mu.Unlock()
	must.Fail(t, play("wawe").err, "rejected: ", "an unknown animation")
}

// A penalty by hand takes the robot off the field until it is taken back, and paused reports it.
func TestHumanoidManualPenalty(t *testing.T) {
	r := rigOf(t, "humanoids", func(w *worlds.World) {
		w.Events = nil
		w.Robots[1].ROS1.Profiles = []string{"humanoid"}
	})
	paused := subscribe[msg.Bool](r, "/kid2/paused", "std_msgs/Bool")
	penalize := func(p uint8, want bool) {
		t.Helper()
		got := call[manualPenalize, succeeded](r, "/kid2/manual_penalize", "bitbots_pause/ManualPenalize",
			&manualPenalize{p})
		must.Equal(t, got.Success, want, "success of penalize = %d", p)
	}
	is := func(want bool) {
		t.Helper()
		r.until("paused", func() bool { m := paused.newest(); return m != nil && m.Data == want })
	}
	is(false)
	penalize(1, true)
	is(true)
	at := r.sim.Clock().Time()
	r.until("a second", func() bool { return r.sim.Clock().Time() > at+time.Second })
	is(true)
	penalize(0, true)
	is(false)
	penalize(2, false)
	must.Equal(t, len(r.refused), 0, "refused messages")
}

type speak struct {
	Text     string
	Priority uint8
	Filename string
}

// A robot of the simulation speaks. While the robot's own hardware control manager publishes robot_state, the simulator
// does not. A robot whose falls a program handles has the state HCM_OFF until then.
func TestHumanoidSpeaksAndHasItsOwnControl(t *testing.T) {
	said := make(chan action.Speak, 100)
	r := rigOf(t, "humanoids-stand", func(w *worlds.World) {
		w.Events = nil
		w.Robots[0].ROS1.Profiles = []string{"humanoid"}
		w.Robots[0].Motion = &physics.MotionControl{FallTilt: 0.7}
	})
	r.sim.Match().OnSpeech(func(s action.Speak) { said <- s })
	text := speak{Text: "I fall", Priority: 2, Filename: "fall.wav"}
	publishUntil(r, "/kid1/speak", "humanoid_league_msgs/Speak", func() *speak { return &text }, "the robot to speak",
		func() bool { return len(said) > 0 })
	must.Equal(t, <-said, action.Speak{Robot: "kid1", Text: "I fall", Priority: 2, File: "fall.wav"}, "said")

	state := subscribe[robotControlState](r, "/kid1/robot_state", "humanoid_league_msgs/RobotControlState")
	r.until("HCM_OFF", func() bool { m := state.newest(); return m != nil && m.State == 12 })
	own := advertise[robotControlState](r, "/kid1/robot_state", "humanoid_league_msgs/RobotControlState")
	const startup = 5
	r.until("its own control alone", func() bool {
		own.Publish(&robotControlState{startup})
		return state.newest().State == startup && own.NumSubscribers() == 2
	})
	r.until("a while", after(r, 200*time.Millisecond))
	must.Equal(t, state.newest().State, startup, "state by its own control")
}
