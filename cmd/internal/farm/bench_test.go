package farm_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/cmd/internal/fatal"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

var (
	benchWorkers = flag.Int("farm.workers", 2, "workers of BenchmarkWorkers")
	benchCores   = flag.Int("farm.cores", 0, "cores of each of them; 0: all")
)

// TestMain runs a worker in a separate process if the environment names a join file.
func TestMain(m *testing.M) {
	path := os.Getenv("OMNIPITCH_TEST_JOIN")
	if path == "" {
		os.Exit(m.Run())
	}
	join, err := cluster.ReadJoin(path)
	if err == nil {
		conn, connectErr := join.Connect("worker")
		if err = connectErr; err == nil {
			_, err = (&farm.Worker{Name: os.Getenv("OMNIPITCH_TEST_NAME"), Version: "v", NewSim: newSim}).Serve(
				context.Background(), conn)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child starts a worker in a separate process.
func child(t testing.TB, join, name string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	fatal.If(t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "OMNIPITCH_TEST_JOIN="+join, "OMNIPITCH_TEST_NAME="+name)
	if *benchCores > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", *benchCores))
	}
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	fatal.If(t, err)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			t.Log(name + ": " + lines.Text())
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// tenOmnis is a world of ten robots, each with an omnidirectional camera at level raw.
func tenOmnis(b *testing.B) *worlds.World {
	b.Helper()
	w, err := worlds.Load("ten-robots")
	fatal.If(b, err)
	w.Physics.Engine = "planar"
	for r := range w.Robots {
		kept := w.Robots[r].Sensors[:0]
		for _, s := range w.Robots[r].Sensors {
			if s.Kind == sensors.OmniKind {
				s.Level = "raw"
				kept = append(kept, s)
			}
		}
		w.Robots[r].Sensors = kept
	}
	return w
}

// BenchmarkWorkers compares images per second of workers in separate processes with those of one process on all cores.
// It alternates between both, and needs an idle machine.
func BenchmarkWorkers(b *testing.B) {
	w := tenOmnis(b)
	folder := b.TempDir()
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: filepath.Join(folder, "join")})
	fatal.If(b, err)
	defer server.Close()
	conn, err := server.Connect()
	fatal.If(b, err)
	host, err := farm.New(farm.Config{Conn: conn, Version: "v", Renderer: "tile", Lease: farm.DefaultLease,
		Notify: func(text string) { b.Log(text) }})
	fatal.If(b, err)
	defer host.Close()
	alone, shared := delivering(b, w, nil), delivering(b, w, host)
	defer alone.sim.Close()
	defer shared.sim.Close()
	for i := range *benchWorkers {
		child(b, filepath.Join(folder, "join"), fmt.Sprint("worker ", i+1))
	}
	for begun := time.Now(); host.Ready() < *benchWorkers; shared.run(b, 100*time.Millisecond) {
		if time.Since(begun) > time.Minute {
			b.Fatal("the workers have not come")
		}
	}
	shared.run(b, 4*time.Second) // until all cameras are assigned
	before, _ := host.Shares()
	var one, two float64
	for b.Loop() {
		one += alone.run(b, 2*time.Second)
		two += shared.run(b, 2*time.Second)
	}
	after, saved := host.Shares()
	b.Logf("before %v, after %v, %d owed", before, after, saved)
	b.ReportMetric(one/float64(b.N), "alone/s")
	b.ReportMetric(two/float64(b.N), "shared/s")
	b.ReportMetric(two/one, "ratio")
}

// delivery counts the images that a Sim delivers.
type delivery struct {
	sim *omnipitch.Sim
	n   int
}

func delivering(b *testing.B, w *worlds.World, host *farm.Host) *delivery {
	b.Helper()
	opts := omnipitch.Options{Renderer: "tile"}
	if host != nil {
		opts.Farm = host
	}
	sim, err := omnipitch.New(w, opts)
	fatal.If(b, err)
	d := &delivery{sim: sim}
	for _, r := range w.Robots {
		for _, s := range r.Sensors {
			if _, err := sim.Listen(r.Name, s.Name,
				omnipitch.Listener{Observe: func(*sensors.Observation) { d.n++ }}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return d
}

// run simulates at full speed for a wall time and returns images per second.
func (d *delivery) run(b *testing.B, wall time.Duration) float64 {
	b.Helper()
	before, begun := d.n, time.Now()
	for time.Since(begun) < wall {
		if _, err := d.sim.Run(b.Context(), omnipitch.Pace{For: 50 * time.Millisecond,
			Speed: timesync.Max}); err != nil {
			b.Fatal(err)
		}
	}
	return float64(d.n-before) / time.Since(begun).Seconds()
}
