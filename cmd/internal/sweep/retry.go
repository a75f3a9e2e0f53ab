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

// isTransient reports whether an error comes from the connection, or from a server that is restarting, so that a retry
// may succeed.
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

// How long to wait for a server that restarts, and for a server that answers without JetStream: it may still be reading
// its storage.
const (
	answerWithin    = 90 * time.Second
	jetStreamWithin = 10 * time.Second
)

// patient retries f while the server restarts, for a while. If the server does not answer, it returns an error marked
// console.Unavailable.
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
