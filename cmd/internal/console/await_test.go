package console

import (
	"context"
	"errors"
	"testing"
)

// What cannot be broken off is left behind when a run is interrupted, and discarded when it is done.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began, release, discarded := make(chan bool), make(chan bool), make(chan int)
	go func() { <-began; cancel() }()
	_, err := Await(ctx, func() (int, error) { began <- true; <-release; return 7, nil },
		func(n int) { discarded <- n })
	if !errors.Is(err, ErrInterrupted) {
		t.Fatalf("%v, want %v", err, ErrInterrupted)
	}
	release <- true
	if n := <-discarded; n != 7 {
		t.Errorf("discarded %d, want 7", n)
	}
	if n, err := Await(t.Context(), func() (int, error) { return 7, nil },
		func(int) { t.Error("discarded") }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
