package suite

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
)

// World is a world of a suite.
type World struct {
	Argument string // as the command line names it
	*worlds.World
}

// Config says which runs a suite has.
type Config struct {
	Worlds   []World
	Seeds    []uint64                  // that each world runs with; its own if there are none
	Jobs     int                       // runs at once
	For      time.Duration             // sim time of each run; 0 is what the world says
	Change   func(*worlds.World) error // what flags change in each world; may be nil
	Renderer string                    // of images and pictures, as in omnipitch.Options
	Out      *output.Folder            // for pictures of failures; nil draws none
	// of a recording of each run, kept in Out if the run fails; nil records none. The world says whether it is exact
	Record *recorder.Config
	Again  []string // flags of the command line that repeats a run
	// Beside, if not nil, is told of each run's world before it is simulated. It may change the options, and return
	// what is to simulate it.
	Beside func(*worlds.World, *omnipitch.Options) Simulate

	NoPictures bool             // Out is for recordings alone
	Cache      *omnipitch.Cache // of what runs share, with those of other suites too; nil: one of its own
	Shared     bool             // other suites take the other cores: no run has a perception worker beside it

	begun func(*omnipitch.Sim) // for tests: called before the first step; may be nil
}

// Simulate calls run, with a context that ends when ctx does or sooner, and fails with what else has failed: a robot's
// program.
type Simulate func(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, run func(context.Context,
	omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error)

// Run runs the suite until all runs have ended, or ctx has. It calls progress, if that is not nil, after each run, from
// one goroutine at a time. The outcome is the same whatever Jobs is.
func (c *Config) Run(ctx context.Context, progress func(done, failed int)) *Outcome {
	begun := time.Now()
	s := c.newSuite()
	jobs := min(max(c.Jobs, 1), len(s.runs))
	// A worker beside each of many runs would only take the cores from the others.
	s.noWorker = c.Shared || 2*jobs > runtime.NumCPU()
	var next atomic.Int64
	var mu sync.Mutex
	var done, failed int
	var all sync.WaitGroup
	for range jobs {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(s.runs) || ctx.Err() != nil {
					return
				}
				s.runs[i].do(ctx)
				if progress == nil {
					continue
				}
				mu.Lock()
				if done++; s.runs[i].Failed() {
					failed++
				}
				progress(done, failed)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	s.outcome.Wall = time.Since(begun)
	s.gallery.finish(&s.outcome)
	s.recordings.finish(&s.outcome)
	return &s.outcome
}

// suite is a Config while it runs.
type suite struct {
	*Config
	outcome  Outcome
	runs     []run
	cache    *omnipitch.Cache
	noWorker bool
	gallery  gallery

	recordings recordings
}

// newSuite lists the runs: the first world's, then the second's.
func (c *Config) newSuite() *suite {
	s := &suite{Config: c, outcome: Outcome{Worlds: make([]WorldOutcome, len(c.Worlds))}, cache: c.Cache}
	if s.cache == nil {
		s.cache = &omnipitch.Cache{}
	}
	s.gallery.init(c.Out, c.Worlds)
	for i := range c.Worlds {
		w := &s.outcome.Worlds[i]
		w.World = c.Worlds[i]
		seeds := c.Seeds
		if len(seeds) == 0 {
			seeds = []uint64{w.Seed}
		}
		w.Results = make([]Result, len(seeds))
		for k, seed := range seeds {
			w.Results[k].Seed, w.Results[k].Again = seed, again(&w.World, seed, c.Again)
			s.runs = append(s.runs, run{suite: s, number: k, world: i, Result: &w.Results[k]})
		}
	}
	return s
}
