package omnipitch

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// playing is the state of the scripted player that commands a robot in place of the robot's own program.
type playing struct {
	player *player.Started // nil: no player
	once   bool            // player was started by an action that plays once: it ends, and before continues
	before *player.Started // the player that continues when player has ended; nil: none
	own    bool            // the robot's own program has commanded: only an action may start a player again
	told   bool            // the user has been notified that the robot's player has stopped
}

// startPlayers starts the world's scripted players, except for robots whose own programs have commanded.
func (c *commands) startPlayers(robots []worlds.Robot) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range robots {
		slot := &c.slots[i]
		if slot.playing = (playing{own: slot.own || slot.hasCome, told: slot.told}); slot.own ||
			robots[i].Player == nil {
			continue
		}
		_, b, err := robots[i].Player.Behaviour()
		if err != nil {
			return fmt.Errorf("robot %s: player: %w", robots[i].Name, err)
		}
		slot.player = player.Start(b, c.model, i)
	}
	return nil
}

// play starts a scripted player with a behaviour, which commands a robot from the next step on. If the argument once is
// true, the previous player continues when the behaviour has ended.
func (c *commands) play(robot string, b player.Behaviour, once bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
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
	slot.player, slot.once, slot.before = player.Start(b, c.model, c.names[robot]), once, before
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
func (c *commands) yield(slot *slot, robot string) {
	slot.command, slot.hasCome = slot.come, false
	if slot.player != nil && !slot.told {
		slot.told = true
		c.yielded = append(c.yielded, robot)
	}
	slot.playing = playing{own: true, told: slot.told}
}

// sayWhoYielded notifies users, once per robot, of players that have stopped for the robots' own programs.
func (r *run) sayWhoYielded() {
	for _, robot := range r.commands.takeYielded() {
		r.notify("%s is commanded by its own program: its scripted player has stopped", robot)
	}
}

func (c *commands) takeYielded() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	robots := c.yielded
	c.yielded = nil
	return robots
}

// Play starts a player for an external action. The player starts after the commands that the robot's own programs gave
// before the action.
func (e externalActions) Play(robot string, b player.Behaviour, once bool) error {
	if c := e.commands.yieldTo(robot); c != nil && e.inputs.told != nil && !e.inputs.closed() {
		e.inputs.done = append(e.inputs.done, Input{Command: c})
	}
	return e.commands.play(robot, b, once)
}

// Play starts a player for an event. Commands of the robot's own programs that wait for the next step take effect after
// it, and stop this player.
func (e eventActions) Play(robot string, b player.Behaviour, once bool) error {
	return e.commands.play(robot, b, once)
}

// yieldTo applies the queued command of a robot's own programs at once, without waiting for the next step, and returns
// the command. It returns nil if no command is queued.
func (c *commands) yieldTo(robot string) *RobotCommand {
	c.mu.Lock()
	defer c.mu.Unlock()
	slot, err := c.slot(robot)
	if err != nil || !slot.hasCome {
		return nil
	}
	c.yield(slot, robot)
	return &RobotCommand{robot, slot.command}
}
