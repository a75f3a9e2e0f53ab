// Package console prints the output of commands: results, warnings and progress. It also defines the exit codes, and
// marks errors with the exit code that they lead to.
package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Streams are the outputs of a command: results go to Out, everything else to Err.
type Streams struct {
	Out, Err io.Writer
	Quiet    bool // print only results, errors and warnings

	status *Terminal // the terminal for the status line, if Err no longer is one itself; see Plain
	data   io.Writer // Out without the escaping of Plain; nil: Out
	shown  bool      // Out is a terminal
}

// Open returns the streams of a process. If stderr is a terminal, its last row is a status line, and all output to
// stdout and stderr appears above that line.
func Open(stdout, stderr *os.File) Streams {
	t := newTerminal(stderr)
	if t == nil {
		return Streams{Out: stdout, Err: stderr, shown: shows(stdout)}
	}
	return Streams{Out: &above{t, stdout}, Err: t, shown: shows(stdout)}
}

// Notes returns the output for messages that users can do without. It is Err or, with --quiet, an output that discards
// everything.
func (s Streams) Notes() io.Writer {
	if s.Quiet {
		return io.Discard
	}
	return s.Err
}

// terminal returns the terminal for the status line. It is nil if Err is not a terminal, or if --quiet is set.
func (s Streams) terminal() *Terminal {
	if t, ok := s.Err.(*Terminal); ok && !s.Quiet {
		return t
	}
	if s.Quiet {
		return nil
	}
	return s.status
}

// LineEvery is the wall time between progress lines if there is no terminal.
const LineEvery = 5 * time.Second

// drawEvery is the wall time between updates of the status line.
const drawEvery = time.Second / 4

// Every calls the function f periodically until stop is called. The argument of f is the wall time since Every was
// called. stop waits until the last call of f has returned.
func Every(period time.Duration, f func(time.Duration)) (stop func()) {
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

// ErrInterrupted is the error of a command that was interrupted before the first step of the simulation. Such a command
// has no result.
var ErrInterrupted = errors.New("interrupted before the simulation began")

// Await calls the function f and returns its result, or ErrInterrupted as soon as ctx ends. It is for functions that
// cannot be interrupted, such as starting a graphics driver. If f returns after ctx has ended, the function discard
// gets the result.
func Await[T any](ctx context.Context, f func() (T, error), discard func(T)) (T, error) {
	type result struct {
		made T
		err  error
	}
	done := make(chan result, 1)
	go func() {
		made, err := f()
		done <- result{made, err}
	}()
	select {
	case r := <-done:
		return r.made, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.err == nil {
				discard(r.made)
			}
		}()
		var none T
		return none, ErrInterrupted
	}
}

// CheckedWriter writes to W until a write fails. It keeps the error of this write, so that callers need not check each
// write. It may be used from any goroutine.
type CheckedWriter struct {
	W io.Writer

	mu  sync.Mutex
	err error
}

func (c *CheckedWriter) Write(p []byte) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		n, c.err = c.W.Write(p)
	}
	return n, c.err
}

// Err returns the error of the first write that failed, or nil.
func (c *CheckedWriter) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Quote quotes a word for a POSIX shell, if necessary.
func Quote(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("-_./=:,+@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Machine returns a text that describes this machine: system, cores and Go version. Reports of measurements contain it.
func Machine() string {
	return fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
}

// Exit codes. --help lists them.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitBadInput    = 2
	ExitUnavailable = 3
)

type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

type unavailable struct{ error }

func (e unavailable) Unwrap() error { return e.error }

// BadInput marks an error in the files or flags of the user.
func BadInput(err error) error { return badInput{err} }

// BadInputf formats an error as fmt.Errorf does, and marks the error as BadInput does.
func BadInputf(format string, args ...any) error { return badInput{fmt.Errorf(format, args...)} }

// Unavailable marks an error that the environment has caused: for instance a missing driver, a port in use, or a server
// that does not answer.
func Unavailable(err error) error { return unavailable{err} }

// Unavailablef formats an error as fmt.Errorf does, and marks the error as Unavailable does.
func Unavailablef(format string, args ...any) error { return unavailable{fmt.Errorf(format, args...)} }

// ExitCode returns the exit code of the process for the error that a command has returned.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // the disk or the quota is full
		return ExitUnavailable
	case errors.As(err, new(badInput)):
		return ExitBadInput
	case errors.As(err, new(unavailable)), errors.Is(err, render.ErrNoContext), errors.Is(err, physics.ErrNoMuJoCo),
		errors.Is(err, syscall.EADDRINUSE):
		return ExitUnavailable
	}
	return ExitFailed
}

// NetworkError marks an error of opening a port or a connection. An address that this machine does not have and an
// unknown host are BadInput. Every other error is Unavailable. That of a port in use says what the user can do.
func NetworkError(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && errors.Is(op, syscall.EADDRINUSE) {
		err = fmt.Errorf("%w: stop the program that uses it, or choose another port", err)
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, ErrInterrupted):
		return err
	case errors.Is(err, syscall.EADDRNOTAVAIL), ok && dns.IsNotFound:
		return BadInput(err)
	}
	return Unavailable(err)
}
