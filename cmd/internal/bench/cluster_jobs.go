package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	"github.com/omnipitch/omnipitch/worlds"
)

// peerVersion is the version that all processes of bench cluster report, because all of them are this program.
const peerVersion = "bench cluster"

// jobBench runs sweeps of empty or sleeping jobs on workers in other processes.
type jobBench struct {
	folder string
	server *cluster.Server
	peers  clusterPeers
	sweeps int // number of sweeps so far
}

// jobRun is the cost of a sweep.
type jobRun struct {
	wall    float64 // seconds from the first result to the last
	cpu     float64 // processor seconds of this process
	workers float64 // processor seconds of the workers
}

// run runs a sweep of jobs that sleep for span. The arguments are the number of jobs, the number of peer processes that
// execute them, and the number of workers in each of these processes.
func (b *jobBench) run(ctx context.Context, jobs, peers, workers int, span time.Duration) (r jobRun, err error) {
	b.sweeps++
	name := fmt.Sprintf("bench%d", b.sweeps)
	path := filepath.Join(b.folder, name+".toml")
	text := fmt.Sprintf("name = %q\nworlds = [\"planar\"]\nseeds = \"1..%d\"\nfor_s = 1\n", name, jobs)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return r, err
	}
	plan, err := sweep.Load(ctx, path, peerVersion, nil)
	if err != nil {
		return r, err
	}
	working := b.peers[:peers]
	var first, last time.Time
	c := sweep.Coordinator{Plan: plan, Connect: b.server.Connect, Entry: sweep.Entry{Version: peerVersion,
		Lease: time.Minute}}
	c.Progress = func(done, _, _ int) {
		if last = time.Now(); done == 1 {
			first = last
		}
	}
	if _, err := working.ask("work %d %g", workers, span.Seconds()*1e3); err != nil {
		return r, err
	}
	patience := time.Minute + time.Duration(jobs)*(span+100*time.Millisecond)
	// if workers fail, the sweep ends after this time; rest then returns their errors
	within, stop := context.WithTimeout(ctx, patience)
	defer stop()
	cpu := rospeer.CPUTime()
	err = c.Run(within, func(o *sweep.Outcome) error {
		if n := o.Counts(); within.Err() == nil && n.Passed != jobs {
			return fmt.Errorf("of %d jobs %d have passed", jobs, n.Passed)
		}
		return nil
	})
	r = jobRun{wall: last.Sub(first).Seconds(), cpu: float64(rospeer.CPUTime()-cpu) / 1e9}
	a, restErr := working.ask("rest")
	if err = errors.Join(err, restErr); err != nil && ctx.Err() == nil && within.Err() != nil {
		err = fmt.Errorf("%d jobs are not done within %v: %w", jobs, patience, err)
	}
	if err == nil && a.Sent != int64(jobs) {
		err = fmt.Errorf("the workers report %d jobs: must be %d", a.Sent, jobs)
	}
	r.workers = float64(a.CPU) / 1e9
	return r, err
}

