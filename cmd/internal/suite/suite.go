// Package suite runs worlds as tests. It runs each world with many seeds, several runs at a time in one process, and
// collects the verdicts on the expectations of the worlds. It reads no world files and no flags. Only the methods of
// Outcome print.
//
// The result of a run does not depend on other runs. It is equal, to the last bit, to the result of the same world and
// seed in a suite with only this run.
//
//	suite := suite.Config{Worlds: []suite.World{{Argument: "penalty", World: world}}, Seeds: seeds, Jobs: 2}
//	outcome := suite.Run(ctx, func(done, failed int) { … })
//	err := outcome.Print(os.Stdout)
package suite

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
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
	Argument string // the world's name on the command line
	*worlds.World
}

// Config describes a suite.
type Config struct {
	Worlds   []World
	Seeds    []uint64                  // seeds for each world; empty: the seed of the world
	Jobs     int                       // runs at a time
	For      time.Duration             // sim time of each run; 0: the world's own
	Change   func(*worlds.World) error // applies flags to each world; may be nil
	Renderer string                    // as in omnipitch.Options
	Out      *output.Folder            // folder for images of failures; nil for no images
	// Record is the configuration of recordings; nil means none. A recording is kept in Out if its run fails. The world
	// determines whether recordings have exact states.
	Record *recorder.Config
	Again  []string // flags of the command line that repeats a run
	// Beside, if not nil, is called with the world and the options of each run. It may change the options. It may also
	// return a function that then runs the simulation of this run; nil means that the suite runs it.
	Beside func(*worlds.World, *omnipitch.Options) Simulate

	NoPictures bool // Out holds only recordings
	// Cache is shared by all runs. Several suites may share one cache; nil means that the suite makes its own.
	Cache *omnipitch.Cache
	// Shared means that other suites use the other cores. Runs then have no perception worker.
	Shared bool

	begun func(*omnipitch.Sim) // for tests: called before the first step; may be nil
}

// Simulate runs a simulation by calling the function run. The context that it passes to run ends when ctx ends, or
// earlier. Simulate also returns the errors of other parts of the run, such as the programs of robots.
type Simulate func(ctx context.Context, sim *omnipitch.Sim, pace omnipitch.Pace, run func(context.Context,
	omnipitch.Pace) (*omnipitch.Report, error)) (*omnipitch.Report, error)

// Run runs the suite until all runs have ended or ctx ends. The function progress, if not nil, is called after each
// run, by one goroutine at a time. The outcome does not depend on Jobs.
func (c *Config) Run(ctx context.Context, progress func(done, failed int)) *Outcome {
	begun := time.Now()
	s := c.newSuite()
	jobs := min(max(c.Jobs, 1), len(s.runs))
	// If there are many runs at a time, a perception worker for each run would only take cores from other runs.
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

// suite is the state of a running suite.
type suite struct {
	*Config
	outcome  Outcome
	runs     []run
	cache    *omnipitch.Cache
	noWorker bool
	gallery  gallery

	recordings recordings
}

// newSuite makes the list of runs, ordered by world.
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
			w.Results[k].Seed, w.Results[k].Again = seed, repeatCommand(&w.World, seed, c.Again)
			s.runs = append(s.runs, run{suite: s, number: k, world: i, Result: &w.Results[k]})
		}
	}
	return s
}

// Seeds are the seeds of a suite, written as numbers and ranges: 1..100 or 1,5,9.
type Seeds []uint64

// MostRuns is the maximum number of runs of a suite. The verdicts of a million runs take about 500 MB of memory.
const MostRuns = 1_000_000

// UnmarshalText parses a list of numbers and ranges.
func (s *Seeds) UnmarshalText(text []byte) error {
	var all Seeds
	known := map[uint64]bool{}
	for item := range strings.SplitSeq(string(text), ",") {
		first, last, err := seedRange(item)
		if err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		if last-first >= MostRuns-uint64(len(all)) {
			return fmt.Errorf("%q: more than %d seeds", text, MostRuns)
		}
		for seed := first; ; seed++ {
			if known[seed] {
				return fmt.Errorf("%q: names seed %d twice", text, seed)
			}
			known[seed] = true
			all = append(all, seed)
			if seed == last {
				break
			}
		}
	}
	*s = all
	return nil
}

// seedRange parses one seed, or a range of seeds. It returns the first and the last seed of the range.
func seedRange(item string) (first, last uint64, err error) {
	from, to, isRange := strings.Cut(strings.TrimSpace(item), "..")
	if !isRange {
		to = from
	}
	first, err = strconv.ParseUint(from, 10, 63)
	if err == nil {
		last, err = strconv.ParseUint(to, 10, 63)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%q is neither a seed from 0 to 2^63-1, such as 7, nor a range, such as 1..100", item)
	}
	if last < first {
		return 0, 0, fmt.Errorf("%q: a range goes from its smaller seed to its larger one", item)
	}
	return first, last, nil
}
