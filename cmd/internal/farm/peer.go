package farm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/omnipitch/omnipitch/sensors/pipeline"
)

// peer is a worker, as the run knows it. Host.mu guards its fields.
type peer struct {
	drawer
	host  *Host
	at    subjects
	id    string
	name  string
	draws string // renderer of the worker
	sub   *nats.Subscription
	pulse *nats.Subscription

	heard   time.Time
	gone    bool           // the worker has been silent for longer than the lease
	rests   time.Time      // time before which the worker gets no cameras, because it was late
	said    time.Time      // time of the last notice that the worker is late
	sampled time.Time      // time at which the worker got its last sample
	proven  map[proof]bool // frames that the worker renders with the same bytes as the run
	orders  []*order       // orders in progress, the oldest first
}

// order is a request to a peer to render frames of one instant.
type order struct {
	number uint64
	frames []*ticket // an entry is nil once the frame has been received
	left   int       // number of frames that are missing
	pixels int       // number of pixels of the missing frames
	sent   time.Time
	parts  [][]byte // received bytes of frames that arrive in several messages
	// sample is the comparison for which the peer renders the frame. It is nil if robots receive the frames.
	sample *sample
}

// ticket is a frame that is being rendered.
type ticket struct {
	pipeline.Frame
	sensor, pixels, size int
	tag                  uint64
	by                   *drawer
	samples              []*sample // comparisons for which another process renders this frame, too
}

// send asks the peer to render frames. A nil sample means that robots receive the frames.
func (p *peer) send(now time.Time, o *pipeline.Order, tickets []*ticket, s *sample) {
	h := p.host
	h.orders++
	asked := &order{number: h.orders, frames: tickets, left: len(tickets), sent: now, sample: s}
	frames := make([]pipeline.Frame, len(tickets))
	for i, t := range tickets {
		frames[i] = t.Frame
		asked.pixels += t.pixels
	}
	h.buffer = o.Append(binary.LittleEndian.AppendUint64(h.buffer[:0], asked.number), frames)
	p.orders = append(p.orders, asked)
	p.meter.begin(now, len(tickets))
	if err := h.cfg.Conn.Publish(p.at.order(p.id), h.buffer); err != nil {
		asked.sent = time.Time{} // counts as late at once
	}
}

// receive handles a message with a part of a frame.
func (p *peer) receive(m *nats.Msg) {
	at, data, err := readPart(m.Data)
	if err != nil {
		return // the frame will be late
	}
	p.host.mu.Lock()
	p.heard = time.Now()
	t, whole, s := p.take(&at, data)
	p.host.mu.Unlock()
	p.host.drawOwed()
	switch {
	case t == nil:
	case s != nil:
		s.got(whole)
	default:
		t.Fill(whole)
	}
}

// take adds a part to its frame. If the frame is then complete, take returns the ticket of the frame, all bytes of the
// frame, and the sample that the frame belongs to, which may be nil. Otherwise the ticket is nil. The caller holds mu.
func (p *peer) take(at *part, data []byte) (t *ticket, whole []byte, s *sample) {
	i := slices.IndexFunc(p.orders, func(o *order) bool { return o.number == at.order })
	if i < 0 || at.frame >= uint32(len(p.orders[i].frames)) {
		return nil, nil, nil // another process renders the frame by now
	}
	o := p.orders[i]
	t = o.frames[at.frame]
	if t == nil {
		return nil, nil, nil
	}
	if at.total == failed {
		p.refuse(fmt.Sprintf("it cannot draw %s: %.*s", t.Frame, mostText, data))
		return nil, nil, nil
	}
	if int64(at.total) != int64(t.size) || int64(at.offset)+int64(len(data)) > int64(t.size) {
		p.refuse(fmt.Sprintf("%s has %d bytes there, want %d", t.Frame, at.total, t.size))
		return nil, nil, nil
	}
	if whole = data; len(data) < t.size {
		if o.parts == nil {
			o.parts = make([][]byte, len(o.frames))
		}
		if at.offset == 0 {
			o.parts[at.frame] = make([]byte, 0, t.size)
		}
		have := o.parts[at.frame]
		if int(at.offset) != len(have) || have == nil {
			return nil, nil, nil // a part was lost, so the frame will be late
		}
		whole = append(have, data...)
		if o.parts[at.frame] = whole; len(whole) < t.size {
			return nil, nil, nil
		}
		o.parts[at.frame] = nil
	}
	o.frames[at.frame] = nil
	o.left--
	o.pixels -= t.pixels
	if o.left == 0 {
		p.orders = slices.Delete(p.orders, i, i+1)
	}
	p.meter.end(time.Now(), t.pixels)
	if o.sample == nil {
		p.frames++
	}
	return t, whole, o.sample
}

