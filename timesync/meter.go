package timesync

import (
	"math"
	"sync/atomic"
	"time"
)

// Meter measures the real-time factor over a window of wall time, which averages bursts of steps. It leaves out wall
// time during which the process was suspended.
type Meter struct {
	window time.Duration
	ring   []mark // circular, oldest at head
	head   int
	n      int
	gap    float64       // moving mean of the wall time between two calls of Add, ns
	odd    bool          // the wall time before the last Add was left out as a suspension
	last   time.Duration // wall time of the last Add
	lost   time.Duration // total wall time that was left out as suspensions
	waited time.Duration // sum of the durations that Waited has reported since the last Add
	factor atomic.Uint64 // bits of a float64
}

type mark struct{ wall, sim time.Duration }

const (
	marksPerWindow = 64 // marks are at least a 64th of the window apart
	// The process counts as suspended when a step takes longer than suspended, and also longer than suspendedSteps
	// times the mean.
	suspended      = 250 * time.Millisecond
	suspendedSteps = 20
)

// NewMeter returns a meter over the last window of wall time.
func NewMeter(window time.Duration) *Meter {
	m := &Meter{window: window, ring: make([]mark, marksPerWindow+2)}
	m.Reset()
	return m
}

// Reset drops all measurements, as after a pause.
func (m *Meter) Reset() {
	m.n, m.gap = 0, 0
	m.factor.Store(math.Float64bits(math.NaN()))
}

// Waited reports to the meter that the simulation spent the wall time d waiting for its own work, such as images. This
// time is a part of the time since the last Add, and does not count as suspension.
func (m *Meter) Waited(d time.Duration) { m.waited += d }

// Add records that the simulation reached a sim time at a wall time. If either time is before that of the last Add, Add
// resets the meter first.
func (m *Meter) Add(wall, sim time.Duration) {
	if m.n > 0 {
		gap := wall - m.last
		if last := m.mark(m.n - 1); sim < last.sim || gap < 0 {
			m.Reset()
		} else {
			m.addGap(gap)
		}
	}
	m.last = wall
	wall -= m.lost
	if m.n > 1 && wall-m.mark(m.n-2).wall < m.window/marksPerWindow {
		m.n-- // too close to the last mark, which the new mark replaces
	}
	m.ring[(m.head+m.n)%len(m.ring)] = mark{wall, sim}
	m.n++
	for m.n > 2 && (wall-m.mark(1).wall >= m.window || m.n == len(m.ring)) {
		m.head = (m.head + 1) % len(m.ring)
		m.n--
	}
	if first := m.mark(0); wall > first.wall {
		m.factor.Store(math.Float64bits(float64(sim-first.sim) / float64(wall-first.wall)))
	}
}

// addGap updates the mean wall time between two calls of Add, and leaves out a suspension of the process. If two gaps
// in a row are that long, the second gap is no suspension: the steps have become slow.
func (m *Meter) addGap(gap time.Duration) {
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

func (m *Meter) mark(i int) *mark { return &m.ring[(m.head+i)%len(m.ring)] }

// Factor returns the measured real-time factor, or NaN before the second Add. Any goroutine may call Factor.
func (m *Meter) Factor() float64 { return math.Float64frombits(m.factor.Load()) }

// Estimate is a real-time factor with its uncertainty.
type Estimate struct {
	Factor  float64
	Error   float64 // standard error of Factor, from the differences between parts of the window
	Instant float64 // factor over the last 64th of the window
}

// Estimate returns the measured factor with its standard error. Values are NaN until Add has been called often enough.
func (m *Meter) Estimate() Estimate {
	e := Estimate{m.Factor(), math.NaN(), math.NaN()}
	if m.n < 3 {
		return e
	}
	// The result is the standard error of a ratio of sums. It follows from the residuals of the parts from the common
	// ratio, divided by the total wall time. Parts are long enough to average bursts.
	sum, total, parts := 0.0, (m.mark(m.n-1).wall - m.mark(0).wall).Seconds(), 0.0
	const marks = marksPerWindow / 8
	for i := 0; i < m.n-1; i += marks {
		from, to := m.mark(i), m.mark(min(i+marks, m.n-1))
		r := (to.sim - from.sim).Seconds() - e.Factor*(to.wall-from.wall).Seconds()
		sum += r * r
		parts++
	}
	last, before := m.mark(m.n-1), m.mark(m.n-2)
	e.Instant = (last.sim - before.sim).Seconds() / (last.wall - before.wall).Seconds()
	e.Error = math.Sqrt(sum*parts/max(parts-1, 1)) / total
	return e
}
