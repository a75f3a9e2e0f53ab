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
	"github.com/omnipitch/omnipitch/robotio/gamecontroller"
	"github.com/omnipitch/omnipitch/robotio/rcsssmj"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

type sweepCmd struct {
	File          string `arg:"" help:"A sweep file: worlds, seeds, and the values of world keys to vary. Or chase, a built-in example."`
	Out           string `required:"" placeholder:"DIR" help:"Folder for the results: a new or empty folder. Or the folder of the same sweep, which then continues where it stopped."`
	Jobs          *int   `placeholder:"N" help:"Number of runs at a time in this process. 0 leaves all runs to workers. Default: one per core."`
	Record        bool   `help:"Save a recording of each failed run in DIR/recordings, for omnipitch replay."`
	Programs      bool   `help:"Start the programs that worlds name, separately for each run. They run with your rights, so use it only for worlds that you trust."`
	WithoutExpect bool   `help:"Also run worlds without [[expect]]. They pass if they run without an error."`
	JSON          bool   `name:"json" help:"Print the outcome as one JSON object."`
	drawingFlags

	Listen    *string       `group:"cluster" placeholder:"PORT" help:"Let workers in other processes connect with the file DIR/join: at PORT on this machine, or at HOST:PORT with TLS."`
	NATS      *string       `group:"cluster" name:"nats" placeholder:"URL" help:"Use this NATS server, which needs JetStream, instead of one in this process: nats://HOST:4222."`
	Replicas  int           `group:"cluster" default:"1" placeholder:"N" help:"With --nats: number of servers of the NATS cluster that store each message. With 3, one of three servers may fail."`
	Remove    bool          `group:"cluster" help:"With --nats: once DIR holds all results, delete the data of this sweep from the server. Other sweeps remain."`
	Lease     time.Duration `group:"cluster" default:"30s" placeholder:"DURATION" help:"Time after which a worker that does not answer loses its run to another. Default: ${default}."`
	natsFlags `group:"cluster"`
}

// Check checks the flags without reading any file.
func (c *sweepCmd) Check() error {
	switch {
	case c.Out == "":
		return output.NoFolder("--out")
	case c.Jobs != nil && (*c.Jobs < 0 || *c.Jobs > 1024):
		return fmt.Errorf("--jobs = %d: must lie in [0, 1024]", *c.Jobs)
	case c.Jobs != nil && *c.Jobs == 0 && c.Listen == nil && c.NATS == nil:
		return errors.New("--jobs = 0: needs --listen or --nats, so that workers can do the runs")
	case c.Listen != nil && c.NATS != nil:
		return errors.New("--listen and --nats: give only one of them")
	case c.NATS == nil && (c.Creds != nil || c.Token != nil || c.TLSCA != nil):
		return errors.New("--creds, --token and --tls-ca: need --nats")
	case c.NATS == nil && c.Listen == nil && c.TLSCert != nil:
		return errors.New("--tls-cert: needs --listen or --nats")
	case c.Replicas < 1 || c.Replicas > 5:
		return fmt.Errorf("--replicas = %d: must lie in [1, 5]", c.Replicas)
	case c.Replicas > 1 && c.NATS == nil:
		return errors.New("--replicas: needs --nats")
	case c.Remove && c.NATS == nil:
		return errors.New("--remove: needs --nats; without it, all data is in DIR")
	case !(c.Lease >= time.Second && c.Lease <= time.Hour):
		return fmt.Errorf("--lease = %v: must lie in [1s, 1h]", c.Lease)
	}
	return c.natsFlags.check()
}

// worldChecks are the checks that every world must pass before it is run.
var worldChecks = []func(*worlds.World) error{robotio.Check, refbox.Check, gamecontroller.Check, rcsssmj.Check,
	scenery.CheckCost}

// allowed returns the reason for which a world of the sweep may not run, or nil if it may.
func (c *sweepCmd) allowed(w *worlds.World) error {
	if len(w.Expect) == 0 && !c.WithoutExpect {
		return console.BadInputf(
			"world %s: has no [[expect]], so nothing is tested; --without-expect runs it anyway", w.Name)
	}
	if len(w.Programs) > 0 && !c.Programs {
		return console.BadInputf("world %s: %s", w.Name, programs.NotStarted(w))
	}
	return nil
}

func (c *sweepCmd) Run(ctx context.Context, con console.Streams) (err error) {
	r := &sweepRun{sweepCmd: c, con: con}
	defer func() { err = r.opened.closeAll(err) }()
	if err := r.load(ctx); err != nil {
		return err
	}
	if r.folder.Removed() {
		if !c.Remove {
			return console.BadInputf("--out: %s holds the results of this sweep, which --remove has deleted from its "+
				"server: name another folder to run the sweep again", c.Out)
		}
		return r.remove(ctx)
	}
	if err := r.openServer(); err != nil {
		return err
	}
	outcome, err := r.run(ctx)
	if outcome == nil {
		return err
	}
	return r.report(ctx, outcome, err)
}

// newSimulator returns a simulator that several workers of this process share.
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

// workerName returns a name that identifies this process among the workers.
func workerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}

// sweepRun is one execution of omnipitch sweep.
type sweepRun struct {
	*sweepCmd
	con     console.Streams
	opened  closeStack
	plan    *sweep.Plan
	folder  *sweep.Folder
	connect func() (*nats.Conn, error) // to the server
	dismiss func()                     // tells workers that the sweep is done
}

