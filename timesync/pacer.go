package timesync

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

const (
	// maxLag is how far a run may fall behind before the pacer gives up the lost time. The run catches up after shorter
	// delays, so that the real-time factor stays right. After a longer delay, such as a suspension of the process, the
	// run must not rush.
	maxLag = 250 * time.Millisecond
	// maxRush is how many times faster than its pace a run may catch up. To robots a burst of steps would look like a
	// jump.
	maxRush = 1.5
)

// Pacer starts each step of a run when it is due, measures the cost of steps, and predicts when later steps will begin.
// It belongs to one goroutine; any goroutine may call Factor.
type Pacer struct {
	wall       Wall
	step       time.Duration
	forecaster forecaster
	scores     [2]score

	speed  Speed
	steady *governor     // chooses the factor at speed steady; nil at other speeds
	factor atomic.Uint64 // bits of a float64

	anchored bool
	simZero  time.Duration // sim time of the step from which due times are counted
	wallZero time.Duration // wall time at which that step was due
	sim      time.Duration // start of the present step
	began    time.Duration // wall time at which the present step began
	lag      time.Duration // how long after its due time the present step began
	next     change        // the announced change of the factor
	tally    latenessTally
}

// change is a new factor, with the sim time from which it applies. A factor of 0 means no change.
type change struct {
	at     time.Duration
	factor float64
}

// At speed steady, a new factor is announced before it takes effect. The notice period is noticeSim of sim time or
// noticeWall of wall time, whichever is shorter. Forecasts take an announced factor into account.
const (
	noticeSim  = 500 * time.Millisecond
	noticeWall = 500 * time.Millisecond
)

// NewPacer returns a pacer for a run of fixed steps. With an empty plan all steps are of one kind.
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

// pace sets the factor to which steps are paced from the present step on. With factor 0 steps are not paced.
func (p *Pacer) pace(factor float64) {
	p.factor.Store(math.Float64bits(factor))
	p.simZero, p.wallZero = p.sim, p.began
}

// Factor returns the target real-time factor, or 0 if steps are not paced.
func (p *Pacer) Factor() float64 { return math.Float64frombits(p.factor.Load()) }

// Announced returns the next target factor and the sim time from which it applies. The factor is 0 if no change is
// announced.
func (p *Pacer) Announced() (factor float64, from time.Duration) { return p.next.factor, p.next.at }

// Speed returns the speed set by SetSpeed.
func (p *Pacer) Speed() Speed { return p.speed }

// period returns the wall time of a paced step at the present factor.
func (p *Pacer) period() time.Duration { return time.Duration(float64(p.step) / p.Factor()) }

// due returns the wall time at which the step at a sim time should begin. If steps are not paced, it returns the
// smallest duration.
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

// soonest returns the earliest wall time at which the step at a sim time may begin. The argument previous is the wall
// time at which the preceding step began.
func (p *Pacer) soonest(sim, previous time.Duration) time.Duration {
	f := p.Factor()
	if f == 0 || !p.anchored {
		return previous
	}
	if p.next.factor > 0 && sim > p.next.at {
		f = p.next.factor
	}
	return max(p.due(sim), previous+time.Duration(float64(p.step)/f/maxRush))
}

// announce changes the factor after the notice period.
func (p *Pacer) announce(factor float64) {
	f := p.Factor()
	if f == 0 {
		p.pace(factor)
		return
	}
	steps := min(noticeSim, time.Duration(float64(noticeWall)*f)) / p.step
	p.next = change{p.sim + steps*p.step, factor}
}

// commit applies the announced factor if the run has reached the sim time from which it applies. The argument is the
// present sim time.
func (p *Pacer) commit(sim time.Duration) {
	if p.next.factor > 0 && sim >= p.next.at {
		p.simZero, p.wallZero = p.next.at, p.due(p.next.at)
		p.factor.Store(math.Float64bits(p.next.factor))
		p.next = change{}
	}
}

// Wait blocks until the step at a sim time may begin, or until ctx ends. The first step is due at once. A step is also
// due at once if its sim time does not directly follow the preceding step.
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
		p.tally.giveUp(p.period(), now-due)
		p.restart(sim, now)
		return
	}
	p.sim, p.began = sim, now
	p.commit(sim)
	if p.Factor() > 0 {
		p.lag = now - due
		p.tally.add(p.period(), p.lag)
	}
	for i := range p.forecaster.upper {
		p.forecaster.upper[i].observe(sim, now)
	}
	for i := range p.scores {
		p.scores[i].observe(p)
	}
}

// Began returns the wall time at which the present step began.
func (p *Pacer) Began() time.Duration { return p.began }

// restart makes the step at a sim time due at once, and counts later due times from this step. The argument now is the
// present wall time.
func (p *Pacer) restart(sim, now time.Duration) {
	if p.next.factor > 0 {
		p.factor.Store(math.Float64bits(p.next.factor))
		p.next = change{}
	}
	p.anchored, p.sim, p.began, p.simZero, p.wallZero = true, sim, now, sim, now
	for i := range p.forecaster.upper {
		p.forecaster.upper[i].open = false
	}
	for i := range p.scores {
		p.scores[i].open = false
	}
}

