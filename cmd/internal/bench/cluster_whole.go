package bench

import (
	"context"
	"fmt"
	"hash/maphash"
	"os"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds"
)

// wholeWorkers is the number of worker processes that render the images of a match.
const wholeWorkers = 2

// matchLoad is the load of a match in real time: images per second and bytes per image.
type matchLoad struct{ rate, bytes float64 }

// measureWhole compares a match whose mirror camera images are rendered by workers with the same match in one process.
// Turns of the two alternate. It returns an error if their images differ.
func (c *Cluster) measureWhole(ctx context.Context, con console.Streams, report *Report,
	m *clusterModel) (load matchLoad, err error) {
	folder, err := os.MkdirTemp("", "omnipitch-bench-")
	if err != nil {
		return load, err
	}
	defer os.RemoveAll(folder)
	w, err := loadWorld("ten-robots", onlyOmni(c.Cameras, c.Match), func(w *worlds.World) { w.Look = c.Look })
	if err != nil {
		return load, err
	}
	f, err := openRenderFarm(ctx, folder, "images", wholeWorkers, false)
	if err != nil {
		return load, err
	}
	defer f.close()
	opts := omnipitch.Options{Renderer: c.Renderer, Cache: &c.cache}
	alone, err := startImages(w, opts)
	if err != nil {
		return load, err
	}
	defer alone.close()
	shared, err := f.host(w, opts, c.Renderer)
	if err != nil {
		return load, err
	}
	defer shared.close()
	bare, err := startImages(w, omnipitch.Options{NewRenderer: newBlank, Cache: &c.cache})
	if err != nil {
		return load, err
	}
	defer bare.close()
	seed := maphash.MakeSeed()
	alone.seed, shared.seed, bare.seed = &seed, &seed, &seed
	if err := shared.settle(ctx, f.peers); err != nil {
		return load, err
	}
	span, err := shared.spanOf(ctx, 3*c.Round) // a long time, since rendering is not parallel at the ends of a turn
	if err == nil {
		err = alone.run(ctx, shared.sim.Truth().Time)
	}
	if err == nil {
		err = bare.run(ctx, span)
	}
	if err != nil {
		return load, err
	}
	fmt.Fprintf(con.Notes(), "match: workers draw all\n")
	before, _ := shared.host.Shares()
	var g gathered
	for i := range c.Rounds {
		a, err := alone.turn(ctx, span, nil)
		if err != nil {
			return load, err
		}
		s, err := shared.turn(ctx, span, f.peers)
		if err != nil {
			return load, err
		}
		b, err := bare.turn(ctx, span, nil)
		if err != nil {
			return load, err
		}
		g.add("alone", "1/s", a.images/a.wall)
		g.add("workers", "1/s", s.images/s.wall)
		g.add("alone_cpu", "ms", a.cpu/a.images*1e3)
		g.add("workers_cpu", "ms", (s.cpu+s.workers)/s.images*1e3)
		g.add("workers_own", "s", s.workers/s.images)
		g.add("draw", "s", a.cpu/a.images-b.cpu/b.images)
		g.add("step", "s", b.cpu/span.Seconds())
		fmt.Fprintf(con.Notes(), "match: round %d of %d\n", i+1, c.Rounds)
	}
	after, _ := shared.host.Shares()
	if err := sameImages(alone.sums, shared.sums); err != nil {
		return load, err
	}
	load = matchLoad{rate: float64(len(w.Robots)) / alone.tick.Seconds(), bytes: alone.bytes}
	m.Draw, m.Step = g.median("draw"), g.median("step")
	report.compare("1/s", "match_two_workers_rate", "match_alone_rate", g.values["workers"], g.values["alone"])
	report.compare("ms", "match_two_workers_cpu", "match_alone_cpu", g.values["workers_cpu"], g.values["alone_cpu"])
	report.add("match_equal", float64(len(alone.sums)), "images", 1)
	report.add("match_drawn_by_run", float64(after[0].Frames-before[0].Frames), "images", 1)
	report.add("draw_cpu", m.Draw*1e3, "ms", c.Rounds)
	report.add("step_cpu", m.Step, "s/s", c.Rounds)
	own := g.median("workers_own")
	report.add("worker_cpu", own*1e3, "ms", c.Rounds)
	report.add("worker_cpu_modelled", 100*(m.Draw+m.Worker.at(load.bytes))/own, "%", c.Rounds)
	return load, nil
}

// sameImages returns an error unless two runs of equal length have the same images.
func sameImages(a, b map[string]uint64) error {
	if len(a) != len(b) || len(a) == 0 {
		return fmt.Errorf("one process delivered %d images, workers %d: must be the same", len(a), len(b))
	}
	for name, sum := range a {
		if other, ok := b[name]; !ok || other != sum {
			return fmt.Errorf("%s has different bytes when a worker draws it", name)
		}
	}
	return nil
}

// checkWhole validates the renderer.
func (c *Cluster) checkWhole() error {
	if err := checkRenderer(c.Renderer); err != nil {
		return err
	}
	if c.Renderer == backend.Reference {
		return fmt.Errorf("--renderer = %q: takes minutes for an image", c.Renderer)
	}
	return nil
}