// load reads the sweep file and opens the folder of the results.
func (r *sweepRun) load(ctx context.Context) error {
	if err := r.checkFiles(); err != nil {
		return err
	}
	var err error
	r.plan, err = console.Await(ctx, func() (*sweep.Plan, error) {
		return sweep.Load(ctx, r.File, version(), r.allowed, worldChecks...)
	}, func(*sweep.Plan) {})
	if errors.Is(err, console.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return console.ErrInterrupted
	}
	if err != nil {
		return console.BadInput(err)
	}
	if r.folder, err = sweep.OpenFolder(r.Out, r.plan, version()); err != nil {
		return console.BadInputf("--out: %w", err)
	}
	r.opened.push(func() { r.folder.Close() })
	return nil
}

// openServer starts a NATS server in this process. With --nats it starts no server, because the flag names one.
func (r *sweepRun) openServer() error {
	r.connect = func() (*nats.Conn, error) { return r.dialer(*r.NATS).Connect("omnipitch sweep") }
	r.dismiss = func() {}
	if r.NATS != nil {
		return nil
	}
	server, err := cluster.Serve(cluster.ServerConfig{Folder: r.folder.Path("nats"), Listen: valueOf(r.Listen),
		Cert: valueOf(r.TLSCert), Key: valueOf(r.TLSKey), Join: r.folder.Path("join")})
	if _, network := errors.AsType[*net.OpError](err); network {
		return console.NetworkError(fmt.Errorf("--listen: %w", err))
	}
	if err != nil {
		return console.BadInput(err)
	}
	r.opened.push(server.Close)
	r.connect, r.dismiss = server.Connect, server.Dismiss
	if server.Address != "" {
		fmt.Fprintf(r.con.Notes(), "workers: %s\n", server.Hint())
	}
	return nil
}

// run does all runs that have no result yet, and stores all results in the folder. The outcome is nil if the sweep did
// not start.
func (r *sweepRun) run(ctx context.Context) (*sweep.Outcome, error) {
	coordinator, err := r.coordinator(ctx)
	if err != nil {
		return nil, err
	}
	counter := console.NewCounter(r.con, len(r.plan.Jobs))
	coordinator.Progress = func(done, failed, before int) { counter.Predict(before); counter.Show(done, failed) }
	var outcome *sweep.Outcome
	err = coordinator.Run(ctx, func(o *sweep.Outcome) error {
		outcome = o
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
		defer cancel()
		return r.folder.Keep(within, o)
	})
	counter.Close()
	switch {
	case outcome == nil && errors.Is(err, context.Canceled):
		return nil, console.ErrInterrupted
	case outcome == nil:
		return nil, console.NetworkError(err)
	}
	return outcome, err
}

// coordinator returns the coordinator of the sweep, with the workers of this process.
func (r *sweepRun) coordinator(ctx context.Context) (*sweep.Coordinator, error) {
	jobs := runtime.NumCPU()
	if r.Jobs != nil {
		jobs = *r.Jobs
	}
	if r.plan.Programs {
		if err := serve.NeedOpenFiles(uint64(jobs) * programs.OpenFiles); err != nil {
			return nil, err
		}
	}
	simulator, err := newSimulator(r.Renderer, r.plan.Programs, jobs)
	if err != nil {
		return nil, err
	}
	probe, err := sweep.Probe(ctx)
	if err != nil {
		return nil, err
	}
	coordinator := &sweep.Coordinator{Plan: r.plan, Connect: r.connect, Replicas: r.Replicas,
		Entry: sweep.Entry{Version: version(), Probe: probe, Record: r.Record, Lease: r.Lease}}
	for i := range jobs {
		coordinator.Workers = append(coordinator.Workers, &sweep.Worker{Name: fmt.Sprintf("%s-%d", workerName(), i+1),
			Version: version(), Probe: probe, Programs: r.plan.Programs, Execute: simulator})
	}
	return coordinator, nil
}

// report prints the outcome of a sweep. The argument err is the error with which the sweep ended. report returns the
// error of the command.
func (r *sweepRun) report(ctx context.Context, outcome *sweep.Outcome, err error) error {
	print := outcome.Print
	if r.JSON {
		print = outcome.WriteJSON
	}
	if err := print(r.con.Out); err != nil {
		return err
	}
	fmt.Fprintf(r.con.Notes(), "report: %s\n", r.folder.Path("report.html"))
	if err == nil {
		r.dismiss()
	}
	if err == nil && r.Remove {
		err = r.remove(ctx)
	}
	switch counts := outcome.Counts(); {
	case ctx.Err() != nil && counts.NotRun > 0:
		return fmt.Errorf("interrupted: %d of %d runs have not ended; the same command continues the sweep",
			counts.NotRun, counts.Runs)
	case err != nil:
		return err
	case len(outcome.Differ) > 0:
		return fmt.Errorf("%d of %d runs gave different results when repeated", len(outcome.Differ), counts.Runs)
	case counts.Failed > 0:
		return fmt.Errorf("%d of %d runs failed", counts.Failed, counts.Runs)
	}
	return nil
}

// remove deletes the data of the sweep from the server.
func (r *sweepRun) remove(ctx context.Context) error {
	conn, err := r.dialer(*r.NATS).Connect("omnipitch sweep")
	if err != nil {
		return console.NetworkError(err)
	}
	defer conn.Close()
	if err := r.folder.Remove(ctx, conn, r.plan); err != nil {
		return fmt.Errorf("--remove: %w: the same command tries again", err)
	}
	fmt.Fprintf(r.con.Notes(), "deleted all data of this sweep from %s; the results are in %s\n", *r.NATS, r.Out)
	return nil
}
