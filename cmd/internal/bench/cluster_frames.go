package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
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
func (c *Cluster) measureFrames(ctx context.Context, con console.Streams, report *Report,
	m *clusterModel) (costs []frameCost, encrypted frameCost, err error) {
	folder, err := os.MkdirTemp("", "omnipitch-bench-")
	if err != nil {
		return nil, encrypted, err
	}
	defer os.RemoveAll(folder)
	if costs, err = c.measureSizes(ctx, con, report, folder, "frame", c.Images, false); err != nil {
		return nil, encrypted, err
	}
	of, err := c.measureSizes(ctx, con, report, folder, "frame_tls", []imageSize{c.Match}, true)
	if err != nil {
		return nil, encrypted, err
	}
	return costs, of[0], m.fit(report, costs)
}

// measureSizes measures the overhead of images of several sizes, with one worker.
func (c *Cluster) measureSizes(ctx context.Context, con console.Streams, report *Report, folder, name string,
	sizes []imageSize, encrypt bool) (costs []frameCost, err error) {
	f, err := openRenderFarm(ctx, folder, "frames", 1, encrypt)
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

// fit fits the model's lines to the overhead of images of several sizes.
func (m *clusterModel) fit(report *Report, costs []frameCost) error {
	for _, fit := range []struct {
		name string
		of   func(*frameCost) float64
		to   *line
	}{
		{"frame_run_cpu", func(c *frameCost) float64 { return c.run }, &m.Run},
		{"frame_worker_cpu", func(c *frameCost) float64 { return c.worker }, &m.Worker},
		{"frame_wall", func(c *frameCost) float64 { return c.wall }, &m.Wall},
	} {
		var bytes, seconds []float64
		for i := range costs {
			bytes, seconds = append(bytes, costs[i].bytes), append(seconds, fit.of(&costs[i]))
			m.Order = costs[i].order // the same for all sizes
		}
		l, worst, err := fitLine(bytes, seconds)
		if err != nil {
			return fmt.Errorf("%s: %w", fit.name, err)
		}
		*fit.to = l
		report.add(fit.name+"_fixed", l.A*1e3, "ms", len(costs))
		report.add(fit.name+"_megabyte", l.B*1e9, "ms", len(costs))
		report.add(fit.name+"_worst_error", 100*worst, "%", len(costs))
	}
	return nil
}

// fastCameras raises the image rate of a world's cameras, so that steps cost little in comparison with images.
func fastCameras(w *worlds.World) {
	w.Physics.Engine = "planar"
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			s := &w.Robots[i].Sensors[k]
			s.Rate, s.Latency = 100, 20*time.Millisecond
		}
	}
}

// measureFrame measures the overhead of images of one size. Turns with a worker alternate with turns of the run alone.
// Neither run nor worker renders anything.
func (c *Cluster) measureFrame(ctx context.Context, f *renderFarm, size imageSize) (cost frameCost, err error) {
	w, err := loadWorld("ten-robots", onlyOmni(c.Cameras, size), fastCameras)
	if err != nil {
		return cost, err
	}
	opts := omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache}
	alone, err := startImages(w, opts)
	if err != nil {
		return cost, err
	}
	defer alone.close()
	shared, err := f.host(w, opts, "tile")
	if err != nil {
		return cost, err
	}
	defer shared.close()
	if err := shared.settle(ctx, f.peers); err != nil {
		return cost, err
	}
	span, err := shared.spanOf(ctx, c.Round)
	if err == nil {
		err = alone.run(ctx, span)
	}
	if err != nil {
		return cost, err
	}
	var g gathered
	orders, ordered := shared.conn.Stats().OutBytes, shared.images
	for range c.Rounds {
		a, err := alone.turn(ctx, span, nil)
		if err != nil {
			return cost, err
		}
		s, err := shared.turn(ctx, span, f.peers)
		if err != nil {
			return cost, err
		}
		g.add("run", "s", s.cpu/s.images-a.cpu/a.images)
		g.add("worker", "s", s.workers/s.images)
		g.add("wall", "s", s.wall/s.images)
	}
	order := float64(shared.conn.Stats().OutBytes-orders) / float64(shared.images-ordered)
	return frameCost{bytes: shared.bytes, run: g.median("run"), worker: g.median("worker"), wall: g.median("wall"),
		order: order}, nil
}

