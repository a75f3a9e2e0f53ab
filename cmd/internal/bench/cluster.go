package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/render/backend"
)

// Cluster measures the overhead of running jobs and rendering images in other processes, and estimates what a match or
// a sweep needs.
type Cluster struct {
	Rounds   int           `default:"3" help:"Number of measurements of each kind."`
	Round    time.Duration `default:"1s" help:"Wall time of an image measurement."`
	Jobs     int           `default:"1000" help:"Number of empty jobs of a sweep."`
	Workers  []int         `default:"1,2,4,8" help:"Numbers of worker processes; measured one after the other."`
	Sleepers []int         `default:"1,8,64" help:"Numbers of workers in one process whose jobs sleep; measured one after the other."`
	Sleep    time.Duration `default:"250ms" help:"Time that these jobs sleep."`
	Images   []imageSize   `default:"160x160,320x320,640x640,1280x1024" placeholder:"WIDTHxHEIGHT" help:"Sizes of blank images; measured one after the other. Default: ${default}."`
	Cameras  int           `default:"10" help:"Number of robots with a mirror camera, at most ten."`
	Match    imageSize     `default:"640x640" placeholder:"WIDTHxHEIGHT" help:"Image size in the match. Default: ${default}."`
	Look     string        `enum:"natural,plain" default:"natural" help:"Lighting of the match: natural or plain. Default: ${default}."`
	Renderer string        `default:"auto" placeholder:"NAME" help:"Renderer: opengl, tile, raycast or auto. Default: ${default}."`
	Runs     int           `default:"1000000" help:"Number of runs of the planned sweep."`
	RunTime  time.Duration `name:"run" default:"10s" help:"Core time of each of its runs."`
	plotFlag
	JSON bool `help:"Print one JSON object."`

	cache omnipitch.Cache
}

// imageSize is WIDTHxHEIGHT, pixels.
type imageSize struct{ width, height int }

func (s imageSize) String() string { return fmt.Sprintf("%dx%d", s.width, s.height) }

// UnmarshalText reads WIDTHxHEIGHT.
func (s *imageSize) UnmarshalText(text []byte) error {
	var rest string
	if n, _ := fmt.Sscanf(string(text)+" ", "%dx%d%s", &s.width, &s.height, &rest); n != 2 || s.width < 16 ||
		s.width > 4096 || s.height < 16 || s.height > 4096 {
		return fmt.Errorf("%q: must be WIDTHxHEIGHT, such as 640x640, each in [16, 4096]", text)
	}
	return nil
}

// Check validates the flags.
func (c *Cluster) Check() error {
	errs := []error{atLeast1("--rounds", c.Rounds), atLeast1("--runs", c.Runs), c.checkWhole()}
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, d := range []struct {
		flag string
		is   time.Duration
	}{{"--round", c.Round}, {"--sleep", c.Sleep}, {"--run", c.RunTime}} {
		if d.is <= 0 {
			fail("%s = %v: must be positive", d.flag, d.is)
		}
	}
	if c.Cameras < 1 || c.Cameras > 10 {
		fail("--cameras = %d: must lie in [1, 10]", c.Cameras)
	}
	if c.Jobs < 2 || c.Jobs > 100_000 {
		fail("--jobs = %d: must lie in [2, 100000]", c.Jobs)
	}
	for _, l := range []struct {
		flag string
		are  []int
	}{{"--workers", c.Workers}, {"--sleepers", c.Sleepers}} {
		for _, n := range l.are {
			if n < 1 || n > 256 {
				fail("%s = %d: must lie in [1, 256]", l.flag, n)
			}
		}
	}
	if len(c.Workers) == 0 {
		fail("--workers: must have at least one number")
	}
	if len(c.Images) < 2 || !slices.ContainsFunc(c.Images,
		func(s imageSize) bool { return s.width*s.height != c.Images[0].width*c.Images[0].height }) {
		fail("--images: must have at least two different sizes")
	}
	return errors.Join(errs...)
}

