package command

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// Queue holds the newest command of each robot until the next step takes it. Any goroutine may call Change, Ask,
// Asking, SetBallHandling, SetWired, Wired, Waypoints, Play, YieldTo, Forget and Reports, and may use Closed. All other
// methods belong to the goroutine that steps.
type Queue struct {
	Taken []physics.Command // commands of the present step, in the model's order; Collect sets them

	mu     sync.Mutex
	model  *physics.Model
	names  map[string]int // index of each robot
	slots  []slot         // in the model's order
	closed chan struct{}  // closed by Close
	once   sync.Once
	// robots whose scripted players have stopped because the robots' own programs gave commands; not yet reported
	yielded   []string
	onCommand func(robot string) // called for every command of a robot's own programs
	one       Robot              // reused by Collect
	wall      timesync.Wall
	pushes    []Push // that have not ended
}

// slot holds the command of one robot.
type slot struct {
	playing
	command physics.Command // command of the present step; between two steps, command of the next step
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

// Robot is the newest command of a robot's own programs.
type Robot struct {
	Robot string // name of the robot
	physics.Command
}

// Report holds statistics of one robot's commands.
type Report struct {
	Robot    string        // name of the robot
	Commands uint64        // number of commands of its own programs
	Response time.Duration // mean wall time from a robot's newest observation to its next command
}

// Outcome is the result of a command, after the step that took it.
type Outcome struct {
	Holding   bool // the robot holds the ball
	Reachable bool // the ball is within the reach of the command or of the robot's dribbler
	Kicked    bool // the step carried out the kick
}

// New makes a Queue for the robots of a model. It measures the robots' response times by the given wall clock. Whenever
// a robot's own program gives a command, the goroutine that gives it calls onCommand with the robot's name.
func New(model *physics.Model, wall timesync.Wall, onCommand func(robot string)) *Queue {
	n := len(model.Robots)
	q := &Queue{Taken: make([]physics.Command, n), model: model, names: map[string]int{}, slots: make([]slot, n),
		closed: make(chan struct{}), onCommand: onCommand, wall: wall}
	for i := range model.Robots {
		q.names[model.Robots[i].Name] = i
		q.slots[i].cut.Store(model.Robots[i].Absent)
	}
	return q
}

// Forget drops all commands before a restart. Requests of Ask stay: the first step of the restarted world answers them.
func (q *Queue) Forget() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.slots {
		q.slots[i].command, q.slots[i].hasCome, q.slots[i].handsOff, q.slots[i].own = physics.Command{}, false, false,
			false
	}
}

// Restart prepares for a restarted world, which has the same robots.
func (q *Queue) Restart(model *physics.Model) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.model, q.pushes = model, q.pushes[:0]
	for i := range q.slots {
		q.slots[i].kicks = 0
		q.slots[i].cut.Store(model.Robots[i].Absent)
	}
}

func (q *Queue) slot(robot string) (*slot, error) {
	i, ok := q.names[robot]
	if !ok {
		return nil, fmt.Errorf("robot = %q: there is no such robot", robot)
	}
	return &q.slots[i], nil
}

// Change changes the newest command of a robot's own programs. It fails, and changes nothing, if there is no such robot
// or if the new command is invalid.
func (q *Queue) Change(robot string, change func(*physics.Command)) error {
	return q.give(robot, change, nil)
}

// Ask changes the newest command of a robot's own programs, as Change does. The channel receives the outcome after the
// step that takes the command. It receives nothing if the Queue is closed before that step.
func (q *Queue) Ask(robot string, change func(*physics.Command)) (<-chan Outcome, error) {
	reply := make(chan Outcome, 1)
	return reply, q.give(robot, change, reply)
}

func (q *Queue) give(robot string, change func(*physics.Command), reply chan Outcome) error {
	q.mu.Lock()
	slot, err := q.slot(robot)
	if err == nil {
		err = q.set(slot, robot, change)
	}
	if err == nil && reply != nil {
		slot.waiting = append(slot.waiting, reply)
	}
	q.mu.Unlock()
	if err == nil {
		q.onCommand(robot)
	}
	return err
}

// Impose changes a robot's newest command for an event of the world. It does not count as the robot's own command in
// Reports and at speed lockstep.
func (q *Queue) Impose(robot string, change func(*physics.Command)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(robot)
	if err != nil {
		return err
	}
	if err := changed(&slot.command, robot, change); err != nil || !slot.hasCome {
		return err
	}
	return changed(&slot.come, robot, change)
}

// SetBallHandling sets whether the engine receives a robot's commands to dribble and kick.
func (q *Queue) SetBallHandling(robot string, enable bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(robot)
	if err == nil {
		slot.handsOff = !enable
	}
	return err
}

