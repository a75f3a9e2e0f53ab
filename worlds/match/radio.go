package match

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Message is a message that a robot's program sends to its teammates by radio.
type Message struct {
	Robot, Topic string // sender's name; a topic that the sender's radio relays, or empty for a plain message
	Data         []byte // must not be changed afterwards
}

// Listener receives the messages that reach a robot by radio. Its first argument is the sender's name. The
// goroutine that steps calls it in the step in which the message is due, before the observations of the step are
// delivered.
type Listener func(from string, m *radio.Message)

// MaxMessages is the largest number of messages that one robot may send between two steps. 256 is a guess with a wide
// margin: programs send less than one message per step.
const MaxMessages = 256

// radios carry messages between the programs of teammates.
type radios struct {
	network   *radio.Network // belongs to the goroutine that steps
	listeners [][]Listener   // of each robot

	mu   sync.Mutex
	come []Message      // sent since the last step
	sent map[string]int // number of messages in the field come, by robot
}

func (r *radios) begin(w *worlds.World) {
	r.network = radio.New(w.Seed, w.Stations())
	if r.listeners == nil {
		r.listeners, r.sent = make([][]Listener, len(w.Robots)), map[string]int{}
	}
}

// forget drops the messages that no step has taken.
func (r *radios) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.come = nil
	clear(r.sent)
}

// send implements Match.Send.
func (d *Director) send(robot, topic string, data []byte) error {
	if err := d.sim.Accepts(); err != nil {
		return err
	}
	switch r, ok := d.sim.World().Robot(robot); {
	case !ok || r.Radio == nil:
		return fmt.Errorf("robot = %q: has no radio", robot)
	case !r.Radio.Relays(topic):
		return fmt.Errorf("robot %s: topic = %q: does not go by radio", robot, topic)
	}
	d.radios.mu.Lock()
	defer d.radios.mu.Unlock()
	if d.radios.sent[robot] == MaxMessages {
		return fmt.Errorf("robot %s: radio: more than %d messages in a step", robot, MaxMessages)
	}
	d.radios.sent[robot]++
	d.radios.come = append(d.radios.come, Message{robot, topic, data})
	return nil
}

func (d *Director) robotIndex(name string) int {
	return slices.IndexFunc(d.model.Robots, func(r physics.Robot) bool { return r.Name == name })
}

// TakeRadio transmits the messages that robots have sent since the last step, and calls report with each of them. It
// sorts the messages by robot and topic; messages of the same robot and topic stay in the order of their arrival.
// Without sorting, the order of messages from different robots or topics would depend on the network.
func (d *Director) TakeRadio(report func(*Message)) error {
	d.radios.mu.Lock()
	come := d.radios.come
	d.radios.come = nil
	clear(d.radios.sent)
	d.radios.mu.Unlock()
	slices.SortStableFunc(come, func(a, b Message) int {
		if a.Robot != b.Robot {
			return d.robotIndex(a.Robot) - d.robotIndex(b.Robot)
		}
		return d.radioTopic(&a) - d.radioTopic(&b)
	})
	for i := range come {
		report(&come[i])
		if err := d.Transmit(&come[i]); err != nil {
			return err
		}
	}
	return nil
}

// radioTopic returns the index of a message's topic, by which TakeRadio sorts the messages of one robot.
func (d *Director) radioTopic(m *Message) int {
	cfg := d.world.Robots[d.robotIndex(m.Robot)].Radio
	switch m.Topic {
	case radio.DatagramTopic:
		return len(cfg.Topics)
	case radio.MitecomTopic:
		return len(cfg.Topics) + 1
	}
	return slices.IndexFunc(cfg.Topics, func(t radio.Topic) bool { return t.Name == m.Topic })
}

// Transmit sends a message over the simulated radio network. It fails if the robot has no radio that relays the topic.
func (d *Director) Transmit(m *Message) error {
	i := d.robotIndex(m.Robot)
	if i < 0 || d.world.Robots[i].Radio == nil || !d.world.Robots[i].Radio.Relays(m.Topic) {
		return fmt.Errorf("radio of robot %q, topic %q: the world has none", m.Robot, m.Topic)
	}
	d.radios.network.Send(radio.Message{From: i, Topic: m.Topic, Data: m.Data}, d.sim.Truth())
	return nil
}

// DeliverRadio passes the messages that are due to their listeners. If the step is hidden (Simulation.Hidden), it drops
// them.
func (d *Director) DeliverRadio() {
	d.radios.network.Deliver(d.now(), func(to int, m *radio.Message) {
		if d.sim.Hidden() {
			return
		}
		for _, f := range d.radios.listeners[to] {
			f(d.world.Robots[m.From].Name, m)
		}
	})
}

// SetRadio switches radios on or off, as action.Simulation describes.
func (d *Director) SetRadio(robot string, team physics.Team, on bool) error {
	found := false
	for i := range d.world.Robots {
		if r := &d.world.Robots[i]; r.Radio != nil && (robot == "" || r.Name == robot) &&
			(team == "" || r.Team == team) {
			d.radios.network.Switch(i, on)
			found = true
		}
	}
	if !found {
		return errors.New("there is no such robot with a radio")
	}
	return nil
}
