package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/console"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
	"gonum.org/v1/gonum/stat"
)

// Timesync measures how well runs keep time, and how good forecasts are.
type Timesync struct {
	For   time.Duration `default:"6s" help:"Wall time of a run."`
	Loads []string      `default:"collisions,raw,switch,stolen,stopped" help:"Loads, one after the other: collisions, raw, switch, stolen, stopped."`
	Speed []string      `default:"realtime,0.5,steady,max" help:"Speeds, one after the other."`
	JSON  bool          `help:"Print one JSON object."`
	Plot  *string       `placeholder:"DIR" help:"Write plots of speed over time and of errors over intervals here, as PNG; the directory is made if need be."`
}

// intervals are the spans of sim time whose wall time is predicted.
var intervals = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
}

// ours is the name of our own method.
const ours = "schedule"

// Check judges the flags.
func (c *Timesync) Check() error {
	if c.For < time.Second {
		return fmt.Errorf("--for = %v: must be at least 1s", c.For)
	}
	if _, err := c.speeds(); err != nil {
		return err
	}
	for _, name := range c.Loads {
		if _, ok := loads[name]; !ok {
			return fmt.Errorf("--loads = %q: must be among collisions, raw, switch, stolen, stopped", name)
		}
	}
	return nil
}

func (c *Timesync) speeds() (speeds []timesync.Speed, err error) {
	for _, name := range c.Speed {
		s, err := timesync.ParseSpeed(name)
		if err == nil && s == timesync.Lockstep {
			err = errors.New(`speed = "lockstep": has no pace to measure`)
		}
		if err != nil {
			return nil, err
		}
		speeds = append(speeds, s)
	}
	return speeds, nil
}

// Run measures and prints.
func (c *Timesync) Run(ctx context.Context, con console.Streams) error {
	speeds, err := c.speeds()
	if err != nil {
		return err
	}
	if err := makePlotDir(c.Plot); err != nil {
		return err
	}
	report := newReport("timesync")
	var plots []experiment.Plot
	for _, name := range c.Loads {
		for _, speed := range speeds {
			t, err := c.measure(ctx, name, speed)
			if err != nil {
				return err
			}
			t.into(report)
			if c.Plot != nil {
				plots = append(plots, t.plots()...)
			}
			if !c.JSON {
				t.print(con.Out)
			}
			fmt.Fprintf(con.Err, "%s at %v: measured\n", name, speed)
		}
	}
	report.add("clock_resolution", float64(clockResolution()), "ns", 1000)
	if c.Plot != nil {
		if err := writePlots(*c.Plot, plots); err != nil {
			return err
		}
	}
	if c.JSON {
		return report.print(con.Out, true)
	}
	return nil
}

// clockResolution returns the smallest difference between two readings of a running clock, in sim nanoseconds.
func clockResolution() time.Duration {
	c := timesync.NewClock(timesync.SystemWall(), time.Hour)
	least := time.Duration(math.MaxInt64)
	for last := c.Now(); ; {
		now := c.Now()
		if now != last {
			least = min(least, now-last)
		}
		if last = now; now > time.Millisecond {
			return least
		}
	}
}

// timing is one run: how long its intervals were predicted to take, and how long they took.
type timing struct {
	load   string
	speed  timesync.Speed
	wall   *observedWall
	sim    *omnipitch.Sim
	step   time.Duration
	warmup time.Duration // wall time before errors count

	names     []string
	begins    []time.Duration // wall time at which each step began
	target    float64         // real-time factor that the present step is paced to
	pending   []prediction
	errors    [][][]float64 // of each method and interval, in per cent
	spare     int
	report    *omnipitch.Report
	recovered *recovery
}

// prediction is the wall time of the intervals after a step as it was predicted.
type prediction struct {
	step  int
	wall  [][]time.Duration // by method and interval
	ended int               // intervals that are over
}

// observedWall is the machine's clock without the time that measuring the run takes.
type observedWall struct {
	timesync.Wall
	measuring atomic.Int64 // ns
}

func (w *observedWall) Now() time.Duration { return w.Wall.Now() - time.Duration(w.measuring.Load()) }

