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

// CoachService is the name, below the bridge's node, of the service by which a coach commands the game, or tells a team
// something.
const CoachService = "coach"

// coach serves actions GameCommand and Coach as an omnipitch_msgs/Coach. They are done at the end of the next step, or
// at once while the simulation is paused; what is wrong with them is answered before.
func (b *Bridge) coach(n *ros1.Node) error {
	return b.keep(ros1.Serve(n, n.Name()+"/"+CoachService, "omnipitch_msgs/Coach",
		func(ctx context.Context, q *msg.CoachRequest) (*msg.CoachResponse, error) {
			if err := b.say(ctx, spoken(q)); err != nil {
				return &msg.CoachResponse{Message: err.Error()}, nil
			}
			return &msg.CoachResponse{Success: true}, nil
		}))
}

// spoken is the action that a coach asks for.
func spoken(q *msg.CoachRequest) action.Action {
	if q.Command != "" {
		return &action.GameCommand{Command: game.Command(q.Command), Team: physics.Team(q.Team), Number: int(q.IDA)}
	}
	return &action.Coach{
		Team: physics.Team(q.Team), Mode: coach.Mode(q.Mode), TestMode: int(q.TestMode), IDA: int(q.IDA),
		IDB: int(q.IDB), Kick: int(q.Kick),
		AX: q.A[0], AY: q.A[1], AHeading: q.A[2], BX: q.B[0], BY: q.B[1], BHeading: q.B[2],
	}
}

// say has an action of the coach done, and waits for it.
func (b *Bridge) say(ctx context.Context, a action.Action) error {
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
