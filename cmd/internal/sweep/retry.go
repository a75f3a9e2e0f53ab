package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

// isTransient reports whether a retry may succeed, because the error comes from a broken connection or from a server
// that is restarting.
func isTransient(err error) bool {
	for _, transient := range []error{nats.ErrNoResponders, nats.ErrTimeout, nats.ErrConnectionClosed,
		nats.ErrConnectionReconnecting, nats.ErrDisconnected, nats.ErrNoServers, errBehind,
		jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted, jetstream.ErrNoHeartbeat,
		jetstream.ErrNoStreamResponse, context.DeadlineExceeded} {
		if errors.Is(err, transient) {
			return true
		}
	}
	answer, ok := errors.AsType[*jetstream.APIError](err)
	return ok && answer.Code >= 500
}

// answerWithin is the maximum time to wait for a server that restarts. jetStreamWithin is the maximum time to wait for
// a server that answers without JetStream, because it may still be reading its storage.
const (
	answerWithin    = 90 * time.Second
	jetStreamWithin = 10 * time.Second
)

// patient calls the function f again and again until it succeeds or fails with an error that is not transient. It gives
// up if the server stays away for longer than answerWithin. It then returns an error marked with console.Unavailable.
func patient(ctx context.Context, f func() error) error {
	for begun := time.Now(); ; {
		err := f()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !isTransient(err) {
			return fmt.Errorf("NATS: %w", err)
		}
		switch waited := time.Since(begun); {
		case errors.Is(err, nats.ErrNoResponders) && waited > jetStreamWithin:
			return console.Unavailablef("NATS: the server has no JetStream")
		case errors.Is(err, nats.ErrConnectionClosed) || waited > answerWithin:
			return console.Unavailablef("NATS: %w", err)
		}
		sleep(ctx, askEvery/4)
	}
}

func sleep(ctx context.Context, span time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(span):
	}
}
