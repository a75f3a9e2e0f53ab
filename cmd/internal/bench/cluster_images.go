package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/bench/rospeer"
	"github.com/omnipitch/omnipitch/cmd/internal/cluster"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/cmd/internal/farm"
	"github.com/omnipitch/omnipitch/physics/experiment"
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

// frameCost is the overhead of an image that a worker renders, without the time of rendering. Times are in seconds.
type frameCost struct {
	bytes       float64
	run, worker float64 // processor time of the run with the server, and of the worker
	wall        float64 // wall time from one image to the next
	order       float64 // size of the request for the image, bytes
}

// measureFrames measures the overhead of images of several sizes, and the overhead of encryption.
func (c *Cluster) measureFrames(ctx context.Context, con console.Streams, report *Report, p *clusterPlan,
	plot *experiment.Plot) error {
	costs, err := c.measureSizes(ctx, con, report, "frame", c.Images, false)
	if err != nil {
		return err
	}
	encrypted, err := c.measureSizes(ctx, con, report, "frame_tls", []imageSize{c.Match}, true)
	if err != nil {
		return err
	}
	p.frame = encrypted[0]
	for _, x := range []struct {
		name, curve string
		of          func(*frameCost) float64
	}{
		{"frame_run_cpu", "the run, with the server", func(c *frameCost) float64 { return c.run }},
		{"frame_wall", "", func(c *frameCost) float64 { return c.wall }},
		{"frame_worker_cpu", "the worker", func(c *frameCost) float64 { return c.worker }},
	} {
		var bytes, seconds []float64
		measured := experiment.Curve{Name: x.curve, Marks: true}
		for i := range costs {
			bytes, seconds = append(bytes, costs[i].bytes), append(seconds, x.of(&costs[i]))
			measured.Add(bytes[i]/1e6, seconds[i]*1e3)
		}
		p.worker = report.fit(x.name, bytes, seconds) // the worker's is the last
		fitted := experiment.Curve{Name: "its line"}
		for _, n := range bytes {
			fitted.Add(n/1e6, (p.worker[0]+p.worker[1]*n)*1e3)
		}
		if x.curve != "" {
			plot.Curves = append(plot.Curves, measured, fitted)
		}
	}
	return nil
}

// measureSizes measures the overhead of images of several sizes, with one worker.
func (c *Cluster) measureSizes(ctx context.Context, con console.Streams, report *Report, name string,
	sizes []imageSize, encrypt bool) (costs []frameCost, err error) {
	f, err := c.openRenderFarm(ctx, "frames", 1, encrypt)
	if err != nil {
		return nil, err
	}
	defer f.close()
	for _, size := range sizes {
		cost, err := c.measureFrame(ctx, f, size)
		if err != nil {
			return nil, err
		}
		costs = append(costs, cost)
		named := name + "_" + size.String()
		report.add(named+"_bytes", cost.bytes, "B", 1)
		report.add(named+"_run_cpu", cost.run*1e3, "ms", c.Rounds)
		report.add(named+"_worker_cpu", cost.worker*1e3, "ms", c.Rounds)
		report.add(named+"_rate", 1/cost.wall, "1/s", c.Rounds)
		report.add(named+"_throughput", cost.bytes/cost.wall/1e6, "MB/s", c.Rounds)
		if err := c.measureLatency(ctx, report, f, size, named+"_latency"); err != nil {
			return nil, err
		}
		fmt.Fprintf(con.Notes(), "%s: measured\n", named)
	}
	return costs, nil
}

// openBlank starts a world with cameras of the given size. Neither the run nor the worker renders their images.
func (c *Cluster) openBlank(ctx context.Context, f *renderFarm, cameras int, size imageSize,
	latency time.Duration) (*imagePair, error) {
	w, err := loadWorld("ten-robots", onlyOmni(cameras, size), fastCameras(latency))
	if err != nil {
		return nil, err
	}
	return f.open(ctx, w, omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache}, "tile")
}

// measureFrame measures the overhead of images of one size. Turns with a worker alternate with turns of the run alone.
func (c *Cluster) measureFrame(ctx context.Context, f *renderFarm, size imageSize) (cost frameCost, err error) {
	p, err := c.openBlank(ctx, f, c.Cameras, size, 20*time.Millisecond)
	if err != nil {
		return cost, err
	}
	defer p.close()
	span, err := p.shared.spanOf(ctx, c.Round)
	if err == nil {
		err = p.alone.run(ctx, span)
	}
	if err != nil {
		return cost, err
	}
	m := rounds{}
	orders, ordered := p.conn.Stats().OutBytes, p.shared.images
	for range c.Rounds {
		a, err := p.alone.turn(ctx, span, nil)
		if err != nil {
			return cost, err
		}
		s, err := p.shared.turn(ctx, span, f.peers)
		if err != nil {
			return cost, err
		}
		m.add("run", s.cpu-a.cpu)
		m.add("worker", s.workers)
		m.add("wall", s.wall)
	}
	order := float64(p.conn.Stats().OutBytes-orders) / float64(p.shared.images-ordered)
	return frameCost{bytes: p.shared.bytes, run: m.median("run"), worker: m.median("worker"), wall: m.median("wall"),
		order: order}, nil
}

