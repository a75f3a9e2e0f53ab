package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recorder"
)

// Recordings configures which recordings the page shows, and where recordings that the page starts are written.
type Recordings struct {
	Folders []string        // folders with recordings and test results to show
	Into    string          // the folder for recordings of the run; empty: pages cannot record
	Tap     *recorder.Tap   // tap of the run; used if Into is not empty
	Config  recorder.Config // configuration of recordings that pages start
}

// tape records the run for pages.
type tape struct {
	cfg   Recordings
	world func() string // name of the run's world; nil: there is no run

	mu   sync.Mutex
	name string // of the file being written
	err  error  // why the last recording ended early
}

// tapeJSON is the state of recording.
type tapeJSON struct {
	Offered bool   `json:"offered"`
	Why     string `json:"why,omitempty"` // why it is not available
	On      bool   `json:"on"`
	Name    string `json:"name,omitempty"`  // of the file being written
	Error   string `json:"error,omitempty"` // why the last recording ended early
}

// recordingsJSON is the answer to /api/recordings.
type recordingsJSON struct {
	Recordings []recordingJSON `json:"recordings"` // newest first
	More       int             `json:"left_out"`
	Folders    int             `json:"folders"` // number of folders named at the start
	Record     tapeJSON        `json:"record"`
}

// Reasons why recording is not available.
var (
	errNoFolder = errors.New("recording needs a folder: start omnipitch run with --recordings DIR")
	errNoRun    = errors.New("there is no run that could be recorded")
)

// offered returns why recording is not available. It returns nil if recording is available.
func (t *tape) offered() error {
	switch {
	case t.cfg.Tap != nil && t.cfg.Into != "":
		return nil
	case t.world == nil:
		return errNoRun
	}
	return errNoFolder
}

func (t *tape) json() tapeJSON {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.offered(); err != nil {
		return tapeJSON{Why: err.Error()}
	}
	j := tapeJSON{Offered: true, On: t.cfg.Tap.On()}
	if j.On {
		j.Name = t.name
	}
	if t.err != nil {
		j.Error = t.err.Error()
	}
	return j
}

// on reports whether the run is being recorded.
func (t *tape) on() bool { return t.cfg.Tap != nil && t.cfg.Tap.On() }

// start starts a recording. The name of the recording's file consists of the world's name and the wall time now.
// Clients cannot choose it.
func (t *tape) start(ctx context.Context, now time.Time) error {
	if err := t.offered(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	world := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, t.world())
	name := fmt.Sprintf("%s-%s%s", world[:min(len(world), 80)], now.Format("2006-01-02-150405.000"), fileSuffix)
	cfg := t.cfg.Config
	cfg.Ended = func(err error) { go t.ended(err) }
	if err := t.cfg.Tap.Start(ctx, filepath.Join(t.cfg.Into, name), cfg); err != nil {
		return err
	}
	t.name, t.err = name, nil
	return nil
}

// ended records that a recording has ended by itself, for example because the disk is full. The run continues.
func (t *tape) ended(err error) {
	_ = t.stop() // the error is already known
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

func (t *tape) stop() error {
	if err := t.offered(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cfg.Tap.Stop()
}

// close ends a recording in progress after the run has ended.
func (t *tape) close() error {
	if t.cfg.Tap == nil {
		return nil
	}
	return t.cfg.Tap.Close()
}

func (s *Server) recordings(*http.Request) (any, error) {
	tape := s.tape.json() // read the state first: a recording that ends now is then in the list
	all, more := s.folders.list()
	return recordingsJSON{append([]recordingJSON{}, all...), more, len(s.folders.all), tape}, nil
}

// record starts or ends a recording of the run.
func (s *Server) record(ctx context.Context, body []byte) (any, error) {
	var in struct {
		Record *bool `json:"record"`
	}
	err := decode(body, &in)
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	switch {
	case err != nil:
	case in.Record == nil:
		err = errors.New("record: must be given, true or false")
	case *in.Record:
		err = s.tape.start(ctx, time.Now())
	default:
		err = s.tape.stop()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("no step has come for two seconds, and nothing was changed")
	}
	return s.tape.json(), err
}
