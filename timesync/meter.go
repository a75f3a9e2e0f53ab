package timesync

import (
	"math"
	"sync/atomic"
	"time"
)

// Meter measures the real-time factor over a window of wall time, so that bursts of steps within it average out.
type Meter struct {
	window time.Duration
	ring   []mark // circular, oldest at head
	head   int
	n      int
	factor atomic.Uint64 // bits of a float64
}

type mark struct{ wall, sim time.Duration }

// marksPerWindow bounds the memory and the resolution: a mark at most every 64th of the window.
const marksPerWindow = 64

// NewMeter returns a meter over the last window of wall time.
func NewMeter(window time.Duration) *Meter {
	m := &Meter{window: window, ring: make([]mark, marksPerWindow+2)}
	m.factor.Store(math.Float64bits(math.NaN()))
	return m
}

// Add tells the meter that at the given wall time the simulation had reached the given sim time.
func (m *Meter) Add(wall, sim time.Duration) {
	if m.n > 0 {
		last := m.ring[(m.head+m.n-1)%len(m.ring)]
		if sim < last.sim || wall < last.wall { // a reset: what was before says nothing about now
			m.n = 0
		} else if m.n > 1 && wall-m.ring[(m.head+m.n-2)%len(m.ring)].wall < m.window/marksPerWindow {
			m.n-- // too close: the new mark replaces the last
		}
	}
	m.ring[(m.head+m.n)%len(m.ring)] = mark{wall, sim}
	m.n++
	for m.n > 2 && (wall-m.ring[(m.head+1)%len(m.ring)].wall >= m.window || m.n == len(m.ring)) {
		m.head = (m.head + 1) % len(m.ring)
		m.n--
	}
	first := m.ring[m.head]
	if wall > first.wall {
		m.factor.Store(math.Float64bits(float64(sim-first.sim) / float64(wall-first.wall)))
	}
}

// Factor returns the measured real-time factor, NaN before the second Add.
func (m *Meter) Factor() float64 { return math.Float64frombits(m.factor.Load()) }