// Run measures and prints.
func (c *Cluster) Run(ctx context.Context, con console.Streams) error {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	report := newReport("cluster")
	if err := report.addRenderer(backend.Choose(c.Renderer, nil)); err != nil {
		return err
	}
	var m clusterModel
	err := c.measureJobs(ctx, con, report, &m)
	var costs []frameCost
	var encrypted frameCost
	if err == nil {
		costs, encrypted, err = c.measureFrames(ctx, con, report, &m)
	}
	var load matchLoad
	if err == nil {
		load, err = c.measureWhole(ctx, con, report, &m)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	plots := []experiment.Plot{c.plotJobs(report), plotFrames(costs, &m)}
	m.encrypt(&encrypted) // other machines are reached with encryption
	c.plan(report, &m, load)
	if err := c.plotFlag.write(plots); err != nil {
		return err
	}
	if err := report.print(con.Out, c.JSON); err != nil || c.JSON {
		return err
	}
	return c.printPlan(con.Out, &m, load)
}

// planned are the numbers of workers for which the duration of a sweep is estimated.
var planned = []int{1, 8, 64, 512}

// plan adds the model's estimates to the report.
func (c *Cluster) plan(report *Report, m *clusterModel, load matchLoad) {
	n := m.match(load.rate, load.bytes)
	report.add("match_workers", float64(n.Workers), "workers", 1)
	report.add("match_worker_cores", n.Busy, "cores", 1)
	report.add("match_run_cores", n.Cores, "cores", 1)
	report.add("match_network", n.Network/1e6, "MB/s", 1)
	report.add("match_most", n.Most, "1/s", 1)
	for _, workers := range planned {
		report.add(fmt.Sprintf("runs_by_%d_workers", workers), m.runs(c.Runs, c.RunTime.Seconds(), workers)/3600, "h",
			1)
	}
	report.add("runs_most_workers", float64(m.feeds(c.RunTime.Seconds())), "workers", 1)
}

// printPlan prints the model's estimates in words.
func (c *Cluster) printPlan(out io.Writer, m *clusterModel, load matchLoad) error {
	n := m.match(load.rate, load.bytes)
	fmt.Fprintf(out, "\nA match with %.0f images of %v at raw a second, in real time, drawn on other machines over "+
		"TLS: %s of one core each, busy for %.2f cores;\n",
		load.rate, c.Match, workerCount(n.Workers), n.Busy)
	fmt.Fprintf(out, "%.2f cores for the run and its server; %.0f MB/s (%.1f Gbit/s) of network to it. This machine "+
		"reaches at most %.0f such images a second", n.Cores, n.Network/1e6, n.Network*8/1e9, n.Most)
	if !(n.Most >= load.rate) {
		fmt.Fprint(out, ": too few for real time")
	}
	fmt.Fprintln(out, ".")
	fmt.Fprintf(out, "%d runs of %v:", c.Runs, c.RunTime)
	for i, workers := range planned {
		sep := ";"
		if i == 0 {
			sep = ""
		}
		fmt.Fprintf(out, "%s %.3g h with %s", sep, m.runs(c.Runs, c.RunTime.Seconds(), workers)/3600,
			workerCount(workers))
	}
	_, err := fmt.Fprintf(out, ". One coordinator serves at most %d workers: it reaches %.3g runs a second.\n",
		m.feeds(c.RunTime.Seconds()), 1/m.Feed)
	return err
}

func workerCount(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// plotJobs plots jobs per second over the number of workers.
func (c *Cluster) plotJobs(report *Report) experiment.Plot {
	p := experiment.Plot{Name: "cluster-jobs", Title: "Empty jobs", XLabel: "worker processes",
		YLabel: "jobs a second", Bars: true}
	curve := experiment.Curve{Name: "jobs a second"}
	for i, n := range c.Workers {
		p.Names = append(p.Names, strconv.Itoa(n))
		curve.X, curve.Y = append(curve.X, float64(i)), append(curve.Y, report.value(fmt.Sprintf("jobs_%d_rate", n)))
	}
	p.Curves = []experiment.Curve{curve}
	return p
}

// gathered collects values of several rounds by name, in the order of their first value.
type gathered struct {
	names  []string
	units  map[string]string
	values map[string][]float64
}

func (g *gathered) add(name, unit string, value float64) {
	if g.values == nil {
		g.units, g.values = map[string]string{}, map[string][]float64{}
	}
	if _, ok := g.values[name]; !ok {
		g.names = append(g.names, name)
		g.units[name] = unit
	}
	g.values[name] = append(g.values[name], value)
}

func (g *gathered) median(name string) float64 { return median(g.values[name]) }

// into adds the medians to a report.
func (g *gathered) into(r *Report) {
	for _, name := range g.names {
		r.add(name, g.median(name), g.units[name], len(g.values[name]))
	}
}
