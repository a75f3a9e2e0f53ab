package main

import (
	"context"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
)

type masterCmd struct{ serve.MasterFlags }

// Run runs a master until the context ends.
func (c *masterCmd) Run(ctx context.Context, con console.Streams) error {
	m, err := serve.OpenMaster(con, c.MasterFlags)
	if err != nil {
		return err
	}
	defer m.Close()
	<-ctx.Done()
	return nil
}
