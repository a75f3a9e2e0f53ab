package robotio

import (
	"fmt"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/tcpros"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// acknowledge subscribes to the acknowledgements of a robot that is waited for: of the time up to which it has seen
// everything, or of every message.
func (b *Bridge) acknowledge(n *ros1.Node, r *worlds.Robot) error {
	for _, w := range b.sim.World().Time.WaitFor {
		switch {
		case w.Robot != r.Name:
		case w.Order == timesync.OrderAll:
			a := &acks{node: n, changed: b.sim.Lockstep().Changed, refused: b.refused}
			b.acks[r.Name] = a
			s, err := ros1.SubscribeEach(n, ackTopic(r), "std_msgs/Header", a.open)
			if err := b.keep(s, err); err != nil {
				return err
			}
			a.sub = s
		case w.Answer == "ack":
			s, err := ros1.Subscribe(n, ackTopic(r), "rosgraph_msgs/Clock", func(m *msg.Clock) {
				b.sim.Lockstep().Ack(w.Robot, m.Clock.Since())
			})
			if err := b.keep(s, err); err != nil {
				return err
			}
			b.seen[r.Name] = s
		}
	}
	return nil
}

// acks are the acknowledgements of a robot that takes every message in turn: std_msgs/Header, whose frame_id is a topic
// and whose seq is the number of commands that the robot's program has published, with its messages on topics that
// conditions of the world name. The program first names each topic that it takes, then sends an empty frame_id when it
// is ready, and after that one acknowledgement for each message that it is done with.
type acks struct {
	node    *ros1.Node
	sub     *ros1.Subscriber
	changed func()
	refused func(error)

	announce announcer

	mu       sync.Mutex
	session  int64             // of the program that was ready last
	name     string            // of its node
	turns    *tcpros.Sequencer // of that program; nil before
	commands uint32            // of that program that have arrived
	waiting  []msg.Header      // acknowledgements whose commands have not all arrived
}

// maxAcks bounds the topics that a program takes in turn, and its acknowledgements whose commands have not arrived. A
// guess: robots have tens.
const maxAcks = 256

// program is a publisher of acknowledgements.
type program struct {
	*acks
	name    string
	topics  []string
	session int64 // once it is ready
}

// open returns what takes the acknowledgements of a program that has connected.
func (a *acks) open(publisher string) func(*msg.Header) {
	p := &program{acks: a, name: publisher}
	return p.acknowledge
}

func (p *program) acknowledge(h *msg.Header) {
	p.mu.Lock()
	var err error
	switch {
	case p.session == 0 && h.FrameID != "":
		if slices.Contains(p.topics, h.FrameID) {
			break
		}
		if len(p.topics) == maxAcks {
			err = fmt.Errorf("%s: %s names more than %d topics", p.sub.Topic(), p.name, maxAcks)
			break
		}
		p.topics = append(p.topics, h.FrameID)
	case p.session == 0:
		p.acks.session++
		p.session, p.acks.name = p.acks.session, p.name
		p.turns, p.commands, p.waiting = p.node.Sequence(p.name, p.topics), 0, nil
	case p.session == p.acks.session && h.FrameID != "":
		if len(p.waiting) == maxAcks {
			err = fmt.Errorf("%s: %s has acknowledged %d messages with commands that did not come", p.sub.Topic(),
				p.name, maxAcks)
			break
		}
		p.waiting = append(p.waiting, *h)
		err = p.takeReady()
	}
	p.mu.Unlock()
	p.changed()
	if err != nil {
		p.refused(err)
	}
}

// published counts a message on a topic that conditions of the world name, as a command, if it is the program's.
func (a *acks) published(publisher string) {
	a.mu.Lock()
	own := a.turns != nil && a.name == publisher
	a.mu.Unlock()
	if own {
		a.commanded()
	}
}

// commanded counts a command. It may arrive after the acknowledgement that the program sent after it, by another
// connection.
func (a *acks) commanded() {
	a.mu.Lock()
	a.commands++
	err := a.takeReady()
	a.mu.Unlock()
	a.changed()
	if err != nil {
		a.refused(err)
	}
}

// takeReady takes the acknowledgements whose commands have arrived.
func (a *acks) takeReady() (err error) {
	for len(a.waiting) > 0 && a.commands >= a.waiting[0].Seq && err == nil {
		err = a.turns.Acknowledge(a.waiting[0].FrameID)
		a.waiting = a.waiting[1:]
	}
	return err
}

// Missing and Pending implement lockstep.Connection.
func (a *acks) Missing() ([]string, int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns != nil {
		absent := a.turns.Missing()
		if absent != nil {
			a.announce.remind(a.node, slices.Clone(absent))
		}
		for i, topic := range absent {
			absent[i] = "a subscriber of " + topic
		}
		return absent, a.session
	}
	if len(a.sub.Connections()) == 0 {
		return []string{"a publisher of " + a.sub.Topic() + mismatches(a.sub)}, 0
	}
	return []string{"an acknowledgement on " + a.sub.Topic() + " with an empty frame_id, which says that it is ready"},
		0
}

func (a *acks) Pending() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == nil {
		return ""
	}
	return a.turns.Pending()
}
