package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
)

// ErrClosed is returned by requests to a Sim that has been closed.
var ErrClosed = errors.New("the simulation has ended")

// mailbox holds the newest command of each robot until the next step takes them, in the robots' order.
type mailbox struct {
	mu     sync.Mutex
	names  map[string]int
	slots  []slot
	closed chan struct{}
	once   sync.Once
}

type slot struct {
	command physics.Command
	waiting []chan Outcome // requests of the coming step
	asked   []chan Outcome // requests of the present step
	kicks   int            // before the present step
}

// Outcome is what became of a request.
type Outcome struct {
	Holding bool // the robot holds the ball after the step
	Kicked  bool // the kick was carried out
}

func (m *mailbox) init(robots []physics.Robot) {
	m.names, m.slots, m.closed = map[string]int{}, make([]slot, len(robots)), make(chan struct{})
	for i := range robots {
		m.names[robots[i].Name] = i
	}
}

func (m *mailbox) slot(robot string) (*slot, error) {
	i, ok := m.names[robot]
	if !ok {
		return nil, fmt.Errorf("robot = %q: there is no such robot", robot)
	}
	return &m.slots[i], nil
}

// Command sets the velocity that a robot wants from the next step on. It fails, and changes nothing, for numbers that no
// robot can mean (physics.Command.Validate).
func (s *Sim) Command(robot string, twistB physics.PlanarTwist) error {
	return s.post.change(robot, func(c *physics.Command) { c.TwistB = twistB })
}

// Extend asks a goalkeeper for its frame from the next step on; the rules say how long it stays out.
func (s *Sim) Extend(robot string, to physics.Extension) error {
	return s.post.change(robot, func(c *physics.Command) { c.Extend = to })
}

// change changes a robot's newest command.
func (m *mailbox) change(robot string, change func(*physics.Command)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot, err := m.slot(robot)
	if err != nil {
		return err
	}
	return slot.change(robot, change)
}

// change changes the newest command, unless it would be none that a robot can mean.
func (s *slot) change(robot string, change func(*physics.Command)) error {
	next := s.command
	change(&next)
	if err := next.Validate(); err != nil {
		return fmt.Errorf("robot %s: %w", robot, err)
	}
	s.command = next
	return nil
}

// Ask changes a robot's command, waits for the step that takes it, and tells what became of it. The kick in it counts
// for that step alone.
func (s *Sim) Ask(ctx context.Context, robot string, change func(*physics.Command)) (Outcome, error) {
	m := &s.post
	reply := make(chan Outcome, 1)
	m.mu.Lock()
	slot, err := m.slot(robot)
	if err == nil {
		err = slot.change(robot, change)
	}
	if err == nil {
		slot.waiting = append(slot.waiting, reply)
	}
	m.mu.Unlock()
	if err != nil {
		return Outcome{}, err
	}
	select {
	case o := <-reply:
		return o, nil
	case <-m.closed:
		return Outcome{}, ErrClosed
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// collect takes the commands of the coming step.
func (m *mailbox) collect(into []physics.Command) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.slots {
		slot := &m.slots[i]
		into[i] = slot.command
		slot.command.Kick = physics.Kick{}
		slot.asked, slot.waiting = slot.waiting, slot.asked[:0]
	}
}

// answer tells those who asked what the step made of it.
func (m *mailbox) answer(truth *physics.Snapshot) {
	for i := range m.slots { // asked belongs to the stepping goroutine between collect and the next collect
		slot := &m.slots[i]
		kicks := truth.Robots[i].Kicks
		for _, reply := range slot.asked {
			reply <- Outcome{Holding: truth.Ball.HeldBy == i, Kicked: kicks > slot.kicks}
		}
		slot.kicks = kicks
	}
}

func (m *mailbox) close() { m.once.Do(func() { close(m.closed) }) }
