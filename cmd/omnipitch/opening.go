package main

import (
	"context"
	"errors"
	"io"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// openRecording opens a recording with the function open. It says on stderr that it does so if that takes longer than a
// second, and ends with ctx.
func openRecording[T io.Closer](ctx context.Context, con console.Streams, path string,
	open func(string) (T, error)) (T, error) {
	status := console.NewStatus(con, path)
	defer status.Close()
	status.Set("reading the recording")
	r, err := console.Await(ctx, func() (T, error) { return open(path) }, func(r T) { r.Close() })
	if err != nil && !errors.Is(err, console.ErrInterrupted) {
		err = console.BadInput(err)
	}
	return r, err
}
