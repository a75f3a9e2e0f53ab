package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
)

// farmFlags are how others draw a run's images.
type farmFlags struct {
	natsFlags
	Workers  *string       `placeholder:"PORT" help:"Let workers draw the images: of PORT on this machine, of HOST:PORT, encrypted, or of the NATS server at a URL."`
	Join     *string       `placeholder:"FILE" help:"Where the join file of --workers is written: omnipitch worker --join FILE, here or, with a copy of it, elsewhere. Default: a file in the folder for temporary ones."`
	Lease    time.Duration `default:"500ms" placeholder:"DURATION" help:"After which the images of a worker that is silent or late are drawn by others. Default: ${default}."`
	DrawHere bool          `negatable:"" default:"true" help:"With --no-draw-here this process draws only what workers do not."`
}

// outer tells whether the workers are at another's server.
func (f *farmFlags) outer() bool { return f.Workers != nil && strings.Contains(*f.Workers, "://") }

// check judges the flags by themselves.
func (f *farmFlags) check() error {
	switch {
	case f.Workers == nil && (f.Join != nil || !f.DrawHere || f.natsFlags != natsFlags{}):
		return errors.New("--join, --no-draw-here, --creds, --token and --tls-... go with --workers")
	case f.Workers == nil:
		return nil
	case f.outer() && f.Join != nil:
		return errors.New("--join: goes with a server in this process, of --workers PORT or HOST:PORT")
	case !f.outer() && (f.Creds != nil || f.Token != nil || f.TLSCA != nil):
		return errors.New("--creds, --token and --tls-ca go with --workers URL")
	case f.Join != nil && *f.Join == "":
		return errors.New("--join: must name a file")
	case !(f.Lease >= 10*time.Millisecond && f.Lease <= time.Hour):
		return fmt.Errorf("--lease = %v: must lie in [10ms, 1h]", f.Lease)
	}
	return f.natsFlags.check()
}

// open lets workers in; host is nil without --workers. close ends what it has begun, and says who has drawn what.
func (f *farmFlags) open(ctx context.Context, con console.Streams, renderer string, samples int) (host *farm.Host,
	close func(), err error) {
	if f.Workers == nil {
		return nil, func() {}, nil
	}
	if err := f.files(); err != nil {
		return nil, nil, err
	}
	conn, end, err := f.connect(ctx, con)
	if err != nil {
		return nil, nil, err
	}
	notes := newEcho(con.Notes())
	host, err = farm.New(farm.Config{Conn: conn, Version: version(), Renderer: renderer, Samples: samples,
		Lease: f.Lease, Here: f.DrawHere, Notify: notes.print})
	if err != nil {
		conn.Close()
		end()
		return nil, nil, console.NetworkError(err)
	}
	return host, func() {
		host.Close()
		end()
		tellShares(host, notes)
	}, nil
}

// connect reaches the server of the workers, which may be in this process.
func (f *farmFlags) connect(ctx context.Context, con console.Streams) (conn *nats.Conn, end func(), err error) {
	if f.outer() {
		conn, err := console.Await(ctx, func() (*nats.Conn, error) { return f.dial(*f.Workers).Connect("omnipitch run") },
			func(c *nats.Conn) { c.Close() })
		if err != nil {
			return nil, nil, console.NetworkError(err)
		}
		fmt.Fprintf(con.Notes(), "workers: omnipitch worker --nats %s\n", *f.Workers)
		return conn, func() {}, nil
	}
	folder, err := os.MkdirTemp("", "omnipitch-workers-")
	if err != nil {
		return nil, nil, console.Unavailable(err)
	}
	forget := func() { os.RemoveAll(folder) }
	join := filepath.Join(folder, "join")
	if f.Join != nil {
		join = *f.Join
	}
	server, err := cluster.Serve(cluster.ServerConfig{Listen: *f.Workers, Cert: text(f.TLSCert), Key: text(f.TLSKey),
		Join: join})
	if err == nil {
		conn, err = server.Connect()
		if err != nil {
			server.Close()
		}
	}
	if err != nil {
		forget()
		if _, network := errors.AsType[*net.OpError](err); network {
			return nil, nil, console.NetworkError(fmt.Errorf("--workers: %w", err))
		}
		return nil, nil, console.BadInputf("--workers: %w", err)
	}
	fmt.Fprintf(con.Notes(), "workers: %s\n", server.Hint())
	return conn, func() {
		server.Dismiss()
		server.Close()
		forget()
	}, nil
}

// tellShares says who has drawn how many images.
func tellShares(host *farm.Host, notes *echo) {
	shares, saved := host.Shares()
	var parts []string
	for _, s := range shares[1:] {
		parts = append(parts, fmt.Sprintf("%d by %s", s.Frames, s.Name))
	}
	if len(parts) == 0 && shares[0].Frames == 0 {
		return
	}
	parts = append(parts, fmt.Sprintf("%d by the run itself", shares[0].Frames))
	line := "images: " + strings.Join(parts, ", ")
	if saved > 0 {
		line += fmt.Sprintf(", of these %d that workers owed", saved)
	}
	notes.print(line)
}
