package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// natsFlags are how a NATS server is reached that is not this process' own.
type natsFlags struct {
	Creds   *string `placeholder:"FILE" help:"Credentials of NATS, a file."`
	Token   *string `placeholder:"FILE" help:"The token that the server asks for, a file."`
	TLSCA   *string `name:"tls-ca" placeholder:"FILE" help:"Certificates that the server's is to be signed by; default: the system's."`
	TLSCert *string `name:"tls-cert" placeholder:"FILE" help:"Certificate of this side, for TLS; needs --tls-key."`
	TLSKey  *string `name:"tls-key" placeholder:"FILE" help:"Key of --tls-cert."`
}

// check judges the flags by themselves.
func (f *natsFlags) check() error {
	if (f.TLSCert == nil) != (f.TLSKey == nil) {
		return errors.New("--tls-cert and --tls-key go together")
	}
	return nil
}

// files makes sure that the files are there.
func (f *natsFlags) files() error {
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

func (f *natsFlags) dial(url string) *cluster.Dial {
	return &cluster.Dial{URL: url, Creds: text(f.Creds), TokenFile: text(f.Token), CA: text(f.TLSCA),
		Cert: text(f.TLSCert), Key: text(f.TLSKey)}
}

// text is what a flag says, "" without it.
func text(flag *string) string {
	if flag == nil {
		return ""
	}
	return *flag
}

type sweepCmd struct {
	drawing
	natsFlags
	File          string        `arg:"" help:"What is varied, a file: worlds, seeds, and keys of the worlds with their values; or chase, an example that ships."`
	Out           string        `required:"" placeholder:"DIR" help:"Where results are kept: a new or an empty folder, or that of the same sweep, which goes on where it ended."`
	Jobs          *int          `placeholder:"N" help:"How many runs go on at once in this process; 0 leaves all to workers. Default: one for each core."`
	Listen        *string       `placeholder:"PORT" help:"Let workers of other processes in, who have DIR/join: PORT on loopback, or HOST:PORT, with TLS beyond loopback."`
	NATS          *string       `name:"nats" placeholder:"URL" help:"Use that NATS server, with JetStream, instead of one in this process: nats://HOST:4222."`
	Replicas      int           `default:"1" placeholder:"N" help:"With --nats: how many servers of a cluster keep each thing, so that one of three may die."`
	Remove        bool          `help:"With --nats: when DIR has all results, remove from the server what it has of this sweep, and of no other."`
	Lease         time.Duration `default:"30s" placeholder:"DURATION" help:"After which the run of a worker that is silent is given to another. Default: ${default}."`
	Record        bool          `help:"Keep a recording of each run that fails in DIR/recordings, which omnipitch replay shows again."`
	Programs      bool          `help:"Start the programs that worlds name, for each run its own, with your rights: do so with worlds alone that you trust."`
	WithoutExpect bool          `help:"Run worlds without [[expect]] too: they pass if they run without an error."`
	JSON          bool          `name:"json" help:"Print the outcome as one JSON object."`
}

// Check judges what the flags say by themselves.
func (c *sweepCmd) Check() error {
	switch {
	case c.Out == "":
		return output.NoFolder("--out")
	case c.Jobs != nil && (*c.Jobs < 0 || *c.Jobs > 1024):
		return fmt.Errorf("--jobs = %d: must lie in [0, 1024]", *c.Jobs)
	case c.Jobs != nil && *c.Jobs == 0 && c.Listen == nil && c.NATS == nil:
		return errors.New("--jobs = 0: needs --listen or --nats: nobody else can take a run")
	case c.Listen != nil && c.NATS != nil:
		return errors.New("--listen and --nats: give one of both")
	case c.NATS == nil && (c.Creds != nil || c.Token != nil || c.TLSCA != nil):
		return errors.New("--creds, --token and --tls-ca go with --nats")
	case c.NATS == nil && c.Listen == nil && c.TLSCert != nil:
		return errors.New("--tls-cert goes with --listen or --nats")
	case c.Replicas < 1 || c.Replicas > 5:
		return fmt.Errorf("--replicas = %d: must lie in [1, 5]", c.Replicas)
	case c.Replicas > 1 && c.NATS == nil:
		return errors.New("--replicas goes with --nats: one server is in this process")
	case c.Remove && c.NATS == nil:
		return errors.New("--remove goes with --nats: the server in this process keeps all in DIR")
	case !(c.Lease >= time.Second && c.Lease <= time.Hour):
		return fmt.Errorf("--lease = %v: must lie in [1s, 1h]", c.Lease)
	}
	return c.natsFlags.check()
}

// worldChecks are what every world has to pass that is run.
var worldChecks = []func(*worlds.World) error{robotio.Check, refbox.Check, scenery.CheckCost}

// allowed says why a world of the sweep may not run.
func (c *sweepCmd) allowed(w *worlds.World) error {
	if len(w.Expect) == 0 && !c.WithoutExpect {
		return console.BadInputf(
			"world %s: has no [[expect]], so nothing is tested; --without-expect runs it all the same", w.Name)
	}
	if len(w.Programs) > 0 && !c.Programs {
		return console.BadInputf("world %s: %s", w.Name, programs.NotStarted(w))
	}
	return nil
}

func (c *sweepCmd) Run(ctx context.Context, con console.Streams) error {
	if err := c.files(); err != nil {
		return err
	}
	plan, err := console.Await(ctx, func() (*sweep.Plan, error) {
		return sweep.Load(ctx, c.File, version(), c.allowed,
			worldChecks...)
	}, func(*sweep.Plan) {})
	if errors.Is(err, console.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return console.ErrInterrupted
	}
	if err != nil {
		return console.BadInput(err)
	}
	folder, err := sweep.OpenFolder(c.Out, plan, version())
	if err != nil {
		return console.BadInputf("--out: %w", err)
	}
	defer folder.Close()
	if folder.Removed() {
		if !c.Remove {
			return console.BadInputf("--out: %s holds the results of this sweep, which --remove has removed from its "+
				"server: name another folder to run it again", c.Out)
		}
		return c.remove(ctx, con, folder, plan)
	}
	jobs := runtime.NumCPU()
	if c.Jobs != nil {
		jobs = *c.Jobs
	}
	if plan.Programs {
		if err := serve.NeedOpenFiles(uint64(jobs) * programs.OpenFiles); err != nil {
			return err
		}
	}
	simulator, err := newSimulator(c.Renderer, plan.Programs, jobs)
	if err != nil {
		return err
	}
	probe, err := sweep.Probe(ctx)
	if err != nil {
		return err
	}
	dismiss := func() {}
	connect := func() (*nats.Conn, error) { return c.dial(*c.NATS).Connect("omnipitch sweep") }
	if c.NATS == nil {
		server, err := cluster.Serve(cluster.ServerConfig{Folder: folder.Path("nats"), Listen: text(c.Listen),
			Cert: text(c.TLSCert), Key: text(c.TLSKey), Join: folder.Path("join")})
		if _, network := errors.AsType[*net.OpError](err); network {
			return console.NetworkError(fmt.Errorf("--listen: %w", err))
		}
		if err != nil {
			return console.BadInput(err)
		}
		defer server.Close()
		dismiss = server.Dismiss
		connect = server.Connect
		if server.Address != "" {
			fmt.Fprintf(con.Notes(), "workers: %s\n", server.Hint())
		}
	}
	counter := console.NewCounter(con, len(plan.Jobs))
	coordinator := sweep.Coordinator{
		Plan: plan, Connect: connect, Replicas: c.Replicas, Entry: sweep.Entry{Version: version(), Probe: probe,
			Record: c.Record, Lease: c.Lease},
		Progress: func(done, failed, before int) { counter.Foresee(before); counter.Show(done, failed) },
	}
	for i := range jobs {
		coordinator.Workers = append(coordinator.Workers, &sweep.Worker{Name: fmt.Sprintf("%s-%d", workerName(), i+1),
			Version: version(), Probe: probe, Programs: plan.Programs, Execute: simulator})
	}
	var outcome *sweep.Outcome
	err = coordinator.Run(ctx, func(o *sweep.Outcome) error {
		outcome = o
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
		defer cancel()
		return folder.Keep(within, o)
	})
	counter.Close()
	if outcome == nil && errors.Is(err, context.Canceled) {
		return console.ErrInterrupted
	}
	if outcome == nil {
		return console.NetworkError(err)
	}
	show := outcome.Print
	if c.JSON {
		show = outcome.WriteJSON
	}
	if err := show(con.Out); err != nil {
		return err
	}
	fmt.Fprintf(con.Notes(), "the report is %s\n", folder.Path("report.html"))
	if err == nil {
		dismiss()
	}
	if err == nil && c.Remove {
		err = c.remove(ctx, con, folder, plan)
	}
	switch counts := outcome.Counts(); {
	case ctx.Err() != nil && counts.NotRun > 0:
		return fmt.Errorf("interrupted: %d of %d runs have not ended; the same command goes on", counts.NotRun,
			counts.Runs)
	case err != nil:
		return err
	case len(outcome.Differ) > 0:
		return fmt.Errorf("%d of %d runs did not repeat", len(outcome.Differ), counts.Runs)
	case counts.Failed > 0:
		return fmt.Errorf("%d of %d runs failed", counts.Failed, counts.Runs)
	}
	return nil
}

// remove leaves nothing of the sweep on the server.
func (c *sweepCmd) remove(ctx context.Context, con console.Streams, folder *sweep.Folder, plan *sweep.Plan) error {
	conn, err := c.dial(*c.NATS).Connect("omnipitch sweep")
	if err != nil {
		return console.NetworkError(err)
	}
	defer conn.Close()
	if err := folder.Remove(ctx, conn, plan); err != nil {
		return fmt.Errorf("--remove: %w: the same command tries again", err)
	}
	fmt.Fprintf(con.Notes(), "removed from %s all that it had of this sweep; its results are in %s\n", *c.NATS, c.Out)
	return nil
}

// newSimulator returns what does jobs, for several workers at once.
func newSimulator(renderer string, programs bool, workers int) (*sweep.Simulator, error) {
	instructions, err := backend.Instructions()
	if err != nil {
		return nil, console.BadInput(err)
	}
	return &sweep.Simulator{
		Renderer: renderer, Programs: programs, Several: 2*workers > runtime.NumCPU(), Beside: onWires,
		Record: &recorder.Config{Program: version(), Instructions: instructions},
	}, nil
}

// workerName is what this process is called beside others.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
