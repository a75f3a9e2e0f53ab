// Package intervals measures how long intervals of sim time take in a running simulation, and the errors of
// predictions: the simulation's own, and those of methods in the literature.
//
// Wall times exclude the time of measuring. Only one goroutine may use a Run.
package intervals

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Method is a prediction method. Its name in reports is stable.
type Method struct {
	Name string // in reports
	Does string // description for people
	Last int    // number of steps whose mean speed the method uses, after Beck et al. 2008; 0 for other methods
	// step predicts the duration of each of the next steps from the wall times of the last 1 to 200 steps. It is nil
	// for the simulation's own method.
	step func(last []time.Duration) time.Duration
}

// Methods are the compared methods. The first is the simulation's own method.
var Methods = []Method{
	{"schedule", "omnipitch: from planned steps", 0, nil},
	{"last step", "speed of the last step", 1, meanOfSpeeds(1)},
	{"mean of 5", "mean speed of 5 steps", 5, meanOfSpeeds(5)},
	{"mean of 10", "mean speed of 10 steps", 10, meanOfSpeeds(10)},
	{"mean of 20", "mean speed of 20 steps", 20, meanOfSpeeds(20)},
	{"mean of 50", "mean speed of 50 steps", 50, meanOfSpeeds(50)},
	{"moving average", "moving average of the speed", 0, movingAverage},
	{"ratio of 200", "mean duration of 200 steps", 0, ratioOfSums},
}

// ID returns the method's name in the form used in results.
func (m *Method) ID() string { return strings.ReplaceAll(m.Name, " ", "_") }

// meanOfSpeeds averages the speeds of the last n steps (Beck, Ferrein and Lakemeyer 2008, section 5.1). It is biased
// when steps have unequal costs.
func meanOfSpeeds(n int) func([]time.Duration) time.Duration {
	return func(last []time.Duration) time.Duration {
		last = last[max(len(last)-n, 0):]
		sum := 0.0
		for _, wall := range last {
			sum += 1 / max(float64(wall), 1)
		}
		return time.Duration(float64(len(last)) / sum)
	}
}

// movingAverage is an exponential moving average of speed with weight 0.1, as clients of other simulators compute it.
func movingAverage(last []time.Duration) time.Duration {
	speed := 1 / max(float64(last[0]), 1)
	for _, wall := range last {
		speed += 0.1 * (1/max(float64(wall), 1) - speed)
	}
	return time.Duration(1 / speed)
}

// ratioOfSums returns the mean duration of all steps.
func ratioOfSums(last []time.Duration) (mean time.Duration) {
	for _, wall := range last {
		mean += wall
	}
	return mean / time.Duration(len(last))
}

// Run is one measured run: predicted and actual durations of intervals.
type Run struct {
	Speed  timesync.Speed
	Spans  []time.Duration // intervals of sim time, in whole steps; of wall time if Config.ByWall is true
	steps  []int           // the number of steps of each interval
	Wall   timesync.Wall   // wall clock that leaves out the time of measuring
	Sim    *omnipitch.Sim  // closed after the run
	Step   time.Duration
	Warmup time.Duration   // wall time at which errors begin to count
	Begins []time.Duration // wall time of the start of each step
	Target float64         // target real-time factor of the present step
	Errors [][][]float64   // errors in per cent, by method and by span
	Report *omnipitch.Report

	config  *Config
	wall    *observedWall
	pending []prediction
	spare   int
}

// Config describes a run.
type Config struct {
	Speed timesync.Speed
	For   time.Duration // wall time of the run; the first sixth is warm-up
	// Start starts the simulation. It may add to the given options. It may also return the function drive, which
	// commands robots at the beginning of each step. The argument half is true in the second half of the run.
	Start func(omnipitch.Options) (sim *omnipitch.Sim, drive func(step int, half bool), err error)
	// Longest is the longest wall time of an interval that counts. Longer intervals contain a time in which the process
	// was stopped. They cannot be predicted. 0 means no limit.
	Longest time.Duration
	// ByWall measures intervals of the sim time that took a given wall time at the mean speed of the warm-up, instead
	// of intervals of a given sim time. At speed max, 10 ms of sim time can take less time than the system's timers
	// resolve.
	ByWall bool
	// Began, if not nil, is called at the start of each step with the wall time. The time that the call takes does not
	// count.
	Began func(r *Run, wall time.Duration)
}

