package rtps

import (
	"net/netip"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
)

// builtinSet has a bit for each builtin entity of ours: participants, writers, readers and signs of life, in both
// directions. We send no signs of life besides announcements, but Fast DDS asks until somebody says so.
const builtinSet = 0x3f | 0xc00

// builtins are the pairs of builtin entities, and the bit with which participants announce the writer. The next bit
// announces the reader.
var builtins = []struct{ writer, reader, bit uint32 }{
	{pubsWriter, pubsReader, 1 << 2}, {subsWriter, subsReader, 1 << 4}, {aliveWriter, aliveReader, 1 << 10},
}

var builtinQoS = QoS{Reliable: true, TransientLocal: true}

// openBuiltin makes the writers and readers that announce endpoints.
func (p *Participant) openBuiltin() {
	for _, b := range builtins {
		rd := &Reader{p: p, id: b.reader, cfg: ReaderConfig{QoS: builtinQoS}, builtin: p.endpointSample}
		if b.reader == aliveReader {
			rd.builtin = func(*remote, *sample) {}
		}
		p.readers[b.reader] = rd
		p.writers[b.writer] = &Writer{p: p, id: b.writer, cfg: WriterConfig{QoS: builtinQoS},
			readers: map[GUID]*target{}}
	}
	p.pubs, p.subs = p.writers[pubsWriter], p.writers[subsWriter]
}

// announcement appends what the participant says about itself.
func (p *Participant) announcement(m *message, to Prefix) {
	m.start(p.prefix, to)
	list := message{0, 3, 0, 0}
	list.param(pidVersion, 2, 3)
	list.param(pidVendor, ourVendor[:]...)
	guid := p.GUID()
	list.param(pidParticipant, guid[:]...)
	for _, a := range p.announced() {
		meta := metaAddr(a, p.cfg.Domain, p.index)
		list.paramLocator(pidMetaUnicast, meta)
		list.paramLocator(pidUserUnicast, netip.AddrPortFrom(a, meta.Port()+1))
	}
	if p.multi != nil {
		list.paramLocator(pidMetaMulticast, p.group())
	}
	list.paramDuration(pidLease, p.cfg.Lease)
	list.paramU32(pidBuiltin, builtinSet)
	list.paramBytes(pidUserData, p.cfg.UserData)
	list.sentinel()
	m.data(anyEntity, spdpWriter, 1, flagData, nil, len(list))
	*m = append(*m, list...)
}

// farewell appends that the participant is gone.
func (p *Participant) farewell(m *message) {
	m.start(p.prefix, Prefix{})
	key, inline := disposal(p.GUID(), pidParticipant)
	m.data(anyEntity, spdpWriter, 2, flagKey, inline, len(key))
	*m = append(*m, key...)
}

// disposal returns payload and inline QoS of a sample that says that a participant or an endpoint is gone.
func disposal(g GUID, id uint16) (key, inline message) {
	key = message{0, 3, 0, 0}
	key.param(id, g[:]...)
	key.sentinel()
	inline.param(pidKeyHash, g[:]...)
	inline.param(pidStatus, 0, 0, 0, 3)
	inline.sentinel()
	return key, inline
}

func (p *Participant) group() netip.AddrPort {
	return netip.AddrPortFrom(group, uint16(basePort+domainGain*p.cfg.Domain))
}

// broadcast sends a message to everybody who may listen: the group, all ports for discovery on this machine and on
// static peers, and the participants that are known.
func (p *Participant) broadcast(m message) {
	if p.cfg.Range == Off {
		return
	}
	if p.multi != nil {
		p.out.multicast(p.group(), p.interfaces(p.wide), m)
	}
	for i := range maxParticipants {
		if i != p.index {
			p.out.send(metaAddr(loopback, p.cfg.Domain, i), m)
		}
		for _, a := range p.cfg.StaticPeers {
			p.out.send(metaAddr(a, p.cfg.Domain, i), m)
		}
	}
	p.mu.Lock()
	var to []netip.AddrPort
	for _, r := range p.remotes {
		to = append(to, r.meta)
	}
	p.mu.Unlock()
	for _, a := range to {
		p.out.send(a, m)
	}
}

