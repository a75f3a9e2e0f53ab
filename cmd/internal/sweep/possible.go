package sweep

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Possible tells whether there can be sweeps at a server. Without JetStream, as at that of a run whose images are drawn
// by workers, there are none.
func Possible(ctx context.Context, nc *nats.Conn) bool {
	if here, _ := nc.ConnectedServerJetStream(); here {
		return true
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return true // which Serve says
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = js.AccountInfo(ctx) // another server of the cluster may have it
	return !errors.Is(err, nats.ErrNoResponders) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled)
}
