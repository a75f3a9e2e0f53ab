package timesync

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// PlannedStep is what a coming step will do.
type PlannedStep struct {
	Kind uint64 // steps of one kind do the same work
	Job  uint64 // kind of the job that it gives to the workers; 0 is none
	// jobs that must be done by its end: those under way first, in their order, then those that planned steps give
	Need int
}

// Job is what workers do beside the steps, such as images. Each is begun in the order in which they are given, by the
// first worker that is free.
type Job struct {
	Kind  uint64
	Begun time.Duration // wall time; 0 while it waits
	Done  time.Duration // wall time at which the result was there; 0 before
}

// Plan knows what steps will do.
type Plan struct {
	Workers int // for jobs
	// Steps appends what the step from a sim time and those after it do, n together or less; and the jobs that are not
	// done.
	Steps func(from time.Duration, n int, steps []PlannedStep, jobs []Job) ([]PlannedStep, []Job)
}

// Forecast is how much wall time the coming sim time will take.
type Forecast struct {
	Likely time.Duration // of the least expected error, as a share of what it takes
	Upper  time.Duration // exceeded by one forecast in twenty
}

// forecaster goes through the planned steps: each takes what steps of its kind took lately, and waits for the jobs that
// it needs. How long jobs take differs, and decides whether a step waits at all: the walk is repeated for what the last
// jobs took.
type forecaster struct {
	plan        Plan
	steps, jobs costs
	ratios      [cases]float64 // what the last jobs took over what is usual
	done        int            // jobs
	late        [lengths]excess

	// kept so that no forecast allocates
	ahead     []PlannedStep
	own       []time.Duration // that each of them takes without waiting
	underWay  []Job
	ends      []time.Duration // wall time at which each job, under way and to come, will be done
	free      []time.Duration // wall time at which each worker will be free
	durations []weighted
}

const (
	mostPlanned = 1000 // steps that a plan is asked for; beyond, they are taken for usual
	// steps of a kind, and jobs, that an average is over. Measured: half or twice as many are worth 2 % of the error
	stepMemory = 256
	jobMemory  = 32
	cases      = 64   // jobs that a forecast is repeated for. Measured: 16 double errors over 10 ms on a busy machine
	unsure     = 4    // jobs, those under way first, that differ in each case; what comes later evens out
	refuted    = 1e-3 // weight of a case in which a job would be done that is not
)

func newForecaster(plan Plan) forecaster {
	if plan.Steps == nil {
		plan.Steps = func(_ time.Duration, _ int, steps []PlannedStep, jobs []Job) ([]PlannedStep, []Job) {
			return steps, jobs
		}
	}
	return forecaster{plan: plan, steps: newCosts(stepMemory), jobs: newCosts(jobMemory), free: make([]time.Duration,
		max(plan.Workers, 1))}
}

// JobDone notes that a job is done.
func (p *Pacer) JobDone(j Job) {
	f, took := &p.forecaster, j.Done-j.Begun
	if usual := f.jobs.usual(j.Kind); usual > 0 {
		f.ratios[f.done%cases] = float64(took) / usual
		f.done++
	}
	f.jobs.learn(j.Kind, took)
}

// Predict returns how much wall time will go by between the beginning of a step, from a sim time that is the present
// step's or later, and the first so much later. It is 0 before the first step. It learns how good it is by being asked.
func (p *Pacer) Predict(from, ahead time.Duration) Forecast {
	before := int((from - p.sim) / p.step)
	steps := int((ahead + p.step - 1) / p.step)
	if steps <= 0 || before < 0 || !p.anchored {
		return Forecast{}
	}
	f := &p.forecaster
	f.ahead, f.underWay = f.plan.Steps(p.sim, min(before+steps, mostPlanned), f.ahead[:0], f.underWay[:0])
	n, now := 1, p.wall.Now()
	if slices.ContainsFunc(f.ahead, func(a PlannedStep) bool { return a.Need > 0 }) {
		n = max(min(f.done, cases), 1)
	}
	trend := f.steps.trend(before + steps)
	f.own = f.own[:0]
	for i := range before + steps {
		usual := f.steps.all.mean
		if i < len(f.ahead) {
			usual = f.steps.usual(f.ahead[i].Kind)
		}
		f.own = append(f.own, time.Duration(usual*trend))
	}
	f.durations = f.durations[:0]
	for i := range n {
		f.durations = append(f.durations, p.walk(before, i, n, now))
	}
	likely := leastOff(f.durations)
	late := &f.late[length(steps)]
	late.expect(from, from+time.Duration(steps)*p.step, p.began, likely)
	return Forecast{likely, likely + late.upper()}
}

// walk goes through the steps ahead in one of n cases: the first jobs take, against what is usual, what those did from
// the last but n on.
func (p *Pacer) walk(before, which, n int, now time.Duration) weighted {
	f := &p.forecaster
	at, begin := p.began, p.began
	weight := 1.0
	f.ends = f.ends[:0]
	for i := range f.free {
		f.free[i] = math.MinInt64
	}
	give := func(j Job, given time.Duration) {
		takes := f.jobs.usual(j.Kind)
		if f.done > 0 && len(f.ends) < unsure {
			takes *= f.ratios[(f.done-n+(which+len(f.ends))%n)%cases]
		}
		worker := slices.Index(f.free, slices.Min(f.free))
		if j.Begun == 0 {
			j.Begun = max(f.free[worker], given)
		}
		if j.Done == 0 {
			if j.Done = j.Begun + time.Duration(takes); j.Done < now {
				j.Done = now
				weight *= refuted
			}
		}
		f.free[worker] = j.Done
		f.ends = append(f.ends, j.Done)
	}
	for _, j := range f.underWay {
		give(j, now)
	}
	for i, own := range f.own {
		if i == before {
			begin = at
		}
		began := at
		at += own
		if i < len(f.ahead) {
			a := &f.ahead[i]
			if a.Job != 0 {
				give(Job{Kind: a.Job}, at)
			}
			if a.Need > 0 && a.Need <= len(f.ends) {
				at = max(at, f.ends[a.Need-1])
			}
		}
		at = max(at, p.soonest(p.sim+time.Duration(i+1)*p.step, began))
	}
	return weighted{at - begin, weight}
}

// weighted is how long something takes in one case, and how likely that is against others.
type weighted struct {
	takes  time.Duration
	weight float64
}

// leastOff returns the duration of the least expected error, as a share of what it takes, and sorts what it gets: the
// median of the cases, each of which counts by the inverse of how long it takes.
func leastOff(d []weighted) time.Duration {
	slices.SortFunc(d, func(a, b weighted) int { return cmp.Compare(a.takes, b.takes) })
	sum := 0.0
	for i := range d {
		d[i].weight /= max(float64(d[i].takes), 1)
		sum += d[i].weight
	}
	left := sum / 2
	for i := range d {
		if left -= d[i].weight; left <= 0 {
			return d[i].takes
		}
	}
	return d[len(d)-1].takes
}
