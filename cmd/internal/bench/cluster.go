package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/stat"

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

	cache  omnipitch.Cache
	folder string // for join files and sweeps
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
	errs := []error{atLeast1("--rounds", c.Rounds), atLeast1("--runs", c.Runs), checkRenderer(c.Renderer)}
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for flag, d := range map[string]time.Duration{"--round": c.Round, "--sleep": c.Sleep, "--run": c.RunTime} {
		if d <= 0 {
			fail("%s = %v: must be positive", flag, d)
		}
	}
	within := func(flag string, most int, numbers ...int) {
		for _, n := range numbers {
			if n < 1 || n > most {
				fail("%s = %d: must lie in [1, %d]", flag, n, most)
			}
		}
	}
	within("--cameras", 10, c.Cameras)
	within("--workers", 256, c.Workers...)
	within("--sleepers", 256, c.Sleepers...)
	if c.Jobs < 2 || c.Jobs > 100_000 {
		fail("--jobs = %d: must lie in [2, 100000]", c.Jobs)
	}
	if len(c.Workers) == 0 {
		fail("--workers: must have at least one number")
	}
	if len(c.Images) < 2 || !slices.ContainsFunc(c.Images,
		func(s imageSize) bool { return s.width*s.height != c.Images[0].width*c.Images[0].height }) {
		fail("--images: must have at least two different sizes")
	}
	if c.Renderer == backend.Reference {
		fail("--renderer = %q: takes minutes for an image", c.Renderer)
	}
	return errors.Join(errs...)
}

// Run measures and prints.
func (c *Cluster) Run(ctx context.Context, con console.Streams) (err error) {
	if err := c.plotFlag.check(); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "omnipitch-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	report := newReport("cluster")
	if err := report.settleRenderer(&c.Renderer); err != nil {
		return err
	}
	var p clusterPlan
	frames := experiment.Plot{Name: "cluster-frames", Title: "Overhead of an image, apart from drawing",
		XLabel: "bytes of an image, MB", YLabel: "processor time, ms"}
	err = c.measureJobs(ctx, con, report, &p)
	if err == nil {
		err = c.measureFrames(ctx, con, report, &p, &frames)
	}
	if err == nil {
		err = c.measureMatch(ctx, con, report, &p)
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return err
	}
	jobs := experiment.Plot{Name: "cluster-jobs", Title: "Empty jobs", XLabel: "worker processes",
		YLabel: "jobs a second", Bars: true, Curves: []experiment.Curve{{Name: "jobs a second"}}}
	for i, n := range c.Workers {
		jobs.Names = append(jobs.Names, strconv.Itoa(n))
		jobs.Curves[0].Add(float64(i), report.value(fmt.Sprintf("jobs_%d_rate", n)))
	}
	if err := c.plotFlag.write([]experiment.Plot{jobs, frames}); err != nil {
		return err
	}
	c.plan(report, &p)
	if err := report.print(con.Out, c.JSON); err != nil || c.JSON {
		return err
	}
	return c.printPlan(con.Out, report, &p)
}

// clusterPlan has the measurements from which the needs of a match and of a sweep on several machines are computed.
// Times are in seconds; processor time is that of one core.
//
// A match needs rate images a second. An image takes the processor time draw + frame.worker of a worker, so that
//
//	workers = ⌈rate·(draw + frame.worker)⌉, of one core each; before rounding up, the cores that they are busy for
//	cores of the run's process = step + rate·frame.run, with the server in it
//	network = rate·(frame.bytes + frame.order) bytes a second, nearly all of it to the run
//	most images a second = 1/frame.wall, with the server and a run on one machine
//
// If each of W workers executes one run after the other, N runs of t seconds each take
//
//	wall = max(⌈N/W⌉·(t + job), N·feed)
//
// One coordinator serves at most ⌊(t + job)/feed⌋ workers.
type clusterPlan struct {
	rate   float64   // images a second of the match in real time
	draw   float64   // processor time of rendering an image
	step   float64   // processor time of the run for a second of sim time, without images
	frame  frameCost // overhead of an encrypted image of the match
	worker [2]float64
	job    float64 // a worker's overhead per run, waiting included
	feed   float64 // least time between two runs that workers take from the queue
}

