package reproduce

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// begin begins the simulation of the trial's world, the draw-th of several, without anything that draws or perceives
// beside the steps.
func (t *Trial) begin(draw int) (*omnipitch.Sim, error) {
	w, err := t.Load(draw)
	if err != nil {
		return nil, err
	}
	return omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
}

// steps steps a simulation until a sim time, calling before, if that is not nil, before each step, and after after it.
func steps(ctx context.Context, sim *omnipitch.Sim, until time.Duration, before func() error, after func()) error {
	for sim.Truth().Time < until {
		if err := ctx.Err(); err != nil {
			return err
		}
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		if err := sim.Step(); err != nil {
			return err
		}
		after()
	}
	return nil
}

// unfit says why an experiment cannot be carried out in a world.
func (t *Trial) unfit(format string, args ...any) error {
	return console.BadInputf("world %s: "+format, append([]any{t.world}, args...)...)
}