// participantSample handles what a participant says about itself.
func (p *Participant) participantSample(src Prefix, payload []byte, q inlineQoS, from netip.Addr, now time.Time) {
	if q.disposed {
		if r := p.remotes[src]; r != nil && p.own(src, q.keyOf(payload)) {
			p.removeRemote(r)
		}
		return
	}
	a, ok := parseAnnouncement(payload)
	if !ok {
		p.stats.Malformed++
		return
	}
	if !p.own(src, a.guid) || p.cfg.Range == Off {
		return
	}
	meta, okMeta := p.reachable(a.meta, from)
	user, okUser := p.reachable(a.user, from)
	if !okMeta || !okUser {
		return
	}
	r := p.remotes[src]
	if r == nil {
		p.addRemote(&a, meta, user, from, now)
		return
	}
	t := p.pubs.readers[newGUID(src, pubsReader)]
	if t != nil && !t.heard { // it may not have listened yet
		p.greetRemote(r)
	}
	r.lease = a.lease
	if r.meta != meta || r.user != user {
		r.meta, r.user = meta, user
		for _, w := range p.writers {
			w.moved = true
		}
	}
}

// own reports whether an entity is one of the participant that says something about it.
func (p *Participant) own(src Prefix, g GUID) bool {
	if g.Prefix() != src {
		p.stats.Forged++
	}
	return g.Prefix() == src
}

func (p *Participant) addRemote(a *announcement, meta, user netip.AddrPort, from netip.Addr, now time.Time) {
	r := &remote{prefix: a.guid.Prefix(), vendor: a.vendor, meta: meta, user: user, heard: now,
		lease: a.lease, userData: a.userData, endpoints: map[uint32]*Endpoint{}}
	r.place = &admission.Conn{Addr: from.String(), Rank: func() admission.Rank {
		if r.matches > 0 {
			return admission.Known
		}
		return admission.Unknown
	}}
	r.place.Close = func() error { p.removeRemote(r); return nil }
	p.places.Enter(r.place)
	out, ok := p.places.Admit(r.place)
	if !ok {
		p.places.Leave(r.place)
		p.stats.RefusedParticipants++
		return
	}
	if out != nil {
		p.stats.RefusedParticipants++
		_ = out.Close() // never fails
	}
	p.remotes[r.prefix] = r
	p.greetRemote(r)
	for _, b := range builtins {
		if a.builtin&b.bit != 0 {
			p.readers[b.reader].add(r, newGUID(r.prefix, b.writer), nil)
		}
		if a.builtin&(b.bit<<1) != 0 {
			p.writers[b.writer].add(r, newGUID(r.prefix, b.reader), nil)
		}
	}
}

// greetRemote lets the announcement be sent to a participant at once.
func (p *Participant) greetRemote(r *remote) {
	if len(p.greet) < p.cfg.Limits.Participants {
		p.greet = append(p.greet, dest{to: r.meta, prefix: r.prefix})
		signal(p.wake)
	}
}

// removeRemote forgets a participant and all its endpoints.
func (p *Participant) removeRemote(r *remote) {
	if p.remotes[r.prefix] != r {
		return
	}
	for _, e := range r.endpoints {
		p.removeEndpoint(r, e)
	}
	for _, b := range builtins {
		p.readers[b.reader].remove(newGUID(r.prefix, b.writer))
		p.writers[b.writer].remove(newGUID(r.prefix, b.reader))
	}
	delete(p.remotes, r.prefix)
	p.places.Leave(r.place)
}

