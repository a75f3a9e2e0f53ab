// Package lockstep holds up steps until robots have answered what they were sent, at speed lockstep. It does not send
// anything itself: the simulation says what a robot gets, and a Connection says what has reached it.
package lockstep

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Gate holds steps up until robots have answered. AwaitConnections, Expect, Tick and AwaitAnswers belong to the
// goroutine that steps; answers may come from any.
type Gate struct {
	wall timesync.Wall

	mu     sync.Mutex
	robots []*peer
	latest time.Duration // sim time that was shown
	news   chan struct{} // holds one token when something has changed

	first notice // of robots that have never answered; over all calls of AwaitAnswers

	listen func(ctx context.Context, left time.Duration) error // returns when something has changed, or soon
}

// NewGate returns a gate for robots. None owes an answer at first, and all count as connected.
func NewGate(wall timesync.Wall, robots []timesync.WaitFor) *Gate {
	g := &Gate{wall: wall, news: make(chan struct{}, 1)}
	g.listen = g.wait
	for _, w := range robots {
		g.robots = append(g.robots, &peer{WaitFor: w, Connection: direct{}, asks: timesync.NewCadence(w.Rate),
			acked: -1})
	}
	return g
}

// Connect sets the connection of a robot, by its number among those of NewGate.
func (g *Gate) Connect(robot int, c Connection) {
	g.mu.Lock()
	g.robots[robot].Connection = c
	g.mu.Unlock()
	g.Changed()
}

// Changed has AwaitConnections and AwaitAnswers check again: a connection has got what was missing, or has nothing
// pending any more.
func (g *Gate) Changed() {
	select {
	case g.news <- struct{}{}:
	default:
	}
}

// AwaitConnections returns when nothing is missing of any robot's connection: messages before that may be lost, and so
// may answers. Robots that wait for a step themselves, as waiting reports, cannot go on without one, and count as
// connected. It shows who is missing after a moment, whenever that changes, and again every few seconds. It returns the
// context's error when that ends.
func (g *Gate) AwaitConnections(ctx context.Context, waiting func(robot string) bool, show func(missing string)) error {
	var r notice
	for begun := g.wall.Now(); ; {
		missing := g.absent(waiting)
		if missing == "" {
			return nil
		}
		if now := g.wall.Now(); now-begun > patience {
			r.show(now, missing, show)
		}
		if err := g.listen(ctx, poll); err != nil {
			return err
		}
	}
}

// absent names the robots that cannot receive or answer, and why.
func (g *Gate) absent(waiting func(string) bool) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []string
	for _, d := range g.robots {
		if missing := d.absent(); missing != "" && (waiting == nil || !waiting(d.Robot)) {
			all = append(all, fmt.Sprintf("robot %s, which lacks %s", d.Robot, missing))
		}
	}
	return strings.Join(all, "; ")
}

// Clear drops all answers that are owed.
func (g *Gate) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		d.owed = 0
	}
}

// Restart forgets what is owed and acknowledged, for a clock that begins again at 0. What is acknowledged of a time
// that has not been since is of before, and does not count.
func (g *Gate) Restart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		d.asks, d.owed, d.upTo, d.acked, d.early = timesync.NewCadence(d.Rate), 0, 0, -1, false
	}
	g.latest = 0
}

// Tick notes that the clock is about to show a sim time, before any robot gets it. What a robot without a connection of
// its own has commanded before the first counts as its answer.
func (g *Gate) Tick(sim time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.latest = sim
	for _, d := range g.robots {
		if d.After != "" || d.Order == timesync.OrderAll || !d.asks.Due(sim) {
			continue
		}
		if _, here := d.Connection.(direct); here && d.early {
			d.early, d.joined = false, true
			continue
		}
		d.owe(sim)
	}
}

// Expect notes that a robot is about to get an observation of a sensor.
func (g *Gate) Expect(robot, sensor string, sim time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.latest = max(g.latest, sim)
	for _, d := range g.robots {
		if d.Robot == robot && d.After == sensor && d.Order != timesync.OrderAll {
			d.owe(sim)
		}
	}
}

// Command notes that a robot has commanded something, which answers the oldest that it owes.
func (g *Gate) Command(robot string) {
	g.answer(robot, "command", func(d *peer) { d.owed = max(d.owed-1, 0) })
}

// Ack notes that a robot has seen everything up to a sim time.
func (g *Gate) Ack(robot string, upTo time.Duration) {
	g.answer(robot, "ack", func(d *peer) {
		if upTo > g.latest {
			return
		}
		if d.acked = max(d.acked, upTo); d.acked >= d.upTo {
			d.owed = 0
		}
	})
}

func (g *Gate) answer(robot, by string, settle func(*peer)) {
	g.mu.Lock()
	for _, d := range g.robots {
		if d.Robot != robot || d.Answer != by || d.Order == timesync.OrderAll {
			continue
		}
		if d.gone { // it owes what comes from now on
			d.gone, d.owed = false, 0
		}
		if d.owed == 0 && !d.joined {
			d.early = true
			continue
		}
		d.joined = true
		settle(d)
	}
	g.mu.Unlock()
	g.Changed()
}

// AwaitAnswers returns when no robot owes an answer but those that wait for a step themselves, as waiting reports; nil:
// none does. It shows, as AwaitConnections does, which robots have never answered: it waits for them without an end if
// they answer the clock, and for as long as their time-out for those that answer a sensor. It returns a *Late for the
// first that takes too long, and the context's error when that ends.
func (g *Gate) AwaitAnswers(ctx context.Context, waiting func(robot string) bool, show func(missing string)) error {
	begun := g.wall.Now()
	for {
		now := g.wall.Now()
		if now-begun > patience {
			g.first.show(now, g.silent(), show)
		}
		left, late := g.owing(now-begun, waiting)
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

const (
	// patience is how long a robot may take to connect or to answer for the first time before users are shown so.
	patience = time.Second
	// poll is how often connections are looked at, and robots that wait for a step themselves.
	poll = 2 * time.Millisecond
	// mostLost is how many observations may get lost on the way to a robot that has never answered. Guess: one while
	// its connection begins, and some more.
	mostLost = 3
	// slow is what robots hardly ever take to answer: how long their connections are taken for granted.
	slow = 50 * time.Millisecond
)

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
func (g *Gate) owing(waited time.Duration, waiting func(string) bool) (left time.Duration, late *Late) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if waited > slow {
			d.complete() // who has connected anew does not owe what it has lost
		}
		if !d.owes() || waiting != nil && waiting(d.Robot) {
			continue
		}
		rest := d.Timeout - waited
		switch {
		case d.Order != timesync.OrderAll && !d.joined && d.After == "" &&
			!d.early: // the clock will still be there when it answers for the first time
			rest = poll
		case d.Order != timesync.OrderAll && !d.joined && rest <= 0 &&
			d.lost < mostLost: // what it commanded before was its answer, or the observation got lost on the way
			d.owed, d.joined, d.lost = 0, d.early, d.lost+1
			continue
		case rest <= 0:
			d.gone = d.Then == timesync.Continue
			return 0, d.late()
		}
		if left == 0 || rest < left {
			left = rest
		}
	}
	return left, nil
}

// silent names the robots that have not answered at all.
func (g *Gate) silent() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var robots []string
	for _, d := range g.robots {
		if !d.joined && d.Order != timesync.OrderAll && d.owes() {
			robots = append(robots, "robot "+d.Robot)
		}
	}
	return strings.Join(robots, ", ")
}