func (w *observedWall) Wait(ctx context.Context, until time.Duration) {
	w.Wall.Wait(ctx, until+time.Duration(w.measuring.Load()))
}

// exclude does something whose wall time does not count.
func (w *observedWall) exclude(do func()) {
	before := w.Wall.Now()
	do()
	w.measuring.Add(int64(w.Wall.Now() - before))
}

// measure runs a load at a speed.
func (c *Timesync) measure(ctx context.Context, load string, speed timesync.Speed) (*timing, error) {
	t := &timing{load: load, speed: speed, wall: &observedWall{Wall: timesync.SystemWall()}, warmup: c.For / 6}
	t.names = []string{ours}
	for _, b := range baselines {
		t.names = append(t.names, b.name)
	}
	t.errors = make([][][]float64, len(t.names))
	for i := range t.errors {
		t.errors[i] = make([][]float64, len(intervals))
	}
	sim, drive, err := loads[load](t.wall)
	if err != nil {
		return nil, err
	}
	defer sim.Close()
	t.sim, t.step = sim, sim.World().Time.Step
	during, err := disturb(load, c.For)
	if err != nil {
		return nil, err
	}
	defer during()
	if load == "stopped" {
		t.recovered = newRecovery(t)
	}
	sim.OnStep(func(*physics.Snapshot) { t.wall.exclude(t.predict) })
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	t.report, err = sim.Run(running, omnipitch.Pace{Speed: speed, Began: func(wall time.Duration, target float64) {
		t.target = target
		t.wall.exclude(func() {
			t.began(wall)
			gone := wall - t.begins[0]
			if gone > c.For {
				cancel()
			}
			if drive != nil {
				drive(len(t.begins), gone > c.For/2)
			}
		})
	}})
	if err == nil && ctx.Err() != nil {
		err = errInterrupted
	}
	return t, err
}

// began takes the wall time at which a step began.
func (t *timing) began(wall time.Duration) {
	t.begins = append(t.begins, wall)
	if t.recovered != nil {
		t.recovered.stepBegan(wall)
	}
	now := len(t.begins) - 1
	for i := 0; i < len(t.pending); i++ {
		if t.settle(&t.pending[i], now); t.pending[i].ended == len(intervals) {
			t.pending = slices.Delete(t.pending, i, i+1)
			i--
		}
	}
}

// predict predicts now and then, during a step, how long the intervals after it will take.
func (t *timing) predict() {
	if t.spare--; t.spare > 0 || len(t.begins) < 2 {
		return
	}
	now := len(t.begins) - 1
	t.spare = 3 + now%5 // at all phases of the sensors
	p := prediction{step: now + 1, wall: make([][]time.Duration, len(t.names))}
	var last []time.Duration
	for i := max(now-200, 0); i < now; i++ {
		last = append(last, t.begins[i+1]-t.begins[i])
	}
	for _, d := range intervals {
		p.wall[0] = append(p.wall[0], t.sim.Predict(d).Likely)
		for i, b := range baselines {
			p.wall[i+1] = append(p.wall[i+1], b.step(last)*(d/t.step))
		}
	}
	if t.begins[now]-t.begins[0] > t.warmup {
		t.pending = append(t.pending, p)
	}
}

// settle compares a prediction with how long the intervals took that are over.
func (t *timing) settle(p *prediction, now int) {
	for ; p.ended < len(intervals); p.ended++ {
		end := p.step + int(intervals[p.ended]/t.step)
		if end > now {
			return
		}
		took := t.begins[end] - t.begins[p.step]
		if t.recovered != nil && took > timeStopped/2 {
			continue // nothing can predict that
		}
		for i := range t.names {
			t.errors[i][p.ended] = append(t.errors[i][p.ended], 100*math.Abs(float64(p.wall[i][p.ended]-took))/float64(took))
		}
	}
}

