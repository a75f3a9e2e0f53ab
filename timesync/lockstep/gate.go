// Package lockstep makes steps wait until robots have answered, at speed lockstep. It sends nothing itself: the
// simulation reports what it sends to robots, and a Connection reports what has reached them.
package lockstep

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Gate makes steps wait for the robots' answers. AwaitConnections, Expect, Tick and AwaitAnswers belong to the
// goroutine that steps. Any goroutine may call Command and Ack.
type Gate struct {
	wall timesync.Wall

	mu     sync.Mutex
	robots []*peer
	latest time.Duration // latest sim time that robots have received
	news   chan struct{} // holds an element when AwaitConnections and AwaitAnswers have to check again

	first notice // notice for the user about the robots that have never answered

	// blocks until news has an element, but only for a short time
	listen func(ctx context.Context, left time.Duration) error
}

// NewGate returns a gate for robots. A robot owes an answer after each message that it must answer. At first no robot
// owes an answer, and all robots count as connected.
func NewGate(wall timesync.Wall, robots []timesync.WaitFor) *Gate {
	g := &Gate{wall: wall, news: make(chan struct{}, 1)}
	g.listen = g.wait
	for _, w := range robots {
		g.robots = append(g.robots, &peer{WaitFor: w, Connection: direct{}, asks: timesync.NewCadence(w.Rate),
			acked: -1})
	}
	return g
}

// Connect sets the connection of a robot, by its index in the list given to NewGate.
func (g *Gate) Connect(robot int, c Connection) {
	g.mu.Lock()
	g.robots[robot].Connection = c
	g.mu.Unlock()
	g.Changed()
}

// Changed makes AwaitConnections and AwaitAnswers check again. A Connection calls it when nothing is missing or pending
// any more.
func (g *Gate) Changed() {
	select {
	case g.news <- struct{}{}:
	default:
	}
}

// AwaitConnections blocks until all robots' connections are complete. Messages and answers that are sent earlier may be
// lost. The function waiting returns true for a robot that itself waits for a step; such a robot counts as connected.
// After one second AwaitConnections calls show with the names of the missing robots. It calls show again at each change
// of these names, and every 5 s. It returns the context's error if ctx ends.
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

// absent returns a text that names the robots that cannot receive messages or answer yet.
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

// Clear drops all owed answers.
func (g *Gate) Clear() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		d.owed = 0
	}
}

// Restart drops owed answers and acknowledgements, because the clock restarts at 0. If a later acknowledgement is of a
// time that the restarted clock has not reached, it does not count.
func (g *Gate) Restart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		d.asks, d.owed, d.upTo, d.acked, d.early = timesync.NewCadence(d.Rate), 0, 0, -1, false
	}
	g.latest = 0
}

// Tick records that the clock is about to show a sim time. It must be called before any robot receives that time. If a
// robot in this process gave a command before the first tick, this command counts as its answer to that tick.
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

// Expect records that a robot is about to receive an observation of a sensor. The argument sim is the sim time of the
// observation. The robot then owes an answer if the world waits for its answers to this sensor.
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

// Command records a command of a robot. The command counts as the oldest answer that the robot owes.
func (g *Gate) Command(robot string) {
	g.answer(robot, "command", func(d *peer) { d.owed = max(d.owed-1, 0) })
}

// Ack records that a robot has received everything up to a sim time.
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
		if d.gone { // the run waits for the robot again
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

// AwaitAnswers blocks until no robot owes an answer. The function waiting, which may be nil, returns true for a robot
// that itself waits for a step; AwaitAnswers does not wait for such a robot. It calls show with the names of robots
// that have never answered, as often as AwaitConnections does. A robot's first answer to the clock has no time limit.
// If a robot's first answer to a sensor exceeds the timeout, the observation counts as lost, at most mostLost times.
// AwaitAnswers returns a *Late for the first robot that exceeds its timeout, and the context's error if ctx ends.
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
	// patience is how long a robot may take to connect, or to answer for the first time, before the user is notified.
	patience = time.Second
	// poll is how often the gate checks the connections, and the robots that themselves wait for a step.
	poll = 2 * time.Millisecond
	// mostLost is how many observations may get lost on the way to a robot that has never answered. 3 is a guess: one
	// observation gets lost while the connection is being set up, and two more may.
	mostLost = 3
	// slow is how long the gate waits for an answer before it checks the robot's connection. Robots rarely take longer.
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

// owing returns how long the gate may still wait for answers, or 0 if no robot owes an answer. The argument waited is
// how long the gate has waited. If a robot has exceeded its timeout, owing returns a *Late.
func (g *Gate) owing(waited time.Duration, waiting func(string) bool) (left time.Duration, late *Late) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, d := range g.robots {
		if waited > slow {
			d.complete() // a robot that has reconnected does not owe answers to lost messages
		}
		if !d.owes() || waiting != nil && waiting(d.Robot) {
			continue
		}
		rest := d.Timeout - waited
		switch {
		case d.Order != timesync.OrderAll && !d.joined && d.After == "" && !d.early:
			rest = poll // its first answer to the clock has no time limit
		case d.Order != timesync.OrderAll && !d.joined && rest <= 0 && d.lost < mostLost:
			// the robot's early command was the answer, or the observation was lost on the way
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

// silent names the robots that have never answered.
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
