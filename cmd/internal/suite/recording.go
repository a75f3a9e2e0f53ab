package suite

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds"
)

// recordings collects the errors of writing the recordings of a suite.
type recordings struct {
	mu  sync.Mutex
	err error // the first error
}

func (s *recordings) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// finish adds a note to the outcome if recordings are missing.
func (s *recordings) finish(o *Outcome) {
	if s.err != nil {
		o.Notes = append(o.Notes, fmt.Sprintf("some recordings are missing: %v", s.err))
	}
}

// record starts the recording of a run, if the suite records its runs. An error of the recording never ends the run.
func (r *run) record(world *worlds.World, opts *omnipitch.Options) {
	if r.Record == nil {
		return
	}
	name := fmt.Sprintf("%s.%d.mcap", r.gallery.names[r.world], r.Seed)
	path, err := r.Out.List(name)
	if err == nil {
		_, err = r.Out.List(name + aside.Suffix)
	}
	if err == nil {
		cfg := *r.Record
		cfg.Exact, cfg.Off, cfg.Renderer = world.Record.Exact, !world.Record.On, r.Renderer
		cfg.Ended = r.recordings.fail
		r.tape, err = recorder.New(path, world, cfg)
	}
	if err != nil {
		r.recordings.fail(err)
		return
	}
	r.tape.Hook(opts)
	r.recorded = path
}

// endRecording ends the recording of a run. It deletes the recording unless the run failed.
func (r *run) endRecording() {
	if r.tape == nil {
		return
	}
	err := r.tape.Close() // an error was already reported through cfg.Ended
	r.tape = nil
	path := r.recorded
	if err != nil {
		path += aside.Suffix
	}
	if r.Failed() {
		r.Recording = path
		return
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.recordings.fail(err)
	}
}
