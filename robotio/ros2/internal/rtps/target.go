package rtps

import (
	"slices"
	"time"
)

// target is a reader of another participant that a writer reaches.
type target struct {
	guid     GUID
	remote   *remote
	e        *Endpoint
	reliable bool
	start    int64 // first sample that it may get
	acked    int64 // it has all samples up to this one
	want     set   // samples that it asks for
	frags    [maxFragWants]fragWant
	greet    bool // it should get a HEARTBEAT
	heard    bool // it has acknowledged something
	greeted  time.Time
}

// fragWant is a sample of which a reader asks for fragments; seq is 0 if unused.
type fragWant struct {
	seq  int64
	want set
}

const (
	maxFragWants  = 4
	beatPeriod    = 100 * time.Millisecond
	greetInterval = 10 * time.Millisecond // shortest interval of HEARTBEATs that a reader can cause
)

// add adds a reader of another participant.
func (w *Writer) add(r *remote, g GUID, e *Endpoint) {
	if w.readers[g] != nil {
		return
	}
	t := &target{guid: g, remote: r, e: e, start: w.sent + 1, reliable: w.cfg.QoS.Reliable}
	if e != nil {
		t.reliable = t.reliable && e.QoS.Reliable
		r.matches++
	}
	if w.cfg.QoS.TransientLocal && (e == nil || e.QoS.TransientLocal) {
		t.start = 1
	}
	t.acked, t.greet = t.start-1, t.reliable
	w.readers[g] = t
	w.targets = append(w.targets, t)
	w.matched.Store(int32(len(w.targets)))
	w.p.matchChanges.Add(1)
	w.moved = true
	w.queue()
}

// remove removes a reader of another participant, if it is there.
func (w *Writer) remove(g GUID) {
	t := w.readers[g]
	if t == nil {
		return
	}
	delete(w.readers, g)
	i := slices.Index(w.targets, t)
	w.targets = slices.Delete(w.targets, i, i+1)
	w.matched.Store(int32(len(w.targets)))
	w.p.matchChanges.Add(1)
	w.moved = true
	w.trim()
	if t.e != nil {
		t.remote.matches--
		w.p.notify(w, w.cfg.OnMatch, t.e, false)
	}
}

// acknowledge handles an ACKNACK of a reader.
func (w *Writer) acknowledge(t *target, s set, final bool, now time.Time) {
	t.acked = max(t.acked, min(s.base-1, w.sent))
	t.want = s
	_, asks := s.next(0)
	if !asks && (!final && s.base <= w.sent || !t.heard) && now.Sub(t.greeted) > greetInterval {
		t.greet, t.greeted = true, now
	}
	t.heard = true
	w.trim()
	if asks || t.greet {
		w.queue()
	}
}

// missFragments handles a NACK_FRAG of a reader.
func (w *Writer) missFragments(t *target, seq int64, s set) {
	if seq < t.start || seq > w.sent {
		return
	}
	for i := range t.frags {
		if f := &t.frags[i]; f.seq == seq || f.seq == 0 {
			*f = fragWant{seq, s}
			w.queue()
			return
		}
	}
}
