package rtps

import (
	"errors"
	"net"
	"net/netip"
	"time"
)

// incoming is a sample, or fragments of one, in a datagram.
type incoming struct {
	seq        int64
	time       time.Time // source timestamp
	now        time.Time
	q          inlineQoS
	payload    []byte
	hasPayload bool
	number     int // first fragment, counted from 1
	count      int // fragments
	each       int // bytes of a fragment
	total      int // bytes of the sample
}

// receive reads a socket until it is closed.
func (p *Participant) receive(conn *net.UDPConn) {
	buf := make([]byte, 1<<16)
	var out outbox
	answers := conn
	if conn == p.multi { // it would answer from the group's address
		answers = p.meta
	}
	send := func(to netip.AddrPort, m message) { _, _ = answers.WriteToUDPAddrPort(m, to) } // may be lost
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil || p.cfg.drop != nil && p.cfg.drop(buf[:n]):
			continue
		}
		p.handle(buf[:n], from, time.Now(), &out)
		out.flush(send)
	}
}

// context is what the submessages before one say about it.
type context struct {
	src   Prefix
	other bool // is for another participant
	time  time.Time
	now   time.Time
	from  netip.AddrPort
	out   *outbox
}

// handle handles a datagram. It takes time and memory in proportion to its length.
func (p *Participant) handle(b []byte, from netip.AddrPort, now time.Time, out *outbox) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if len(b) < headerSize || string(b[:4]) != "RTPS" || b[4] != 2 {
		p.stats.Malformed++
		return
	}
	x := context{src: Prefix(b[8:20]), now: now, from: from, out: out}
	if x.src == p.prefix {
		return
	}
	if r := p.remotes[x.src]; r != nil {
		r.heard = now
	}
	for b = b[headerSize:]; len(b) >= 4; {
		c := cursor{big: b[1]&flagLittle == 0}
		id, flags := b[0], b[1]
		c.b = b[2:4]
		size := int(c.u16())
		if b = b[4:]; size == 0 && id != idInfoTS && id != 1 { // the last submessage may leave its size open
			size = len(b)
		}
		if size > len(b) {
			p.stats.Malformed++
			return
		}
		c.b, b = b[:size], b[size:]
		if !p.submessage(&x, id, flags, &c) {
			p.stats.Malformed++
			return
		}
	}
}

// submessage handles a submessage, and reports whether it is well formed.
func (p *Participant) submessage(x *context, id, flags byte, c *cursor) bool {
	switch id {
	case idInfoDst:
		var to Prefix
		copy(to[:], c.take(len(to)))
		x.other = to != (Prefix{}) && to != p.prefix
	case idInfoTS:
		x.time = time.Time{}
		if flags&flagNoTime == 0 {
			sec, fraction := c.u32(), c.u32()
			x.time = time.Unix(int64(int32(sec)), int64(uint64(fraction)*1_000_000_000>>32))
		}
	}
	if x.other {
		return !c.bad
	}
	switch id {
	case idData, idDataFrag:
		return p.data(x, id == idDataFrag, flags, c)
	case idHeartbeat, idHeartbeatFrag, idGap:
		reader, writer := c.entity(), c.entity()
		first, last := c.seq(), int64(0)
		var irrelevant set
		switch id {
		case idGap:
			irrelevant = c.set(true)
		case idHeartbeatFrag:
			last = int64(c.u32())
		default:
			last = c.seq()
		}
		for _, s := range p.sources[newGUID(x.src, writer)] {
			switch {
			case c.bad || reader != anyEntity && reader != s.reader.id:
			case id == idGap:
				s.gap(first, &irrelevant, x.now)
			case id == idHeartbeatFrag:
				s.heartbeatFrag(first, last, x.out)
			default:
				s.heartbeat(first, last, flags&flagFinal != 0, x.out)
			}
		}
	case idAckNack, idNackFrag:
		reader, writer := c.entity(), c.entity()
		var seq int64
		if id == idNackFrag {
			seq = c.seq()
		}
		want := c.set(id == idAckNack)
		w := p.writers[writer]
		if c.bad || w == nil {
			break
		}
		if t := w.readers[newGUID(x.src, reader)]; t == nil || !t.reliable {
			break
		} else if id == idAckNack {
			w.acknowledge(t, want, flags&flagFinal != 0, x.now)
		} else {
			w.missFragments(t, seq, want)
		}
	}
	return !c.bad
}

// data handles DATA and DATA_FRAG.
func (p *Participant) data(x *context, frag bool, flags byte, c *cursor) bool {
	in := incoming{time: x.time, now: x.now, hasPayload: frag || flags&(flagData|flagKey) != 0}
	c.u16()
	skip := int(c.u16()) - 16
	reader, writer := c.entity(), c.entity()
	in.seq = c.seq()
	if frag {
		in.number, in.count, in.each, in.total = int(c.u32()), int(c.u16()), int(c.u16()), int(c.u32())
		skip -= 12
	}
	c.take(skip)
	if flags&flagInlineQoS != 0 {
		in.q = c.inlineQoS()
	}
	if c.bad || in.seq < 1 || in.seq > maxSeq || frag && in.number < 1 {
		return false
	}
	in.payload = c.b
	if writer == spdpWriter && !frag {
		p.participantSample(x.src, in.payload, in.q, x.from.Addr().Unmap(), x.now)
	}
	for _, s := range p.sources[newGUID(x.src, writer)] {
		if reader != anyEntity && reader != s.reader.id {
			continue
		}
		if frag {
			s.fragment(&in)
		} else {
			if flags&flagKey != 0 && s.reader.builtin == nil { // a writer without key has nothing to dispose of
				in.hasPayload = false
			}
			s.whole(&in)
		}
		s.ask(x.now, greetInterval, x.out)
	}
	return true
}
