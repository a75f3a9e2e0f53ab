package zenoh

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The suffixes of a key at which the last samples of its publishers can be asked for. They are those of the advanced
// publishers and subscribers of zenoh-ext, which rmw_zenoh_cpp uses for topics with the durability transient local.
const (
	cachesOfAll = "/@adv/pub/**"
	cacheOfOne  = "/@adv/pub/%v/%d/_"
)

// Latched publishes to a key and keeps its last samples for subscribers that come later.
type Latched struct {
	s      *Session
	key    string
	source source
	parts  []*Declaration
	depth  int

	mu   sync.Mutex
	next uint32
	kept []message // at most depth of them, the oldest first
}

// Latch returns a publisher that keeps the last depth samples.
func (s *Session) Latch(keyText string, depth int) (*Latched, error) {
	if depth < 1 {
		return nil, fmt.Errorf("depth = %d: must be at least 1", depth)
	}
	s.mu.Lock()
	s.lastID++
	c := &Latched{s: s, key: keyText, depth: depth, source: source{s.id, s.lastID}}
	s.mu.Unlock()
	cache := keyText + fmt.Sprintf(cacheOfOne, s.id, c.source.entity)
	queryable, err := s.Queryable(cache, true, c.answer)
	if err != nil {
		return nil, err
	}
	token, err := s.Token(cache)
	if err != nil {
		queryable.Close()
		return nil, err
	}
	c.parts = []*Declaration{token, queryable}
	return c, nil
}

// Close forgets the samples.
func (c *Latched) Close() {
	for _, d := range c.parts {
		d.Close()
	}
}

// Put publishes a payload and keeps it, even when it returns an error.
func (c *Latched) Put(payload []byte, o Options) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := message{kind: kindPush, key: key{text: c.key, sender: true}, qos: o.qos(), body: bodyPut,
		payload: bytes.Clone(payload), attachment: bytes.Clone(o.Attachment), source: c.source, sequence: c.next}
	c.next++
	if len(c.kept) == c.depth {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	c.kept = append(c.kept, m)
	return c.s.send(&m)
}

// answer sends the samples that a query wants: the last ones (_max), or a range of numbers (_sn).
func (c *Latched) answer(q *Query) {
	defer q.Done()
	first, last, most := uint64(0), uint64(math.MaxUint64), c.depth
	for part := range strings.SplitSeq(q.Parameters, ";") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "_max":
			if n, err := strconv.Atoi(value); err == nil && n >= 0 {
				most = min(most, n)
			}
		case "_sn":
			from, to, _ := strings.Cut(value, "..")
			if n, err := strconv.ParseUint(from, 10, 32); err == nil {
				first = n
			}
			if n, err := strconv.ParseUint(to, 10, 32); err == nil {
				last = n
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.kept[len(c.kept)-min(most, len(c.kept)):] {
		if n := uint64(m.sequence); n >= first && n <= last {
			m.kind, m.id, m.body, m.qos = kindResponse, q.id, bodyReply, qosBlock
			_ = q.link.send(&m, false)
		}
	}
}

// maxSources is the number of publishers whose last number a subscriber keeps. It is a guess.
const maxSources = 1 << 12

// latchedReader is a subscriber that asks publishers for the samples that they keep.
type latchedReader struct {
	s     *Session
	depth int
	fn    func(Sample)

	mu      sync.Mutex
	last    map[source]uint64
	asking  int      // questions that wait
	waiting []Sample // that came meanwhile
}

// SubscribeLatched calls fn for the last samples that publishers of a key keep, up to depth of each, and for those that
// follow. Each source's samples come in order and once. The function that it returns ends the subscription.
func (s *Session) SubscribeLatched(keyText string, depth int, fn func(Sample)) (end func(), err error) {
	r := &latchedReader{s: s, depth: depth, fn: fn, last: map[source]uint64{}}
	live, err := s.Subscribe(keyText, r.receive)
	if err != nil {
		return nil, err
	}
	watch, err := s.WatchTokens(keyText+cachesOfAll, r.ask)
	if err != nil {
		live.Close()
		return nil, err
	}
	return func() { watch.Close(); live.Close() }, nil
}

// ask asks a publisher that has appeared.
func (r *latchedReader) ask(cache string, present bool) {
	if !present {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.s.Get(Question{Key: cache, Parameters: fmt.Sprintf("_max=%d;_anyke", r.depth), Target: All},
		func(m Sample) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.deliver(m)
		}, r.answered)
	if err == nil {
		r.asking++
	}
}

func (r *latchedReader) answered(error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking--; r.asking > 0 {
		return
	}
	for _, m := range r.waiting {
		r.deliver(m)
	}
	r.waiting = nil
}

// receive handles a new sample. While questions wait, at most depth samples wait, too.
func (r *latchedReader) receive(m Sample) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking == 0 {
		r.deliver(m)
		return
	}
	if len(r.waiting) >= r.depth {
		r.deliver(r.waiting[0])
		r.waiting = slices.Delete(r.waiting, 0, 1)
	}
	m.Payload, m.Attachment = bytes.Clone(m.Payload), bytes.Clone(m.Attachment)
	r.waiting = append(r.waiting, m)
}

// deliver passes a sample on unless it or a later one of its source has been passed on.
func (r *latchedReader) deliver(m Sample) {
	if m.order != 0 {
		if m.order <= r.last[m.source] {
			return
		}
		if len(r.last) >= maxSources {
			clear(r.last)
		}
		r.last[m.source] = m.order
	}
	r.fn(m)
}
