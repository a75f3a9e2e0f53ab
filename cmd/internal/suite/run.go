package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// run is one run of the suite: a world with one seed.
type run struct {
	*suite
	*Result
	world, number int // index of the world in the suite, index of the run of that world
	pictured      bool
	interrupted   func() error // returns an error once the suite is interrupted
	sim           *omnipitch.Sim
	tape          *recorder.Recorder // nil: not recorded
	recorded      string             // path of the recording
}

// do runs the world and stores the result. If the run panics, the panic becomes the error of this run, and other runs
// continue.
func (r *run) do(ctx context.Context) {
	defer r.endRecording()
	defer func() {
		if p := recover(); p != nil {
			r.Err, r.Ended = fmt.Errorf("panic: %v\n%s", p, debug.Stack()), true
		}
	}()
	r.interrupted = ctx.Err
	report, err := r.simulate(ctx)
	if ctx.Err() != nil {
		r.gallery.withdraw(r.world, r.number)
		return
	}
	r.Err, r.Ended = err, true
	if report != nil {
		r.Sim, r.Steps, r.Hash, r.Game = report.Sim, report.Steps, report.Hash, report.Game
	}
}

// simulate runs the world until all expectations are decided or the time of the run is over. After an error it returns
// no report, but the result of the run still has the verdicts that were reached before the error.
func (r *run) simulate(ctx context.Context) (*omnipitch.Report, error) {
	world, err := console.Await(ctx, func() (*worlds.World, error) { return r.Worlds[r.world].WithSeed(r.Seed) },
		func(*worlds.World) {})
	if err == nil && r.Change != nil {
		err = r.Change(world)
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := tally{expected: len(world.Expect)}
	again := slices.ContainsFunc(world.Events, func(e worlds.Event) bool { return e.Reset != nil })
	opts := omnipitch.Options{Renderer: r.Renderer, NoWorker: r.noWorker, Cache: r.cache,
		OnVerdict: func(v expectation.Verdict) {
			if v.Outcome != expectation.Passed {
				r.picture(v)
			}
			t.add(v)
		}}
	var beside Simulate
	if r.Beside != nil {
		beside = r.Beside(world, &opts)
	}
	r.record(world, &opts)
	if r.sim, err = omnipitch.New(world, opts); err != nil {
		return nil, err
	}
	if r.tape != nil {
		r.tape.Follow(r.sim)
	}
	r.sim.OnStep(func(truth *physics.Snapshot) {
		if truth.Time == 0 {
			t.episodes++
		}
		if !again && t.decided() {
			stop()
		}
		// An event may change the speed. In a suite the simulation still runs as fast as possible.
		if beside == nil && r.sim.Clock().Factor().Speed != timesync.Max {
			r.sim.Do(&action.SetSpeed{Speed: timesync.Max.String()})
		}
	})
	defer func() {
		r.Sim, r.Verdicts, r.Drew = r.sim.Truth().Time, t.worst(world.Expect), r.sim.Sensors().Renderer()
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
		t.finish(report.Verdicts)
	}
	return report, err
}

// judge runs the simulation. At its end, it renders an image for each expectation that was never decided.
func (r *run) judge(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
	simulate := r.sim.Run
	if len(r.sim.World().Programs) == 0 {
		simulate = func(ctx context.Context, pace omnipitch.Pace) (*omnipitch.Report, error) {
			return RunUnattended(ctx, r.sim, pace, nil)
		}
	}
	report, err := simulate(ctx, pace)
	if err == nil {
		for _, v := range report.Verdicts {
			if v.Outcome != expectation.Passed {
				r.picture(v)
			}
		}
	}
	return report, err
}

// tally holds the verdicts of a run, ordered by episode. A reset of the world ends an episode. Each episode ends with
// one verdict for each expectation. The end of the run ends the last episode.
type tally struct {
	expected int                   // number of expectations of the world
	episodes int                   // number of episodes that have started
	verdicts []expectation.Verdict // ordered by episode
}

// add adds a verdict on an expectation of the current episode.
func (t *tally) add(v expectation.Verdict) { t.verdicts = append(t.verdicts, v) }

// decided reports whether all expectations of the current episode are decided.
func (t *tally) decided() bool {
	return t.expected > 0 && len(t.verdicts) == t.episodes*t.expected
}

// finish replaces the verdicts of the last episode.
func (t *tally) finish(verdicts []expectation.Verdict) {
	t.verdicts = append(t.verdicts[:max(t.episodes-1, 0)*t.expected], verdicts...)
}

// worst returns, for each expectation in list, the worst verdict of all episodes. If several episodes have this
// verdict, the first of them counts. If the run ended with an error, only the verdicts before the error count.
func (t *tally) worst(list []expectation.Expectation) (all []expectation.Verdict) {
	rank := map[expectation.Outcome]int{expectation.Passed: 1, expectation.Undecided: 2, expectation.Failed: 3}
	for i := range list {
		var worst expectation.Verdict
		for k, v := range t.verdicts {
			if v.Name != list[i].Name || rank[v.Outcome] <= rank[worst.Outcome] {
				continue
			}
			if worst = v; t.episodes > 1 && v.Outcome != expectation.Passed {
				worst.Was += fmt.Sprintf(", in episode %d of %d", k/t.expected+1, t.episodes)
			}
		}
		if worst.Name != "" {
			all = append(all, worst)
		}
	}
	return all
}

// ErrPaused is the error of RunUnattended when an event has paused the simulation and nobody can resume it.
var ErrPaused = errors.New("the world is paused, and nobody can resume it")

// RunUnattended runs a simulation as Sim.Run does. It is for simulations that no program, window or connection can
// resume after a pause. If an event pauses the simulation, the run ends, and RunUnattended returns its report and
// ErrPaused. The function attended may be nil. It reports whether somebody can resume the simulation after all.
func RunUnattended(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace,
	attended func() bool) (*omnipitch.Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	paused := false
	checkPaused := func(*physics.Snapshot) {
		if sim.Clock().Paused() && (attended == nil || !attended()) {
			paused = true
			stop()
		}
	}
	sim.OnStep(checkPaused)
	checkPaused(nil) // events at time 0 may have paused the simulation already
	report, err := sim.Run(ctx, pace)
	if err == nil && paused {
		err = ErrPaused
	}
	return report, err
}
