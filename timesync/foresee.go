package timesync

import (
	"math"
	"slices"
	"time"
)

// Ahead is what a step will do.
type Ahead struct {
	Kind uint64 // steps of one kind do the same
	Job  uint64 // kind of what it has others do beside the steps; 0 is nothing
	Need int    // how many jobs must be done by its end: those under way first, in their order, then those that the steps ahead give
}

// Job is what workers do beside the steps. Each is begun in the order in which they are given, by the first worker that is free.
type Job struct {
	Kind  uint64
	Begun time.Duration // wall time; 0 while it waits
	Left  time.Duration // wall time at which the worker was free again; 0 before
	Done  time.Duration // wall time at which the result was there; 0 before
}

// Plan knows what steps will do.
type Plan struct {
	Workers int // for jobs
	// Ahead appends what the step from a sim time and those after it do, n together or less; and the jobs that are not done.
	Ahead func(from time.Duration, n int, ahead []Ahead, jobs []Job) ([]Ahead, []Job)
}

// JobDone tells that a job is done.
func (p *Pacer) JobDone(j Job) {
	p.jobs.Learn(j.Kind, j.Done-j.Begun)
	p.held += 0.05 * (float64(j.Left-j.Begun)/max(float64(j.Done-j.Begun), 1) - p.held)
}

// Forecast is how much wall time the coming sim time will take.
type Forecast struct {
	Mean  time.Duration
	Upper time.Duration // that it exceeds in one of twenty cases
}

// Predict foretells how much wall time will go by between the beginning of a step, from a sim time that is the present step's or later, and
// of that from so much later. It learns how good it is by being asked.
func (p *Pacer) Predict(from, ahead time.Duration) Forecast {
	before := int((from - p.sim) / p.step)
	steps := int((ahead + p.step - 1) / p.step)
	if steps <= 0 || before < 0 || !p.anchored {
		return Forecast{}
	}
	p.ahead, p.underWay = p.plan.Ahead(p.sim, min(before+steps, mostPlanned), p.ahead[:0], p.underWay[:0])
	begin, last, at := p.foresee(before, steps)
	p.residual.expect(p.sim+time.Duration(before+steps)*p.step, at, before+steps)
	at -= time.Duration(float64(at-last) * float64(time.Duration(steps)*p.step-ahead) / float64(p.step))
	return Forecast{Mean: at - begin, Upper: at - begin + p.residual.upper(steps)}
}

// foresee goes through the steps ahead and returns when the first of those that count will begin, the last, and the one after.
func (p *Pacer) foresee(before, steps int) (begin, last, end time.Duration) {
	excess, jobExcess := 1+p.costs.excess(before+steps), 1+p.jobs.excess(max(len(p.underWay), 1))
	now, at := p.wall.Now(), p.began
	p.done = p.done[:0]
	for i := range p.free {
		p.free[i] = math.MinInt64
	}
	give := func(j Job, given time.Duration) {
		takes := p.jobs.usual(j.Kind) * jobExcess
		worker := slices.Index(p.free, slices.Min(p.free))
		if j.Begun == 0 {
			j.Begun = max(p.free[worker], given)
		}
		if j.Left == 0 {
			j.Left = max(j.Begun+time.Duration(takes*p.held), now) // it has not left yet
		}
		p.free[worker] = j.Left
		p.done = append(p.done, max(j.Begun+time.Duration(takes), now))
	}
	for _, j := range p.underWay {
		give(j, now)
	}
	for i := range before + steps {
		if i == before {
			begin = at
		}
		last = at
		if i >= len(p.ahead) {
			at += time.Duration(p.costs.all.mean * excess)
		} else {
			a := &p.ahead[i]
			at += time.Duration(p.costs.usual(a.Kind) * excess)
			if a.Job != 0 {
				give(Job{Kind: a.Job}, at)
			}
			if a.Need > 0 && a.Need <= len(p.done) {
				at = max(at, p.done[a.Need-1])
			}
		}
		at = max(at, p.soonest(p.sim+time.Duration(i+1)*p.step, last))
	}
	return begin, last, at
}

// mostPlanned is how far a plan is asked for, in steps; beyond, steps are taken for usual.
const mostPlanned = 1000
