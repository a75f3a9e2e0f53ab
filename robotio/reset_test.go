package robotio

import (
	"context"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
)

// Gazebo's services pause and restart a simulation, whether paused or not. reset_simulation also resets the time to 0;
// reset_world keeps the time. Topics keep their rates. The simulation still waits for a robot that acknowledges the
// clock, whatever earlier times that robot acknowledges.
func TestGazeboResets(t *testing.T) {
	r, acks := newAcknowledged(t)
	times := make(chan time.Duration, 1e5)
	must.Get(ros1.Subscribe(r.robot, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
		times <- m.Clock.Since()
		acks.Publish(m)
		acks.Publish(&msg.Clock{Clock: msg.TimeFrom(m.Clock.Since() + 100*time.Second)}) // a time in the future
	}))(t)
	states := subscribe[modelStates](r, "/gazebo/model_states", "gazebo_msgs/ModelStates")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := r.sim.Run(ctx, omnipitch.Pace{Speed: timesync.Lockstep})
		ended <- err
	}()
	await := func(what string, ok func(now time.Duration) bool) {
		t.Helper()
		for limit := time.After(deadline); ; {
			select {
			case now := <-times:
				if ok(now) {
					return
				}
			case err := <-ended:
				t.Fatalf("the run ended before %s: %v", what, err)
			case <-limit:
				t.Fatalf("waited %v for %s", deadline, what)
			}
		}
	}
	tell := func(service string) {
		t.Helper()
		call, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		type empty struct{}
		if _, err := ros1.Call[empty, empty](call, r.robot, "/gazebo/"+service, "std_srvs/Empty",
			&empty{}); err != nil {
			t.Fatalf("%s: %v", service, err)
		}
	}
	ballX := func() float64 { return states.newest().Pose[0].Position.X }
	start := func() float64 { x, _ := r.sim.World().Ball.Start(); return x[0] }

	await("a second", func(now time.Duration) bool { return now >= time.Second && states.newest() != nil })
	tell("reset_simulation")
	await("time 0", func(now time.Duration) bool { return now == 0 })
	states.mu.Lock()
	states.m = nil
	states.mu.Unlock()
	await("states after the reset", func(now time.Duration) bool {
		if now > 500*time.Millisecond {
			t.Fatalf("no /gazebo/model_states by %v after the reset", now)
		}
		return states.newest() != nil
	})
	if states.newest().Name[0] != "football" {
		t.Fatalf("model_states begin with %v, want the ball", states.newest().Name)
	}

	put := &setModelState{ModelState: modelState{ModelName: "football"}}
	put.ModelState.Pose.Position.X, put.ModelState.Pose.Orientation.W = 4, 1
	tell("pause_physics")
	must.Get(ros1.Call[setModelState, stateSet](ctx, r.robot, "/gazebo/set_model_state",
		"gazebo_msgs/SetModelState", put))(t)
	tell("unpause_physics")
	await("the ball where it was put", func(now time.Duration) bool { return ballX() > 3.9 })
	tell("reset_world")
	last := time.Duration(0)
	await("the ball where it began", func(now time.Duration) bool {
		if now < last {
			t.Fatalf("reset_world set the clock to %v after %v", now, last)
		}
		last = now
		return ballX() < start()+0.1
	})

	tell("pause_physics")
	tell("reset_simulation") // while the simulation is paused
	await("time 0 while paused", func(now time.Duration) bool { return now == 0 })
	if now := r.sim.Clock().Time(); now != 0 || !r.sim.Clock().Paused() {
		t.Errorf("at %v, paused: %v; want 0 and paused", now, r.sim.Clock().Paused())
	}
	tell("unpause_physics")
	await("half a second", func(now time.Duration) bool { return now >= 500*time.Millisecond })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
