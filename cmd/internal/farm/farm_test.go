package farm_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// seeing is a world with cameras of all kinds.
func seeing(t testing.TB) *worlds.World {
	t.Helper()
	w, err := worlds.Parse("seeing.toml", []byte(`
name = "seeing"
physics = { engine = "planar" }
[[robot]]
name = "a"
model = "nubot"
sensor = [
  { name = "omni", level = "raw", rate_hz = 50, image = { width_px = 96, height_px = 96 } },
  { name = "front", level = "raw", rate_hz = 50, image = { width_px = 96, height_px = 64 }, shutter = { exposure_ms = 10, samples = 2 } },
]
player = { patrol = { way_points = [{ x_m = 3 }, { x_m = -3 }], back_and_forth = true } }
[[robot]]
name = "b"
model = "nubot"
pose = { x_m = 2, y_m = 1 }
sensor = [
  { name = "omni", level = "raw", rate_hz = 50, image = { width_px = 96, height_px = 96 } },
  { name = "kinect", kind = "kinect", level = "raw", rate_hz = 50, image = { width_px = 96, height_px = 64 } },
]
[[event]]
at_s = 0.3
set_level = { robot = "b", sensor = "omni", level = "ideal" }
[[event]]
at_s = 0.5
set_light = { lamp = 0.5, over_s = 0.2 }
`))
	must.Do(t, err)
	return w
}

// gallery holds checksums of the images that a run delivers.
type gallery map[string][sha256.Size]byte

// show runs a world, as long as goesOn returns true after a step, and returns its images.
func show(t testing.TB, w *worlds.World, host *farm.Host, goesOn func(sim *omnipitch.Sim) bool) gallery {
	t.Helper()
	opts := omnipitch.Options{Renderer: "tile"}
	if host != nil {
		opts.Farm = host
	}
	sim, err := omnipitch.New(w, opts)
	must.Do(t, err)
	defer sim.Close()
	shown := gallery{}
	for _, r := range w.Robots {
		for _, s := range r.Sensors {
			if _, camera := sim.Sensors().Camera(r.Name, s.Name); !camera {
				continue
			}
			_, err := sim.Listen(r.Name, s.Name, omnipitch.Listener{Observe: func(o *sensors.Observation) {
				h := sha256.New()
				h.Write(o.Color.Pix)
				if o.Depth != nil {
					fmt.Fprint(h, o.Depth.Z)
				}
				shown[fmt.Sprintf("%s.%s %d", o.Robot, o.Sensor, o.Frame)] = [sha256.Size]byte(h.Sum(nil))
			}})
			must.Do(t, err)
		}
	}
	for more := true; more; more = goesOn(sim) {
		must.Do(t, sim.Step())
	}
	return shown
}

func (g gallery) compare(t testing.TB, want gallery) {
	t.Helper()
	if len(g) != len(want) || len(g) == 0 {
		t.Fatalf("%d images, want %d", len(g), len(want))
	}
	for name, sum := range want {
		if g[name] != sum {
			t.Fatalf("%s has other bytes", name)
		}
	}
}

// yard is a server with the host of a run, and workers.
type yard struct {
	t      testing.TB
	server *cluster.Server
	host   *farm.Host
	said   []string
	mu     sync.Mutex
	all    sync.WaitGroup
}

func newYard(t testing.TB, c farm.Config) *yard {
	t.Helper()
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: filepath.Join(t.TempDir(), "join")})
	must.Do(t, err)
	y := &yard{t: t, server: server}
	c.Conn = must.Get(server.Connect())(t)
	c.Version, c.Renderer = "v", "tile"
	if c.Lease == 0 {
		c.Lease = farm.DefaultLease
	}
	c.Notify = func(text string) {
		y.mu.Lock()
		defer y.mu.Unlock()
		y.said = append(y.said, text)
	}
	y.host = must.Get(farm.New(c))(t)
	t.Cleanup(func() {
		y.host.Close()
		y.all.Wait()
		server.Close()
	})
	return y
}

// hire starts a worker. done receives its result when it ends.
func (y *yard) hire(w *farm.Worker) (conn *nats.Conn, stop func(), done <-chan error) {
	y.t.Helper()
	conn = must.Get(y.server.Connect())(y.t)
	if w.NewSim == nil {
		w.NewSim = newSim
	}
	if w.Version == "" {
		w.Version = "v"
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	y.all.Go(func() {
		defer conn.Close()
		_, err := w.Serve(ctx, conn)
		ended <- err
	})
	y.t.Cleanup(cancel)
	return conn, cancel, ended
}

func newSim(w *worlds.World, renderer string, _ int) (*omnipitch.Sim, error) {
	return omnipitch.New(w, omnipitch.Options{Renderer: renderer, NoWorker: true})
}

func (y *yard) heard(what string) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, s := range y.said {
		if strings.Contains(s, what) {
			return true
		}
	}
	return false
}

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("%s: not within 30 s", what)
		}
	}
}

