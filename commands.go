package omnipitch

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
)

// commands hold the newest command of each robot until the next step takes them, in the robots' order.
type commands struct {
	mu      sync.Mutex
	model   *physics.Model
	names   map[string]int
	slots   []slot
	taken   []physics.Command // by the present step, for the goroutine that steps
	closed  chan struct{}
	once    sync.Once
	yielded []string           // robots whose players have stopped for their own programs, until that has been said
	given   func(robot string) // is called for every command
	one     RobotCommand       // memory
	wall    timesync.Wall
}

type slot struct {
	playing
	command  physics.Command
	come     physics.Command // of the robot's own programs, since the last step
	hasCome  bool
	handsOff bool           // may not handle the ball
	cut      atomic.Bool    // is cut off from its programs
	waiting  []chan Outcome // requests of the coming step
	asked    []chan Outcome // requests of the present step
	kicks    int            // before the present step

	count    uint64        // of commands
	got      atomic.Int64  // wall time of the last observation that the robot got; 0 once it has commanded
	response time.Duration // wall time from observations to commands, sum
	answers  int64         // of which that is the sum
}

// Outcome is what became of a request.
type Outcome struct {
	Holding   bool // the robot holds the ball after the step
	Reachable bool // the ball is then where the robot can take it: within its command's reach, or its dribbler's
	Kicked    bool // the kick was carried out
}

func (c *commands) init(model *physics.Model, wall timesync.Wall, given func(robot string)) {
	robots := model.Robots
	c.model, c.wall, c.given = model, wall, given
	c.names, c.slots, c.closed = map[string]int{}, make([]slot, len(robots)), make(chan struct{})
	c.taken = make([]physics.Command, len(robots))
	for i := range robots {
		c.names[robots[i].Name] = i
	}
}

// forget forgets all commands: those that follow are of a world that begins again. Who has asked is answered by its
// first step.
func (c *commands) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		c.slots[i].command, c.slots[i].hasCome, c.slots[i].handsOff, c.slots[i].own = physics.Command{}, false, false,
			false
	}
}

// restart begins again with the first step of a world of the same robots.
func (c *commands) restart(model *physics.Model) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.model = model
	for i := range c.slots {
		c.slots[i].kicks = 0
		c.slots[i].cut.Store(false)
	}
}

func (c *commands) slot(robot string) (*slot, error) {
	i, ok := c.names[robot]
	if !ok {
		return nil, fmt.Errorf("robot = %q: there is no such robot", robot)
	}
	return &c.slots[i], nil
}

// change changes a robot's newest command.
func (c *commands) change(robot string, change func(*physics.Command)) error {
	c.mu.Lock()
	slot, err := c.slot(robot)
	if err == nil {
		err = c.set(slot, robot, change)
	}
	c.mu.Unlock()
	if err == nil {
		c.given(robot)
	}
	return err
}

// impose changes a robot's newest command as the world's events do: it does not count as a command of the robot, in
// reports and at speed lockstep.
func (c *commands) impose(robot string, change func(*physics.Command)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	if err != nil {
		return err
	}
	if err := changed(&slot.command, robot, change); err != nil || !slot.hasCome {
		return err
	}
	return changed(&slot.come, robot, change)
}

// setBallHandling says whether a robot's commands about the ball are passed on.
func (c *commands) setBallHandling(robot string, enable bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	if err == nil {
		slot.handsOff = !enable
	}
	return err
}

// setWired says whether a robot and its programs are connected.
func (c *commands) setWired(robot string, wired bool) error {
	slot, err := c.slot(robot)
	if err == nil {
		slot.cut.Store(!wired)
	}
	return err
}

// wired implements Match.Wired.
func (c *commands) wired(robot string) bool {
	slot, err := c.slot(robot)
	return err != nil || !slot.cut.Load()
}

