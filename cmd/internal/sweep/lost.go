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

// isLost tells whether an error is of the way to the server, or of one that has just begun again: it may be another the
// next time.
func isLost(err error) bool {
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

// How long a server that restarts is waited for, and one that is there, but says that it has no JetStream: it may still
// be reading what it has stored.
const (
	answerWithin    = 90 * time.Second
	jetStreamWithin = 10 * time.Second
)

// patient does what may be done again until a server that begins again answers, for a while. That one does not answer
// is the machine's fault.
func patient(ctx context.Context, f func() error) error {
	for begun := time.Now(); ; {
		err := f()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !isLost(err) {
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