// SetWired sets whether a robot is connected to its programs.
func (q *Queue) SetWired(robot string, wired bool) error {
	slot, err := q.slot(robot)
	if err == nil {
		slot.cut.Store(!wired)
	}
	return err
}

// Wired reports whether a robot is connected to its programs. It returns true if there is no such robot.
func (q *Queue) Wired(robot string) bool {
	slot, err := q.slot(robot)
	return err != nil || !slot.cut.Load()
}

// set changes the newest command of a robot's own programs, which the next step takes. It measures the response time
// since the robot's last observation. It is called with q.mu held.
func (q *Queue) set(slot *slot, robot string, change func(*physics.Command)) error {
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
		slot.response += q.wall.Now() - time.Duration(got)
		slot.answers++
	}
	return nil
}

// Observed notes that a robot, given by its index, receives an observation. The argument now is the present wall time.
func (q *Queue) Observed(robot int, now time.Duration) {
	if slot := &q.slots[robot]; !slot.cut.Load() {
		slot.got.Store(int64(now))
	}
}

// Asking reports whether a request of the robot waits for the next step.
func (q *Queue) Asking(robot string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(robot)
	return err == nil && len(slot.waiting) > 0
}

// Reports returns the statistics of all robots' commands.
func (q *Queue) Reports() (all []Report) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all = make([]Report, len(q.slots))
	for name, i := range q.names {
		all[i] = Report{Robot: name, Commands: q.slots[i].count,
			Response: q.slots[i].response / time.Duration(max(q.slots[i].answers, 1))}
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

// Repeat replays a recorded command of a robot's own programs.
func (q *Queue) Repeat(command *Robot) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(command.Robot)
	if err == nil {
		err = q.set(slot, command.Robot, func(to *physics.Command) { *to = command.Command })
	}
	if err == nil {
		q.yield(slot, command.Robot)
	}
	return err
}

// Collect sets q.Taken to the commands of the next step. The argument now is the state from which that step starts.
// Collect calls report with each command that a robot's own programs have given since the last step.
func (q *Queue) Collect(now *physics.Snapshot, report func(*Robot)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.slots {
		slot := &q.slots[i]
		if slot.hasCome {
			robot := q.model.Robots[i].Name
			q.yield(slot, robot)
			q.one = Robot{robot, slot.command}
			report(&q.one)
		}
		slot.playOn(now)
		if now.Robots[i].PoseWB.Absent() {
			slot.command = physics.Command{}
		}
		q.Taken[i] = slot.command
		if slot.handsOff {
			q.Taken[i].Dribble, q.Taken[i].Kick = false, physics.Kick{}
		}
		slot.command.Kick = physics.Kick{}
		slot.asked, slot.waiting = slot.waiting, slot.asked[:0]
	}
}

// Answer sends the outcomes to the requests of the present step. The argument truth is the state after this step.
func (q *Queue) Answer(truth *physics.Snapshot) {
	// no lock: between two calls of Collect, only the goroutine that steps uses the field asked
	for i := range q.slots {
		slot := &q.slots[i]
		kicks := truth.Robots[i].Kicks
		for _, reply := range slot.asked {
			reachable := q.model.Robots[i].Within(q.Taken[i].Reach, truth.Robots[i].PoseWB, truth.Ball.PosW,
				q.model.Ball.Radius)
			reply <- Outcome{Holding: truth.Ball.HeldBy == i, Reachable: reachable, Kicked: kicks > slot.kicks}
		}
		slot.kicks = kicks
	}
}

// Closed returns a channel that Close closes.
func (q *Queue) Closed() <-chan struct{} { return q.closed }

// Close ends the Queue. It may be called more than once.
func (q *Queue) Close() { q.once.Do(func() { close(q.closed) }) }

// Exchange saves or restores the state of commands and players.
func (q *Queue) Exchange(c *keyframe.Codec, world *worlds.World) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.slots {
		slot := &q.slots[i]
		c.Part(q.model.Robots[i].Name, "player")
		player.Exchange(c, &slot.player, world, q.model, i)
		player.Exchange(c, &slot.before, world, q.model, i)
		c.Bools(&slot.once, &slot.own, &slot.told)
		c.Part(q.model.Robots[i].Name, "command")
		slot.Exchange(c)
	}
	q.exchangePushes(c)
}

func (s *slot) Exchange(c *keyframe.Codec) {
	c.Value(&s.command)
	if c.Restoring() {
		c.Fail(s.command.Validate())
	}
	cut := s.cut.Load()
	c.Bools(&s.handsOff, &cut)
	s.cut.Store(cut)
	c.Int(&s.kicks)
	if c.Restoring() {
		s.come, s.hasCome = physics.Command{}, false
	}
}
