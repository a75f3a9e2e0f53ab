package timesync

import (
	"math"
	"slices"
	"time"
)

// governor finds the highest real-time factor that can be held: one at which steps and workers have time to spare, at
// which hardly a step takes longer than it may, and at which hardly a result comes too late. It looks at one window
// after the other, and believes what ten of them say: a single one may have been disturbed.
type governor struct {
	step   time.Duration
	factor float64 // in force; 0 while the first windows are measured

	begun     bool
	wall, sim time.Duration // at the beginning of the window
	busy      time.Duration // of the steps in it
	beside    time.Duration // of others before it
	costs     []float64     // of the steps in it, seconds; mostCosts at most
	tight     []float64     // of its results: wall time that they took over the sim time that they may take

	late int // steps in it that began late

	can     [10]float64 // what could have been held in each of the last windows
	bad     [10]bool    // whether it was not held in it
	windows int
}

const (
	governWindow = 100 * time.Millisecond // of wall time, at least
	windowSteps  = 4                      // the same in steps
	mostCosts    = 2000
	firstWindows = 2    // after which a factor is held
	share        = 0.85 // of the time in which all who work may do so
	// times the 99th percentile of the steps' cost that a step gets, and times the 95th of what results take
	room       = 1.15
	tooLate    = 0.1  // of a step's wall time: it begins late
	fewLate    = 0.05 // share of late steps in a window in which the factor is held
	badWindows = 3    // of ten: the factor falls, at least to …
	slower     = 0.9  // … times what it was
	// times the factor that is held: more can be held in all windows, so that it rises; much more, in a few
	faster     = 1.35
	muchFaster = 2
	fewWindows = 3
)

func newGovernor(step time.Duration) *governor {
	return &governor{step: step, costs: make([]float64, 0, mostCosts)}
}

// add notes that a step from a sim time is over at a wall time, how long after it was due it began, how long it was
// busy, and what it did. It returns a new factor to hold, if there is one.
func (g *governor) add(now, sim, late, busy time.Duration, w *Work) (factor float64, ok bool) {
	if !g.begun {
		g.begun = true
		g.open(now, sim, w.Beside)
		return 0, false
	}
	g.busy += busy
	if late.Seconds()*g.factor > tooLate*g.step.Seconds() {
		g.late++
	}
	if len(g.costs) < mostCosts {
		g.costs = append(g.costs, busy.Seconds())
	}
	if w.Tight > 0 {
		g.tight = append(g.tight, w.Tight)
	}
	if now-g.wall < governWindow || sim-g.sim < windowSteps*g.step {
		return 0, false
	}
	i := g.windows % len(g.can)
	g.can[i] = g.measure(now, sim, w.Beside)
	g.bad[i] = float64(g.late) > fewLate*float64((sim-g.sim)/g.step)
	g.windows++
	g.open(now, sim, w.Beside)
	return g.decide()
}

// open begins a window.
func (g *governor) open(now, sim, beside time.Duration) {
	g.wall, g.sim, g.busy, g.beside, g.late = now, sim, 0, beside, 0
	g.costs, g.tight = g.costs[:0], g.tight[:0]
}

// measure returns the factor that could have been held in the window.
func (g *governor) measure(now, sim, beside time.Duration) float64 {
	went := (sim - g.sim).Seconds()
	need := (g.busy + beside - g.beside).Seconds() / went
	if g.factor == 0 {
		need = max(need, (now-g.wall).Seconds()/went) // nothing held it up but work
	}
	can := share / need
	if n := len(g.costs); n >= 20 {
		slices.Sort(g.costs)
		can = min(can, g.step.Seconds()/(room*g.costs[n*99/100]))
	}
	if n := len(g.tight); n > 0 {
		slices.Sort(g.tight)
		can = min(can, 1/(room*g.tight[n*95/100]))
	}
	return can
}

// decide returns a new factor, if there is reason for one.
func (g *governor) decide() (factor float64, ok bool) {
	n := min(g.windows, len(g.can))
	if n < firstWindows {
		return 0, false
	}
	can := slices.Sorted(slices.Values(g.can[:n]))
	bad, recent := 0, math.Inf(1)
	for i := range n {
		if g.bad[i] {
			bad++
		}
		if i < fewWindows {
			recent = min(recent, g.can[(g.windows-1-i+len(g.can))%len(g.can)])
		}
	}
	switch {
	case g.factor == 0:
		g.factor = can[0]
	case bad >= badWindows:
		g.factor = min(can[1], slower*g.factor)
	case n >= fewWindows && recent > muchFaster*g.factor:
		g.factor = recent
	case n == len(g.can) && can[0] > faster*g.factor:
		g.factor = can[0]
	default:
		return 0, false
	}
	g.windows, g.begun = 0, false // what was measured at another factor does not count twice
	return g.factor, true
}
