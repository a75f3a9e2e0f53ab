package robotio

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// control serves pausing, single steps while paused, and, in a replay, seeking.
func (b *Bridge) control(n *node) error {
	err := b.closeLater(wire.Serve(n, pauseService, "std_srvs/SetBool",
		func(_ context.Context, q *msg.SetBoolRequest) (*msg.SetBoolResponse, error) {
			if q.Data {
				return &msg.SetBoolResponse{Success: true}, b.sim.Do(&action.Pause{})
			}
			return &msg.SetBoolResponse{Success: true}, b.sim.Do(&action.Resume{})
		}))
	if err == nil {
		err = b.closeLater(wire.Serve(n, stepService, "std_srvs/Trigger", b.step))
	}
	if err == nil {
		err = b.closeLater(wire.Serve(n, stepsService, "omnipitch_msgs/Step", b.steps))
	}
	if err == nil && b.seek != nil {
		err = b.closeLater(wire.Serve(n, seekService, "omnipitch_msgs/Seek", func(ctx context.Context,
			q *msg.SeekRequest) (*msg.SeekResponse, error) {
			if !(q.To >= 0 && q.To <= mostSought) {
				return nil, fmt.Errorf("to = %v: must lie in [0, %g] s", q.To, mostSought)
			}
			return &msg.SeekResponse{}, b.seek(ctx, time.Duration(math.Round(q.To*float64(time.Second))))
		}))
	}
	return err
}

const (
	mostSteps  = 100_000 // maximum number of steps in one request; a guess: more than eight minutes of sim time
	mostSought = 1e9     // maximum sim time of a request to seek, in s; this time fits in a time.Duration
)

// step makes a paused simulation take one step, and returns when it is done. The type is std_srvs/Trigger, which every
// ROS installation has.
func (b *Bridge) step(ctx context.Context, _ *msg.TriggerRequest) (*msg.TriggerResponse, error) {
	done, err := b.steps(ctx, &msg.StepRequest{Steps: 1})
	if err != nil {
		return &msg.TriggerResponse{Message: err.Error()}, nil
	}
	return &msg.TriggerResponse{Success: true, Message: fmt.Sprintf("sim time %v s",
		done.Now.Since().Seconds())}, nil
}

// steps makes a paused simulation take the requested number of steps, and returns when the steps are done.
func (b *Bridge) steps(ctx context.Context, q *msg.StepRequest) (*msg.StepResponse, error) {
	if q.Steps < 1 || q.Steps > mostSteps {
		return nil, fmt.Errorf("steps = %d: must be 1 to %d", q.Steps, mostSteps)
	}
	if err := b.sim.Clock().TakeSteps(ctx, int(q.Steps)); err != nil {
		return nil, err
	}
	return &msg.StepResponse{Now: msg.TimeFrom(b.sim.Clock().Time())}, nil
}

// clock sets up the topic of sim time and sets the parameter /use_sim_time. The time is published after every step, or
// at the rate that the world asks for. A subscriber that connects late receives the newest time at once.
func (b *Bridge) clock(n *node) error {
	if err := n.KeepParam("/use_sim_time", true); err != nil {
		return err
	}
	pub, err := wire.Advertise[msg.Clock](n, clockTopic, "rosgraph_msgs/Clock", wire.PubOptions{Queue: 1,
		Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	n.clock = pub
	ticks := &flow{}
	b.own = append(b.own, ownTopic{n.Node, pub, "rosgraph_msgs/Clock", ticks})
	b.sim.Clock().OnTick(func(now time.Duration) {
		ticks.count(now, now)
		pub.Send(&msg.Clock{Clock: msg.TimeFrom(now)})
	})
	return nil
}

// RecordService is the name, relative to the bridge's node, of the service that switches recording on or off.
const RecordService = "record"

// record serves the action action.Record as a service of type std_srvs/SetBool, which every ROS installation has.
func (b *Bridge) record(n wire.Node) error {
	return b.closeLater(wire.Serve(n, n.Name()+"/"+RecordService, "std_srvs/SetBool",
		func(_ context.Context, q *msg.SetBoolRequest) (*msg.SetBoolResponse, error) {
			if err := b.sim.Do(&action.Record{On: q.Data}); err != nil {
				return &msg.SetBoolResponse{Message: err.Error()}, nil
			}
			return &msg.SetBoolResponse{Success: true}, nil
		}))
}

// CoachService is the name, relative to the bridge's node, of the service for coaches. A coach commands the game or
// sends a message to a team.
const CoachService = "coach"

// coach serves the actions GameCommand and Coach as omnipitch_msgs/Coach. They are executed at the end of the next
// step, or at once while the simulation is paused. An invalid action is refused immediately.
func (b *Bridge) coach(n wire.Node) error {
	return b.closeLater(wire.Serve(n, n.Name()+"/"+CoachService, "omnipitch_msgs/Coach",
		func(ctx context.Context, q *msg.CoachRequest) (*msg.CoachResponse, error) {
			if err := b.doSoon(ctx, coachAction(q)); err != nil {
				return &msg.CoachResponse{Message: err.Error()}, nil
			}
			return &msg.CoachResponse{Success: true}, nil
		}))
}

// coachAction returns the action that a coach requests.
func coachAction(q *msg.CoachRequest) action.Action {
	if q.Command != "" {
		return &action.GameCommand{Command: game.Command(q.Command), Team: physics.Team(q.Team), Number: int(q.IDA)}
	}
	return &action.Coach{
		Team: physics.Team(q.Team), Mode: coach.Mode(q.Mode), TestMode: int(q.TestMode), IDA: int(q.IDA),
		IDB: int(q.IDB), Kick: int(q.Kick),
		AX: q.A[0], AY: q.A[1], AHeading: q.A[2], BX: q.B[0], BY: q.B[1], BHeading: q.B[2],
	}
}

// doSoon executes an action after the next step and waits until that is done.
func (b *Bridge) doSoon(ctx context.Context, a action.Action) error {
	if err := action.Check(a); err != nil {
		return err
	}
	done := make(chan error, 1)
	stop := b.sim.Clock().After(0, func(time.Duration) { done <- b.sim.Do(a) })
	defer stop() // so that an action that is reported as failed is not executed later
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-b.ctx.Done():
		return b.ctx.Err()
	case <-ctx.Done():
		return fmt.Errorf("the simulation has taken no step within %v", callTime)
	}
}

// decisionsKept is the maximum number of decisions in a subscriber's queue.
const decisionsKept = 100

// decisions sets up the topic of the automatic referee's decisions, if the world has an automatic referee. A subscriber
// that connects late receives the newest decision at once.
func (b *Bridge) decisions(n *node) error {
	if b.sim.World().Referee != worlds.RefereeAuto {
		return nil
	}
	pub, err := wire.Advertise[msg.Decision](n, decisionsTopic, "omnipitch_msgs/Decision",
		wire.PubOptions{Queue: decisionsKept, Latch: true})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	f := &flow{}
	b.own = append(b.own, ownTopic{n.Node, pub, "omnipitch_msgs/Decision", f})
	b.sim.Match().OnDecision(func(d *referee.Decision) {
		m := mapping.DecisionMessage(d)
		f.count(d.Time, d.Time)
		pub.Send(&m)
	})
	return nil
}
