package timesync

import (
	"math"
	"slices"
	"time"
)

// PlannedStep is the work of a future step.
type PlannedStep struct {
	Kind uint64 // steps of one kind do the same work
	Job  uint64 // kind of the job that the step submits to the workers; 0 for none
	// the step waits for this many jobs: first the jobs of Plan.Steps that are not done, then the jobs of planned steps
	Need int
}

// Job is work that workers do concurrently with the steps, such as rendering images. Workers take jobs in the order in
// which they are submitted.
type Job struct {
	Kind  uint64
	Begun time.Duration // wall time at which a worker took the job; 0: no worker has taken it
	Done  time.Duration // wall time at which the job's result was ready; 0: it is not ready
}

// Plan describes the work of future steps.
type Plan struct {
	Workers int // number of workers that take jobs
	// Steps appends to its slices, and returns them. To steps it appends the work of at most n steps; its first
	// argument is the sim time of the first of these steps. To jobs it appends the jobs that are not done.
	Steps func(from time.Duration, n int, steps []PlannedStep, jobs []Job) ([]PlannedStep, []Job)
}

// Forecast is the predicted wall time for a duration of future sim time.
type Forecast struct {
	Likely time.Duration
	Upper  time.Duration // 95th percentile
}

// forecaster predicts wall time by simulating the planned steps. Each step takes the mean of its kind times the recent
// slowdown, waits for the jobs that it needs, and begins no earlier than the pacer allows. If all steps are of a single
// kind and the run has no pace, the forecast is a moving mean of the cost of a step.
type forecaster struct {
	plan        Plan
	steps, jobs costs
	upper       [lengths]exceeded // by the number of steps

	// These slices are reused, so that forecasts do not allocate.
	ahead   []PlannedStep
	running []Job
	ends    []time.Duration // wall time at which each running and planned job will be done
	free    []time.Duration // wall time at which each worker will be free
}

const (
	// number of steps that a forecast requests from the plan; each later step is assumed to cost the mean of all steps
	mostPlanned = 1000
	stepMemory  = 256 // number of steps of a kind in a mean. Measured: 128 or 512 steps change the error by 2 %
	jobMemory   = 32  // number of jobs of a kind in a mean
)

func newForecaster(plan Plan) forecaster {
	if plan.Steps == nil {
		plan.Steps = func(_ time.Duration, _ int, steps []PlannedStep, jobs []Job) ([]PlannedStep, []Job) {
			return steps, jobs
		}
	}
	return forecaster{plan: plan, steps: newCosts(stepMemory), jobs: newCosts(jobMemory),
		free: make([]time.Duration, max(plan.Workers, 1))}
}

// JobDone records how long a job took.
func (p *Pacer) JobDone(j Job) { p.forecaster.jobs.add(j.Kind, j.Done-j.Begun) }

// Predict predicts the wall time between the starts of two steps. The first step is the one at the sim time from, which
// is the present step or a later step. The second is the step that begins at the sim time from+ahead, or the first step
// after that. Predict returns 0 before the first step of the run. The upper bound becomes accurate through repeated
// calls, because Predict compares earlier forecasts with what happened.
func (p *Pacer) Predict(from, ahead time.Duration) Forecast {
	before := int((from - p.sim) / p.step)
	steps := int((ahead + p.step - 1) / p.step)
	if steps <= 0 || before < 0 || !p.anchored {
		return Forecast{}
	}
	f := &p.forecaster
	f.ahead, f.running = f.plan.Steps(p.sim, min(before+steps, mostPlanned), f.ahead[:0], f.running[:0])
	likely := p.simulate(before, before+steps, p.wall.Now())
	upper := &f.upper[lengthClass(steps)]
	upper.expect(from, from+time.Duration(steps)*p.step, p.began, likely)
	return Forecast{likely, likely + upper.margin()}
}

// simulate computes when the planned steps will begin. It returns the wall time between the starts of the steps with
// the indices first and last, where the present step has index 0. The argument now is the present wall time.
func (p *Pacer) simulate(first, last int, now time.Duration) time.Duration {
	f := &p.forecaster
	at, start, slowdown := p.began, p.began, f.steps.slowdown(last)
	f.ends = f.ends[:0]
	for i := range f.free {
		f.free[i] = math.MinInt64
	}
	for _, j := range f.running {
		f.submit(j, now, now)
	}
	for i := range last {
		if i == first {
			start = at
		}
		began := at
		if i < len(f.ahead) {
			a := &f.ahead[i]
			at += time.Duration(f.steps.mean(a.Kind) * slowdown)
			if a.Job != 0 {
				f.submit(Job{Kind: a.Job}, at, now)
			}
			if a.Need > 0 && a.Need <= len(f.ends) {
				at = max(at, f.ends[a.Need-1])
			}
		} else {
			at += time.Duration(f.steps.all.mean * slowdown)
		}
		at = max(at, p.soonest(p.sim+time.Duration(i+1)*p.step, began))
	}
	return at - start
}

// submit gives a job to the worker that is free first, and appends to f.ends the wall time at which the job will be
// done. The second argument is the wall time at which the job is submitted, and the third is the present wall time. A
// running job that should have ended before now is assumed to end now.
func (f *forecaster) submit(j Job, at, now time.Duration) {
	worker := slices.Index(f.free, slices.Min(f.free))
	if j.Begun == 0 {
		j.Begun = max(f.free[worker], at)
	}
	if j.Done == 0 {
		j.Done = max(j.Begun+time.Duration(f.jobs.mean(j.Kind)), now)
	}
	f.free[worker] = j.Done
	f.ends = append(f.ends, j.Done)
}

