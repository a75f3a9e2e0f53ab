package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
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
	heard  func(robot string) // is told of every command
	wall   timesync.Wall
}

type slot struct {
	command physics.Command
	waiting []chan Outcome // requests of the coming step
	asked   []chan Outcome // requests of the present step
	kicks   int            // before the present step

	count    uint64       // of commands
	got      atomic.Int64 // wall time of the last observation that the robot got; 0 once it has commanded
	response mean
}

// Outcome is what became of a request.
type Outcome struct {
	Holding bool // the robot holds the ball after the step
	Kicked  bool // the kick was carried out
}

func (m *mailbox) init(robots []physics.Robot, wall timesync.Wall, heard func(robot string)) {
	m.wall, m.heard = wall, heard
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

// change changes a robot's newest command.
func (m *mailbox) change(robot string, change func(*physics.Command)) error {
	m.mu.Lock()
	slot, err := m.slot(robot)
	if err == nil {
		err = m.set(slot, robot, change)
	}
	m.mu.Unlock()
	if err == nil {
		m.heard(robot)
	}
	return err
}

// impose changes a robot's newest command as the world's events do: the robot itself has said nothing.
func (m *mailbox) impose(robot string, change func(*physics.Command)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot, err := m.slot(robot)
	if err != nil {
		return err
	}
	return slot.change(robot, change)
}

// set changes the newest command of a slot and takes the time.
func (m *mailbox) set(slot *slot, robot string, change func(*physics.Command)) error {
	if err := slot.change(robot, change); err != nil {
		return err
	}
	slot.count++
	if got := slot.got.Swap(0); got != 0 {
		slot.response.add(m.wall.Now() - time.Duration(got))
	}
	return nil
}

// gave notes that a robot gets an observation at a wall time.
func (m *mailbox) gave(robot int, now time.Duration) { m.slots[robot].got.Store(int64(now)) }

// asking tells whether a robot waits for the coming step itself.
func (m *mailbox) asking(robot string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot, err := m.slot(robot)
	return err == nil && len(slot.waiting) > 0
}

// report tells how robots have commanded.
func (m *mailbox) report() (all []RobotReport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all = make([]RobotReport, len(m.slots))
	for name, i := range m.names {
		all[i] = RobotReport{Robot: name, Commands: m.slots[i].count, Response: m.slots[i].response.value()}
	}
	return all
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

// ask changes a robot's command, waits for the step that takes it, and returns what became of it.
func (m *mailbox) ask(ctx context.Context, robot string, change func(*physics.Command)) (Outcome, error) {
	reply := make(chan Outcome, 1)
	m.mu.Lock()
	slot, err := m.slot(robot)
	if err == nil {
		err = m.set(slot, robot, change)
	}
	if err == nil {
		slot.waiting = append(slot.waiting, reply)
	}
	m.mu.Unlock()
	if err != nil {
		return Outcome{}, err
	}
	m.heard(robot)
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

func (m *mailbox) isClosed() bool {
	select {
	case <-m.closed:
		return true
	default:
		return false
	}
}

func (m *mailbox) close() { m.once.Do(func() { close(m.closed) }) }
