package omnipitch

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// RadioMessage is a message that a robot's program sends to its teammates by radio.
type RadioMessage struct {
	Robot, Topic string // sender's name; a topic that the sender's radio relays, or empty for a plain message
	Data         []byte // must not be changed afterwards
}

// RadioListener receives the messages that reach a robot by radio. Its first argument is the sender's name. The
// goroutine that steps calls it in the step in which the message is due, before the observations of the step are
// delivered.
type RadioListener func(from string, m *radio.Message)

// maxRadio is the largest number of messages that one robot may send between two steps. 256 is a guess with a wide
// margin: programs send less than one message per step.
const maxRadio = 256

// radios carry messages between the programs of teammates.
type radios struct {
	network   *radio.Network    // belongs to the goroutine that steps
	listeners [][]RadioListener // of each robot

	mu   sync.Mutex
	come []RadioMessage // sent since the last step
	sent map[string]int // number of messages in come, by robot
}

func (r *radios) begin(w *worlds.World) {
	r.network = radio.New(w.Seed, w.Stations())
	if r.listeners == nil {
		r.listeners, r.sent = make([][]RadioListener, len(w.Robots)), map[string]int{}
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
func (s *Sim) send(robot, topic string, data []byte) error {
	switch r, ok := s.World().Robot(robot); {
	case s.commands.isClosed():
		return ErrClosed
	case s.inputs.closed():
		return ErrReplaying
	case !ok || r.Radio == nil:
		return fmt.Errorf("robot = %q: has no radio", robot)
	case !r.Radio.Relays(topic):
		return fmt.Errorf("robot %s: topic = %q: does not go by radio", robot, topic)
	}
	s.radios.mu.Lock()
	defer s.radios.mu.Unlock()
	if s.radios.sent[robot] == maxRadio {
		return fmt.Errorf("robot %s: radio: more than %d messages in a step", robot, maxRadio)
	}
	s.radios.sent[robot]++
	s.radios.come = append(s.radios.come, RadioMessage{robot, topic, data})
	return nil
}

func (s *Sim) robotIndex(name string) int {
	return slices.IndexFunc(s.model.Robots, func(r physics.Robot) bool { return r.Name == name })
}

// takeRadio transmits the messages that robots have sent since the last step. It sorts the messages by robot, by topic
// and by arrival, since messages of different robots or topics arrive over wires in no fixed order.
func (s *Sim) takeRadio() error {
	s.radios.mu.Lock()
	come := s.radios.come
	s.radios.come = nil
	clear(s.radios.sent)
	s.radios.mu.Unlock()
	slices.SortStableFunc(come, func(a, b RadioMessage) int {
		if a.Robot != b.Robot {
			return s.robotIndex(a.Robot) - s.robotIndex(b.Robot)
		}
		return s.radioTopic(&a) - s.radioTopic(&b)
	})
	for i := range come {
		s.tell(AsStepped, Input{Radio: &come[i]})
		if err := s.transmit(&come[i]); err != nil {
			return err
		}
	}
	return nil
}

// radioTopic returns the index of a message's topic, by which takeRadio sorts the messages of one robot.
func (s *Sim) radioTopic(m *RadioMessage) int {
	cfg := s.world.Robots[s.robotIndex(m.Robot)].Radio
	if m.Topic == radio.DatagramTopic {
		return len(cfg.Topics)
	}
	return slices.IndexFunc(cfg.Topics, func(t radio.Topic) bool { return t.Name == m.Topic })
}

// transmit sends a message over the simulated radio network. It fails if the robot has no radio that relays the topic.
func (s *Sim) transmit(m *RadioMessage) error {
	i := s.robotIndex(m.Robot)
	if i < 0 || s.world.Robots[i].Radio == nil || !s.world.Robots[i].Radio.Relays(m.Topic) {
		return fmt.Errorf("radio of robot %q, topic %q: the world has none", m.Robot, m.Topic)
	}
	s.radios.network.Send(radio.Message{From: i, Topic: m.Topic, Data: m.Data}, &s.truth)
	return nil
}

// deliverRadio passes the messages that are due to their listeners. A hidden step drops them.
func (s *Sim) deliverRadio() {
	s.radios.network.Deliver(s.truth.Time, func(to int, m *radio.Message) {
		if s.hidden() {
			return
		}
		for _, f := range s.radios.listeners[to] {
			f(s.world.Robots[m.From].Name, m)
		}
	})
}

func (e externalActions) SetRadio(robot string, team physics.Team, on bool) error {
	found := false
	for i := range e.world.Robots {
		if r := &e.world.Robots[i]; r.Radio != nil && (robot == "" || r.Name == robot) &&
			(team == "" || r.Team == team) {
			e.radios.network.Switch(i, on)
			found = true
		}
	}
	if !found {
		return errors.New("there is no such robot with a radio")
	}
	return nil
}