// measureJobs measures the overhead of jobs.
func (c *Cluster) measureJobs(ctx context.Context, con console.Streams, report *Report, p *clusterPlan) error {
	join := filepath.Join(c.folder, "join")
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: join, Folder: filepath.Join(c.folder, "nats")})
	if err != nil {
		return err
	}
	defer server.Close()
	peers, err := startClusterPeers(ctx, "jobs", join, slices.Max(c.Workers))
	if err != nil {
		return err
	}
	defer peers.kill()
	b := &jobBench{folder: c.folder, server: server, peers: peers}
	jobs, costs := float64(c.Jobs), make([]rounds, len(c.Workers))
	for round := range c.Rounds + 1 {
		for i, n := range c.Workers {
			r, err := b.run(ctx, c.Jobs, n, 1, 0)
			if err != nil {
				return err
			}
			if round == 0 { // the first round is a warm-up
				costs[i] = rounds{}
				continue
			}
			costs[i].add("rate", (jobs-1)/r.wall)
			costs[i].add("wall", r.wall/(jobs-1)*1e3)
			costs[i].add("cpu", r.cpu/jobs*1e3)
			costs[i].add("workers_cpu", r.workers/jobs*1e3)
		}
		fmt.Fprintf(con.Notes(), "jobs: round %d of %d\n", round, c.Rounds)
	}
	p.feed = math.Inf(1)
	for i, n := range c.Workers {
		for _, x := range [][2]string{{"rate", "1/s"}, {"wall", "ms"}, {"cpu", "ms"}, {"workers_cpu", "ms"}} {
			report.add(fmt.Sprintf("jobs_%d_%s", n, x[0]), costs[i].median(x[0]), x[1], c.Rounds)
		}
		wall := costs[i].median("wall") / 1e3
		p.feed = min(p.feed, wall)
		if n == slices.Min(c.Workers) {
			p.job = float64(n) * wall
		}
	}
	report.add("jobs_most", 1/p.feed, "1/s", c.Rounds)
	for _, n := range c.Sleepers {
		const each = 8
		r, err := b.run(ctx, each*n, 1, n, c.Sleep)
		if err != nil {
			return err
		}
		report.add(fmt.Sprintf("sleeping_%d_linear", n), 100*each*c.Sleep.Seconds()/(r.wall+c.Sleep.Seconds()), "%", 1)
		fmt.Fprintf(con.Notes(), "%d workers that sleep: measured\n", n)
	}
	return nil
}

// ClusterPeer is a worker of bench cluster in its own process, so that its cost can be measured. It executes commands
// from stdin, and ends when stdin is closed.
type ClusterPeer struct {
	Role string `arg:"" help:"jobs, frames or images."`
	Join string `arg:"" help:"The join file."`
	Name string `arg:""`
}

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
	join, err := cluster.ReadJoin(c.Join)
	if err != nil {
		return err
	}
	conn, err := join.Connect(c.Name)
	if err != nil {
		return console.NetworkError(err)
	}
	execute := func(context.Context, []string) (rospeer.Answer, error) {
		return rospeer.Answer{CPU: rospeer.CPUTime()}, nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if c.Role == "jobs" {
		execute = (&jobWorkers{conn: conn, name: c.Name}).execute
	} else {
		w := &farm.Worker{Name: c.Name, Version: peerVersion, NewSim: drawingSims(c.Role == "frames")}
		go func() {
			for ctx.Err() == nil { // one run after the other
				if _, err := w.Serve(ctx, conn); err != nil && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(console.ExitFailed) // the parent process reports the failure
				}
				time.Sleep(5 * time.Millisecond) // until the next run
			}
		}()
	}
	out := json.NewEncoder(con.Out)
	err = out.Encode(rospeer.Answer{})
	for in := bufio.NewScanner(os.Stdin); err == nil && in.Scan(); {
		var a rospeer.Answer
		if a, err = execute(ctx, strings.Fields(in.Text())); err == nil {
			err = out.Encode(a)
		}
	}
	return err
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

func (w *jobWorkers) execute(ctx context.Context, command []string) (rospeer.Answer, error) {
	switch {
	case len(command) == 3 && command[0] == "work" && w.stop == nil:
		n, err := strconv.Atoi(command[1])
		span, spanErr := strconv.ParseFloat(command[2], 64)
		if err := errors.Join(err, spanErr); err != nil {
			return rospeer.Answer{}, err
		}
		w.start(ctx, n, &sleeper{span: time.Duration(span * float64(time.Millisecond))})
		return rospeer.Answer{}, nil
	case len(command) == 1 && command[0] == "rest" && w.stop != nil:
		w.stop()
		w.all.Wait()
		w.stop = nil
		return rospeer.Answer{Sent: w.done.Swap(0), CPU: rospeer.CPUTime() - w.begun}, w.err
	}
	return rospeer.Answer{}, fmt.Errorf("command %q: must be work N MS, or rest after it", command)
}

// start starts n workers, which take jobs until stop.
func (w *jobWorkers) start(ctx context.Context, n int, e sweep.Executor) {
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
