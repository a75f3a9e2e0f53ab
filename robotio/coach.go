package robotio

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// CoachService is the name, relative to the bridge's node, of the service by which a coach commands the game or sends a
// message to a team.
const CoachService = "coach"

// coach serves the actions GameCommand and Coach as omnipitch_msgs/Coach. They are executed at the end of the next
// step, or at once while the simulation is paused. An invalid action is refused immediately.
func (b *Bridge) coach(n *ros1.Node) error {
	return b.closeLater(ros1.Serve(n, n.Name()+"/"+CoachService, "omnipitch_msgs/Coach",
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
	stop := b.sim.After(0, func(time.Duration) { done <- b.sim.Do(a) })
	defer stop()
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
