package suite

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/omnipitch/omnipitch"
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
		r.Sim, r.Steps, r.Hash, r.Verdicts = report.Sim, report.Steps, report.Hash, report.Verdicts
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
	ctx, decided := context.WithCancel(ctx)
	defer decided()
	open := len(world.Expect)
	opts := omnipitch.Options{NewRenderer: r.NewRenderer, NoWorker: r.noWorker, Cache: &r.cache, OnVerdict: func(v expectation.Verdict) {
		r.Verdicts = append(r.Verdicts, v)
		if v.Outcome == expectation.Failed {
			r.picture(v)
		}
		if open--; open == 0 {
			decided()
		}
	}}
	if r.sim, err = omnipitch.New(world, opts); err != nil {
		return nil, err
	}
	defer func() {
		r.Sim = r.sim.Time()
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
	if r.Simulate != nil {
		return r.Simulate(ctx, r.sim, pace, r.judge)
	}
	return r.judge(ctx, pace)
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
