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

// commands holds the newest command of each robot until the next step takes it. Slots are in the robots' order.
type commands struct {
	mu     sync.Mutex
	model  *physics.Model
	names  map[string]int // index of each robot
	slots  []slot
	taken  []physics.Command // commands of the present step; belongs to the goroutine that steps
	closed chan struct{}     // closed by close
	once   sync.Once
	// robots whose scripted players have stopped because the robots' own programs commanded; not yet reported
	yielded []string
	given   func(robot string) // called for every command
	one     RobotCommand       // reused by collect
	wall    timesync.Wall
}

// slot holds the command of one robot.
type slot struct {
	playing
	command physics.Command // of the present step, or of the next step
	// the newest command that the robot's own programs have given since the last step; valid if hasCome
	come     physics.Command
	hasCome  bool           // the robot's own programs have given a command since the last step
	handsOff bool           // the robot may not handle the ball
	cut      atomic.Bool    // the robot is disconnected from its programs
	waiting  []chan Outcome // requests of Ask that the next step answers
	asked    []chan Outcome // requests of Ask that the present step answers
	kicks    int            // number of kicks before the present step

	count uint64 // number of commands
	// wall time of the last observation that the robot received; 0 if its programs have commanded since
	got      atomic.Int64
	response time.Duration // sum of the wall times from an observation to the next command
	answers  int64         // number of terms in response
}

// Outcome is the result of Sim.Ask, after the step that took the commands.
type Outcome struct {
	Holding   bool // the robot holds the ball
	Reachable bool // the ball is within the reach of the command or of the robot's dribbler
	Kicked    bool // the step carried out the kick
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

// forget drops all commands before a restart. Requests of Ask stay: the first step of the restarted world answers them.
func (c *commands) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.slots {
		c.slots[i].command, c.slots[i].hasCome, c.slots[i].handsOff, c.slots[i].own = physics.Command{}, false, false,
			false
	}
}

// restart prepares for a restarted world, which has the same robots.
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

// change changes the newest command of a robot's own programs.
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

// impose changes a robot's newest command for an event of the world. It does not count as the robot's own command in
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

// setBallHandling sets whether the engine receives a robot's commands to dribble and kick.
func (c *commands) setBallHandling(robot string, enable bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	if err == nil {
		slot.handsOff = !enable
	}
	return err
}

// setWired sets whether a robot is connected to its programs.
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

// set changes the newest command of a robot's own programs, which the next step takes. It measures the response time
// since the robot's last observation. It is called with c.mu held.
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

// observed notes that a robot, given by its index, receives an observation. The argument now is the present wall time.
func (c *commands) observed(robot int, now time.Duration) {
	if slot := &c.slots[robot]; !slot.cut.Load() {
		slot.got.Store(int64(now))
	}
}

// asking reports whether a request of the robot waits for the next step.
func (c *commands) asking(robot string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	return err == nil && len(slot.waiting) > 0
}

// reports returns the statistics of all robots' commands.
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

// changed changes a command. It fails, and changes nothing, if the new command would be invalid.
func changed(command *physics.Command, robot string, change func(*physics.Command)) error {
	next := *command
	change(&next)
	if err := next.Validate(); err != nil {
		return fmt.Errorf("robot %s: %w", robot, err)
	}
	*command = next
	return nil
}

// repeat replays a recorded command of a robot's own programs.
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

// ask changes a robot's command, waits for the step that takes it, and returns the outcome.
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

// collect sets c.taken to the commands of the next step. The argument now is the state from which that step starts.
// collect calls the function told with each command that a robot's own programs have given since the last step.
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

// answer sends the outcomes to the requests of the present step. The argument truth is the state after this step.
func (c *commands) answer(truth *physics.Snapshot) {
	for i := range c.slots { // between two calls of collect, asked belongs to the goroutine that steps
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
