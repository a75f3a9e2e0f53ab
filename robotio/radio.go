package robotio

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// radioSend and radioReceived return the names of the topics on which a robot with a radio sends and receives plain
// messages.
func radioSend(v msg.Version, r *worlds.Robot) string { return mapping.Under(v, r, "radio/send") }

func radioReceived(v msg.Version, r *worlds.Robot) string {
	return mapping.Under(v, r, "radio/received")
}

// radioFrom returns the name of the topic on which the robot r receives by radio what the teammate mate publishes on a
// topic.
func radioFrom(v msg.Version, r *worlds.Robot, mate, topic string) string {
	return mapping.Under(v, r, "radio/"+mate+"/"+topic)
}

// radioQueue is the maximum number of messages in the queue of a slow program. 64 is a guess: four teammates send some
// messages each.
const radioQueue = 64

// radioType is the message type of plain radio messages.
const radioType = "omnipitch_msgs/Radio"

// teammatesWith returns the teammates of a robot that also send the given topic by radio.
func teammatesWith(w *worlds.World, r *worlds.Robot, topic string) (all []*worlds.Robot) {
	for i := range w.Robots {
		if mate := &w.Robots[i]; mate.Name != r.Name && mate.Team == r.Team && mate.Radio != nil &&
			mate.Radio.Relays(topic) {
			all = append(all, mate)
		}
	}
	return all
}

// radioTopics returns the names of all topics of a robot's radio.
func radioTopics(v msg.Version, w *worlds.World, r *worlds.Robot) (names []string) {
	if r.Radio == nil {
		return nil
	}
	names = []string{radioSend(v, r), radioReceived(v, r)}
	for i := range r.Radio.Topics {
		for _, mate := range teammatesWith(w, r, r.Radio.Topics[i].Name) {
			names = append(names, radioFrom(v, r, mate.Name, r.Radio.Topics[i].Name))
		}
	}
	return names
}

// radioTypes returns errors for radio topics with names that ROS does not allow or with types that the robot's
// profiles lack.
func radioTypes(v msg.Version, w *worlds.World, profiles map[string]*mapping.Compiled) error {
	var errs []error
	for i := range w.Robots {
		r, at := &w.Robots[i], fmt.Sprintf("robot[%d].radio", i)
		if r.Radio == nil || !w.NoErrorAt(at) {
			continue
		}
		for k := range r.Radio.Topics {
			t, path := &r.Radio.Topics[k], fmt.Sprintf("%s.topic[%d]", at, k)
			if checkName(v, t.Name) != nil || t.Name[0] == '/' || t.Name[0] == '~' {
				errs = append(errs, &schema.Violation{Path: path, Key: "name", Value: t.Name,
					Rule: wholeName(v) + " below the robot's"})
			}
			if _, err := messageType(v, r, profiles, t.Type); err != nil {
				errs = append(errs, &schema.Violation{Path: path, Key: "type", Value: t.Type, Rule: err.Error()})
			}
			if graph.Check("/"+r.Name) != nil && len(teammatesWith(w, r, t.Name)) > 0 {
				errs = append(errs, &schema.Violation{Path: fmt.Sprintf("robot[%d]", i), Key: "name", Value: r.Name,
					Rule: "must be letters, digits and _, a letter first: teammates receive topics by radio under " +
						"this name"})
				break
			}
		}
	}
	return errors.Join(errs...)
}

// messageType returns the definition of a message type from a robot's profiles. It returns nil without an error if a
// profile has errors that have been reported already.
func messageType(v msg.Version, r *worlds.Robot, profiles map[string]*mapping.Compiled, name string) (*msg.Definition,
	error) {
	for _, profile := range mapping.ProfilesOn(v, r, profiles) {
		p := profiles[profile]
		if p == nil {
			return nil, nil // the errors of the profile have been reported
		}
		if def, err := p.Library.Message(name); err == nil || !errors.Is(err, msg.ErrUnknown) {
			return def, err
		}
	}
	return nil, errors.New("must be a message type that the robot's profiles know")
}

// radio sets up the topics of a robot's radio.
func (b *Bridge) radio(n *node, r *worlds.Robot) error {
	if r.Radio == nil {
		return nil
	}
	s, err := wire.Subscribe(n, radioSend(n.Version(), r), radioType, func(m *msg.Radio) { b.transmit(r, "", m.Data) })
	if err := b.closeLater(s, err); err != nil {
		return err
	}
	s.Confirm()
	pub, err := wire.Advertise[msg.Radio](n, radioReceived(n.Version(), r), radioType,
		wire.PubOptions{Queue: radioQueue})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	b.own = append(b.own, ownTopic{n.Node, pub, radioType, new(flow)})
	plain := b.own[len(b.own)-1].flow
	if err := b.sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
		if m.Topic == "" && b.sim.Match().Wired(r.Name) {
			plain.count(m.Sent, b.sim.Truth().Time)
			pub.Send(&msg.Radio{Header: msg.Header{Stamp: msg.TimeFrom(m.Sent)}, Sender: from, Data: m.Data})
		}
	}); err != nil {
		return err
	}
	for i := range r.Radio.Topics {
		if err := b.relay(n, r, &r.Radio.Topics[i]); err != nil {
			return err
		}
	}
	return nil
}

// relay sets up a topic that robots send by radio: the robot's own topic, and the topics with the messages of its
// teammates. It leaves out messages in the encoding of the other version of ROS, and broken ones.
func (b *Bridge) relay(n *node, r *worlds.Robot, t *radio.Topic) error {
	def, err := messageType(n.Version(), r, b.profiles, t.Type)
	if err != nil {
		return err // cannot happen, because the world was checked
	}
	s, err := n.Subscribe(mapping.Under(n.Version(), r, t.Name), def, func(message []byte) error {
		b.transmit(r, t.Name, slices.Clone(message))
		return nil
	})
	if err := b.closeLater(s, err); err != nil {
		return err
	}
	s.Confirm()
	codec, err := dynamic.Compile(def)
	if err != nil {
		return err
	}
	for _, mate := range teammatesWith(b.sim.World(), r, t.Name) {
		pub, err := n.Advertise(radioFrom(n.Version(), r, mate.Name, t.Name), def, wire.PubOptions{Queue: radioQueue})
		if err := b.closeLater(pub, err); err != nil {
			return err
		}
		count := new(flow)
		b.own = append(b.own, ownTopic{n.Node, pub, t.Type, count})
		if err := b.sim.Match().OnRadio(r.Name, func(from string, m *radio.Message) {
			if from == mate.Name && m.Topic == t.Name && b.sim.Match().Wired(r.Name) && codec.Check(m.Data) == nil {
				count.count(m.Sent, b.sim.Truth().Time)
				pub.Publish(m.Data)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// transmit sends a message by a robot's radio. If the robot's program acknowledges messages, the radio message counts
// as a command of this program.
func (b *Bridge) transmit(r *worlds.Robot, topic string, data []byte) {
	if b.sim.Match().Wired(r.Name) {
		if err := b.sim.Match().Send(r.Name, topic, data); err != nil {
			b.refused(err)
		}
	}
	if acks := b.acks[r.Name]; acks != nil {
		acks.countCommand()
	}
}
