package main

import (
	"context"
	"errors"
)

// errNotBegun is what a command returns that was interrupted before the first step, and before it had anything to show.
var errNotBegun = errors.New("interrupted before the simulation began")

// await returns what f does, or errNotBegun as soon as ctx ends: building a scene, starting a driver and looking for
// a master cannot be broken off. What f makes later is discarded.
func await[T any](ctx context.Context, f func() (T, error), discard func(T)) (T, error) {
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
		return none, errNotBegun
	}
}
