package robotio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// control serves pausing, single steps while paused, and, in a replay, seeking.
func (b *Bridge) control(n *node) error {
	err := b.closeLater(ros1.Serve(n.Node, pauseService, "std_srvs/SetBool",
		func(_ context.Context, q *msg.SetBoolRequest) (*msg.SetBoolResponse, error) {
			if q.Data {
				return &msg.SetBoolResponse{Success: true}, b.sim.Do(&action.Pause{})
			}
			return &msg.SetBoolResponse{Success: true}, b.sim.Do(&action.Resume{})
		}))
	if err == nil {
		err = b.closeLater(ros1.Serve(n.Node, stepService, "omnipitch_msgs/Step", b.step))
	}
	if err == nil && b.seek != nil {
		err = b.closeLater(ros1.Serve(n.Node, seekService, "omnipitch_msgs/Seek", func(ctx context.Context,
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
	mostSteps  = 100_000 // maximum number of steps in one request; 100 000 is a guess: more than eight minutes
	mostSought = 1e9     // maximum sim time of a request to seek, in s; it fits in a time.Duration
)

// step makes a paused simulation take the requested number of steps, and returns when the steps are done.
func (b *Bridge) step(ctx context.Context, q *msg.StepRequest) (*msg.StepResponse, error) {
	if q.Steps < 1 || q.Steps > mostSteps {
		return nil, fmt.Errorf("steps = %d: must be 1 to %d", q.Steps, mostSteps)
	}
	clock := b.sim.Clock()
	if !clock.Paused() {
		return nil, errors.New("the simulation is not paused: pause it first")
	}
	taken := make(chan struct{})
	stop := b.sim.After(time.Duration(q.Steps)*clock.Step(), func(time.Duration) { close(taken) })
	defer stop()
	clock.Advance(int(q.Steps))
	select {
	case <-taken:
		return &msg.StepResponse{Now: msg.TimeFrom(clock.Time())}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
