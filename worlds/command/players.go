package command

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// playing is the state of the scripted player that commands a robot in place of the robot's own program.
type playing struct {
	player *player.Started // nil: no player
	// the player was started by an action that plays once; when it ends, the player before continues
	once   bool
	before *player.Started // player that continues when the field player has ended; nil: none
	own    bool            // the robot's own program has given a command, so only an action may start a player again
	told   bool            // the user has been notified that the robot's player has stopped
}

// StartPlayers starts the world's scripted players. It leaves out robots whose own programs have given commands.
func (q *Queue) StartPlayers(robots []worlds.Robot) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range robots {
		slot := &q.slots[i]
		if slot.playing = (playing{own: slot.own, told: slot.told}); slot.own ||
			robots[i].Player == nil {
			continue
		}
		_, b, err := robots[i].Player.Behaviour()
		if err != nil {
			return fmt.Errorf("robot %s: player: %w", robots[i].Name, err)
		}
		slot.player = player.Start(b, q.model, i)
	}
	return nil
}

// Play starts a scripted player with a behaviour, which commands a robot from the next step on. If the argument once is
// true, the previous player continues when the behaviour has ended.
func (q *Queue) Play(robot string, b player.Behaviour, once bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(robot)
	if err != nil {
		return err
	}
	before := slot.player
	if slot.once {
		before = slot.before
	}
	if !once {
		if before = nil; slot.player != nil {
			slot.command = physics.Command{}
		}
	}
	slot.player, slot.once, slot.before = player.Start(b, q.model, q.names[robot]), once, before
	return nil
}

// playOn gets the robot's next command from its player, if it has one. When a player has ended, the previous one
// continues.
func (s *slot) playOn(now *physics.Snapshot) {
	if s.player == nil || s.player.Command(now, &s.command) {
		return
	}
	s.command.TwistB = physics.PlanarTwist{}
	s.player, s.once, s.before = s.before, false, nil
	s.playOn(now)
}

// yield stops the player of a robot. The newest command of the robot's own program becomes the robot's command.
func (q *Queue) yield(slot *slot, robot string) {
	slot.command, slot.hasCome = slot.come, false
	if slot.player != nil && !slot.told {
		slot.told = true
		q.yielded = append(q.yielded, robot)
	}
	slot.playing = playing{own: true, told: slot.told}
}

// TakeYielded returns the robots whose players have stopped since the last call of TakeYielded, because the robots' own
// programs gave commands. It returns each robot once.
func (q *Queue) TakeYielded() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	robots := q.yielded
	q.yielded = nil
	return robots
}

// YieldTo applies the queued command of a robot's own programs at once, without waiting for the next step, and returns
// the command. It returns nil if no command is queued.
func (q *Queue) YieldTo(robot string) *Robot {
	q.mu.Lock()
	defer q.mu.Unlock()
	slot, err := q.slot(robot)
	if err != nil || !slot.hasCome {
		return nil
	}
	q.yield(slot, robot)
	return &Robot{robot, slot.command}
}

// Waypoints appends the next waypoints of a robot's scripted player to a slice, and returns the longer slice: x and y
// in W, in m, in driving order. It appends nothing for a robot without a scripted player. The argument now is the
// present state, and robot is the index of the robot.
func (q *Queue) Waypoints(robot int, now *physics.Snapshot, into []mgl64.Vec2) []mgl64.Vec2 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if started := q.slots[robot].player; started != nil {
		if p, ok := started.Player.(player.Planner); ok {
			return p.Plan(now, into)
		}
	}
	return into
}
