package farm

import (
	"slices"
	"time"
)

const (
	// dealEvery is the minimum time between two reassignments of cameras to owners.
	dealEvery = 250 * time.Millisecond
	// worthwhile is the minimum improvement for which cameras are reassigned: the fraction by which the largest load of
	// an owner must decrease.
	worthwhile = 0.1
)

// deal reassigns cameras to owners if all images of an instant are then ready sooner. The caller holds mu.
func (h *Host) deal(now time.Time) {
	span := now.Sub(h.evened)
	if span < dealEvery {
		return
	}
	for i := range h.cameras {
		c := &h.cameras[i]
		if h.evened.IsZero() {
			c.rate = max(c.rate, float64(c.pixels)) // a first estimate
		} else {
			c.rate = (c.rate + float64(c.pixels)/span.Seconds()) / 2
		}
		c.pixels = 0
	}
	h.evened = now
	d := h.newDealing(now)
	before := slices.Max(d.load)
	for range 4 * len(h.cameras) { // each move reduces the largest load, so few are needed
		if !d.move() {
			break
		}
	}
	if !(slices.Max(d.load) < (1-worthwhile)*before) {
		return
	}
	for i := range h.cameras {
		h.cameras[i].owner = d.peers[d.owners[i]]
	}
}

// dealing is a distribution of the cameras over the processes that may own cameras.
type dealing struct {
	h      *Host
	peers  []*peer   // processes that may own cameras; the first is nil, which is this process
	cost   []float64 // rendering time of each owner, in seconds per pixel
	load   []float64 // rendering time that each owner needs per second
	owners []int     // index of the owner of each camera
}

func (h *Host) newDealing(now time.Time) *dealing {
	d := &dealing{h: h, peers: []*peer{nil}, cost: []float64{h.here.meter.perPixel()}}
	for _, p := range h.peers {
		if cost := p.meter.perPixel(); !p.gone && now.After(p.rests) && cost > 0 {
			d.peers, d.cost = append(d.peers, p), append(d.cost, cost)
		}
	}
	const never = 1e6 // factor on the cost of this process, so that it gets no camera
	if !h.cfg.Here && len(d.peers) > 1 {
		d.cost[0] = max(d.cost[0], 1e-9) * never
	}
	d.load = make([]float64, len(d.peers))
	for i := range h.cameras {
		c := &h.cameras[i]
		k := max(0, slices.Index(d.peers, c.owner))
		d.owners = append(d.owners, k)
		d.load[k] += d.cost[k] * c.rate
	}
	return d
}

// move moves one camera from the owner with the largest load to another owner. It chooses the move after which the
// larger load of these two owners is smallest. It returns false if no move reduces the largest load.
func (d *dealing) move() bool {
	from := 0
	for k := range d.load {
		if d.load[k] > d.load[from] {
			from = k
		}
	}
	which, to, longest, its := -1, -1, d.load[from], 0.
	for i := range d.h.cameras {
		c := &d.h.cameras[i]
		if d.owners[i] != from || !(c.rate > 0) {
			continue
		}
		for k, p := range d.peers {
			if k == from || p != nil && !p.proven[proof{i, c.tag}] {
				continue
			}
			load := d.load[k] + d.cost[k]*c.rate
			long := max(d.load[from]-d.cost[from]*c.rate, load)
			if long < longest || long == longest && which >= 0 && load < its {
				which, to, longest, its = i, k, long, load
			}
		}
	}
	if which < 0 {
		return false
	}
	rate := d.h.cameras[which].rate
	d.load[from] -= d.cost[from] * rate
	d.load[to] += d.cost[to] * rate
	d.owners[which] = to
	return true
}

// meter measures the rendering time of a process, in seconds per pixel. It is the time during which frames were
// pending, divided by the number of pixels rendered. The time includes the transfer over the network.
type meter struct {
	under int       // pending frames
	since time.Time // start of the current busy interval, or time of the last reading
	// busy is the time during which frames were pending. When it exceeds 2·recent, busy and pixels are halved, so that
	// recent work weighs more.
	busy   time.Duration
	pixels float64
}

// recent is half the busy time at which the method end halves the fields busy and pixels of a meter.
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
