package farm

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/sensors/pipeline"
)

// Draw starts to render the frames of an instant. Each frame is rendered by the owner of its camera.
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

// drawn is called when the images of a frame are ready.
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
	// sampleAgain is the minimum time between two samples for a worker without cameras. The sample shows whether the
	// worker has become faster.
	sampleAgain = 2 * time.Second
	// restsFor is the time for which a worker that was late gets no cameras.
	restsFor = 2 * time.Second
)

// sample asks a worker to render a frame that another process renders, too. If there is a camera that the worker has
// not proven yet (see type proof), the frame is of that camera, and the images are compared. If the worker has no
// camera, the frame serves to measure its speed. sample does nothing while an earlier sample of the worker is in
// progress. The caller holds mu.
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

// monitor checks periodically, until Close, whether workers are alive and deliver images in time. It also sends the
// heartbeats of the run.
func (h *Host) monitor() {
	tick := time.NewTicker(pulseEvery(h.cfg.Lease) / 2)
	defer tick.Stop()
	pinged := time.Time{}
	for {
		select {
		case <-h.stop:
			return
		case now := <-tick.C:
			h.checkPeers(now)
			h.drawOwed()
			h.mu.Lock()
			if h.bundle != nil && now.Sub(pinged) >= pulseEvery(h.cfg.Lease) {
				pinged = now
				_ = h.cfg.Conn.Publish(h.at.host(), nil) // heartbeat
			}
			h.mu.Unlock()
		}
	}
}

// longGone is the time after which a silent worker is removed. If the worker is heard again later, it joins again.
const longGone = time.Minute

// checkPeers takes the cameras from workers that are silent or late. The frames that these workers have not delivered
// are rendered by the next call of drawOwed.
func (h *Host) checkPeers(now time.Time) {
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
			h.cfg.Notify(fmt.Sprintf("worker %s is silent: others render its images", p.name))
		case p.late(now):
			p.rests = now.Add(restsFor)
			p.lose()
			if now.Sub(p.said) > lateNoticeEvery {
				p.said = now
				h.cfg.Notify(fmt.Sprintf("worker %s is late: others render its images for a while", p.name))
			}
		}
	}
}

// lateNoticeEvery is the minimum time between two notices that the same worker is late.
const lateNoticeEvery = time.Minute

// sampleTimeout is the time after which a sample counts as lost. It is long, because no robot waits for a sample.
const sampleTimeout = 10 * time.Minute

// late reports whether the peer is late. A peer is late if its oldest order for robots is older than the lease and
// takes more than three times as long as the peer usually needs. A peer is also late if its oldest order is older than
// sampleTimeout.
func (p *peer) late(now time.Time) bool {
	if len(p.orders) > 0 && now.Sub(p.orders[0].sent) > sampleTimeout {
		return true
	}
	i := slices.IndexFunc(p.orders, func(o *order) bool { return o.sample == nil }) // samples do not count
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
