package timesync

import (
	"math"
	"slices"
	"time"
)

// governor finds the highest real-time factor that the machine sustains at speed steady. At that factor the steps and
// the workers have spare time, few steps take longer than their period, and few results are late. It measures
// consecutive windows of time. It decides by the last ten windows, because other programs may have disturbed a single
// window.
type governor struct {
	step   time.Duration
	factor float64 // present real-time factor; 0 while the first windows are measured

	begun     bool
	wall, sim time.Duration // wall time and sim time at the start of the window
	busy      time.Duration // busy time of the steps in the window
	beside    time.Duration // busy time of the workers at the start of the window
	costs     []float64     // busy time of each step in the window, seconds; at most mostCosts steps
	tight     []float64     // Work.Tight of the steps in the window

	late int // number of steps in the window that began late

	sustained [10]float64 // for each of the last windows, the factor that would have been possible
	bad       [10]bool    // for each of the last windows, whether too many steps began late
	windows   int
}

const (
	governWindow = 100 * time.Millisecond // least wall time of a window
	windowSteps  = 4                      // least number of steps in a window
	mostCosts    = 2000
	firstWindows = 2    // number of windows measured before the first factor is chosen
	utilisation  = 0.85 // largest busy fraction of the wall time
	// smallest allowed value of two quotients: the period of a step / the 99th percentile of the steps' costs, and
	// the time that results may take / the 95th percentile of the time that results take
	headroom   = 1.15
	tooLate    = 0.1  // a step is late if it begins later than its due time by more than this fraction of its wall time
	fewLate    = 0.05 // a window is bad if more than this fraction of its steps are late
	badWindows = 3    // the factor falls when at least this many of the last ten windows are bad
	slower     = 0.9  // when the factor falls, it falls to at most this fraction of its value
	// the factor rises when each of the last ten windows would have sustained more than 1.35 times the factor
	faster = 1.35
	// it also rises when each of the last fewWindows windows would have sustained more than twice the factor
	muchFaster = 2
	fewWindows = 3
)

func newGovernor(step time.Duration) *governor {
	return &governor{step: step, costs: make([]float64, 0, mostCosts)}
}

// add records a step. The argument now is the wall time at the end of the step, and sim is the sim time at its start.
// The step began too late by the wall time late, and was busy for the wall time busy. If the factor should change, add
// returns the new factor and true.
func (g *governor) add(now, sim, late, busy time.Duration, w *Work) (factor float64, ok bool) {
	if !g.begun {
		g.begun = true
		g.openWindow(now, sim, w.Beside)
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
	i := g.windows % len(g.sustained)
	g.sustained[i] = g.measure(now, sim, w.Beside)
	g.bad[i] = float64(g.late) > fewLate*float64((sim-g.sim)/g.step)
	g.windows++
	g.openWindow(now, sim, w.Beside)
	return g.decide()
}

func (g *governor) openWindow(now, sim, beside time.Duration) {
	g.wall, g.sim, g.busy, g.beside, g.late = now, sim, 0, beside, 0
	g.costs, g.tight = g.costs[:0], g.tight[:0]
}

// measure returns the factor that the window would have sustained.
func (g *governor) measure(now, sim, beside time.Duration) float64 {
	went := (sim - g.sim).Seconds()
	need := (g.busy + beside - g.beside).Seconds() / went
	if g.factor == 0 {
		need = max(need, (now-g.wall).Seconds()/went) // without a pace, the run never waits for a due time
	}
	can := utilisation / need
	if n := len(g.costs); n >= 20 {
		slices.Sort(g.costs)
		can = min(can, g.step.Seconds()/(headroom*g.costs[n*99/100]))
	}
	if n := len(g.tight); n > 0 {
		slices.Sort(g.tight)
		can = min(can, 1/(headroom*g.tight[n*95/100]))
	}
	return can
}

// decide returns a new factor and true, or false to keep the present factor.
func (g *governor) decide() (factor float64, ok bool) {
	n := min(g.windows, len(g.sustained))
	if n < firstWindows {
		return 0, false
	}
	can := slices.Sorted(slices.Values(g.sustained[:n]))
	bad, recent := 0, math.Inf(1)
	for i := range n {
		if g.bad[i] {
			bad++
		}
		if i < fewWindows {
			recent = min(recent, g.sustained[(g.windows-1-i+len(g.sustained))%len(g.sustained)])
		}
	}
	switch {
	case g.factor == 0:
		g.factor = can[0]
	case bad >= badWindows:
		g.factor = min(can[1], slower*g.factor)
	case n >= fewWindows && recent > muchFaster*g.factor:
		g.factor = recent
	case n == len(g.sustained) && can[0] > faster*g.factor:
		g.factor = can[0]
	default:
		return 0, false
	}
	g.windows, g.begun = 0, false // measurements at the old factor no longer count
	return g.factor, true
}
