package timesync

import (
	"math"
	"sync/atomic"
	"time"
)

// Meter measures the real-time factor over a window of wall time, so that bursts of steps within it average out. Wall
// time in which nothing ran, because the process was suspended, is left out.
type Meter struct {
	window time.Duration
	ring   []mark // circular, oldest at head
	head   int
	n      int
	gap    float64       // ns between Adds, decaying average
	odd    bool          // the last was left out
	last   time.Duration // wall time of the last Add
	lost   time.Duration // wall time left out so far
	waited time.Duration // since the last Add, as Waited says
	factor atomic.Uint64 // bits of a float64
}

type mark struct{ wall, sim time.Duration }

const (
	marksPerWindow = 64 // bounds the memory and the resolution: a mark at most every 64th of the window
	// A process is taken for suspended when a step takes longer than suspended, and suspendedSteps times what steps
	// take.
	suspended      = 250 * time.Millisecond
	suspendedSteps = 20
)

// NewMeter returns a meter over the last window of wall time.
func NewMeter(window time.Duration) *Meter {
	m := &Meter{window: window, ring: make([]mark, marksPerWindow+2)}
	m.Reset()
	return m
}

// Reset forgets what was before, as after a pause.
func (m *Meter) Reset() {
	m.n, m.gap = 0, 0
	m.factor.Store(math.Float64bits(math.NaN()))
}

// Waited notes that the simulation has waited for its own work since the last Add, as for images: it was not suspended
// for so long.
func (m *Meter) Waited(d time.Duration) { m.waited += d }

// Add notes that at the given wall time the simulation had reached the given sim time. A time that goes back is a
// reset.
func (m *Meter) Add(wall, sim time.Duration) {
	if m.n > 0 {
		gap := wall - m.last
		if last := m.at(m.n - 1); sim < last.sim || gap < 0 {
			m.Reset()
		} else {
			m.follow(gap)
		}
	}
	m.last = wall
	wall -= m.lost
	if m.n > 1 && wall-m.at(m.n-2).wall < m.window/marksPerWindow {
		m.n-- // too close: the new mark replaces the last
	}
	m.ring[(m.head+m.n)%len(m.ring)] = mark{wall, sim}
	m.n++
	for m.n > 2 && (wall-m.at(1).wall >= m.window || m.n == len(m.ring)) {
		m.head = (m.head + 1) % len(m.ring)
		m.n--
	}
	if first := m.at(0); wall > first.wall {
		m.factor.Store(math.Float64bits(float64(sim-first.sim) / float64(wall-first.wall)))
	}
}

// follow keeps the average of what steps take, and leaves out a time in which the process was suspended. Two such in a
// row are what steps take now.
func (m *Meter) follow(gap time.Duration) {
	idle := gap - m.waited
	m.waited = 0
	odd := idle > suspended && float64(idle) > suspendedSteps*m.gap
	switch {
	case odd && !m.odd:
		m.lost += gap - time.Duration(m.gap)
	case odd || m.gap == 0:
		m.gap = float64(gap)
	default:
		m.gap += (float64(gap) - m.gap) / 32
	}
	m.odd = odd && !m.odd
}

func (m *Meter) at(i int) *mark { return &m.ring[(m.head+i)%len(m.ring)] }

// Factor returns the measured real-time factor, NaN before the second Add. It may be called from any goroutine.
func (m *Meter) Factor() float64 { return math.Float64frombits(m.factor.Load()) }

// Estimate is a real-time factor and how sure it is.
type Estimate struct {
	Factor  float64
	Error   float64 // standard error of it, from how much the parts of the window differ
	Instant float64 // of the last part, a 64th of the window
}

// Estimate returns the measured factor with its error: NaN before there are enough Adds.
func (m *Meter) Estimate() Estimate {
	e := Estimate{m.Factor(), math.NaN(), math.NaN()}
	if m.n < 3 {
		return e
	}
	// The ratio of two sums: each part's residual from the common ratio, over the wall time of all. Parts are so long
	// that bursts even out within them.
	sum, total, parts := 0.0, (m.at(m.n-1).wall - m.at(0).wall).Seconds(), 0.0
	const marks = marksPerWindow / 8
	for i := 0; i < m.n-1; i += marks {
		from, to := m.at(i), m.at(min(i+marks, m.n-1))
		r := (to.sim - from.sim).Seconds() - e.Factor*(to.wall-from.wall).Seconds()
		sum += r * r
		parts++
	}
	last, before := m.at(m.n-1), m.at(m.n-2)
	e.Instant = (last.sim - before.sim).Seconds() / (last.wall - before.wall).Seconds()
	e.Error = math.Sqrt(sum*parts/max(parts-1, 1)) / total
	return e
}
