package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

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

// renderFarm is a server in this process, with workers in other processes that render images.
type renderFarm struct {
	server *cluster.Server
	peers  clusterPeers
}

// openRenderFarm starts a server, and workers of a role. The workers reach the server on loopback, with TLS if encrypt
// is true.
func (c *Cluster) openRenderFarm(ctx context.Context, role string, workers int, encrypt bool) (*renderFarm, error) {
	join := filepath.Join(c.folder, fmt.Sprintf("%s-%t", role, encrypt))
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

// imagePair is a world that runs twice: alone, and with its images rendered by the workers of a farm. The shared run
// itself renders an image only if no worker can.
type imagePair struct {
	alone, shared *imageRun
	host          *farm.Host
	conn          *nats.Conn
	peers         clusterPeers
}

// open starts both runs, and steps the shared one until the workers render all images.
func (f *renderFarm) open(ctx context.Context, w *worlds.World, opts omnipitch.Options, renderer string) (p *imagePair,
	err error) {
	p = &imagePair{peers: f.peers}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.alone, err = startImages(w, opts); err != nil {
		return p, err
	}
	if p.conn, err = f.server.Connect(); err != nil {
		return p, err
	}
	// The lease never expires: images that the run itself renders must not be measured.
	if p.host, err = farm.New(farm.Config{Conn: p.conn, Version: peerVersion, Renderer: renderer,
		Lease: time.Minute}); err != nil {
		p.conn.Close()
		return p, err
	}
	opts.Farm = p.host
	if p.shared, err = startImages(w, opts); err != nil {
		return p, err
	}
	return p, p.settle(ctx)
}

func (p *imagePair) close() {
	for _, r := range []*imageRun{p.shared, p.alone} {
		if r != nil {
			r.sim.Close()
		}
	}
	if p.host != nil {
		p.host.Close()
	}
}

// settle steps the shared run until the workers render all images and the assignment of cameras to workers is stable.
// Reassigning cameras takes time.
func (p *imagePair) settle(ctx context.Context) error {
	const patience = time.Minute
	for calm, begun := 0, time.Now(); calm < 2*len(p.peers)-1; {
		before := p.drawnByRun()
		for from := time.Now(); time.Since(from) < 300*time.Millisecond; {
			if err := p.shared.run(ctx, p.shared.tick); err != nil {
				return err
			}
			rest := 5 * time.Millisecond
			if p.host.Ready() < len(p.peers) {
				rest *= 10 // the workers are still starting, on the same cores
			}
			time.Sleep(rest)
		}
		if _, err := p.peers.ask("cpu"); err != nil {
			return err // for example, a worker was refused
		}
		if calm++; p.host.Ready() < len(p.peers) || p.drawnByRun() > before {
			calm = 0
		}
		if time.Since(begun) > patience {
			return fmt.Errorf("of %d workers %d draw images after %v", len(p.peers), p.host.Ready(), patience)
		}
	}
	return nil
}

// drawnByRun returns the number of images that the shared run has rendered itself.
func (p *imagePair) drawnByRun() int {
	shares, _ := p.host.Shares()
	return shares[0].Frames
}

// imageRun is a simulation with a listener to each camera.
type imageRun struct {
	sim    *omnipitch.Sim
	tick   time.Duration // time between images
	images int           // number of delivered images
	bytes  float64       // of the last image
	seed   *maphash.Seed // nil: no checksums
	sums   map[string]uint64
}

func startImages(w *worlds.World, opts omnipitch.Options) (*imageRun, error) {
	opts.RenderEarly = true // so that it is not measured
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		return nil, err
	}
	r := &imageRun{sim: sim, sums: map[string]uint64{}}
	err = circle(sim)
	eachSensor(w, func(robot int, s *sensors.Config) {
		r.tick = time.Duration(float64(time.Second) / s.Rate)
		if err == nil {
			_, err = sim.Listen(w.Robots[robot].Name, s.Name, omnipitch.Listener{Observe: r.observe})
		}
	})
	if err != nil {
		sim.Close()
		return nil, err
	}
	return r, nil
}

func (r *imageRun) observe(o *sensors.Observation) {
	r.images++
	r.bytes = float64(len(o.Color.Pix))
	if r.seed != nil {
		r.sums[fmt.Sprintf("%s.%s %d", o.Robot, o.Sensor, o.Frame)] = maphash.Bytes(*r.seed, o.Color.Pix)
	}
}

// run advances by the given sim time, as fast as possible.
func (r *imageRun) run(ctx context.Context, span time.Duration) error {
	_, err := r.sim.Run(ctx, omnipitch.Pace{For: span, Speed: timesync.Max})
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// imageTurn is the cost of an image, in seconds.
type imageTurn struct {
	wall, cpu float64 // of this process
	workers   float64 // processor time of the workers
}

// turn advances by the given sim time, and returns the mean cost of the images in that time.
func (r *imageRun) turn(ctx context.Context, span time.Duration, peers clusterPeers) (t imageTurn, err error) {
	before, err := peers.ask("cpu")
	if err != nil {
		return t, err
	}
	images, begun, cpu := r.images, time.Now(), rospeer.CPUTime()
	if err := r.run(ctx, span); err != nil {
		return t, err
	}
	n := float64(r.images - images)
	t.wall, t.cpu = time.Since(begun).Seconds()/n, float64(rospeer.CPUTime()-cpu)/1e9/n
	after, err := peers.ask("cpu")
	t.workers = float64(after.CPU-before.CPU) / 1e9 / n
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

// onlyOmni returns a function that changes a world. The world keeps only the mirror cameras of its first robots, at
// level raw, with images of the given size.
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

// fastCameras returns a function that changes a world. It gives the cameras a latency and raises their rate, so that
// steps cost little in comparison with images.
func fastCameras(latency time.Duration) func(*worlds.World) {
	return func(w *worlds.World) {
		w.Physics.Engine = "planar"
		eachSensor(w, func(_ int, s *sensors.Config) { s.Rate, s.Latency = 100, latency })
	}
}
