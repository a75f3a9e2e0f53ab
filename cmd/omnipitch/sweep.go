package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/output"
	programs "github.com/omnipitch/omnipitch/cmd/internal/program"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/robotio"
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
var worldChecks = []func(*worlds.World) error{robotio.Check, refbox.Check, scenery.CheckCost}

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
