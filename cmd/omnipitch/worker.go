package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/cmd/exit"
	programs "github.com/omnipitch/omnipitch/cmd/program"
	"github.com/omnipitch/omnipitch/cmd/serve"
	"github.com/omnipitch/omnipitch/cmd/sweep"
)

type workerCmd struct {
	drawing
	natsFlags
	NATS     string  `name:"nats" required:"" placeholder:"URL" help:"The server that the sweeps' runs lie on, as sweep --listen prints it, or sweep --nats names it."`
	Jobs     int     `default:"1" placeholder:"N" help:"How many runs go on at once. Default: ${default}."`
	Name     *string `placeholder:"NAME" help:"What results call this worker; default: the machine and the process."`
	Programs bool    `help:"Start the programs that worlds name, with your rights: do so alone where you trust all who may reach the server."`
}

// Check judges what the flags say by themselves.
func (c *workerCmd) Check() error {
	if c.Jobs < 1 || c.Jobs > 1024 {
		return fmt.Errorf("--jobs = %d: must lie in [1, 1024]", c.Jobs)
	}
	return c.natsFlags.check()
}

func (c *workerCmd) Run(ctx context.Context, con console.Streams) error {
	if err := c.files(); err != nil {
		return err
	}
	simulator, err := newSimulator(c.Renderer, c.Programs, c.Jobs)
	if err != nil {
		return err
	}
	if c.Programs {
		if err := serve.NeedOpenFiles(uint64(c.Jobs) * programs.OpenFiles); err != nil {
			return err
		}
	}
	probe, err := sweep.Probe(ctx)
	if err != nil {
		return err
	}
	name := workerName()
	if c.Name != nil {
		name = *c.Name
	}
	conn, err := exit.Await(ctx, func() (*nats.Conn, error) { return c.dial(c.NATS).Connect(name) }, func(c *nats.Conn) { c.Close() })
	if err != nil {
		return exit.Network(err)
	}
	defer conn.Close()
	w := sweep.Worker{Name: name, Version: version(), Probe: probe, Programs: c.Programs, Execute: simulator}
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		errs []error
		done atomic.Int64
	)
	for range c.Jobs {
		all.Go(func() {
			n, err := w.Serve(ctx, conn)
			done.Add(int64(n))
			mu.Lock()
			defer mu.Unlock()
			if err != nil && (len(errs) == 0 || errs[0].Error() != err.Error()) {
				errs = append(errs, err)
			}
		})
	}
	all.Wait()
	fmt.Fprintf(con.Out, "%d runs done\n", done.Load())
	err = errors.Join(errs...)
	switch {
	case errors.Is(err, context.Canceled):
		return nil // asked to end: what it had taken others get
	case errors.Is(err, sweep.ErrRefused):
		return exit.BadInput(err)
	}
	return err
}