const (
	latencies = 20                   // images per round
	pause     = 4 * time.Millisecond // wall time between images, in which all goroutines fall asleep, as in real time
)

// measureLatency measures the wall time of the steps until a single image is delivered, both for images that a worker
// renders and for images that the run itself renders.
func (c *Cluster) measureLatency(ctx context.Context, report *Report, f *renderFarm, size imageSize,
	name string) error {
	p, err := c.openBlank(ctx, f, 1, size, 0)
	if err != nil {
		return err
	}
	defer p.close()
	m := rounds{}
	for range c.Rounds {
		var took [2][]float64 // latencies, ms, of images that the worker and that the run renders
		for range latencies {
			for i, r := range []*imageRun{p.shared, p.alone} {
				begun := time.Now()
				if err := r.run(ctx, r.tick); err != nil {
					return err
				}
				took[i] = append(took[i], time.Since(begun).Seconds()*1e3)
				time.Sleep(pause)
			}
		}
		m.add("", median(took[0]))
		m.add("_at_home", median(took[1]))
	}
	for _, at := range []string{"", "_at_home"} {
		report.add(name+at, m.median(at), "ms", latencies*c.Rounds)
	}
	return nil
}

// matchWorkers is the number of worker processes that render the images of a match.
const matchWorkers = 2

// measureMatch compares a match whose mirror camera images are rendered by workers with the same match in one process.
// Turns of the two alternate. It returns an error if their images differ.
func (c *Cluster) measureMatch(ctx context.Context, con console.Streams, report *Report, plan *clusterPlan) error {
	w, err := loadWorld("ten-robots", onlyOmni(c.Cameras, c.Match), func(w *worlds.World) { w.Look = c.Look })
	if err != nil {
		return err
	}
	f, err := c.openRenderFarm(ctx, "images", matchWorkers, false)
	if err != nil {
		return err
	}
	defer f.close()
	p, err := f.open(ctx, w, omnipitch.Options{Renderer: c.Renderer, Cache: &c.cache}, c.Renderer)
	if err != nil {
		return err
	}
	defer p.close()
	bare, err := startImages(w, omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache})
	if err != nil {
		return err
	}
	defer bare.sim.Close()
	// long turns, because rendering is not parallel at the start and the end of a turn
	span, err := p.shared.spanOf(ctx, 3*c.Round)
	if err == nil {
		err = p.alone.run(ctx, p.shared.sim.Truth().Time)
	}
	if err == nil {
		err = bare.run(ctx, span)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(con.Notes(), "match: workers draw all\n")
	seed := maphash.MakeSeed()
	p.alone.seed, p.shared.seed = &seed, &seed
	before, m := p.drawnByRun(), rounds{}
	for i := range c.Rounds {
		var turns [3]imageTurn
		for k, r := range []*imageRun{p.alone, p.shared, bare} {
			peers := f.peers
			if r != p.shared {
				peers = nil
			}
			if turns[k], err = r.turn(ctx, span, peers); err != nil {
				return err
			}
		}
		a, s, b := turns[0], turns[1], turns[2]
		m.add("alone", 1/a.wall)
		m.add("workers", 1/s.wall)
		m.add("alone_cpu", a.cpu*1e3)
		m.add("workers_cpu", (s.cpu+s.workers)*1e3)
		m.add("workers_own", s.workers)
		m.add("draw", a.cpu-b.cpu)
		m.add("bare", b.cpu)
		fmt.Fprintf(con.Notes(), "match: round %d of %d\n", i+1, c.Rounds)
	}
	if len(p.alone.sums) == 0 || !maps.Equal(p.alone.sums, p.shared.sums) {
		return fmt.Errorf("one process delivered %d images, workers %d: must be the same images, with the same bytes",
			len(p.alone.sums), len(p.shared.sums))
	}
	plan.rate = float64(len(w.Robots)) / p.alone.tick.Seconds()
	plan.draw, plan.step = m.median("draw"), m.median("bare")*plan.rate
	report.compare("1/s", "match_two_workers_rate", "match_alone_rate", m["workers"], m["alone"])
	report.compare("ms", "match_two_workers_cpu", "match_alone_cpu", m["workers_cpu"], m["alone_cpu"])
	report.add("match_equal", float64(len(p.alone.sums)), "images", 1)
	report.add("match_drawn_by_run", float64(p.drawnByRun()-before), "images", 1)
	report.add("draw_cpu", plan.draw*1e3, "ms", c.Rounds)
	report.add("step_cpu", plan.step, "s/s", c.Rounds)
	own := m.median("workers_own")
	report.add("worker_cpu", own*1e3, "ms", c.Rounds)
	report.add("worker_cpu_modelled", 100*(plan.draw+plan.worker[0]+plan.worker[1]*p.alone.bytes)/own, "%", c.Rounds)
	return nil
}
