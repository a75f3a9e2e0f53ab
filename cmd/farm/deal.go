package farm

import (
	"math"
	"time"
)

const (
	// dealEvery is how often cameras may change their owners.
	dealEvery = 250 * time.Millisecond
	// worthwhile is the share by which the slowest has to become faster for a camera to move.
	worthwhile = 0.1
)

// deal gives cameras to other owners where that has the images of an instant drawn sooner. mu is held.
func (h *Host) deal(now time.Time) {
	span := now.Sub(h.evened)
	if span < dealEvery {
		return
	}
	for i := range h.cameras {
		c := &h.cameras[i]
		if h.evened.IsZero() {
			c.rate = max(c.rate, float64(c.pixels)) // until it is known
		} else {
			c.rate = (c.rate + float64(c.pixels)/span.Seconds()) / 2
		}
		c.pixels = 0
	}
	h.evened = now
	d := h.newDealing(now)
	for range h.cameras {
		if !d.move() {
			return
		}
	}
}

// dealing is who draws how much.
type dealing struct {
	h     *Host
	peers []*peer   // the first is nil, this process
	cost  []float64 // of each, seconds a pixel
	load  []float64 // of each, seconds in a second
}

func (h *Host) newDealing(now time.Time) *dealing {
	d := &dealing{h: h, peers: []*peer{nil}, cost: []float64{h.here.meter.perPixel()}}
	for _, p := range h.peers {
		if cost := p.meter.perPixel(); !p.gone && now.After(p.rests) && cost > 0 {
			d.peers, d.cost = append(d.peers, p), append(d.cost, cost)
		}
	}
	const never = 1e6 // times as long
	if !h.cfg.Here && len(d.peers) > 1 {
		d.cost[0] = max(d.cost[0], 1e-9) * never
	}
	d.load = make([]float64, len(d.peers))
	for i := range h.cameras {
		d.load[d.owner(&h.cameras[i])] += d.cost[d.owner(&h.cameras[i])] * h.cameras[i].rate
	}
	return d
}

// owner returns the place of a camera's owner.
func (d *dealing) owner(c *camera) int {
	for k, p := range d.peers {
		if p == c.owner {
			return k
		}
	}
	return 0
}

// move moves one camera away from who draws longest, and tells whether that was worth it.
func (d *dealing) move() bool {
	from := 0
	for k := range d.load {
		if d.load[k] > d.load[from] {
			from = k
		}
	}
	best, which, to := math.Inf(1), -1, -1
	for i := range d.h.cameras {
		c := &d.h.cameras[i]
		if d.owner(c) != from || !(c.rate > 0) {
			continue
		}
		for k, p := range d.peers {
			if k == from || p != nil && !p.proven[proof{i, c.level}] {
				continue
			}
			if longest := max(d.load[from]-d.cost[from]*c.rate, d.load[k]+d.cost[k]*c.rate); longest < best {
				best, which, to = longest, i, k
			}
		}
	}
	if which < 0 || !(best < (1-worthwhile)*d.load[from]) {
		return false
	}
	c := &d.h.cameras[which]
	d.load[from] -= d.cost[from] * c.rate
	d.load[to] += d.cost[to] * c.rate
	c.owner = d.peers[to]
	return true
}