// endpointSample handles what a participant says about one of its writers or readers.
func (p *Participant) endpointSample(r *remote, s *sample) {
	if s.q.disposed {
		g := s.q.keyOf(s.buf[:s.size])
		if e := r.endpoints[g.entity()]; e != nil && p.own(r.prefix, g) {
			p.removeEndpoint(r, e)
		}
		return
	}
	e, own, ok := parseEndpoint(s.buf[:s.size])
	if !ok || !e.Writer && !isReader(e.GUID.entity()) {
		p.stats.Malformed++
		return
	}
	if !p.own(r.prefix, e.GUID) {
		return
	}
	e.Vendor, e.ParticipantUserData = r.vendor, r.userData
	e.own, _ = p.reachable(own, r.user.Addr())
	old := r.endpoints[e.GUID.entity()]
	switch {
	case old != nil && *old == e:
		return
	case old != nil:
		p.removeEndpoint(r, old)
	case len(r.endpoints) >= p.cfg.Limits.Endpoints:
		p.stats.RefusedEndpoints++
		return
	}
	r.endpoints[e.GUID.entity()] = &e
	p.notify(p, p.cfg.OnEndpoint, &e, true)
	for _, w := range p.writers {
		p.matchReader(w, r, &e)
	}
	for _, rd := range p.readers {
		p.matchWriter(rd, r, &e)
	}
}

func (p *Participant) removeEndpoint(r *remote, e *Endpoint) {
	if e.Writer {
		for _, x := range slices.Clone(p.sources[e.GUID]) {
			x.reader.remove(e.GUID)
		}
	} else {
		for _, w := range p.writers {
			w.remove(e.GUID)
		}
	}
	delete(r.endpoints, e.GUID.entity())
	p.notify(p, p.cfg.OnEndpoint, e, false)
}

// matchReader adds another participant's reader to a writer if it fits.
func (p *Participant) matchReader(w *Writer, r *remote, e *Endpoint) {
	if !e.Writer && e.Topic == w.cfg.Topic && p.fits(e.Type == w.cfg.Type && w.cfg.QoS.satisfies(e.QoS)) {
		w.add(r, e.GUID, e)
		p.notify(w, w.cfg.OnMatch, e, true)
	}
}

// matchWriter adds another participant's writer to a reader if it fits.
func (p *Participant) matchWriter(rd *Reader, r *remote, e *Endpoint) {
	if e.Writer && e.Topic == rd.cfg.Topic && p.fits(e.Type == rd.cfg.Type && e.QoS.satisfies(rd.cfg.QoS)) {
		rd.add(r, e.GUID, e)
		p.notify(rd, rd.cfg.OnMatch, e, true)
	}
}

// fits counts what does not fit.
func (p *Participant) fits(fits bool) bool {
	if !fits {
		p.stats.Incompatible++
	}
	return fits
}

// describe returns what the participant says about one of its endpoints.
func (p *Participant) describe(g GUID, topic, typ string, q QoS, userData string) message {
	m := message{0, 3, 0, 0}
	m.param(pidVersion, 2, 3)
	m.param(pidVendor, ourVendor[:]...)
	m.param(pidEndpoint, g[:]...)
	m.param(pidKeyHash, g[:]...)
	guid := p.GUID()
	m.param(pidParticipant, guid[:]...)
	m.paramBytes(pidTopic, topic+"\x00")
	m.paramBytes(pidType, typ+"\x00")
	kind, durability := uint32(1), uint32(0)
	if q.Reliable {
		kind = 2
	}
	if q.TransientLocal {
		durability = 1
	}
	m.paramU32(pidReliability, kind, 0, 1<<32/10) // longest time for which a write may block: 0.1 s
	m.paramU32(pidDurability, durability)
	m.paramU32(pidHistory, 0, uint32(q.Depth))
	if q.Deadline != 0 {
		m.paramDuration(pidDeadline, q.Deadline)
	}
	if q.Lifespan != 0 {
		m.paramDuration(pidLifespan, q.Lifespan)
	}
	if userData != "" {
		m.paramBytes(pidUserData, userData)
	}
	m.sentinel()
	return m
}
