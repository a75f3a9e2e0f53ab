package reproduce

import (
	"context"
	"io"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
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
	for sim.Time() < until {
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

// run runs a world as long as it says, as fast as it goes, with what its events and players do, and with its programs;
// watch, if not nil, is called after each step.
func (t *Trial) run(ctx context.Context, w *worlds.World, watch func(*omnipitch.Sim, *physics.Snapshot)) (
	*omnipitch.Report, error) {
	if len(w.Programs) > 0 && !w.Shipped() {
		return nil, t.unfit("%s", program.NotStarted(w))
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: len(w.Programs) == 0, Cache: &t.cache})
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	if watch != nil {
		sim.OnStep(func(s *physics.Snapshot) { watch(sim, s) })
	}
	pace := omnipitch.Pace{For: w.Test.For, Speed: program.Speed(w, timesync.Max)}
	var report *omnipitch.Report
	if len(w.Programs) == 0 {
		report, err = suite.RunUnattended(ctx, sim, pace, nil)
	} else {
		report, err = program.Run(ctx, sim, pace, program.Options{Errs: io.Discard})
	}
	if err == nil {
		err = ctx.Err() // by which a run ends without an error
	}
	return report, err
}
