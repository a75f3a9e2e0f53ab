package farm

import "time"

// meter measures the time of a process per pixel, including the network: the time during which frames were pending,
// divided by the number of pixels rendered.
type meter struct {
	under  int           // pending frames
	since  time.Time     // start of the current busy interval, or time of the last reading
	busy   time.Duration // busy time; it and pixels decay, so that recent work weighs more
	pixels float64
}

// recent is the busy time after which earlier measurements weigh half.
const recent = time.Second

func (m *meter) begin(now time.Time, frames int) {
	if m.under == 0 {
		m.since = now
	}
	m.under += frames
}

func (m *meter) end(now time.Time, pixels int) {
	if m.under == 0 {
		return
	}
	m.busy += now.Sub(m.since)
	m.since = now
	m.under--
	m.pixels += float64(pixels)
	if m.busy > 2*recent {
		m.busy, m.pixels = m.busy/2, m.pixels/2
	}
}

// drop removes all pending frames, of so many pixels, because others render them. They count as late.
func (m *meter) drop(now time.Time, pixels int) {
	if m.under == 0 {
		return
	}
	m.busy, m.pixels, m.under = now.Sub(m.since), float64(pixels), 0
}

// perPixel returns seconds per pixel; 0 before the first frame.
func (m *meter) perPixel() float64 {
	if !(m.pixels > 0) {
		return 0
	}
	return m.busy.Seconds() / m.pixels
}