// hear handles a message on the peer's subject "here": the peer is alive, or it leaves.
func (p *peer) hear(m *nats.Msg) {
	h := p.host
	h.mu.Lock()
	p.heard = time.Now()
	if p.gone {
		p.gone = false
		h.cfg.Notify(fmt.Sprintf("worker %s is back", p.name))
	}
	if len(m.Data) > 0 && slices.Contains(h.peers, p) {
		p.lose()
		h.forget(p)
		h.cfg.Notify(fmt.Sprintf("worker %s has left", p.name))
	}
	h.mu.Unlock()
	h.drawOwed()
}

// lose takes all cameras and orders from the peer. The frames that the peer has not delivered are rendered by the next
// call of drawOwed. The caller holds mu.
func (p *peer) lose() {
	h, now, pixels, owed := p.host, time.Now(), 0, 0
	for _, o := range p.orders {
		pixels += o.pixels
		if o.sample != nil {
			continue
		}
		var of []*ticket
		for _, t := range o.frames {
			if t != nil {
				t.by = &h.here
				of = append(of, t)
			}
		}
		owed += len(of)
		h.owed = append(h.owed, of)
	}
	p.meter.drop(now, pixels)
	p.orders = nil
	h.saved += owed
	h.here.meter.begin(now, owed)
	for i := range h.cameras {
		if c := &h.cameras[i]; c.owner == p {
			c.owner = nil
			h.evened = time.Time{} // reassign at the next instant
		}
	}
	p.tell(&told{Forget: h.orders})
}

// tell sends a message to the peer. If sending fails, the message is lost.
func (p *peer) tell(what *told) {
	if data, err := json.Marshal(what); err == nil {
		_ = p.host.cfg.Conn.Publish(p.at.tell(p.id), data)
	}
}

// refuse removes the peer and tells it the reason. The frames that the peer has not delivered are rendered by the next
// call of drawOwed. The caller holds mu.
func (p *peer) refuse(reason string) {
	p.lose()
	p.tell(&told{Refused: reason})
	p.host.forget(p)
	p.host.cfg.Notify(fmt.Sprintf("worker %s is refused: %s", p.name, reason))
}

// forget removes a peer. The caller holds mu.
func (h *Host) forget(p *peer) {
	if p.frames > 0 {
		h.past = append(h.past, Share{p.name, p.frames})
	}
	h.peers = slices.DeleteFunc(h.peers, func(other *peer) bool { return other == p })
	_ = p.sub.Unsubscribe() // no peer has its ID any more
	_ = p.pulse.Unsubscribe()
}

// drawOwed renders, in this process, the frames that late, silent or removed workers have not delivered.
func (h *Host) drawOwed() {
	h.mu.Lock()
	owed := h.owed
	h.owed = nil
	h.mu.Unlock()
	for _, of := range owed {
		h.drawHere(of)
	}
}

func (h *Host) drawHere(of []*ticket) {
	if len(of) == 0 {
		return
	}
	frames := make([]pipeline.Frame, len(of))
	for i, t := range of {
		frames[i] = t.Frame
	}
	h.mu.Lock()
	sim := h.sim
	h.mu.Unlock()
	sim.Sensors().DrawHere(frames)
}

// proof identifies the frames of one camera at one level. A worker has proven that it renders such frames with the same
// bytes as the run.
type proof struct {
	sensor int
	tag    uint64 // identifies the level of the frames
}

// sample is a comparison of two renderings of one frame. The owner of the camera renders the frame for the robots, and
// a worker renders the frame again.
type sample struct {
	peer *peer
	what proof
	name string

	mu   sync.Mutex
	sums [2][sha256.Size]byte // checksum of the images of the owner, then of the worker
	have [2]bool
}

// got is called with the images that the worker has rendered.
func (s *sample) got(images []byte) { s.set(1, sha256.Sum256(images)) }

// drawn is called with the checksum of the images that the owner has rendered.
func (s *sample) drawn(sum [sha256.Size]byte) { s.set(0, sum) }

func (s *sample) set(side int, sum [sha256.Size]byte) {
	s.mu.Lock()
	s.sums[side], s.have[side] = sum, true
	whole, same := s.have[0] && s.have[1], s.sums[0] == s.sums[1]
	s.mu.Unlock()
	if !whole {
		return
	}
	h := s.peer.host
	defer h.drawOwed()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !same {
		s.peer.refuse(fmt.Sprintf("it renders different images: %s, with %s here and %s there", s.name, h.draws(),
			s.peer.draws))
		return
	}
	if len(s.peer.proven) == 0 {
		h.cfg.Notify(fmt.Sprintf("worker %s renders images", s.peer.name))
	}
	s.peer.proven[s.what] = true
}
