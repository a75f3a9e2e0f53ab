package console

import (
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/omnipitch/omnipitch/render"
)

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
	case errors.As(err, new(unavailable)), errors.Is(err, render.ErrNoContext), errors.Is(err, syscall.EADDRINUSE):
		return ExitUnavailable
	}
	return ExitFailed
}

// NetworkError marks an error of opening a port or a connection. An address that this machine does not have and an
// unknown host are BadInput. Every other error is Unavailable, for instance a port in use.
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
