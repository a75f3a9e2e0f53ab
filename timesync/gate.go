package timesync

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// WaitFor is a robot that steps wait for at speed lockstep.
type WaitFor struct {
	Robot   string        `toml:"robot" required:"true" doc:"the robot that is waited for"`
	After   string        `toml:"after" doc:"one of its sensors: each observation that is delivered is to be answered; without it the clock is"`
	Rate    float64       `toml:"rate_hz" range:"[0, 1000]" doc:"answers a second of sim time that the clock is to have; 0 is one a step"`
	Answer  string        `toml:"answer" oneof:"command|ack" doc:"what counts: any command, or only an acknowledgement of the time up to which it has seen everything"`
	Timeout time.Duration `toml:"timeout_ms" range:"[1, 3600000]" doc:"of wall time; for its first answer to the clock a robot has any time"`
	Then    OnTimeout     `toml:"on_timeout" oneof:"continue|pause|fail" doc:"what happens then: go on without it until it answers again, pause, or end the run"`
}

// SetDefaults waits a second for a command each step, and fails.
func (w *WaitFor) SetDefaults() { w.Answer, w.Timeout, w.Then = "command", time.Second, Fail }

// OnTimeout is what happens when a robot does not answer in time.
type OnTimeout string

const (
	Continue OnTimeout = "continue"
	Pause    OnTimeout = "pause"
	Fail     OnTimeout = "fail"
)

// Gate holds steps up until robots have answered. Owe, Tick and Hold belong to the goroutine that steps; answers may come from any.
type Gate struct {
	wall Wall

	mu     sync.Mutex
	robots []*debtor
	news   chan struct{} // holds one token when somebody has answered
	told   bool          // whom it waits for

	listen func(ctx context.Context, left time.Duration) error // returns when somebody has answered, or soon
}

// debtor is a robot that owes answers.
type debtor struct {
	WaitFor
	period time.Duration // of what the clock asks
	next   time.Duration // sim time of the next
	owed   int
	upTo   time.Duration // sim time of the last that it owes
	acked  time.Duration
	joined bool // has answered at all
	gone   bool // was given up
}

// NewGate returns a gate for robots. Nothing is owed at first.
func NewGate(wall Wall, robots []WaitFor) *Gate {
	g := &Gate{wall: wall, news: make(chan struct{}, 1)}
	g.listen = g.wait
	for _, w := range robots {
		d := &debtor{WaitFor: w, acked: -1}
		if w.Rate > 0 {
			d.period = time.Duration(float64(time.Second) / w.Rate)
		}
		g.robots = append(g.robots, d)
	}
	return g
}

// Forgive forgets what is owed.
func (g *Gate) Forgive() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		d.owed = 0
	}
}

// Tick tells that sim time has come to be, before any robot is told.
func (g *Gate) Tick(sim time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if d.After == "" && sim >= d.next {
			d.owe(sim)
			if d.period > 0 {
				d.next += ((sim-d.next)/d.period + 1) * d.period
			}
		}
	}
}

// Owe tells that a robot is about to get an observation of a sensor.
func (g *Gate) Owe(robot, sensor string, sim time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if d.Robot == robot && d.After == sensor {
			d.owe(sim)
		}
	}
}

func (d *debtor) owe(sim time.Duration) {
	if d.Answer == "ack" && d.acked >= sim {
		return
	}
	d.owed, d.upTo = d.owed+1, sim
}

// Command tells that a robot has commanded something, which answers the oldest that it owes.
func (g *Gate) Command(robot string) {
	g.answer(robot, "command", func(d *debtor) { d.owed = max(d.owed-1, 0) })
}

// Ack tells that a robot has seen everything up to a sim time.
func (g *Gate) Ack(robot string, upTo time.Duration) {
	g.answer(robot, "ack", func(d *debtor) {
		if d.acked = max(d.acked, upTo); d.acked >= d.upTo {
			d.owed = 0
		}
	})
}

func (g *Gate) answer(robot, by string, settle func(*debtor)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if d.Robot != robot || d.Answer != by {
			continue
		}
		if d.gone { // it owes what comes from now on
			d.gone, d.owed = false, 0
		}
		d.joined = true
		settle(d)
	}
	select {
	case g.news <- struct{}{}:
	default:
	}
}

// Late is a robot that has not answered in time.
type Late struct {
	WaitFor
	Since time.Duration // sim time of what it owes
}

func (l *Late) Error() string {
	return fmt.Sprintf("robot %s has not answered what it got at %v, for %v", l.Robot, l.Since, l.Timeout)
}

// Hold returns when no robot owes an answer, or when passing tells that one waits for a step itself; nil is that none ever does. It tells
// once which robots it waits for that have never answered: without an end for those that answer the clock, and for as long as their
// time-out for those that answer a sensor. It returns a *Late for the first that takes too long, and the context's error when that ends.
func (g *Gate) Hold(ctx context.Context, passing func(robot string) bool, tell func(missing []string)) error {
	begun := g.wall.Now()
	for {
		if !g.told && g.wall.Now()-begun > patience {
			if missing := g.missing(); len(missing) > 0 {
				g.told = true
				tell(missing)
			}
		}
		left, late := g.owing(g.wall.Now()-begun, passing)
		if late != nil {
			return late
		}
		if left == 0 {
			return nil
		}
		if err := g.listen(ctx, left); err != nil {
			return err
		}
	}
}

// patience is how long a robot may take to join before anybody is told.
const patience = time.Second

// poll is how often a robot is looked after that waits for a step itself.
const poll = 2 * time.Millisecond

func (g *Gate) wait(ctx context.Context, left time.Duration) error {
	timer := time.NewTimer(min(left, poll))
	defer timer.Stop()
	select {
	case <-g.news:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// owing returns how long there is to wait for answers, 0 when none is owed.
func (g *Gate) owing(waited time.Duration, passing func(string) bool) (left time.Duration, late *Late) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if d.owed == 0 || d.gone {
			continue
		}
		if passing != nil && passing(d.Robot) {
			return 0, nil
		}
		rest := d.Timeout - waited
		switch {
		case d.joined && rest <= 0:
			d.gone = d.Then == Continue
			return 0, &Late{d.WaitFor, d.upTo}
		case !d.joined && d.After == "": // the clock will still be there when it comes
			rest = poll
		case !d.joined && rest <= 0: // its first answer may have been lost before it was connected, or what it was to answer
			d.owed = 0
			continue
		}
		if left == 0 || rest < left {
			left = rest
		}
	}
	return left, nil
}

// missing returns the robots that have not answered at all.
func (g *Gate) missing() (robots []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if !d.joined && d.owed > 0 {
			robots = append(robots, d.Robot)
		}
	}
	return robots
}