// runs returns the wall time of n runs of the given length, in seconds, with the given number of workers.
func (p *clusterPlan) runs(n int, seconds float64, workers int) float64 {
	return max(math.Ceil(float64(n)/float64(workers))*(seconds+p.job), float64(n)*p.feed)
}

// planned are the numbers of workers for which the duration of a sweep is estimated.
var planned = []int{1, 8, 64, 512}

// plan adds the estimates to the report.
func (c *Cluster) plan(report *Report, p *clusterPlan) {
	busy := p.rate * (p.draw + p.frame.worker)
	report.add("match_workers", math.Ceil(busy), "workers", 1)
	report.add("match_worker_cores", busy, "cores", 1)
	report.add("match_run_cores", p.step+p.rate*p.frame.run, "cores", 1)
	report.add("match_network", p.rate*(p.frame.bytes+p.frame.order)/1e6, "MB/s", 1)
	report.add("match_most", 1/p.frame.wall, "1/s", 1)
	for _, workers := range planned {
		report.add(fmt.Sprintf("runs_by_%d_workers", workers), p.runs(c.Runs, c.RunTime.Seconds(), workers)/3600, "h",
			1)
	}
	report.add("runs_most_workers", math.Floor((c.RunTime.Seconds()+p.job)/p.feed), "workers", 1)
}

// printPlan prints the estimates in words.
func (c *Cluster) printPlan(out io.Writer, report *Report, p *clusterPlan) error {
	network, most := report.value("match_network"), report.value("match_most")
	fmt.Fprintf(out, "\nA match with %.0f images of %v at raw a second, in real time, drawn on other machines over "+
		"TLS: %s of one core each, busy for %.2f cores;\n", p.rate, c.Match,
		workerCount(int(report.value("match_workers"))), report.value("match_worker_cores"))
	fmt.Fprintf(out, "%.2f cores for the run and its server; %.0f MB/s (%.1f Gbit/s) of network to it. This machine "+
		"reaches at most %.0f such images a second", report.value("match_run_cores"), network, network*8/1e3, most)
	if !(most >= p.rate) {
		fmt.Fprint(out, ": too few for real time")
	}
	fmt.Fprintf(out, ".\n%d runs of %v:", c.Runs, c.RunTime)
	for i, workers := range planned {
		fmt.Fprintf(out, "%s %.3g h with %s", []string{"", ";"}[min(i, 1)],
			report.value(fmt.Sprintf("runs_by_%d_workers", workers)), workerCount(workers))
	}
	_, err := fmt.Fprintf(out, ". One coordinator serves at most %.0f workers: it reaches %.3g runs a second.\n",
		report.value("runs_most_workers"), 1/p.feed)
	return err
}

func workerCount(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

// fit adds the line that best fits costs, in seconds, measured for the given numbers of bytes: it minimizes the sum of
// squared relative errors. The result is the cost at 0 bytes, and the cost per byte.
func (r *Report) fit(name string, bytes, costs []float64) (line [2]float64) {
	weights, worst := make([]float64, len(costs)), 0.0
	for i, c := range costs {
		weights[i] = 1 / (c * c)
	}
	line[0], line[1] = stat.LinearRegression(bytes, costs, weights, false)
	for i, c := range costs {
		worst = max(worst, math.Abs((line[0]+line[1]*bytes[i])/c-1))
	}
	r.add(name+"_fixed", line[0]*1e3, "ms", len(costs))
	r.add(name+"_megabyte", line[1]*1e9, "ms", len(costs))
	r.add(name+"_worst_error", 100*worst, "%", len(costs))
	return line
}

// rounds are measured values of several rounds, by name.
type rounds map[string][]float64

func (m rounds) add(name string, value float64) { m[name] = append(m[name], value) }

func (m rounds) median(name string) float64 { return median(m[name]) }