// spans are the predicted intervals.
var spans = []time.Duration{
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
}

// inSteps returns spans rounded to whole steps, without duplicates.
func inSteps(step time.Duration) (whole []time.Duration) {
	for _, d := range spans {
		whole = append(whole, max(d.Round(step), step))
	}
	return slices.Compact(whole)
}

// prediction contains the wall times of the intervals after a step, as each method predicts them.
type prediction struct {
	step  int
	wall  [][]time.Duration // predicted wall times, by method and by interval
	ended int               // number of intervals that are over
}

// observedWall is the wall clock without the time of measuring.
type observedWall struct {
	timesync.Wall
	measuring atomic.Int64 // ns
}

func (w *observedWall) Now() time.Duration { return w.Wall.Now() - time.Duration(w.measuring.Load()) }

func (w *observedWall) Wait(ctx context.Context, until time.Duration) {
	w.Wall.Wait(ctx, until+time.Duration(w.measuring.Load()))
}

// exclude calls the function do. The clock does not count the time that the call takes.
func (w *observedWall) exclude(do func()) {
	before := w.Wall.Now()
	do()
	w.measuring.Add(int64(w.Wall.Now() - before))
}

// Measure runs and predicts. If ctx ends, it returns an error and the results so far.
func (c *Config) Measure(ctx context.Context) (*Run, error) {
	r := &Run{Speed: c.Speed, Warmup: c.For / 6, config: c, wall: &observedWall{Wall: timesync.SystemWall()}}
	r.Wall = r.wall
	sim, drive, err := c.Start(omnipitch.Options{Wall: r.wall})
	if sim != nil {
		defer sim.Close()
	}
	if err != nil {
		return nil, err
	}
	r.Sim, r.Step = sim, sim.World().Time.Step
	r.Spans = spans
	if !c.ByWall {
		r.Spans = inSteps(r.Step)
	}
	r.Errors = make([][][]float64, len(Methods))
	for i := range r.Errors {
		r.Errors[i] = make([][]float64, len(r.Spans))
	}
	sim.OnStep(func(*physics.Snapshot) { r.wall.exclude(r.predict) })
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	r.Report, err = sim.Run(running, omnipitch.Pace{Speed: c.Speed, Began: func(wall time.Duration, target float64) {
		r.Target = target
		r.wall.exclude(func() {
			r.began(wall)
			gone := wall - r.Begins[0]
			if gone > c.For {
				cancel()
			}
			if drive != nil {
				drive(len(r.Begins), gone > c.For/2)
			}
		})
	}})
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// began processes the start of a step.
func (r *Run) began(wall time.Duration) {
	r.Begins = append(r.Begins, wall)
	if r.config.Began != nil {
		r.config.Began(r, wall)
	}
	now := len(r.Begins) - 1
	for i := 0; i < len(r.pending); i++ {
		if r.settle(&r.pending[i], now); r.pending[i].ended == len(r.Spans) {
			r.pending = slices.Delete(r.pending, i, i+1)
			i--
		}
	}
}

// setSteps computes the lengths of the intervals in steps, of which the warm-up made the given number.
func (r *Run) setSteps(warmup int) {
	duration := r.Step // of a step, in the unit of the intervals
	if r.config.ByWall {
		duration = (r.Begins[warmup] - r.Begins[0]) / time.Duration(warmup)
	}
	for _, d := range r.Spans {
		r.steps = append(r.steps, max(int(math.Round(float64(d)/float64(duration))), 1))
	}
}

// predict makes predictions every few steps after the warm-up.
func (r *Run) predict() {
	now := len(r.Begins) - 1
	if r.spare--; r.spare > 0 || now < 1 || r.Begins[now]-r.Begins[0] <= r.Warmup {
		return
	}
	if r.steps == nil {
		r.setSteps(now)
	}
	// number of steps until the next prediction; it varies, so that predictions are not made at the same phase of the
	// sensors each time, and it grows with the longest interval, so that at most some 100 predictions are pending
	r.spare = 3 + now%5 + r.steps[len(r.steps)-1]/100
	p := prediction{step: now + 1, wall: make([][]time.Duration, len(Methods))}
	var last []time.Duration
	for i := max(now-200, 0); i < now; i++ {
		last = append(last, r.Begins[i+1]-r.Begins[i])
	}
	for _, n := range r.steps {
		p.wall[0] = append(p.wall[0], r.Sim.Clock().Predict(time.Duration(n)*r.Step).Likely)
		for i, m := range Methods[1:] {
			p.wall[i+1] = append(p.wall[i+1], m.step(last)*time.Duration(n))
		}
	}
	r.pending = append(r.pending, p)
}

// settle adds the errors of a prediction for intervals that are over. The argument step is the index of the present
// step.
func (r *Run) settle(p *prediction, step int) {
	for ; p.ended < len(r.Spans); p.ended++ {
		end := p.step + r.steps[p.ended]
		if end > step {
			return
		}
		took := r.Begins[end] - r.Begins[p.step]
		if r.config.Longest > 0 && took > r.config.Longest {
			continue
		}
		for i := range Methods {
			r.Errors[i][p.ended] = append(r.Errors[i][p.ended], 100*math.Abs(float64(p.wall[i][p.ended]-took))/float64(
				took))
		}
	}
}

// Mean returns the mean error, in per cent, of a method for a span, given their indices. It returns NaN if the run was
// too short.
func (r *Run) Mean(method, span int) float64 { return stat.Mean(r.Errors[method][span], nil) }

// Best returns the index of the method with the least mean error for a span, and that error. The simulation's own
// method does not count.
func (r *Run) Best(span int) (method int, mean float64) {
	for i := 1; i < len(Methods); i++ {
		if e := r.Mean(i, span); method == 0 || e < mean {
			method, mean = i, e
		}
	}
	return method, mean
}

// Reported is the upper bound of the mean error, in per cent, that Beck, Ferrein and Lakemeyer report (2008, section
// 5.1): 2 for 10 to 100 ms, 4 for 150 to 500 ms.
func Reported(span time.Duration) float64 {
	if span <= 100*time.Millisecond {
		return 2
	}
	return 4
}

// Millis formats a span in ms, without the unit.
func Millis(span time.Duration) string { return strconv.FormatFloat(span.Seconds()*1e3, 'g', 6, 64) }

// Collide returns a function that commands all robots of a simulation: for one second they run into each other at the
// centre of the field, in the next second they drive apart, and so on. Config.Start can return that function.
func Collide(sim *omnipitch.Sim) (drive func(step int, half bool)) {
	const second = 200 // steps
	return func(step int, _ bool) {
		if step%10 != 0 {
			return
		}
		to := 1.0
		if step/second%2 == 1 {
			to = -1
		}
		for i := range sim.World().Robots {
			pose := sim.Truth().Robots[i].PoseWB
			x, y := -pose.Pos[0], -pose.Pos[1]
			v := 2 * to / math.Max(math.Hypot(x, y), 0.1)
			sin, cos := math.Sincos(pose.Heading())
			// always finite
			sim.Do(&action.Drive{Robot: sim.World().Robots[i].Name, VX: v * (cos*x + sin*y), VY: v * (cos*y - sin*x),
				Omega: 2})
		}
	}
}

// Plot returns a plot of the mean errors over the intervals, without its name and title. The function shown selects the
// methods. A step-shaped curve shows the errors that Beck, Ferrein and Lakemeyer report.
func (r *Run) Plot(shown func(method int) bool) experiment.Plot {
	p := experiment.Plot{XLabel: "interval, ms of sim time", YLabel: "error, %", LogY: true}
	if r.config != nil && r.config.ByWall {
		p.XLabel = "interval, ms of wall time"
	}
	theirs := experiment.Curve{Name: "Beck et al. 2008: below this", Steps: true}
	for k, d := range append(slices.Clone(r.Spans), r.Spans[len(r.Spans)-1]) {
		theirs.Add(float64(k)-0.5, Reported(d))
		if k < len(r.Spans) {
			p.Names = append(p.Names, Millis(d))
		}
	}
	for i := range Methods {
		curve := experiment.Curve{Name: Methods[i].Does}
		for k := range r.Spans {
			if e := r.Mean(i, k); !math.IsNaN(e) {
				curve.Add(float64(k), math.Max(e, 1e-6)) // the axis is logarithmic, so it cannot show 0
			}
		}
		if shown(i) {
			p.Curves = append(p.Curves, curve)
		}
	}
	p.Curves = append(p.Curves, theirs)
	return p
}
