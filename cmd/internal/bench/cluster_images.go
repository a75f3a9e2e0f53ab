package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/worlds"
)

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