// Restart makes the next step due at once, as after a pause.
func (p *Pacer) Restart() { p.anchored = false }

// Lateness returns how late steps began.
func (p *Pacer) Lateness() Lateness { return p.tally.lateness() }

// Work describes the work of a finished step.
type Work struct {
	Kind uint64 // steps of one kind do the same work
	// Idle is how long the step waited for the workers.
	Idle time.Duration
	// Beside is the total busy time of the workers since the run began.
	Beside time.Duration
	// Tight is a quotient: the wall time that the workers took for the step's results / the sim time that the results
	// may take. 1/Tight is the highest real-time factor at which the step would not have waited. Tight is 0 if the step
	// needed no results.
	Tight float64
}

// Done records that the present step has ended.
func (p *Pacer) Done(w Work) {
	now := p.wall.Now()
	p.forecaster.steps.add(w.Kind, now-p.began-w.Idle)
	if p.steady == nil || p.next.factor > 0 {
		return // the governor measures again when the announced factor applies
	}
	if f, ok := p.steady.add(now, p.sim, p.lag, now-p.began-w.Idle, &w); ok {
		p.announce(f)
	}
}

// Lateness is how long after their due time paced steps began.
type Lateness struct {
	Median, P95 time.Duration // of the last 1024 steps
	Worst       time.Duration // of all steps
	Steps       int64         // paced steps
	// how often the run was so late that the pacer gave up the lost time: the step then counted as due at once
	GaveUp int64
	// fraction of the target real-time factor that the run held, from 0 to 1
	Held float64
}

// latenessTally records how late steps begin.
type latenessTally struct {
	recent [1024]time.Duration
	steps  int64
	worst  time.Duration
	gaveUp int64
	paced  time.Duration // wall time that the paced steps should have taken
	lost   time.Duration // wall time that was given up
}

// add records a step that began later than it was due by d. The argument period is the wall time that it should take.
func (t *latenessTally) add(period, d time.Duration) {
	t.paced += period
	t.recent[t.steps%int64(len(t.recent))] = d
	t.steps++
	t.worst = max(t.worst, d)
}

// giveUp records a step that was so late, by d, that it counts as due at once.
func (t *latenessTally) giveUp(period, d time.Duration) {
	t.paced += period
	t.lost += d
	t.gaveUp++
}

func (t *latenessTally) lateness() Lateness {
	l := Lateness{Worst: t.worst, Steps: t.steps, GaveUp: t.gaveUp}
	if t.paced > 0 {
		l.Held = float64(t.paced) / float64(t.paced+t.lost)
	}
	if n := min(t.steps, int64(len(t.recent))); n > 0 {
		s := slices.Sorted(slices.Values(t.recent[:n]))
		l.Median, l.P95 = s[n/2], s[n*95/100]
	}
	return l
}

// WaitFor names a robot. At speed lockstep, each step waits for the answers of this robot.
type WaitFor struct {
	Robot   string        `toml:"robot" required:"true" doc:"name of the robot"`
	After   string        `toml:"after" doc:"one of its sensors: the robot answers each of its observations; without this key it answers the clock"`
	Rate    float64       `toml:"rate_hz" range:"[0, 1000]" doc:"answers to the clock per second of sim time; 0 is one for each step"`
	Answer  string        `toml:"answer" oneof:"command|ack" doc:"what counts as an answer: any command, or only an acknowledgement of the time up to which the robot has received everything"`
	Order   Order         `toml:"order" oneof:"answers|all" doc:"all: the robot receives its messages one at a time and acknowledges each, and after, rate_hz and answer do not apply; see docs/time.md"`
	Timeout time.Duration `toml:"timeout_ms" range:"[1, 3600000]" doc:"longest wait in wall time; the wait for a robot's first answer to the clock is not limited"`
	Then    OnTimeout     `toml:"on_timeout" oneof:"continue|pause|fail" doc:"on a timeout: continue without the robot until it answers again, pause, or end the run"`
}

// SetDefaults sets answer = "command", order = "answers", a timeout of 1 s, and on_timeout = "fail".
func (w *WaitFor) SetDefaults() {
	w.Answer, w.Order, w.Timeout, w.Then = "command", OrderAnswers, time.Second, Fail
}

// Order selects which of a robot's messages arrive in an order that does not depend on wall time.
type Order string

const (
	OrderAnswers Order = "answers" // the steps, and the answers to steps
	OrderAll     Order = "all"     // the steps, the answers, and every message that the robot receives
)

// OnTimeout is the reaction to a robot that does not answer in time.
type OnTimeout string

const (
	Continue OnTimeout = "continue"
	Pause    OnTimeout = "pause"
	Fail     OnTimeout = "fail"
)
