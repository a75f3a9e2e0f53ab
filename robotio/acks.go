package robotio

import (
	"fmt"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// acknowledge subscribes to the acknowledgements of a robot that the simulation waits for. Depending on the world, a
// robot acknowledges every message, or it acknowledges the sim time up to which it has processed all messages.
//
// Only ROS 1 numbers messages, so a robot with ROS 2 cannot acknowledge every message.
func (b *Bridge) acknowledge(n wire.Node, r *worlds.Robot) error {
	for _, w := range b.sim.World().Time.WaitFor {
		switch {
		case w.Robot != r.Name:
		case w.Order == timesync.OrderAll:
			one, ok := n.(*ros1.Node)
			if !ok && b.beside == nil {
				return fmt.Errorf("robot %s acknowledges every message, as wait_for with order = \"all\" says: this needs "+
					"ROS 1", r.Name)
			} else if !ok {
				break
			}
			a := &acks{node: one, changed: b.sim.Clock().Lockstep().Changed, refused: b.refused}
			b.acks[r.Name] = a
			s, err := ros1.SubscribeEach(one, ackTopic(n.Version(), r), "std_msgs/Header", a.open)
			if err := b.closeLater(s, err); err != nil {
				return err
			}
			a.sub = s
		case w.Answer == "ack":
			s, err := wire.Subscribe(n, ackTopic(n.Version(), r), "rosgraph_msgs/Clock", func(m *msg.Clock) {
				b.sim.Clock().Lockstep().Ack(w.Robot, m.Clock.Since())
			})
			if err := b.closeLater(s, err); err != nil {
				return err
			}
			b.seen[r.Name] = s
		}
	}
	return nil
}

// acks handles the acknowledgements of a robot whose program receives one message at a time. An acknowledgement is a
// std_msgs/Header: frame_id is a topic, and seq is the number of commands that the program has published so far. A
// message on a topic that a condition of the world file names counts as a command. The program first sends the name of
// each topic that it subscribes to, then an empty frame_id when it is ready, and then one acknowledgement for each
// message that it has processed.
type acks struct {
	node    *ros1.Node
	sub     *ros1.Subscriber
	changed func()
	refused func(error)

	announce announcer

	mu sync.Mutex
	// number of times that a program has become ready; identifies the program that became ready last
	session  int64
	name     string          // name of the node of the program that became ready last
	turns    *ros1.Sequencer // order of delivery to that program; nil before any program is ready
	commands uint32          // number of commands that have arrived from that program
	waiting  []msg.Header    // acknowledgements that wait for commands which the program published before them
}

// maxAcks is the maximum number of topics of a program, and the maximum length of acks.waiting. 256 is a guess with a
// wide margin: robots have tens of topics.
const maxAcks = 256

// program is a publisher of acknowledgements.
type program struct {
	*acks
	name    string
	topics  []string
	session int64 // value of acks.session when the program became ready; 0 until then
}

// open returns the function that handles the acknowledgements of a program that has just connected. publisher is the
// name of the program's node.
func (a *acks) open(publisher string) func(*msg.Header) {
	p := &program{acks: a, name: publisher}
	return p.acknowledge
}

// acknowledge handles one message of a program.
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
			err = fmt.Errorf("%s: %s has acknowledged %d messages whose commands have not arrived", p.sub.Topic(),
				p.name, maxAcks)
			break
		}
		p.waiting = append(p.waiting, *h)
		err = p.acknowledgeReady()
	}
	p.mu.Unlock()
	p.changed()
	if err != nil {
		p.refused(err)
	}
}

// countMessageOf counts one message on a topic that a condition of the world file names. Such a message counts as a
// command if its publisher is the node of the program that became ready last. Messages of other nodes do not count.
func (a *acks) countMessageOf(publisher string) {
	a.mu.Lock()
	own := a.turns != nil && a.name == publisher
	a.mu.Unlock()
	if own {
		a.countCommand()
	}
}

// countCommand counts one command. A command may arrive after an acknowledgement that the program sent later, because
// acknowledgements use another connection.
func (a *acks) countCommand() {
	a.mu.Lock()
	a.commands++
	err := a.acknowledgeReady()
	a.mu.Unlock()
	a.changed()
	if err != nil {
		a.refused(err)
	}
}

// acknowledgeReady processes each waiting acknowledgement if all commands that the program published before it have
// arrived.
func (a *acks) acknowledgeReady() (err error) {
	for len(a.waiting) > 0 && a.commands >= a.waiting[0].Seq && err == nil {
		err = a.turns.Acknowledge(a.waiting[0].FrameID)
		a.waiting = a.waiting[1:]
	}
	return err
}

// Missing implements lockstep.Connection.
func (a *acks) Missing() ([]string, int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns != nil {
		absent := a.turns.Missing()
		if absent != nil {
			a.announce.remind(a.node, slices.Clone(absent))
		}
		for i, topic := range absent {
			if _, published := a.node.Subscribers(topic); !published {
				absent[i] = "a publisher of " + topic + ": the robot's profiles and sensors give none"
			} else {
				absent[i] = "a subscriber of " + topic
			}
		}
		return absent, a.session
	}
	if len(a.sub.Connections()) == 0 {
		return []string{"a publisher of " + a.sub.Topic() + mismatches(a.sub)}, 0
	}
	return []string{"an acknowledgement on " + a.sub.Topic() + " with an empty frame_id, which means that the robot " +
			"is ready"},
		0
}

// Pending implements lockstep.Connection.
func (a *acks) Pending() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns == nil {
		return ""
	}
	return a.turns.Pending()
}
