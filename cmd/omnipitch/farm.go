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

// farmFlags are the flags that let other processes render the images of a run.
type farmFlags struct {
	Workers  *string       `placeholder:"PORT" help:"Let worker processes render the images. They connect to PORT on this machine, to HOST:PORT with TLS, or to the NATS server at a URL."`
	Join     *string       `placeholder:"FILE" help:"With --workers PORT or HOST:PORT: where to write the join file for omnipitch worker --join FILE. To add workers on other machines, copy the file there. Default: a temporary file."`
	Lease    time.Duration `default:"500ms" placeholder:"DURATION" help:"With --workers: time after which a worker that does not answer, or is late, loses its images to other processes. Default: ${default}."`
	DrawHere bool          `negatable:"" default:"true" help:"With --workers: --no-draw-here renders in this process only what no worker renders."`
	natsFlags
}

// usesNATS reports whether --workers names a NATS server of another process.
func (f *farmFlags) usesNATS() bool { return f.Workers != nil && strings.Contains(*f.Workers, "://") }

// check checks the flags without reading any file.
func (f *farmFlags) check() error {
	switch {
	case f.Workers == nil && (f.Join != nil || !f.DrawHere || f.natsFlags != natsFlags{}):
		return errors.New("--join, --no-draw-here, --creds, --token and --tls-...: need --workers")
	case f.Workers == nil:
		return nil
	case f.usesNATS() && f.Join != nil:
		return errors.New("--join: needs --workers PORT or HOST:PORT")
	case !f.usesNATS() && (f.Creds != nil || f.Token != nil || f.TLSCA != nil):
		return errors.New("--creds, --token and --tls-ca: need --workers URL")
	case f.Join != nil && *f.Join == "":
		return errors.New("--join: must name a file")
	case !(f.Lease >= 10*time.Millisecond && f.Lease <= time.Hour):
		return fmt.Errorf("--lease = %v: must lie in [10ms, 1h]", f.Lease)
	}
	return f.natsFlags.check()
}

// open lets workers connect to the run. The returned host is nil without --workers. The returned function close
// disconnects the workers and prints how many images each process has rendered.
func (f *farmFlags) open(ctx context.Context, con console.Streams, renderer string, samples int) (host *farm.Host,
	close func(), err error) {
	if f.Workers == nil {
		return nil, func() {}, nil
	}
	if err := f.checkFiles(); err != nil {
		return nil, nil, err
	}
	conn, end, err := f.connect(ctx, con)
	if err != nil {
		return nil, nil, err
	}
	notes := newLinePrinter(con.Notes())
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
		printShares(host, notes)
	}, nil
}

// connect connects to the NATS server for the workers. If --workers is a URL, this is the server at the URL. Otherwise
// connect starts a server in this process. The returned function end closes what connect has started.
func (f *farmFlags) connect(ctx context.Context, con console.Streams) (conn *nats.Conn, end func(), err error) {
	if f.usesNATS() {
		conn, err := console.Await(ctx,
			func() (*nats.Conn, error) { return f.dialer(*f.Workers).Connect("omnipitch run") },
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
	removeFolder := func() { os.RemoveAll(folder) }
	join := filepath.Join(folder, "join")
	if f.Join != nil {
		join = *f.Join
	}
	server, err := cluster.Serve(cluster.ServerConfig{Listen: *f.Workers, Cert: valueOf(f.TLSCert),
		Key:  valueOf(f.TLSKey),
		Join: join})
	if err == nil {
		conn, err = server.Connect()
		if err != nil {
			server.Close()
		}
	}
	if err != nil {
		removeFolder()
		if _, network := errors.AsType[*net.OpError](err); network {
			return nil, nil, console.NetworkError(fmt.Errorf("--workers: %w", err))
		}
		return nil, nil, console.BadInputf("--workers: %w", err)
	}
	fmt.Fprintf(con.Notes(), "workers: %s\n", server.Hint())
	return conn, func() {
		server.Dismiss()
		server.Close()
		removeFolder()
	}, nil
}

// printShares prints how many images each process has rendered.
func printShares(host *farm.Host, notes *linePrinter) {
	shares, saved := host.Shares()
	var parts []string
	for _, s := range shares[1:] {
		parts = append(parts, fmt.Sprintf("%d by %s", s.Frames, s.Name))
	}
	if len(parts) == 0 && shares[0].Frames == 0 {
		return
	}
	parts = append(parts, fmt.Sprintf("%d by this process", shares[0].Frames))
	line := "images: " + strings.Join(parts, ", ")
	if saved > 0 {
		line += fmt.Sprintf(", %d of them because a worker was late", saved)
	}
	notes.print(line)
}
