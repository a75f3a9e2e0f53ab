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
	// Strain tells what makes steps of one kind differ, such as contacts: how much of it there is now, and how much there will be in the
	// mean over steps ahead. How much longer they take for it, is learned. nil is nothing.
	Strain func(ahead *Spans) (now float64)
}

// Spans is something over the coming 1, 2, 4, 8 … steps.
type Spans [lengths]float64

// JobDone tells that a job is done.
func (p *Pacer) JobDone(j Job) {
	took := j.Done - j.Begun
	if usual := p.jobs.usual(j.Kind) * (1 + p.jobs.excess(1)); usual > 0 {
		p.course.learn(j, min(float64(took)/usual, oddRatio))
	}
	p.jobs.Learn(j.Kind, took)
	p.held += 0.05 * (float64(j.Left-j.Begun)/max(float64(took), 1) - p.held)
}

// Forecast is how much wall time the coming sim time will take.
type Forecast struct {
	Mean   time.Duration
	Likely time.Duration // from which it is the least off, in per cent of what it takes
	Upper  time.Duration // that it exceeds in one of twenty cases
}

// workings are what a forecast is made from, kept so that none allocates.
type workings struct {
	ahead     []Ahead
	own       []own         // that each step ahead takes
	beyond    time.Duration // that one takes beyond them
	underWay  []Job
	takes     []float64 // that each of them usually takes, ns
	jobExcess float64   // 1 and more

	alike    []alikeCase
	outcomes []outcome

	done []time.Duration // wall time at which each job, under way and to come, will be
	free []time.Duration // wall time at which each worker will be
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
	beyond := float64(time.Duration(steps)*p.step-ahead) / float64(p.step) // part of the last step that does not count
	p.look(before + steps)
	p.outcomes = p.outcomes[:0]
	end, weights := 0.0, 0.0
	p.weigh()
	for _, c := range p.alike {
		s := p.foresee(before, steps, c.which)
		p.outcomes = append(p.outcomes, outcome{s.end - time.Duration(float64(s.end-s.last)*beyond) - s.begin, c.weight})
		end += c.weight * float64(s.end)
		weights += c.weight
	}
	at := time.Duration(end / weights)
	sim := p.sim + time.Duration(before+steps)*p.step
	p.residual.expect(sim, at, before+steps)
	f := Forecast{Mean: mean(p.outcomes)}
	f.Likely = f.Mean
	if p.waits() {
		f.Likely = likely(p.outcomes)
	} else if p.Factor() == 0 { // else the pace tells how long it takes
		p.nearest.expect(sim, p.began, at-p.began, before+steps)
		f.Likely = time.Duration(float64(f.Mean) * p.nearest.factor(before+steps))
	}
	f.Upper = f.Mean + p.residual.upper(steps)
	return f
}

// look prepares what all cases share: what the steps ahead take themselves.
func (p *Pacer) look(steps int) {
	excess := 1 + p.costs.excess(steps)
	p.own = p.own[:0]
	for i := range p.ahead {
		kind := p.ahead[i].Kind
		p.own = append(p.own, own{time.Duration(p.costs.usual(kind) * excess), time.Duration(p.costs.usual(rested(kind)) * excess)})
	}
	p.beyond = time.Duration(p.costs.all.mean * excess)
	p.jobExcess = 1 + p.jobs.excess(max(len(p.underWay), 1))
	p.takes = p.takes[:0]
	for i := range p.underWay {
		p.takes = append(p.takes, max(p.jobs.usual(p.underWay[i].Kind)*p.jobExcess, 1))
	}
}

// weigh finds the cases that are the most like now.
func (p *Pacer) weigh() {
	p.alike = p.alike[:0]
	if !p.waits() {
		p.alike = append(p.alike, alikeCase{0, 1})
		return
	}
	now := p.wall.Now()
	for i := range p.course.count() {
		c := alikeCase{i, p.course.weigh(i, p.underWay, p.takes, now)}
		k := len(p.alike)
		for k > 0 && p.alike[k-1].weight < c.weight {
			k--
		}
		if k == mostAlike {
			continue
		}
		if len(p.alike) < mostAlike {
			p.alike = append(p.alike, c)
		}
		copy(p.alike[k+1:], p.alike[k:])
		p.alike[k] = c
	}
}

// own is what a step takes itself: after one that did not wait for long, and after one that did.
type own struct{ soon, rested time.Duration }

func (o own) after(idle time.Duration) time.Duration {
	if idle > rest {
		return o.rested
	}
	return o.soon
}

// rest is how long a step waits so that the next one finds its data out of the caches, and its core asleep or with others. Guess; measured, a
// step that takes 35 us takes 150 us after a picture that was waited for 15 ms.
const rest = time.Millisecond

// rested returns the kind of a step that comes after a rest.
func rested(kind uint64) uint64 { return ^kind }

// waits tells whether a step ahead needs a job.
func (p *Pacer) waits() bool {
	return slices.ContainsFunc(p.ahead, func(a Ahead) bool { return a.Need > 0 })
}

// sight is when the first of the steps that count will begin, the last, and the one after, in one case.
type sight struct {
	begin, last, end time.Duration
}

// foresee goes through the steps ahead in one of the cases.
func (p *Pacer) foresee(before, steps, which int) (s sight) {
	now, at, idle, paced := p.wall.Now(), p.began, p.idle, p.Factor() > 0
	p.done = p.done[:0]
	for i := range p.free {
		p.free[i] = math.MinInt64
	}
	give := func(j Job, given time.Duration) {
		takes := p.jobs.usual(j.Kind) * p.jobExcess * p.course.of(which, len(p.done))
		worker := slices.Index(p.free, slices.Min(p.free))
		if j.Begun == 0 {
			j.Begun = max(p.free[worker], given)
		}
		if j.Left == 0 {
			j.Left = max(j.Begun+time.Duration(takes*p.held), now) // it has not left yet
		}
		p.free[worker] = j.Left
		if j.Done == 0 {
			j.Done = max(j.Begun+time.Duration(takes), now)
		}
		p.done = append(p.done, j.Done)
	}
	for _, j := range p.underWay {
		give(j, now)
	}
	for i := range before + steps {
		if i == before {
			s.begin = at
		}
		s.last = at
		if i >= len(p.ahead) {
			at += p.beyond
		} else {
			a := &p.ahead[i]
			at += p.own[i].after(idle)
			if a.Job != 0 {
				give(Job{Kind: a.Job}, at)
			}
			idle = 0
			if a.Need > 0 && a.Need <= len(p.done) {
				idle = max(p.done[a.Need-1]-at, 0)
				at += idle
			}
		}
		if paced {
			at = max(at, p.soonest(p.sim+time.Duration(i+1)*p.step, s.last))
		}
	}
	s.end = at
	return s
}

// mostPlanned is how far a plan is asked for, in steps; beyond, steps are taken for usual.
const mostPlanned = 1000
