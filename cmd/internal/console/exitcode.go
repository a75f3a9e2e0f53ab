package console

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/omnipitch/omnipitch/render"
)

// Exit codes, as --help lists them.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitBadInput    = 2
	ExitUnavailable = 3
)

type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

type lacking struct{ error }

func (e lacking) Unwrap() error { return e.error }

// BadInput marks an error that the user's files or flags are to blame for.
func BadInput(err error) error { return badInput{err} }

// BadInputf is BadInput of an error that it formats as fmt.Errorf does.
func BadInputf(format string, args ...any) error { return badInput{fmt.Errorf(format, args...)} }

// Unavailable marks an error that the machine is to blame for: a driver, a free port, a master that answers.
func Unavailable(err error) error { return lacking{err} }

// Unavailablef is Unavailable of an error that it formats as fmt.Errorf does.
func Unavailablef(format string, args ...any) error { return lacking{fmt.Errorf(format, args...)} }

// ExitCode returns the exit code for what a command returned.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT): // a full disk, or quota, whichever file it was
		return ExitUnavailable
	case errors.As(err, new(badInput)):
		return ExitBadInput
	case errors.As(err, new(lacking)), errors.Is(err, render.ErrNoContext), errors.Is(err, syscall.EADDRINUSE):
		return ExitUnavailable
	}
	return ExitFailed
}

// NetworkError marks an error of opening a port or a connection. An address that is not this machine's and a host that
// nobody knows are what the user wrote; a port that is taken and a master that does not answer are the machine's.
func NetworkError(err error) error {
	dns, ok := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, ErrInterrupted):
		return err
	case errors.Is(err, syscall.EADDRNOTAVAIL), ok && dns.IsNotFound:
		return BadInput(err)
	}
	return Unavailable(err)
}