// set changes the newest command of a robot's own programs, which the next step takes, and takes the time.
func (c *commands) set(slot *slot, robot string, change func(*physics.Command)) error {
	next := slot.come
	if !slot.hasCome {
		next = slot.command
		if slot.player != nil {
			next = physics.Command{}
		}
	}
	if err := changed(&next, robot, change); err != nil {
		return err
	}
	slot.come, slot.hasCome = next, true
	slot.count++
	if got := slot.got.Swap(0); got != 0 {
		slot.response += c.wall.Now() - time.Duration(got)
		slot.answers++
	}
	return nil
}

// observed notes that a robot gets an observation at a wall time.
func (c *commands) observed(robot int, now time.Duration) {
	if slot := &c.slots[robot]; !slot.cut.Load() {
		slot.got.Store(int64(now))
	}
}

// asking tells whether a robot waits for the coming step itself.
func (c *commands) asking(robot string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	return err == nil && len(slot.waiting) > 0
}

// reports returns how robots have commanded.
func (c *commands) reports() (all []RobotReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all = make([]RobotReport, len(c.slots))
	for name, i := range c.names {
		all[i] = RobotReport{Robot: name, Commands: c.slots[i].count,
			Response: c.slots[i].response / time.Duration(max(c.slots[i].answers, 1))}
	}
	return all
}

// changed changes a command, unless it would be none that a robot can mean.
func changed(command *physics.Command, robot string, change func(*physics.Command)) error {
	next := *command
	change(&next)
	if err := next.Validate(); err != nil {
		return fmt.Errorf("robot %s: %w", robot, err)
	}
	*command = next
	return nil
}

// repeat gives a robot the newest command of its own programs.
func (c *commands) repeat(command *RobotCommand) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(command.Robot)
	if err == nil {
		err = c.set(slot, command.Robot, func(to *physics.Command) { *to = command.Command })
	}
	if err == nil {
		c.yield(slot, command.Robot)
	}
	return err
}

// ask changes a robot's command, waits for the step that takes it, and returns what became of it.
func (c *commands) ask(ctx context.Context, robot string, change func(*physics.Command)) (Outcome, error) {
	reply := make(chan Outcome, 1)
	c.mu.Lock()
	slot, err := c.slot(robot)
	if err == nil {
		err = c.set(slot, robot, change)
	}
	if err == nil {
		slot.waiting = append(slot.waiting, reply)
	}
	c.mu.Unlock()
	if err != nil {
		return Outcome{}, err
	}
	c.given(robot)
	select {
	case o := <-reply:
		return o, nil
	case <-c.closed:
		return Outcome{}, ErrClosed
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// collect sets taken to the commands of the coming step, which starts at now. It tells of what has come of robots' own
// programs.
func (c *commands) collect(now *physics.Snapshot, told func(*RobotCommand)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		slot := &c.slots[i]
		if slot.hasCome {
			robot := c.model.Robots[i].Name
			c.yield(slot, robot)
			c.one = RobotCommand{robot, slot.command}
			told(&c.one)
		}
		slot.playOn(now)
		c.taken[i] = slot.command
		if slot.handsOff {
			c.taken[i].Dribble, c.taken[i].Kick = false, physics.Kick{}
		}
		slot.command.Kick = physics.Kick{}
		slot.asked, slot.waiting = slot.waiting, slot.asked[:0]
	}
}

// answer tells those who asked what the step made of it.
func (c *commands) answer(truth *physics.Snapshot) {
	for i := range c.slots { // asked belongs to the stepping goroutine between collect and the next collect
		slot := &c.slots[i]
		kicks := truth.Robots[i].Kicks
		for _, reply := range slot.asked {
			reachable := c.model.Robots[i].Within(c.taken[i].Reach, truth.Robots[i].PoseWB, truth.Ball.PosW,
				c.model.Ball.Radius)
			reply <- Outcome{Holding: truth.Ball.HeldBy == i, Reachable: reachable, Kicked: kicks > slot.kicks}
		}
		slot.kicks = kicks
	}
}

func (c *commands) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func (c *commands) close() { c.once.Do(func() { close(c.closed) }) }
