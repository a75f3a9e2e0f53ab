package main

import (
	"errors"
	"net"
	"syscall"

	"github.com/omnipitch/omnipitch/render"
)

// Exit codes, as --help lists them.
const (
	exitDone     = 0
	exitFailed   = 1
	exitBadInput = 2
	exitLacking  = 3
)

// badInput marks errors that the user's files or flags are to blame for.
type badInput struct{ error }

func (e badInput) Unwrap() error { return e.error }

// lacking marks errors that the machine is to blame for: a driver, a free port, a master that answers.
type lacking struct{ error }

func (e lacking) Unwrap() error { return e.error }

// wireError sorts what a wire could not be opened for. An address that is not this machine's and a host that nobody knows
// are what the user wrote; a port that is taken and a master that does not answer are the machine's.
func wireError(err error) error {
	dns, ok := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, errNotBegun):
		return err
	case errors.Is(err, syscall.EADDRNOTAVAIL), ok && dns.IsNotFound:
		return badInput{err}
	}
	return lacking{err}
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case isFull(err): // whichever file it was
		return exitLacking
	case errors.As(err, new(badInput)):
		return exitBadInput
	case errors.As(err, new(lacking)), errors.Is(err, render.ErrNoContext), errors.Is(err, syscall.EADDRINUSE):
		return exitLacking
	}
	return exitFailed
}

// isFull tells whether a disk has no room, or a user no more of it.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
