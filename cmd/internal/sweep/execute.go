package sweep

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// Simulator is an Executor that runs the world of a job in this process, as omnipitch test does. Several workers may
// share a Simulator.
type Simulator struct {
	Renderer string
	Programs bool // worlds may start programs
	// Several means that there are about as many workers as cores. Each run then uses one core.
	Several bool
	Record  *recorder.Config
	Beside  func(*worlds.World, *omnipitch.Options) suite.Simulate

	cache omnipitch.Cache
	mu    sync.Mutex
	known []loaded // newest last
}

// loaded is a world in the cache. Its bundle has the checksum sum.
type loaded struct {
	sum   string
	world *worlds.World
}

// maxLoaded is the number of worlds in the cache. A few are enough, because jobs of the same world and point follow
// each other.
const maxLoaded = 8

// Execute does a job, as [Executor] describes.
func (s *Simulator) Execute(ctx context.Context, job *Job, record bool, folder string, bundle func() ([]byte, error)) (
	*Result, string, error) {
	w, err := s.load(job.Bundle, bundle)
	if err != nil && (isTransient(err) || ctx.Err() != nil) {
		return nil, "", err
	}
	if err != nil { // no worker can do this job
		r := &Result{}
		r.Error = shortened(err.Error())
		return r, "", nil
	}
	if len(w.Programs) > 0 && !s.Programs {
		return nil, "", console.BadInputf("%w: world %s starts programs, which needs a worker with --programs",
			ErrRefused, job.Name)
	}
	cfg := suite.Config{
		Worlds: []suite.World{{Argument: job.Name, World: w}}, Seeds: []uint64{job.Seed}, Jobs: 1, Renderer: s.Renderer,
		Beside: s.Beside, Cache: &s.cache, Shared: s.Several,
	}
	cfg.For = seconds(job.For)
	if record && s.Record != nil {
		path := filepath.Join(folder, "recorded")
		if err := os.RemoveAll(path); err != nil {
			return nil, "", err
		}
		out, err := output.Open("recordings", path, false)
		if err != nil {
			return nil, "", err
		}
		defer out.Close()
		cfg.Out, cfg.Record, cfg.NoPictures = out, s.Record, true
	}
	outcome := cfg.Run(ctx, nil)
	r := &outcome.Worlds[0].Results[0]
	// Every worker would get an error of the world. Only an error of this machine leaves the job to others.
	if r.Err != nil && console.ExitCode(r.Err) == console.ExitUnavailable {
		return nil, "", r.Err
	}
	result := &Result{RunResult: r.JSON()}
	recording := result.Recording
	result.Pictures, result.Again, result.Recording = nil, "", ""
	result.Error = shortened(result.Error)
	if r.Game != nil {
		result.Score = &Score{r.Game.Score.Cyan, r.Game.Score.Magenta}
	}
	return result, recording, nil
}

// maxError is the maximum length of the error text in a result, in bytes. The text may contain a stack trace. NATS
// accepts messages of up to 1 MiB.
const maxError = 16 << 10

func shortened(text string) string {
	if len(text) > maxError {
		return text[:maxError] + " …"
	}
	return text
}

// load returns the world whose bundle has the checksum sum. It fetches the bundle only if the world is not in the
// cache.
func (s *Simulator) load(sum string, bundle func() ([]byte, error)) (*worlds.World, error) {
	s.mu.Lock()
	for i := range s.known {
		if s.known[i].sum == sum {
			defer s.mu.Unlock()
			return s.known[i].world, nil
		}
	}
	s.mu.Unlock() // load without the lock: two workers may then read the same world
	data, err := bundle()
	if err != nil {
		return nil, err
	}
	files, err := cluster.Unpack(data, sum)
	if err != nil {
		return nil, err
	}
	w, err := worlds.LoadBundle(files)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == maxLoaded {
		s.known = s.known[1:]
	}
	s.known = append(s.known[:len(s.known):len(s.known)], loaded{sum, w})
	return w, nil
}

//go:embed probe.toml
var probeText []byte

// Probe runs a small world and returns the hash of its last state. The world uses everything that a state depends on.
// Machines with different hashes give different results.
func Probe(ctx context.Context) (string, error) {
	w, err := worlds.Parse("probe.toml", probeText)
	if err != nil {
		return "", err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{NoWorker: true})
	if err != nil {
		return "", err
	}
	defer sim.Close()
	report, err := sim.Run(ctx, omnipitch.Pace{For: w.Test.For, Speed: timesync.Max})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%016x", report.Hash), nil
}

// seconds converts a sim time in seconds, as files have it, to a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
