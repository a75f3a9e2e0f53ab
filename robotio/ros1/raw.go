package ros1

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// anything is the definition that fits every topic: a star for type and md5 sum, as rospy's AnyMsg has.
var anything = &msg.Definition{Name: "*", MD5: "*"}

// Source says who published a raw message.
type Source struct {
	Publisher string          // name of the node
	Def       *msg.Definition // what its messages are made of
	Latched   bool            // it sends its last message to every new subscriber
}

// SubscribeRaw calls f with the bytes of every message of topic, of whatever type, from all its publishers, one
// message at a time. The bytes are f's until it returns. A publisher's type is learnt from its connection header; one
// that sends no definition there must have a type of the node's library. Publishers that come, go or come back are
// followed, also when they come back with another type. It fails when the master does not answer.
func SubscribeRaw(n *Node, topic string, f func(from *Source, b []byte)) (*Subscriber, error) {
	full, err := n.resolve(topic)
	if err != nil {
		return nil, n.errorf("topic: %w", err)
	}
	s, err := n.follow(&subscription{node: n, name: full, def: anything, open: func(theirs header) (func([]byte) error, error) {
		def, err := n.definition(theirs)
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", full, err)
		}
		from := &Source{Publisher: theirs["callerid"], Def: def, Latched: theirs["latching"] == "1"}
		return func(b []byte) error { f(from, b); return nil }, nil
	}})
	if err != nil {
		return nil, err
	}
	return &Subscriber{s}, nil
}

// SubscribeAs calls f with the bytes of every message of topic from publishers of the type def, as Subscribe does; the
// bytes are f's until it returns. An error of f goes to the node's log. It fails when the master does not answer.
func SubscribeAs(n *Node, topic string, def *msg.Definition, f func(b []byte) error) (*Subscriber, error) {
	s, err := n.subscribe(topic, def, f)
	if err != nil {
		return nil, err
	}
	return &Subscriber{s}, nil
}

// definition returns the definition that a publisher's header describes.
func (n *Node) definition(h header) (*msg.Definition, error) {
	typ, sum := h["type"], h["md5sum"]
	if def, err := n.types.Message(typ); err == nil && def.MD5 == sum {
		return def, nil
	}
	def, err := msg.ParseFull(typ, h["message_definition"])
	if err != nil {
		return nil, fmt.Errorf("publisher's definition of %.80q: %w", typ, err)
	}
	if !matches(sum, def.MD5) {
		return nil, fmt.Errorf("publisher's definition of %s has md5 sum %s: must have that of its header, %s", typ, def.MD5, sum)
	}
	return def, nil
}

// RawPublisher publishes encoded messages of one topic.
type RawPublisher struct{ *publication }

// AdvertiseRaw registers a publisher of topic whose messages are encoded already; def says what they are made of and
// comes from Node.MessageType, from a Source, or from package msg. It fails as Advertise does.
func AdvertiseRaw(n *Node, topic string, def *msg.Definition, opts PubOptions) (*RawPublisher, error) {
	if opts.Queue == 0 {
		opts.Queue = defaultQueue
	}
	t, err := n.advertise(topic, def, opts.Queue, opts.Latch)
	if err != nil {
		return nil, err
	}
	return &RawPublisher{t}, nil
}

// Publish sends b, one encoded message, to all subscribers and returns at once; b may be changed afterwards. b is not
// looked into, but where the message begins with a header the publisher counts its Seq.
func (p *RawPublisher) Publish(b []byte) {
	if p.idle() {
		return
	}
	f := p.pool.get()
	f.head = append(f.head, b...)
	p.send(f)
}

// Fill sends what fill appends, followed by tail, as Publish sends its message. tail is not copied: it must stay
// unchanged until release is called, once, as an ImagePublisher's pixels must; release may be nil.
func (p *RawPublisher) Fill(fill func(b []byte) []byte, tail []byte, release func()) {
	if p.idle() {
		if release != nil {
			release()
		}
		return
	}
	f := p.pool.get()
	f.head = fill(f.head)
	f.tail, f.release = tail, release
	p.send(f)
}

// Def returns the definition of the topic's messages.
func (p *RawPublisher) Def() *msg.Definition { return p.def }

// Subscribers returns the names of the nodes that are connected, sorted.
func (p *RawPublisher) Subscribers() []string { return p.subscribers() }

// MessageType returns a message type of the node's library. It fails with msg.ErrUnknown.
func (n *Node) MessageType(typ string) (*msg.Definition, error) { return n.types.Message(typ) }

// ServiceType returns a service type of the node's library. It fails with msg.ErrUnknown.
func (n *Node) ServiceType(typ string) (*msg.ServiceDefinition, error) { return n.types.Service(typ) }
