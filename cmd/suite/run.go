package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// run is one world with one seed.
type run struct {
	*suite
	*Result
	world, number int // of the suite's worlds, of the world's runs
	pictured      bool
	sim           *omnipitch.Sim
}

// do runs to the end, and takes down what became of it. A panic is an error of this run alone.
func (r *run) do(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			r.Err, r.Ended = fmt.Errorf("panic: %v\n%s", p, debug.Stack()), true
		}
	}()
	report, err := r.simulate(ctx)
	if ctx.Err() != nil {
		return // interrupted
	}
	r.Err, r.Ended = err, true
	if report != nil {
		r.Sim, r.Steps, r.Hash = report.Sim, report.Steps, report.Hash
	}
}

// simulate runs until all expectations are decided, or the time is over. After an error there is no report, but there are the verdicts up to it.
func (r *run) simulate(ctx context.Context) (*omnipitch.Report, error) {
	world, err := r.Worlds[r.world].WithSeed(r.Seed)
	if err == nil && r.Change != nil {
		err = r.Change(world)
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var t tally
	opts := omnipitch.Options{NewRenderer: r.NewRenderer, NoWorker: r.noWorker, Cache: &r.cache, OnVerdict: func(v expectation.Verdict) {
		if v.Outcome == expectation.Failed {
			r.picture(v)
		}
		t.add(v)
	}}
	var beside Simulate
	if r.Beside != nil {
		beside = r.Beside(world, &opts)
	}
	if r.sim, err = omnipitch.New(world, opts); err != nil {
		return nil, err
	}
	paused := false
	r.sim.OnStep(func(truth *physics.Snapshot) {
		t.end(truth.Time)
		paused = len(world.Programs) == 0 && r.sim.Clock().Paused()
		if paused || len(world.Expect) > 0 && len(t.verdicts) == len(world.Expect) {
			stop()
		}
	})
	defer func() {
		r.Sim, r.Verdicts = r.sim.Time(), append(t.before, t.verdicts...)
		r.sim.Close()
		r.sim = nil
	}()
	if r.begun != nil {
		r.begun(r.sim)
	}
	pace := omnipitch.Pace{For: world.Test.For, Speed: timesync.Max}
	if r.For > 0 {
		pace.For = r.For
	}
	simulate := r.judge
	if beside != nil {
		simulate = func(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
			return beside(ctx, r.sim, pace, r.judge)
		}
	}
	report, err := simulate(ctx, pace)
	if report != nil {
		t.verdicts = report.Verdicts
	}
	if err == nil && paused {
		err = errors.New("the world has paused, and nobody is there to resume it")
	}
	return report, err
}

// judge simulates, and draws what was never decided.
func (r *run) judge(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
	report, err := r.sim.Run(ctx, pace)
	if err == nil {
		for _, v := range report.Verdicts {
			if v.Outcome != expectation.Passed {
				r.picture(v)
			}
		}
	}
	return report, err
}
