package main

import (
	"errors"
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

func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, new(badInput)):
		return exitBadInput
	case errors.As(err, new(lacking)), errors.Is(err, render.ErrNoContext), errors.Is(err, syscall.EADDRINUSE):
		return exitLacking
	}
	return exitFailed
}
