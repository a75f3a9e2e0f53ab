package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Possible reports whether a server can hold sweeps. A server without JetStream cannot. An example is the server of a
// run with --workers.
func Possible(ctx context.Context, nc *nats.Conn) bool {
	if here, _ := nc.ConnectedServerJetStream(); here {
		return true
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return true // Serve will return the error
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = js.AccountInfo(ctx) // another server of the cluster may have JetStream
	return !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}