// costs keeps the mean wall time of each kind of work.
type costs struct {
	memory float64 // number of measurements in a mean
	kinds  map[uint64]average
	all    average // mean over all kinds
	speed  float64 // moving mean of the quotient: mean cost of a kind / actual cost of the work
}

// average is a moving mean, in ns, over n measurements.
type average struct{ mean, n float64 }

func (a average) add(ns, memory float64) average {
	n := min(a.n+1, memory)
	return average{a.mean + (ns-a.mean)/n, n}
}

const (
	speedGain   = 0.1 // weight of the newest measurement in speed
	halfTrend   = 64  // steps after which half of an unusual speed is expected to be gone
	outlierCost = 6   // a measurement above 6 times the mean counts as 6 times the mean; the 6 is a guess
	// largest number of kinds, which bounds the memory of runs whose steps are all of different kinds
	mostKinds = 4096
)

func newCosts(memory float64) costs {
	return costs{memory: memory, kinds: map[uint64]average{}, speed: 1}
}

// mean returns the mean wall time of a kind of work, in ns. For an unknown kind it returns the mean over all kinds.
func (c *costs) mean(kind uint64) float64 {
	if a, ok := c.kinds[kind]; ok {
		return a.mean
	}
	return c.all.mean
}

// add records how long work of a kind took.
func (c *costs) add(kind uint64, took time.Duration) {
	ns := max(float64(took), 1)
	if a, ok := c.kinds[kind]; ok {
		ns = min(ns, outlierCost*a.mean)
		c.speed += speedGain * (min(a.mean/ns, outlierCost) - c.speed)
	}
	if len(c.kinds) >= mostKinds {
		clear(c.kinds)
	}
	c.kinds[kind], c.all = c.kinds[kind].add(ns, c.memory), c.all.add(ns, c.memory)
}

// slowdown returns the factor by which the cost of the next n units of work is expected to exceed its mean. If n is
// large, the factor depends less on how slow the work has been recently.
func (c *costs) slowdown(n int) float64 {
	return 1 + (1/c.speed-1)/(1+float64(n)/halfTrend)
}

// Outlook is a set of forecasts made at one sim time. Its methods interpolate between the forecasts. They may be called
// at a later sim time, and by any goroutine, because an Outlook does not change. The zero value has no forecasts.
type Outlook struct {
	From      time.Duration   // sim time at which the forecasts were made
	Ahead     []time.Duration // sim times after From at which the forecasts end; ascending, positive
	Forecasts []Forecast      // one forecast for each element of Ahead
}

// Wall returns the wall time that a duration of sim time will take. The argument now is the sim time at which the
// duration starts: From or later. Without forecasts Wall returns 0.
func (o *Outlook) Wall(now, sim time.Duration) Forecast {
	begin, end := o.until(now-o.From), o.until(now-o.From+sim)
	return Forecast{end.Likely - begin.Likely, end.Upper - begin.Likely}
}

// Sim returns the sim time that will pass during a duration of wall time: the likely sim time, and its 5th percentile.
// The argument now is the sim time at the start of the duration. Without forecasts Sim returns 0, 0.
func (o *Outlook) Sim(now, wall time.Duration) (likely, least time.Duration) {
	begin := o.until(now - o.From).Likely
	inverse := func(takes func(Forecast) time.Duration) time.Duration {
		return max(o.invert(begin+wall, takes)-(now-o.From), 0)
	}
	return inverse(func(f Forecast) time.Duration { return f.Likely }),
		inverse(func(f Forecast) time.Duration { return f.Upper })
}

// until returns the wall time that passes between the sim times From and From+sim. It interpolates linearly between two
// forecasts. After the last forecast it extrapolates from the last two forecasts.
func (o *Outlook) until(sim time.Duration) Forecast {
	if len(o.Ahead) == 0 {
		return Forecast{}
	}
	i, _ := slices.BinarySearch(o.Ahead, sim)
	from, to, a, b := o.segment(i)
	share := (sim - from).Seconds() / (to - from).Seconds()
	between := func(a, b time.Duration) time.Duration { return a + time.Duration(math.Round(share*float64(b-a))) }
	return Forecast{between(a.Likely, b.Likely), between(a.Upper, b.Upper)}
}

// segment returns the two ends of a segment of the interpolation: the sim times after From, and the forecasts. The
// segment ends at the forecast with index i; if there is no such forecast, it is the last segment.
func (o *Outlook) segment(i int) (from, to time.Duration, a, b Forecast) {
	i = min(i, len(o.Ahead)-1)
	if i > 0 {
		from, a = o.Ahead[i-1], o.Forecasts[i-1]
	}
	return from, o.Ahead[i], a, o.Forecasts[i]
}

// invert is the inverse of until: it returns the duration of sim time after From that takes a given wall time. The
// function wallOf returns either the likely or the upper wall time of a forecast.
func (o *Outlook) invert(wall time.Duration, wallOf func(Forecast) time.Duration) time.Duration {
	if len(o.Ahead) == 0 {
		return 0
	}
	i := slices.IndexFunc(o.Forecasts, func(f Forecast) bool { return wallOf(f) >= wall })
	if i < 0 {
		i = len(o.Ahead) - 1
	}
	from, to, a, b := o.segment(i)
	if wallOf(b) <= wallOf(a) {
		return to
	}
	return from + time.Duration(math.Round((wall-wallOf(a)).Seconds()/(wallOf(b)-wallOf(a)).Seconds()*float64(to-from)))
}
