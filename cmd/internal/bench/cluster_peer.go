package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/cmd/internal/suite"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// ClusterPeer is a server or a worker of bench cluster in its own process, so that its cost can be measured. It
// executes commands from stdin, and ends when stdin does.
type ClusterPeer struct {
	Role string `arg:"" help:"server, jobs, frames or images."`
	Join string `arg:"" help:"The join file."`
	Name string `arg:""`
}

// peerVersion is the version that runs, sweeps and workers of bench cluster report: all are this program.
const peerVersion = "bench cluster"

// clusterPeers are the processes of one server.
type clusterPeers []*rospeer.Process

// startClusterPeers starts n processes of one role.
func startClusterPeers(ctx context.Context, role, join string, n int) (all clusterPeers, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for i := range n {
		name := role + strconv.Itoa(i+1)
		p, err := rospeer.Launch(ctx, exec.CommandContext(ctx, program, "bench", "cluster-peer", role, join, name),
			name)
		if err != nil {
			all.kill()
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (all clusterPeers) kill() {
	for _, p := range all {
		p.Kill()
	}
}

// ask sends a command to all processes, and returns the sum of their answers.
func (all clusterPeers) ask(format string, args ...any) (sum rospeer.Answer, err error) {
	for _, p := range all {
		a, err := p.Ask(format, args...)
		if err != nil {
			return sum, err
		}
		sum.CPU += a.CPU
		sum.Sent += a.Sent
	}
	return sum, nil
}

// Run executes commands: "cpu" returns the processor time of the process; "work N MS" starts N workers whose jobs sleep
// MS milliseconds; "rest" stops them.
func (c *ClusterPeer) Run(ctx context.Context, con console.Streams) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	do, err := c.begin(ctx)
	if err != nil {
		return err
	}
	out := json.NewEncoder(con.Out)
	err = out.Encode(rospeer.Answer{})
	for in := bufio.NewScanner(os.Stdin); err == nil && in.Scan(); {
		var a rospeer.Answer
		if a, err = do(strings.Fields(in.Text())); err == nil {
			err = out.Encode(a)
		}
	}
	return err
}

// begin takes on the role, and returns the function that executes commands.
func (c *ClusterPeer) begin(ctx context.Context) (func(command []string) (rospeer.Answer, error), error) {
	cpu := func([]string) (rospeer.Answer, error) { return rospeer.Answer{CPU: rospeer.CPUTime()}, nil }
	if c.Role == "server" {
		// until the process ends
		_, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: c.Join, Folder: c.Join + ".nats"})
		return cpu, err
	}
	join, err := cluster.ReadJoin(c.Join)
	if err != nil {
		return nil, err
	}
	conn, err := join.Connect(c.Name)
	if err != nil {
		return nil, console.NetworkError(err)
	}
	switch c.Role {
	case "jobs":
		w := &jobWorkers{conn: conn, name: c.Name}
		return func(command []string) (rospeer.Answer, error) { return w.obey(ctx, command) }, nil
	case "frames", "images":
		w := &farm.Worker{Name: c.Name, Version: peerVersion, NewSim: drawingSims(c.Role == "frames")}
		go func() {
			if err := serveRuns(ctx, w, conn); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(console.ExitFailed) // the parent process reports it
			}
		}()
		return cpu, nil
	}
	return nil, console.BadInputf("role = %q: must be server, jobs, frames or images", c.Role)
}

// serveRuns renders images for one run after the other.
func serveRuns(ctx context.Context, w *farm.Worker, conn *nats.Conn) error {
	for ctx.Err() == nil {
		if _, err := w.Serve(ctx, conn); err != nil && ctx.Err() == nil {
			return err
		}
		time.Sleep(5 * time.Millisecond) // until the next run
	}
	return nil
}

// drawingSims returns a constructor for a worker's simulations. If the argument blank is true, these simulations render
// nothing.
func drawingSims(blank bool) func(w *worlds.World, renderer string, samples int) (*omnipitch.Sim, error) {
	cache := &omnipitch.Cache{}
	return func(w *worlds.World, renderer string, _ int) (*omnipitch.Sim, error) {
		opts := omnipitch.Options{Renderer: renderer, NoWorker: true, Cache: cache}
		if blank {
			opts.NewRenderer = newBlank
		}
		return omnipitch.New(w, opts)
	}
}

// blank is a renderer that renders nothing. It fills an image once, so that the image has its own memory.
type blank struct{}

func newBlank(*render.Scene) (render.Renderer, error) { return blank{}, nil }

func (blank) Render(b *render.Batch) error {
	for i := range b.Views {
		if c := b.Views[i].Color; c != nil && c.Pix[0] != 1 {
			for k := range c.Pix {
				c.Pix[k] = 1
			}
		}
	}
	return nil
}

func (blank) Close() {}

// Unwarmed implements [render.Unwarmed].
func (blank) Unwarmed() {}

// jobWorkers are workers of sweeps in one process.
type jobWorkers struct {
	conn  *nats.Conn
	name  string
	stop  context.CancelFunc // nil: not working
	all   sync.WaitGroup
	done  atomic.Int64
	err   error
	begun int64 // processor time of the process when the workers started
}

func (w *jobWorkers) obey(ctx context.Context, command []string) (rospeer.Answer, error) {
	switch {
	case len(command) == 3 && command[0] == "work" && w.stop == nil:
		n, err := strconv.Atoi(command[1])
		span, spanErr := strconv.ParseFloat(command[2], 64)
		if err := errors.Join(err, spanErr); err != nil {
			return rospeer.Answer{}, err
		}
		w.begin(ctx, n, &sleeper{span: time.Duration(span * float64(time.Millisecond))})
		return rospeer.Answer{}, nil
	case len(command) == 1 && command[0] == "rest" && w.stop != nil:
		w.stop()
		w.all.Wait()
		w.stop = nil
		return rospeer.Answer{Sent: w.done.Swap(0), CPU: rospeer.CPUTime() - w.begun}, w.err
	}
	return rospeer.Answer{}, fmt.Errorf("command %q: must be work N MS, or rest after it", command)
}

// begin starts n workers, which take jobs until stop.
func (w *jobWorkers) begin(ctx context.Context, n int, e sweep.Executor) {
	ctx, w.stop = context.WithCancel(ctx)
	w.begun = rospeer.CPUTime()
	var once sync.Once
	for range n {
		w.all.Go(func() {
			one := sweep.Worker{Name: w.name, Version: peerVersion, Execute: e}
			for ctx.Err() == nil {
				done, err := one.Serve(ctx, w.conn)
				w.done.Add(int64(done))
				if err != nil && ctx.Err() == nil {
					once.Do(func() { w.err = err })
					return
				}
				time.Sleep(2 * time.Millisecond) // until the next sweep
			}
		})
	}
}

// sleeper executes a job by sleeping.
type sleeper struct{ span time.Duration }

func (s *sleeper) Execute(ctx context.Context, _ *sweep.Job, _ bool, _ string, _ func() ([]byte, error)) (*sweep.Result,
	string, error) {
	if s.span > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(s.span):
		}
	}
	return &sweep.Result{RunResult: suite.RunResult{Passed: true}}, "", nil
}
