package farm

import "time"

// meter measures how long somebody takes for a pixel, with the way there and back: the time in which there was
// something to draw, over the pixels that were drawn.
type meter struct {
	under  int           // frames under way
	since  time.Time     // when there was something to draw again, or the meter was read
	busy   time.Duration // and what follows weighs less the longer it is ago
	pixels float64
}

// recent is the busy time after which what was measured before counts half.
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

// drop ends all that is under way, of which others draw so many pixels: they count as late as they are.
func (m *meter) drop(now time.Time, pixels int) {
	if m.under == 0 {
		return
	}
	m.busy, m.pixels, m.under = now.Sub(m.since), float64(pixels), 0
}

// perPixel returns seconds; 0: nothing was drawn yet.
func (m *meter) perPixel() float64 {
	if !(m.pixels > 0) {
		return 0
	}
	return m.busy.Seconds() / m.pixels
}
