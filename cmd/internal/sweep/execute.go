package sweep

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
)

// Simulator does jobs as omnipitch test does a run. Several workers may share one.
type Simulator struct {
	Renderer string
	Programs bool // programs may be started
	Several  bool // as many workers as cores: a run has one core
	Record   *recorder.Config
	Beside   func(*worlds.World, *omnipitch.Options) suite.Simulate

	cache omnipitch.Cache
	mu    sync.Mutex
	known []loaded // the last one at the end
}

// loaded is a world that a job came with.
type loaded struct {
	sum   string
	world *worlds.World
}

// mostLoaded bounds the worlds that are kept: jobs of one world and point follow each other.
const mostLoaded = 8

// Execute does a job: see [Executor].
func (s *Simulator) Execute(ctx context.Context, job *Job, record bool, folder string, bundle func() ([]byte, error)) (
	*Result, string, error) {
	w, err := s.load(job.Bundle, bundle)
	if err != nil && (isLost(err) || ctx.Err() != nil) {
		return nil, "", err
	}
	if err != nil { // no worker can do it
		r := &Result{}
		r.Error = shortened(err.Error())
		return r, "", nil
	}
	if len(w.Programs) > 0 && !s.Programs {
		return nil, "", console.BadInputf("%w: world %s starts programs, with your rights: a worker with --programs "+
			"does",
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
	if r.Err != nil && console.ExitCode(r.Err) != console.ExitFailed {
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

// mostError bounds what is kept of an error, which may have a stack trace: NATS takes 1 MiB.
const mostError = 16 << 10

func shortened(text string) string {
	if len(text) > mostError {
		return text[:mostError] + " …"
	}
	return text
}

// load returns a job's world, which is read once for the jobs that follow each other.
func (s *Simulator) load(sum string, bundle func() ([]byte, error)) (*worlds.World, error) {
	s.mu.Lock()
	for i := range s.known {
		if s.known[i].sum == sum {
			defer s.mu.Unlock()
			return s.known[i].world, nil
		}
	}
	s.mu.Unlock() // others go on meanwhile; two may read the same one
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
	if len(s.known) == mostLoaded {
		s.known = s.known[1:]
	}
	s.known = append(s.known[:len(s.known):len(s.known)], loaded{sum, w})
	return w, nil
}
