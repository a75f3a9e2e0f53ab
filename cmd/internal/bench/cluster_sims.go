package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// renderFarm is a server in this process, with workers in other processes that render images.
type renderFarm struct {
	server *cluster.Server
	peers  clusterPeers
}

// openRenderFarm starts a server, and workers of a role. The workers reach the server on loopback, with TLS if encrypt
// is true.
func openRenderFarm(ctx context.Context, folder, role string, workers int, encrypt bool) (*renderFarm, error) {
	join := filepath.Join(folder, fmt.Sprintf("%s-%t", role, encrypt))
	server, err := cluster.Serve(cluster.ServerConfig{Listen: "0", Join: join, Encrypt: encrypt})
	if err != nil {
		return nil, err
	}
	peers, err := startClusterPeers(ctx, role, join, workers)
	if err != nil {
		server.Close()
		return nil, err
	}
	return &renderFarm{server, peers}, nil
}

func (f *renderFarm) close() {
	f.peers.kill()
	f.server.Close()
}

// hosted is a run whose images are rendered by workers. The run itself renders an image only if no worker can.
type hosted struct {
	*imageRun
	host *farm.Host
	conn *nats.Conn
	mu   sync.Mutex
	said []string // messages of the farm
}

// host starts a run of a world. If opts has an awaited farm, the farm is put inside it.
func (f *renderFarm) host(w *worlds.World, opts omnipitch.Options, renderer string) (*hosted, error) {
	conn, err := f.server.Connect()
	if err != nil {
		return nil, err
	}
	h := &hosted{conn: conn}
	// The lease never expires: images that the run itself renders must not be measured.
	h.host, err = farm.New(farm.Config{Conn: conn, Version: peerVersion, Renderer: renderer, Lease: time.Minute,
		Notify: func(text string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.said = append(h.said, text)
		}})
	if err != nil {
		conn.Close()
		return nil, err
	}
	if a, ok := opts.Farm.(*awaited); ok {
		a.Farm = h.host
	} else {
		opts.Farm = h.host
	}
	h.imageRun, err = startImages(w, opts)
	if err != nil {
		h.host.Close()
		return nil, err
	}
	return h, nil
}

func (h *hosted) close() {
	h.imageRun.close()
	h.host.Close()
}

// settle steps the run until the workers render all images and the assignment of cameras to workers is stable.
// Reassigning cameras takes time.
func (h *hosted) settle(ctx context.Context, workers clusterPeers) error {
	const patience = time.Minute
	calm, want := 0, 2*len(workers)-1
	for begun := time.Now(); calm < want; {
		before, _ := h.host.Shares()
		for from := time.Now(); time.Since(from) < 300*time.Millisecond; {
			if err := h.run(ctx, h.tick); err != nil {
				return err
			}
			rest := 5 * time.Millisecond
			if h.host.Ready() < len(workers) {
				rest *= 10 // the workers are still starting, on the same cores
			}
			time.Sleep(rest)
		}
		if _, err := workers.ask("cpu"); err != nil {
			return err // for example from a worker that was refused
		}
		after, _ := h.host.Shares()
		if calm++; h.host.Ready() < len(workers) || after[0].Frames > before[0].Frames {
			calm = 0
		}
		if time.Since(begun) > patience {
			h.mu.Lock()
			defer h.mu.Unlock()
			return fmt.Errorf("of %d workers %d draw images after %v: %s", len(workers), h.host.Ready(), patience,
				strings.Join(h.said, "; "))
		}
	}
	return nil
}

// imageRun is a simulation with a listener to each camera.
type imageRun struct {
	sim    *omnipitch.Sim
	tick   time.Duration // time between images
	images int           // number of delivered images
	bytes  float64       // of the last image
	seen   func()        // called for each image; may be nil
	seed   *maphash.Seed // nil: no checksums
	sums   map[string]uint64
}

func startImages(w *worlds.World, opts omnipitch.Options) (*imageRun, error) {
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, err
	}
	r := &imageRun{sim: sim, sums: map[string]uint64{}}
	if err := circle(sim); err != nil {
		sim.Close()
		return nil, err
	}
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			s := &w.Robots[i].Sensors[k]
			r.tick = time.Duration(float64(time.Second) / s.Rate)
			if _, err := sim.Listen(w.Robots[i].Name, s.Name, omnipitch.Listener{Observe: r.observe}); err != nil {
				sim.Close()
				return nil, err
			}
		}
	}
	return r, nil
}

func (r *imageRun) observe(o *sensors.Observation) {
	r.images++
	r.bytes = float64(len(o.Color.Pix))
	if r.seen != nil {
		r.seen()
	}
	if r.seed != nil {
		r.sums[fmt.Sprintf("%s.%s %d", o.Robot, o.Sensor, o.Frame)] = maphash.Bytes(*r.seed, o.Color.Pix)
	}
}

func (r *imageRun) close() { r.sim.Close() }

// run advances by some sim time, as fast as possible.
func (r *imageRun) run(ctx context.Context, span time.Duration) error {
	_, err := r.sim.Run(ctx, omnipitch.Pace{For: span, Speed: timesync.Max})
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// imageTurn is the cost of images.
type imageTurn struct {
	images    float64
	wall, cpu float64 // seconds, of this process
	workers   float64 // processor seconds of the workers
}

// turn advances by some sim time, and returns the cost of the images in that time.
func (r *imageRun) turn(ctx context.Context, span time.Duration, peers clusterPeers) (t imageTurn, err error) {
	before, err := peers.ask("cpu")
	if err != nil {
		return t, err
	}
	images, begun, cpu := r.images, time.Now(), rospeer.CPUTime()
	if err := r.run(ctx, span); err != nil {
		return t, err
	}
	t.wall, t.cpu, t.images = time.Since(begun).Seconds(), float64(rospeer.CPUTime()-cpu)/1e9, float64(r.images-images)
	after, err := peers.ask("cpu")
	t.workers = float64(after.CPU-before.CPU) / 1e9
	return t, err
}

// spanOf returns about the sim time that passes during the given wall time, as a multiple of tick.
func (r *imageRun) spanOf(ctx context.Context, wall time.Duration) (time.Duration, error) {
	from, begun := r.sim.Truth().Time, time.Now()
	for time.Since(begun) < wall {
		if err := r.run(ctx, r.tick); err != nil {
			return 0, err
		}
	}
	return r.sim.Truth().Time - from, nil
}

// onlyOmni returns a change of a world. The change keeps only the mirror cameras of the first robots, at level raw,
// with images of the given size.
func onlyOmni(robots int, size imageSize) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Robots = w.Robots[:robots]
		for i := range w.Robots {
			var kept []sensors.Config
			for _, s := range w.Robots[i].Sensors {
				if s.Kind == sensors.OmniKind {
					image := *s.Image
					image.Width, image.Height = size.width, size.height
					s.Level, s.Image = "raw", &image
					kept = append(kept, s)
				}
			}
			w.Robots[i].Sensors = kept
		}
	}
}
