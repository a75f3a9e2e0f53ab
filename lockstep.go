package omnipitch

import (
	"context"
	"errors"

	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
)

// answered blocks at speed lockstep until all robots that the world waits for have answered. The first call also waits
// until these robots are connected. If a robot is late, the world's rule for this robot decides: answered returns an
// error, pauses the run, or no longer waits for the robot. At other speeds answered returns at once.
func (r *run) answered(ctx context.Context) error {
	if !r.clock.lockstep {
		return nil
	}
	if !r.clock.gathered {
		if r.clock.gate.AwaitConnections(ctx, r.commands.asking,
			func(missing string) { r.notify("waiting for %s", missing) }) != nil {
			return nil // ctx has ended
		}
		r.clock.gathered = true
		if err := r.announceStart(); err != nil {
			return err
		}
	}
	for {
		err := r.clock.gate.AwaitAnswers(ctx, r.commands.asking,
			func(robots string) { r.notify("waiting for the first answer of %s", robots) })
		var late *lockstep.Late
		switch {
		case !errors.As(err, &late):
			return nil // all have answered, or ctx has ended
		case late.Then == timesync.Fail:
			return late
		case late.Then == timesync.Pause:
			r.notify("%v: paused", late)
			r.clock.Pause()
			r.clock.Await(ctx, r.pace.Paused)
		default:
			r.notify("%v: going on without it until it answers again", late)
		}
	}
}

// assumeConnections treats all robots that the world waits for as parts of this program: it gives the gate a connection
// for each robot that answers a sensor's frames or has order "all".
func (s *Sim) assumeConnections() {
	for i := range s.world.Time.WaitFor {
		w := &s.world.Time.WaitFor[i]
		if w.Order == timesync.OrderAll {
			s.clock.gate.Connect(i, unacknowledged{})
		} else if w.After != "" {
			s.clock.gate.Connect(i, listener{s.pipeline, w})
		}
	}
}

// listener is the connection of a robot in this program that answers the frames of one sensor.
type listener struct {
	sensors *pipeline.Pipeline
	*timesync.WaitFor
}

func (l listener) Missing() ([]string, int64) {
	if l.sensors.Listened(l.Robot, l.After) {
		return nil, 0
	}
	return []string{"a listener to " + l.Robot + "." + l.After}, 0
}

func (listener) Pending() string { return "" }

// unacknowledged is the connection of a robot in this program that would have to acknowledge messages. It is never
// complete, since no wire counts the robot's messages.
type unacknowledged struct{}

func (unacknowledged) Missing() ([]string, int64) {
	return []string{"a connection that acknowledges messages"}, 0
}

func (unacknowledged) Pending() string { return "" }
