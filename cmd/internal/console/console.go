// Package console prints what commands say: results, what users must know, and how long work is getting on.
package console

import (
	"encoding/json"
	"io"
	"os"
	"time"
)

// Streams is where a command prints: results to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
	Quiet    bool // the user wants results, errors and warnings alone
}

// Open returns the streams of a process. Where stderr is a terminal, a status line stands below what is written to
// either.
func Open(stdout, stderr *os.File) Streams {
	t := newTerminal(stderr)
	if t == nil {
		return Streams{Out: stdout, Err: stderr}
	}
	return Streams{Out: &above{t, stdout}, Err: t}
}

// Notes returns where things are printed that are good to know, and that nobody must: Err, or nowhere if the user wants
// it quiet.
func (s Streams) Notes() io.Writer {
	if s.Quiet {
		return io.Discard
	}
	return s.Err
}

// terminal returns where a status line is to stand; nil if there is no terminal, or nothing is to be told.
func (s Streams) terminal() *Terminal {
	if t, ok := s.Err.(*Terminal); ok && !s.Quiet {
		return t
	}
	return nil
}

// LineEvery is the wall time between lines about long work where there is no terminal.
const LineEvery = 5 * time.Second

// drawEvery is the wall time after which what is told of long work is looked at again.
const drawEvery = time.Second / 4

// every calls f with the wall time since now, again and again until stop is called; stop waits for the last call.
func every(period time.Duration, f func(time.Duration)) (stop func()) {
	begun, over, done := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(period)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				f(time.Since(begun))
			}
		}
	}()
	return func() { close(over); <-done }
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