// TestWorkersDrawTheSame checks that a run has the same images whichever worker draws them. Workers join, share a name,
// leave, fall silent and return.
func TestWorkersDrawTheSame(t *testing.T) {
	until := func(sim *omnipitch.Sim) bool { return sim.Truth().Time < 1500*time.Millisecond }
	want := show(t, seeing(t), nil, until)
	y := newYard(t, farm.Config{Lease: 200 * time.Millisecond})
	var (
		conns [3]*nats.Conn
		stops [3]func()
		steps int
	)
	hire := func(i int) { conns[i], stops[i], _ = y.hire(&farm.Worker{Name: "twin"}) }
	got := show(t, seeing(t), y.host, func(sim *omnipitch.Sim) bool {
		switch steps++; steps {
		case 10:
			hire(0)
			hire(1)
		case 250:
			stops[1]()
			await(t, "a worker leaves", func() bool { return y.heard("has left") })
		case 260:
			hire(2)
		}
		if steps > 10 && steps < 250 || steps > 260 {
			time.Sleep(5 * time.Millisecond) // as in real time, so that workers can join
		}
		return until(sim)
	})
	got.compare(t, want)
	shares, _ := y.host.Shares()
	total := 0
	for _, s := range shares {
		total += s.Frames
	}
	if shares[0].Frames == total || total < len(want) || len(shares) < 2 {
		t.Errorf("of %d frames these draw: %v", len(want), shares)
	}
	t.Logf("%v, %v", shares, y.said)
}

// TestWorkersJoinFastRuns checks that a worker receives everything that a run requests from its admission on, however
// fast the run is. A lost first sample would never be answered.
func TestWorkersJoinFastRuns(t *testing.T) {
	const workers = 4
	y := newYard(t, farm.Config{})
	opts := omnipitch.Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return nothing{}, nil },
		NoWorker: true, Cache: &omnipitch.Cache{}}
	for range workers {
		y.hire(&farm.Worker{Name: "w", NewSim: func(w *worlds.World, _ string, _ int) (*omnipitch.Sim,
			error) {
			return omnipitch.New(w, opts)
		}})
	}
	w := seeing(t)
	w.Robots, w.Events = w.Robots[:1], nil
	w.Robots[0].Sensors = w.Robots[0].Sensors[:1]
	own := opts
	own.Farm = y.host
	sim, err := omnipitch.New(w, own)
	must.Do(t, err)
	defer sim.Close()
	must.Get(sim.Listen("a", "omni", omnipitch.Listener{Observe: func(*sensors.Observation) {}}))(t)
	for begun := time.Now(); y.host.Ready() < workers; {
		must.Do(t, sim.Step())
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("%d of %d workers draw", y.host.Ready(), workers)
		}
	}
}

// nothing is a renderer that draws nothing.
type nothing struct{}

func (nothing) Render(*render.Batch) error { return nil }
func (nothing) Close()                     {}

// TestOthersAreRefused checks that a run refuses workers that draw other pictures, have another version, or cannot
// draw. The refusal is a sentence, and the run continues.
func TestOthersAreRefused(t *testing.T) {
	y := newYard(t, farm.Config{})
	var (
		ends  [3]<-chan error
		over  time.Duration
		begun bool
	)
	got := show(t, seeing(t), y.host, func(sim *omnipitch.Sim) bool {
		time.Sleep(5 * time.Millisecond)
		if over = sim.Truth().Time; begun {
			return len(ends[0]) == 0 || over < 600*time.Millisecond
		}
		begun = true
		_, _, ends[0] = y.hire(&farm.Worker{Name: "other driver", NewSim: func(w *worlds.World, renderer string,
			_ int) (*omnipitch.Sim, error) {
			return omnipitch.New(w, omnipitch.Options{NewRenderer: func(s *render.Scene) (render.Renderer, error) {
				r, err := backend.Choose(renderer, s).New(s)
				return reddened{r}, err
			}})
		}})
		_, _, ends[1] = y.hire(&farm.Worker{Name: "old", Version: "u"})
		_, _, ends[2] = y.hire(&farm.Worker{Name: "without a driver", NewSim: func(*worlds.World, string,
			int) (*omnipitch.Sim, error) {
			return nil, render.ErrNoContext
		}})
		return true
	})
	got.compare(t, show(t, seeing(t), nil, func(sim *omnipitch.Sim) bool { return sim.Truth().Time < over }))
	for i, sentence := range []string{"it renders different images: ", `the run has version "v", the worker "u"`,
		"draws by tile, this worker cannot: no OpenGL context"} {
		if err := <-ends[i]; !errors.Is(err, farm.ErrRefused) || !strings.Contains(err.Error(), sentence) {
			t.Errorf("%v, want %q", err, sentence)
		}
	}
	if shares, _ := y.host.Shares(); len(shares) != 1 {
		t.Errorf("%v", shares)
	}
}

// reddened is a renderer whose images are one bit redder.
type reddened struct{ render.Renderer }

func (r reddened) Render(b *render.Batch) error {
	err := r.Renderer.Render(b)
	for i := range b.Views {
		if c := b.Views[i].Color; c != nil {
			c.Pix[len(c.Pix)/2] ^= 1
		}
	}
	return err
}