// awaited is a farm that records when an image is requested. The embedded farm renders the image. Without an embedded
// farm, the run itself renders it.
type awaited struct {
	omnipitch.Farm
	sim   *omnipitch.Sim
	asked time.Time
}

func (a *awaited) Begin(sim *omnipitch.Sim, w *worlds.World) {
	if a.sim = sim; a.Farm != nil {
		a.Farm.Begin(sim, w)
	}
}

func (a *awaited) Draw(o *pipeline.Order) {
	if a.asked = time.Now(); a.Farm != nil {
		a.Farm.Draw(o)
		return
	}
	a.sim.Sensors().DrawHere(o.Frames)
}

const (
	latencies = 20                   // images per round
	pause     = 4 * time.Millisecond // wall time between images, in which all goroutines fall asleep, as in real time
)

// measureLatency measures the time from capture to delivery of single images, both for images that a worker renders and
// for images that the run itself renders.
func (c *Cluster) measureLatency(ctx context.Context, report *Report, f *renderFarm, size imageSize,
	name string) error {
	w, err := loadWorld("ten-robots", onlyOmni(1, size), fastCameras,
		func(w *worlds.World) { w.Robots[0].Sensors[0].Latency = 0 })
	if err != nil {
		return err
	}
	home := &awaited{}
	alone, err := startImages(w, omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache, Farm: home})
	if err != nil {
		return err
	}
	defer alone.close()
	away := &awaited{}
	shared, err := f.host(w, omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache, Farm: away}, "tile")
	if err != nil {
		return err
	}
	defer shared.close()
	if err := shared.settle(ctx, f.peers); err != nil {
		return err
	}
	var took [2][]float64 // ms, by the worker and by the run
	for i, r := range []*imageRun{shared.imageRun, alone} {
		farm := []*awaited{away, home}[i]
		r.seen = func() { took[i] = append(took[i], time.Since(farm.asked).Seconds()*1e3) }
	}
	var rounds [2][]float64
	for range c.Rounds {
		took = [2][]float64{}
		for range latencies {
			for _, r := range []*imageRun{shared.imageRun, alone} {
				if err := r.run(ctx, r.tick); err != nil {
					return err
				}
				time.Sleep(pause)
			}
		}
		for i := range took {
			rounds[i] = append(rounds[i], median(took[i]))
		}
	}
	report.add(name, median(rounds[0]), "ms", latencies*c.Rounds)
	report.add(name+"_at_home", median(rounds[1]), "ms", latencies*c.Rounds)
	return nil
}

// plotFrames plots overhead over image size, with the fitted lines.
func plotFrames(costs []frameCost, m *clusterModel) experiment.Plot {
	p := experiment.Plot{Name: "cluster-frames", Title: "Overhead of an image, apart from drawing",
		XLabel: "bytes of an image, MB", YLabel: "processor time, ms"}
	run, worker := experiment.Curve{Name: "the run, with the server", Marks: true}, experiment.Curve{Name: "the worker",
		Marks: true}
	for i := range costs {
		c := &costs[i]
		run.X, run.Y = append(run.X, c.bytes/1e6), append(run.Y, c.run*1e3)
		worker.X, worker.Y = append(worker.X, c.bytes/1e6), append(worker.Y, c.worker*1e3)
	}
	fitted := func(name string, l line) experiment.Curve {
		first, last := slices.Min(run.X), slices.Max(run.X)
		return experiment.Curve{Name: name, X: []float64{first, last}, Y: []float64{l.at(first*1e6) * 1e3,
			l.at(last*1e6) * 1e3}}
	}
	p.Curves = []experiment.Curve{run, fitted("its line", m.Run), worker, fitted("its line", m.Worker)}
	return p
}
