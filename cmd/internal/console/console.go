// Package console prints the output of commands: results, warnings and progress. It also defines the exit codes, and
// marks errors with the exit code that they lead to.
package console

import (
	"encoding/json"
	"io"
	"os"
	"time"
)

// Streams are the outputs of a command: results go to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
	Quiet    bool // print only results, errors and warnings
}

// Open returns the streams of a process. If stderr is a terminal, its last row is a status line, and all output to
// stdout and stderr appears above that line.
func Open(stdout, stderr *os.File) Streams {
	t := newTerminal(stderr)
	if t == nil {
		return Streams{Out: stdout, Err: stderr}
	}
	return Streams{Out: &above{t, stdout}, Err: t}
}

// Notes returns the output for messages that users can do without. It is Err or, with --quiet, an output that discards
// everything.
func (s Streams) Notes() io.Writer {
	if s.Quiet {
		return io.Discard
	}
	return s.Err
}

// terminal returns the terminal for the status line. It is nil if Err is no terminal, and with --quiet.
func (s Streams) terminal() *Terminal {
	if t, ok := s.Err.(*Terminal); ok && !s.Quiet {
		return t
	}
	return nil
}

// LineEvery is the wall time between progress lines if there is no terminal.
const LineEvery = 5 * time.Second

// drawEvery is the wall time between updates of the status line.
const drawEvery = time.Second / 4

// every calls the function f periodically until stop is called. The argument of f is the wall time since every was
// called. stop waits until the last call of f has returned.
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
