package console

import (
	"context"
	"errors"
)

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
