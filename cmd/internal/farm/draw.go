package farm

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/sensors/pipeline"
)

// Draw has each frame of an instant drawn by whom its camera belongs to.
func (h *Host) Draw(o *pipeline.Order) {
	now := time.Now()
	h.mu.Lock()
	tickets := make([]*ticket, len(o.Frames))
	for i, f := range o.Frames {
		tickets[i] = &ticket{Frame: f, sensor: f.Sensor(), pixels: f.Pixels(), size: f.Size(), tag: f.Tag()}
		c := &h.cameras[tickets[i].sensor]
		c.tag = tickets[i].tag
		c.pixels += tickets[i].pixels
	}
	h.deal(now)
	var here []*ticket
	by := map[*peer][]*ticket{}
	for _, t := range tickets {
		p := h.cameras[t.sensor].owner
		if p == nil || !p.proven[proof{t.sensor, t.tag}] {
			t.by = &h.here
			here = append(here, t)
			continue
		}
		t.by = &p.drawer
		by[p] = append(by[p], t)
	}
	h.here.meter.begin(now, len(here))
	for _, p := range h.peers {
		h.sample(p, now, o, tickets)
	}
	for _, t := range tickets {
		t.Watch(func(_ pipeline.Frame, err error) { h.drawn(t, err) })
	}
	for _, p := range h.peers {
		if of := by[p]; len(of) > 0 {
			p.send(now, o, of, nil)
		}
	}
	h.mu.Unlock()
	h.drawHere(here)
}

// drawn notes that a frame's images are there.
func (h *Host) drawn(t *ticket, err error) {
	if err == nil && len(t.samples) > 0 {
		sum := t.Sum()
		for _, s := range t.samples {
			s.drawn(sum)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.by == &h.here {
		h.here.meter.end(time.Now(), t.pixels)
		h.here.frames++
	}
}

const (
	// sampleAgain is how long a worker without cameras waits for another sample, by which it is seen whether it has
	// become faster.
	sampleAgain = 2 * time.Second
	// restsFor is how long a worker that was late gets no cameras.
	restsFor = 2 * time.Second
)

// sample has a worker draw a frame that another draws too: of a camera that it has not proven yet, or, if it has no
// camera, to see how fast it is now. mu is held.
func (h *Host) sample(p *peer, now time.Time, o *pipeline.Order, tickets []*ticket) {
	if p.gone || slices.ContainsFunc(p.orders, func(o *order) bool { return o.sample != nil }) {
		return
	}
	idle := true
	for i := range h.cameras {
		idle = idle && h.cameras[i].owner != p
	}
	var chosen *ticket
	for _, t := range tickets {
		if t.by != &p.drawer && !p.proven[proof{t.sensor, t.tag}] {
			chosen = t
			break
		}
	}
	if chosen == nil && idle && now.Sub(p.sampled) > sampleAgain && now.After(p.rests) {
		chosen = tickets[0]
	}
	if chosen == nil {
		return
	}
	s := &sample{peer: p, what: proof{chosen.sensor, chosen.tag}, name: chosen.String()}
	chosen.samples = append(chosen.samples, s)
	p.sampled = now
	p.send(now, o, []*ticket{chosen}, s)
}

// look sees whether workers are there and in time, until the farm ends.
func (h *Host) look() {
	tick := time.NewTicker(pulseEvery(h.cfg.Lease) / 2)
	defer tick.Stop()
	pinged := time.Time{}
	for {
		select {
		case <-h.stop:
			return
		case now := <-tick.C:
			h.lookAt(now)
			h.drawOwed()
			h.mu.Lock()
			if h.bundle != nil && now.Sub(pinged) >= pulseEvery(h.cfg.Lease) {
				pinged = now
				_ = h.cfg.Conn.Publish(h.at.host(), nil) // that the run is there
			}
			h.mu.Unlock()
		}
	}
}

// longGone is after how long a silent worker is forgotten. One that comes back later joins anew.
const longGone = time.Minute

// lookAt takes the cameras away of workers that are silent or late; drawOwed draws what they owed.
func (h *Host) lookAt(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.peers) - 1; i >= 0; i-- {
		p := h.peers[i]
		switch silent := now.Sub(p.heard); {
		case p.gone && silent > longGone:
			h.forget(p)
		case p.gone:
		case silent > h.cfg.Lease:
			p.gone = true
			p.lose()
			h.cfg.Notify(fmt.Sprintf("worker %s is silent: others draw its images", p.name))
		case p.late(now):
			p.rests = now.Add(restsFor)
			p.lose()
			if now.Sub(p.said) > saidAgain {
				p.said = now
				h.cfg.Notify(fmt.Sprintf("worker %s is late: others draw its images for a while", p.name))
			}
		}
	}
}

// saidAgain is after how long it is said again that a worker is late, as one is again and again that is too slow.
const saidAgain = time.Minute

// patience is how long nobody waits for a sample; then it is lost, as a server loses what it cannot deliver.
const patience = 10 * time.Minute

// late tells whether the peer owes images for longer than the lease, and much longer than it takes for them.
func (p *peer) late(now time.Time) bool {
	if len(p.orders) > 0 && now.Sub(p.orders[0].sent) > patience {
		return true
	}
	i := slices.IndexFunc(p.orders, func(o *order) bool { return o.sample == nil }) // nobody waits for a sample
	if i < 0 {
		return false
	}
	pixels := 0
	for _, o := range p.orders {
		pixels += o.pixels
	}
	const much = 3
	waits := now.Sub(p.orders[i].sent)
	return waits > p.host.cfg.Lease && waits.Seconds() > much*p.meter.perPixel()*float64(pixels)
}
