package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/serve"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
)

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
