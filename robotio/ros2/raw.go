package ros2

import (
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// Source describes the publisher of a raw message. The name of its node is empty as long as it is unknown.
type Source = wire.Source

// SubscribeRaw calls f with the bytes of each message of a topic from all publishers, one message at a time. The
// messages may have any type that the context's library has; publishers with others are among the Mismatches. f may
// read the bytes until it returns. They begin with the encapsulation of CDR, and up to 3 bytes may follow the message.
// from is the same for all messages of a publisher, except that another Source follows when the name of the node
// becomes known. The subscriber follows publishers that appear, leave, restart or change their type, and gets the
// messages of each with the QoS that it offers. SubscribeRaw returns an error if the topic's name is invalid.
func SubscribeRaw(n *Node, topic string, f func(from *Source, b []byte)) (*Subscriber, error) {
	s, err := newSubscriber(n, topic, nil, rawDepth)
	if err != nil {
		return nil, err
	}
	r := &anyReader{s: s, readers: map[rawKind]*rawReader{}, sources: map[rtps.GUID]*rawSource{}}
	err = s.begin(nil, r.changed, func(m message) error {
		if from := r.source(m.from); from != nil {
			f(from, m.b)
		}
		return nil
	})
	return s, err
}

// rawDepth is the number of messages that wait for the callback of a raw subscriber. It has room for the bursts of a
// recorder's topics; a guess.
const rawDepth = 100

// Bounds for one raw subscriber; guesses with a wide margin.
const (
	maxRawReaders = 16
	maxRawSources = 1024 // publishers that are there
	maxGone       = 256  // publishers that are gone, whose last messages may still wait
)

// anyReader receives a topic with any type: with a reader for each type and QoS that publishers have. A reader that
// asks for less than a publisher offers would get the same messages again, so each takes only messages of publishers
// with just its QoS.
type anyReader struct {
	s       *Subscriber
	readers map[rawKind]*rawReader // used with the lock of graph.watch only

	mu      sync.Mutex
	sources map[rtps.GUID]*rawSource
	gone    []rtps.GUID // the oldest first
}

// rawKind identifies a reader: type in DDS, and QoS.
type rawKind struct {
	typ                      string
	reliable, transientLocal bool
}

func kindOf(e *rtps.Endpoint) rawKind { return rawKind{e.Type, e.QoS.Reliable, e.QoS.TransientLocal} }

type rawReader struct {
	def   *msg.Definition
	users int // publishers that are there
	close func()
}

// rawSource is a publisher.
type rawSource struct {
	*Source
	kind rawKind
	gone bool
}

// changed handles a publisher that appears or disappears.
func (r *anyReader) changed(e rtps.Endpoint, present bool) {
	kind := kindOf(&e)
	if !present {
		if r.leave(e.GUID) {
			r.readers[kind].users--
		}
		return
	}
	def := r.definition(e.Type)
	r.s.compare(&e, def)
	if def == nil || !r.enter(&e, def) {
		return
	}
	if r.readers[kind] == nil && !r.open(kind, def) {
		r.leave(e.GUID)
		return
	}
	r.readers[kind].users++
}

// definition returns the definition of a type in DDS, or nil if it is unknown.
func (r *anyReader) definition(typ string) *msg.Definition {
	for k, x := range r.readers {
		if k.typ == typ {
			return x.def
		}
	}
	def, err := r.s.node.MessageType(rosType(typ))
	if err != nil || ddsType(def.TypeName) != typ {
		return nil
	}
	return def
}

// enter adds a publisher, and reports whether there was room.
func (r *anyReader) enter(e *rtps.Endpoint, def *msg.Definition) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sources)-len(r.gone) >= maxRawSources {
		r.s.node.c.warn("publisher left out: there are too many", "topic", r.s.name)
		return false
	}
	r.sources[e.GUID] = &rawSource{&Source{Def: def, Latched: e.QoS.TransientLocal}, kindOf(e), false}
	return true
}

// leave marks a publisher as gone, and reports whether it was there. Its last messages may still wait.
func (r *anyReader) leave(id rtps.GUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.sources[id]
	if x == nil || x.gone {
		return false
	}
	x.gone = true
	if r.gone = append(r.gone, id); len(r.gone) > maxGone {
		if oldest := r.sources[r.gone[0]]; oldest != nil && oldest.gone {
			delete(r.sources, r.gone[0])
		}
		r.gone = append(r.gone[:0], r.gone[1:]...)
	}
	return true
}

// source returns the publisher with its name, or nil if it was forgotten.
func (r *anyReader) source(id rtps.GUID) *Source {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.sources[id]
	if x == nil {
		return nil
	}
	if x.Publisher == "" {
		if name := r.s.node.c.graph.nodeOf(id); name != "" {
			x.Source = &Source{Publisher: name, Def: x.Def, Latched: x.Latched}
		}
	}
	return x.Source
}

// takes reports whether the reader of a kind takes the messages of a publisher.
func (r *anyReader) takes(id rtps.GUID, kind rawKind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.sources[id]
	return x != nil && x.kind == kind
}

// open makes the reader of a kind. If there are too many, it replaces one without publishers.
func (r *anyReader) open(kind rawKind, def *msg.Definition) bool {
	s, c := r.s, r.s.node.c
	if len(r.readers) >= maxRawReaders && !r.closeIdle() {
		c.warn("publisher left out: the topic has too many types", "topic", s.name, "type", def.TypeName)
		return false
	}
	q := QoS{Reliable: kind.reliable, TransientLocal: kind.transientLocal, Depth: rawDepth}
	topic := "rt" + s.name
	rd, err := c.transport.newReader(s.node, rtps.ReaderConfig{Topic: topic, Type: kind.typ, QoS: q,
		UserData: userData("", def), OnSample: func(b []byte, info rtps.Info) {
			if r.takes(info.GUID, kind) {
				s.inbox.put(b, info.GUID)
			}
		},
		OnMatch: func(e rtps.Endpoint, matched bool) {
			if kindOf(&e) == kind {
				s.writers.match(e, matched)
			}
		}})
	if err != nil {
		return false // the context is closed
	}
	x := end{rtps.Endpoint{GUID: rd.GUID(), Topic: topic, Type: kind.typ}, rd.Close}
	if !s.addEnd(x) {
		return false
	}
	r.readers[kind] = &rawReader{def: def, close: func() { s.removeEnd(x.GUID) }}
	return true
}

func (r *anyReader) closeIdle() bool {
	for kind, x := range r.readers {
		if x.users == 0 {
			x.close()
			delete(r.readers, kind)
			return true
		}
	}
	return false
}
