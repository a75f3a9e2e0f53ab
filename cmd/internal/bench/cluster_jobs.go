package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/sweep"
)

// jobBench runs sweeps of empty or sleeping jobs on workers in other processes.
type jobBench struct {
	folder  string
	connect func() (*nats.Conn, error) // connection of the coordinator, which is this process
	peers   clusterPeers
	sweeps  int // number of sweeps so far
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
	taking := b.peers[:peers]
	var first, last time.Time
	c := sweep.Coordinator{Plan: plan, Connect: b.connect, Entry: sweep.Entry{Version: peerVersion, Lease: time.Minute}}
	c.Progress = func(done, _, _ int) {
		if last = time.Now(); done == 1 {
			first = last
		}
	}
	if _, err := taking.ask("work %d %g", workers, span.Seconds()*1e3); err != nil {
		return r, err
	}
	patience := time.Minute + time.Duration(jobs)*(span+100*time.Millisecond)
	// if workers fail, the sweep ends after this time; they report their errors when they are told to rest
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
	a, restErr := taking.ask("rest")
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
func (c *Cluster) measureJobs(ctx context.Context, con console.Streams, report *Report, m *clusterModel) error {
	folder, err := os.MkdirTemp("", "omnipitch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	join := filepath.Join(folder, "join")
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: join, Folder: filepath.Join(folder, "nats")})
	if err != nil {
		return err
	}
	defer server.Close()
	peers, err := startClusterPeers(ctx, "jobs", join, slices.Max(c.Workers))
	if err != nil {
		return err
	}
	defer peers.kill()
	b := &jobBench{folder: folder, connect: server.Connect, peers: peers}
	var g gathered
	walls := map[int][]float64{}
	for i := range c.Rounds + 1 {
		for _, n := range c.Workers {
			r, err := b.run(ctx, c.Jobs, n, 1, 0)
			if err != nil {
				return err
			}
			if i == 0 { // the first round is a warm-up
				continue
			}
			walls[n] = append(walls[n], r.wall/float64(c.Jobs-1))
			g.add(fmt.Sprintf("jobs_%d_rate", n), "1/s", float64(c.Jobs-1)/r.wall)
			g.add(fmt.Sprintf("jobs_%d_wall", n), "ms", r.wall/float64(c.Jobs-1)*1e3)
			g.add(fmt.Sprintf("jobs_%d_cpu", n), "ms", r.cpu/float64(c.Jobs)*1e3)
			g.add(fmt.Sprintf("jobs_%d_workers_cpu", n), "ms", r.workers/float64(c.Jobs)*1e3)
		}
		fmt.Fprintf(con.Notes(), "jobs: round %d of %d\n", i, c.Rounds)
	}
	g.into(report)
	fewest := slices.Min(c.Workers)
	m.Job, m.Feed = float64(fewest)*median(walls[fewest]), math.Inf(1)
	for _, n := range c.Workers {
		m.Feed = min(m.Feed, median(walls[n]))
	}
	report.add("jobs_most", 1/m.Feed, "1/s", c.Rounds)
	for _, n := range c.Sleepers {
		const each = 8
		r, err := b.run(ctx, each*n, 1, n, c.Sleep)
		if err != nil {
			return err
		}
		report.add(fmt.Sprintf("sleeping_%d_linear", n), 100*each*c.Sleep.Seconds()/(r.wall+c.Sleep.Seconds()), "%", 1)
		fmt.Fprintf(con.Notes(), "%d workers that sleep: measured\n", n)
	}
	return c.measureServer(ctx, folder, report)
}

// measureServer measures the overhead of a job in the server, the coordinator and the worker, each in its own process.
func (c *Cluster) measureServer(ctx context.Context, folder string, report *Report) error {
	path := filepath.Join(folder, "apart")
	servers, err := startClusterPeers(ctx, "server", path, 1)
	if err != nil {
		return err
	}
	defer servers.kill()
	peers, err := startClusterPeers(ctx, "jobs", path, 1)
	if err != nil {
		return err
	}
	defer peers.kill()
	b := &jobBench{folder: folder, peers: peers, sweeps: 1e6}
	b.connect = func() (*nats.Conn, error) {
		join, err := cluster.ReadJoin(path)
		if err != nil {
			return nil, err
		}
		return join.Connect("coordinator")
	}
	var g gathered
	for i := range c.Rounds + 1 {
		before, err := servers.ask("cpu")
		if err != nil {
			return err
		}
		r, err := b.run(ctx, c.Jobs, 1, 1, 0)
		if err != nil {
			return err
		}
		after, err := servers.ask("cpu")
		if err != nil {
			return err
		}
		if i == 0 { // the first round is a warm-up
			continue
		}
		g.add("job_server_cpu", "ms", float64(after.CPU-before.CPU)/1e6/float64(c.Jobs))
		g.add("job_coordinator_cpu", "ms", r.cpu/float64(c.Jobs)*1e3)
		g.add("job_worker_cpu", "ms", r.workers/float64(c.Jobs)*1e3)
	}
	g.into(report)
	return nil
}
