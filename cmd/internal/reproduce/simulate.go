package reproduce

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// begin starts a simulation of the trial's world, without workers for sensors. It adds the argument draw to the seed.
func (t *Trial) begin(draw int) (*omnipitch.Sim, error) {
	w, err := t.Load(draw)
	if err != nil {
		return nil, err
	}
	return omnipitch.New(w, omnipitch.Options{NoWorker: true, Cache: &t.cache})
}

// steps steps a simulation until a sim time. It calls one function before each step, unless that function is nil, and
// another function after each step.
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

// unfit returns an error that explains why an experiment cannot use a world.
func (t *Trial) unfit(format string, args ...any) error {
	return console.BadInputf("world %s: "+format, append([]any{t.world}, args...)...)
}
