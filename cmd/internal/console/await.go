package console

import (
	"context"
	"errors"
)

// ErrInterrupted is what a command returns that was interrupted before the first step, when it had nothing to show.
var ErrInterrupted = errors.New("interrupted before the simulation began")

// Await returns what f returns, or ErrInterrupted as soon as ctx ends: building a scene, starting a driver and looking for
// a master cannot be interrupted. What f returns after that is discarded.
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
