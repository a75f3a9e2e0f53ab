package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

type workerCmd struct {
	drawingFlags
	natsFlags
	Join     *string `placeholder:"FILE" help:"Connect with this join file. sweep --listen writes it to DIR/join; run --workers prints its path. Copy it to use it on another machine."`
	NATS     *string `name:"nats" placeholder:"URL" help:"Connect to the NATS server that sweep --nats or run --workers names, instead of --join."`
	Jobs     int     `default:"1" placeholder:"N" help:"Number of runs of a sweep at a time. Default: ${default}."`
	Stay     bool    `help:"When no work is left, wait for more, until Ctrl-C."`
	Name     *string `placeholder:"NAME" help:"Name of this worker in results. Default: the name of the machine and the process ID."`
	Programs bool    `help:"Start the programs that worlds name. They run with your rights, so use it only if you trust everybody who can reach the server."`
}

// Check checks the flags without reading any file.
func (c *workerCmd) Check() error {
	if c.Jobs < 1 || c.Jobs > 1024 {
		return fmt.Errorf("--jobs = %d: must lie in [1, 1024]", c.Jobs)
	}
	switch {
	case c.Join == nil && c.NATS == nil:
		return errors.New("give --join FILE, which sweep --listen writes, or --nats URL")
	case c.Join != nil && (c.NATS != nil || c.natsFlags != natsFlags{}):
		return errors.New("--join: the file holds address and credentials: not with --nats, --creds, --token or " +
			"--tls-...")
	}
	return c.natsFlags.check()
}

// connect returns a function that connects to the NATS server which the flags name.
func (c *workerCmd) connect() (func(name string) (*nats.Conn, error), error) {
	if c.Join == nil {
		return c.dialer(*c.NATS).Connect, c.checkFiles()
	}
	join, err := cluster.ReadJoin(*c.Join)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, console.BadInputf("--join = %q: there is no such file", *c.Join)
	}
	if err != nil {
		return nil, console.BadInputf("--join: %w", err)
	}
	return join.Connect, nil
}

func (c *workerCmd) Run(ctx context.Context, con console.Streams) error {
	connect, err := c.connect()
	if err != nil {
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
	conn, err := console.Await(ctx, func() (*nats.Conn, error) { return connect(name) },
		func(c *nats.Conn) { c.Close() })
	if err != nil {
		return console.NetworkError(err)
	}
	defer conn.Close()
	simulates := sweep.Worker{Name: name, Version: version(), Probe: probe, Programs: c.Programs, Execute: simulator}
	draws := farm.Worker{Name: name, Version: version(), NewSim: newDrawingSim,
		Joined: func(run string) { fmt.Fprintf(con.Notes(), "drawing images of run %s\n", run) }}
	var (
		all        sync.WaitGroup
		mu         sync.Mutex
		errs       []error
		done, drew atomic.Int64
		late       atomic.Int64
	)
	simulates.Late = func(*sweep.Result) { late.Add(1) }
	serve := func(counter *atomic.Int64, serve func(context.Context, *nats.Conn) (int, error)) {
		all.Go(func() {
			err := c.repeat(ctx, func() error {
				n, err := serve(ctx, conn)
				counter.Add(int64(n))
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil && (len(errs) == 0 || errs[0].Error() != err.Error()) {
				errs = append(errs, err)
			}
		})
	}
	if sweep.Possible(ctx, conn) {
		for range c.Jobs {
			serve(&done, simulates.Serve)
		}
	}
	serve(&drew, draws.Serve)
	all.Wait()
	more := ""
	if n := late.Load(); n > 0 {
		more = fmt.Sprintf(", %d more came late and were discarded", n)
	}
	fmt.Fprintf(con.Out, "%d runs done%s, %d images drawn\n", done.Load(), more, drew.Load())
	err = errors.Join(errs...)
	switch {
	case errors.Is(err, context.Canceled):
		return nil // interrupted: other workers will do the unfinished jobs
	case errors.Is(err, sweep.ErrRefused), errors.Is(err, farm.ErrRefused):
		return console.BadInput(err)
	}
	return err
}

// pollJobsEvery is the period at which a worker with --stay asks for work.
const pollJobsEvery = time.Second

// repeat calls the function serve once. With --stay it calls serve again and again until ctx ends.
func (c *workerCmd) repeat(ctx context.Context, serve func() error) error {
	for {
		if err := serve(); err != nil || !c.Stay {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollJobsEvery):
		}
	}
}

// newDrawingSim builds a simulation that never makes a step. It only renders images for a run in another process.
func newDrawingSim(w *worlds.World, renderer string, samples int) (*omnipitch.Sim, error) {
	return omnipitch.New(w, omnipitch.Options{Renderer: renderer, Tracing: render.Tracing{Samples: samples},
		NoWorker: true})
}

// natsFlags are the flags with the credentials and certificates for connecting to a NATS server.
type natsFlags struct {
	Creds   *string `placeholder:"FILE" help:"File with NATS credentials."`
	Token   *string `placeholder:"FILE" help:"File with the token of the NATS server."`
	TLSCA   *string `name:"tls-ca" placeholder:"FILE" help:"File with the CA certificates that verify the NATS server. Default: the system's certificates."`
	TLSCert *string `name:"tls-cert" placeholder:"FILE" help:"File with the TLS certificate of this process. Needs --tls-key."`
	TLSKey  *string `name:"tls-key" placeholder:"FILE" help:"File with the private key of --tls-cert."`
}

// check checks the flags without reading any file.
func (f *natsFlags) check() error {
	if (f.TLSCert == nil) != (f.TLSKey == nil) {
		return errors.New("--tls-cert and --tls-key: give both or neither")
	}
	return nil
}

// checkFiles checks that the files exist.
func (f *natsFlags) checkFiles() error {
	for _, file := range []struct {
		name string
		path *string
	}{{"--creds", f.Creds}, {"--token", f.Token}, {"--tls-ca", f.TLSCA}, {"--tls-cert", f.TLSCert},
		{"--tls-key", f.TLSKey}} {
		if file.path == nil {
			continue
		}
		if info, err := os.Stat(*file.path); err != nil || info.IsDir() {
			return console.BadInputf("%s = %q: must name a file", file.name, *file.path)
		}
	}
	return nil
}

// dialer returns the address url of a NATS server, with the credentials from the flags.
func (f *natsFlags) dialer(url string) *cluster.Dial {
	return &cluster.Dial{URL: url, Creds: valueOf(f.Creds), TokenFile: valueOf(f.Token), CA: valueOf(f.TLSCA),
		Cert: valueOf(f.TLSCert), Key: valueOf(f.TLSKey)}
}

// valueOf returns the value of an optional flag, or "" if the user has not given it.
func valueOf(flag *string) string {
	if flag == nil {
		return ""
	}
	return *flag
}