// into adds the results to a report.
func (t *timing) into(r *Report) {
	prefix := fmt.Sprintf("%s_%v_", t.load, t.speed)
	r.add(prefix+"real_time_factor", t.report.Factor(), "x", len(t.begins))
	if t.report.Lateness.Steps > 0 {
		r.add(prefix+"start_after_due", t.report.Lateness.Median.Seconds()*1e6, "us", int(t.report.Lateness.Steps))
		r.add(prefix+"start_after_due_p95", t.report.Lateness.P95.Seconds()*1e6, "us", int(t.report.Lateness.Steps))
	}
	for k, d := range intervals {
		if len(t.errors[0][k]) == 0 {
			continue // the run was too short
		}
		best := math.Inf(1)
		for i, name := range t.names {
			e := stat.Mean(t.errors[i][k], nil)
			if i > 0 {
				best = min(best, e)
			}
			r.add(fmt.Sprintf("%s%dms_%s_error", prefix, d.Milliseconds(), strings.ReplaceAll(name, " ", "_")), e, "%", len(t.errors[i][k]))
		}
		r.addRatio(fmt.Sprintf("%s%dms_error", prefix, d.Milliseconds()), "the best of the others", stat.Mean(t.errors[0][k], nil)/best, len(t.errors[0][k]))
	}
	if t.recovered != nil {
		t.recovered.into(r, prefix)
	}
}

// print prints the table of errors of one run.
func (t *timing) print(out io.Writer) {
	fmt.Fprintf(out, "\n%s at %v: real-time factor %.3g", t.load, t.speed, t.report.Factor())
	if l := t.report.Lateness; l.Steps > 0 {
		fmt.Fprintf(out, ", steps begin %.1f µs after they are due, median; 95 %% within %.1f µs", 1e6*l.Median.Seconds(), 1e6*l.P95.Seconds())
	}
	fmt.Fprintln(out)
	if t.recovered != nil {
		fmt.Fprintln(out, t.recovered)
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "mean error, %\t")
	for _, d := range intervals {
		fmt.Fprintf(tw, "%v\t", d)
	}
	fmt.Fprintln(tw)
	for i, name := range t.names {
		fmt.Fprintf(tw, "%s\t", name)
		for k := range intervals {
			fmt.Fprintf(tw, "%.3g\t", stat.Mean(t.errors[i][k], nil))
		}
		fmt.Fprintln(tw)
	}
	tw.Flush()
}

// plots shows speed over time and errors over intervals.
func (t *timing) plots() []experiment.Plot {
	name := fmt.Sprintf("timesync-%s-%v", t.load, t.speed)
	speed := experiment.Plot{
		Name: name, Title: fmt.Sprintf("speed, load %s, --speed %v", t.load, t.speed),
		XLabel: "wall time, s", YLabel: "real-time factor", LogY: t.speed == timesync.Max,
	}
	for _, n := range []int{1, 20, 200} {
		curve := experiment.Curve{Name: fmt.Sprintf("over %d steps", n)}
		if n == 1 {
			curve.Name = "of each step"
		}
		for i := n; i < len(t.begins); i += max(1, n/10) {
			at := (t.begins[i] - t.begins[0] - t.warmup).Seconds()
			if at < 0 || at > 1 {
				continue
			}
			curve.X = append(curve.X, at)
			curve.Y = append(curve.Y, float64(n)*t.step.Seconds()/(t.begins[i]-t.begins[i-n]).Seconds())
		}
		speed.Curves = append(speed.Curves, curve)
	}
	errors := experiment.Plot{
		Name: name + "-errors", Title: fmt.Sprintf("mean error, load %s, --speed %v", t.load, t.speed),
		XLabel: "interval, ms of sim time", YLabel: "error, %", LogY: true,
	}
	for i, name := range t.names {
		if name == "mean of 10" || name == "mean of 20" {
			continue // they lie between those of 5 and of 50
		}
		curve := experiment.Curve{Name: name}
		for k, d := range intervals {
			if len(t.errors[i][k]) == 0 {
				continue
			}
			curve.X, curve.Y = append(curve.X, float64(d.Milliseconds())), append(curve.Y, math.Max(stat.Mean(t.errors[i][k], nil), 1e-6)) // the axis has no 0
		}
		errors.Curves = append(errors.Curves, curve)
	}
	return []experiment.Plot{speed, errors}
}
