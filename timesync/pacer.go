package timesync

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

const (
	// maxLag is how far a run may fall behind before the lost time is given up. Shorter hiccups are caught up with, so
	// that the real-time factor stays right; longer ones (a suspended process) must not be followed by a rush.
	maxLag = 250 * time.Millisecond
	// maxRush is how many times as fast as its pace a run may catch up: robots would take a burst of steps for a jump.
	maxRush = 1.5
)

// Pacer lets each step of a run begin when its time has come, learns what steps cost, and predicts when later ones will
// begin. It belongs to one goroutine; Factor may be read from any.
type Pacer struct {
	wall       Wall
	step       time.Duration
	forecaster forecaster
	scores     [2]score

	speed  Speed
	steady *governor // at speed steady
	factor atomic.Uint64

	anchored bool
	simZero  time.Duration // the step from this sim time …
	wallZero time.Duration // … was due at this wall time
	sim      time.Duration // the present step
	next     change        // of the factor, announced
	began    time.Duration // wall time at which it did
	lag      time.Duration // after it was due
	tally    tally
}

// change is another factor from a sim time on; a factor of 0 is none.
type change struct {
	at     time.Duration
	factor float64
}

// A new factor at speed steady is announced: so much sim time before it is in force, or wall time, whichever is less.
// Forecasts meanwhile take it into account.
const (
	noticeSim  = 500 * time.Millisecond
	noticeWall = 500 * time.Millisecond
)

// NewPacer returns a pacer of a run of fixed steps. Without a plan all steps are of one kind.
func NewPacer(wall Wall, step time.Duration, speed Speed, plan Plan) *Pacer {
	p := &Pacer{wall: wall, step: step, forecaster: newForecaster(plan), scores: newScores()}
	p.SetSpeed(speed)
	return p
}

// SetSpeed changes the speed from the next step on.
func (p *Pacer) SetSpeed(s Speed) {
	p.speed, p.steady, p.next = s, nil, change{}
	switch s.mode {
	case paced:
		p.pace(s.factor)
	case steady:
		p.steady = newGovernor(p.step)
		p.pace(0)
	default:
		p.pace(0)
	}
}

// pace holds a factor from the present step on; 0 holds none.
func (p *Pacer) pace(factor float64) {
	p.factor.Store(math.Float64bits(factor))
	p.simZero, p.wallZero = p.sim, p.began
}

// Factor returns the real-time factor that is aimed at, and 0 for none.
func (p *Pacer) Factor() float64 { return math.Float64frombits(p.factor.Load()) }

// Announced returns the factor that will be aimed at from a sim time on, and 0 for no change.
func (p *Pacer) Announced() (factor float64, from time.Duration) { return p.next.factor, p.next.at }

// Speed returns the speed that was set.
func (p *Pacer) Speed() Speed { return p.speed }

// due returns when the step from a sim time should begin.
func (p *Pacer) due(sim time.Duration) time.Duration {
	f := p.Factor()
	if f == 0 || !p.anchored {
		return math.MinInt64
	}
	if p.next.factor > 0 && sim > p.next.at {
		return p.due(p.next.at) + time.Duration(float64(sim-p.next.at)/p.next.factor)
	}
	return p.wallZero + time.Duration(float64(sim-p.simZero)/f)
}

// soonest returns when the step from a sim time may begin, after one that began at a wall time.
func (p *Pacer) soonest(sim, before time.Duration) time.Duration {
	f := p.Factor()
	if f == 0 || !p.anchored {
		return before
	}
	if p.next.factor > 0 && sim > p.next.at {
		f = p.next.factor
	}
	return max(p.due(sim), before+time.Duration(float64(p.step)/f/maxRush))
}

// announce changes the factor with notice.
func (p *Pacer) announce(factor float64) {
	f := p.Factor()
	if f == 0 {
		p.pace(factor)
		return
	}
	steps := min(noticeSim, time.Duration(float64(noticeWall)*f)) / p.step
	p.next = change{p.sim + steps*p.step, factor}
}

// commit puts an announced factor into force when its time has come.
func (p *Pacer) commit(sim time.Duration) {
	if p.next.factor > 0 && sim >= p.next.at {
		p.simZero, p.wallZero = p.next.at, p.due(p.next.at)
		p.factor.Store(math.Float64bits(p.next.factor))
		p.next = change{}
	}
}

// Wait returns when the step from a sim time may begin, or when ctx ends. The first is due at once, and so is one that
// does not follow the one before.
func (p *Pacer) Wait(ctx context.Context, sim time.Duration) {
	now := p.wall.Now()
	due := p.due(sim)
	if !p.anchored || sim != p.sim+p.step {
		p.restart(sim, now)
		return
	}
	if until := p.soonest(sim, p.began); until > now {
		p.wall.Wait(ctx, until)
		now = p.wall.Now()
	}
	if p.Factor() > 0 && now-due > maxLag {
		p.restart(sim, now)
		p.tally.gaveUp++
		return
	}
	p.sim, p.began = sim, now
	p.commit(sim)
	if p.Factor() > 0 {
		p.lag = now - due
		p.tally.late(p.lag)
	}
	for i := range p.forecaster.late {
		p.forecaster.late[i].begin(sim, now)
	}
	for i := range p.scores {
		p.scores[i].begin(p)
	}
}

// Began returns the wall time at which the present step began.
func (p *Pacer) Began() time.Duration { return p.began }

// restart begins anew: the step from this sim time is due now.
func (p *Pacer) restart(sim, now time.Duration) {
	if p.next.factor > 0 {
		p.factor.Store(math.Float64bits(p.next.factor))
		p.next = change{}
	}
	p.anchored, p.sim, p.began, p.simZero, p.wallZero = true, sim, now, sim, now
	for i := range p.forecaster.late {
		p.forecaster.late[i].open = false
	}
	for i := range p.scores {
		p.scores[i].open = false
	}
}

// Restart lets the next step be due at once, as after a pause.
func (p *Pacer) Restart() { p.anchored = false }

// Lateness returns how exactly steps began.
func (p *Pacer) Lateness() Lateness { return p.tally.lateness() }

// Work is what a step did.
type Work struct {
	Kind uint64 // steps of one kind do the same work
	// Idle is how long the step waited for what others do beside it.
	Idle time.Duration
	// Beside is how long others worked for the run beside its steps, since it began.
	Beside time.Duration
	// Tight is the wall time that results took which others worked out for the step, over the sim time that they may
	// take: the inverse of the factor at which the step would not have had to wait. 0 is that there were none.
	Tight float64
}

// Done notes that the present step is over.
func (p *Pacer) Done(w Work) {
	now := p.wall.Now()
	p.forecaster.steps.learn(w.Kind, now-p.began-w.Idle)
	if p.steady == nil || p.next.factor > 0 {
		return // what was announced will have to prove itself
	}
	if f, ok := p.steady.add(now, p.sim, p.lag, now-p.began-w.Idle, &w); ok {
		p.announce(f)
	}
}
