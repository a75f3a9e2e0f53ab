package farm

import "time"

// meter measures the rendering time of a process, in seconds per pixel. It is the time during which frames were
// pending, divided by the number of pixels rendered. The time includes the transfer over the network.
type meter struct {
	under int       // pending frames
	since time.Time // start of the current busy interval, or time of the last reading
	// busy is the time during which frames were pending. busy and pixels are halved from time to time, so that recent
	// work weighs more.
	busy   time.Duration
	pixels float64
}

// recent is half the busy time at which end halves busy and pixels, so that earlier measurements lose weight.
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

// drop removes all pending frames, because other processes render them. pixels is the number of pixels of these frames.
// The measurement restarts with the time since the last reading, as if the process had just rendered the frames.
func (m *meter) drop(now time.Time, pixels int) {
	if m.under == 0 {
		return
	}
	m.busy, m.pixels, m.under = now.Sub(m.since), float64(pixels), 0
}

// perPixel returns the rendering time in seconds per pixel. It is 0 before the first frame.
func (m *meter) perPixel() float64 {
	if !(m.pixels > 0) {
		return 0
	}
	return m.busy.Seconds() / m.pixels
}
