package omnipitch

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// playing is who plays a robot instead of its own program.
type playing struct {
	player *player.Started // nil: nobody
	once   bool            // it ends by itself
	before *player.Started // who goes on then
	own    bool            // the robot's own program has commanded, so that nobody plays it until an action says so
	told   bool            // it has been said that its player has stopped
}

// startPlayers has the world's players begin, but for robots whose own programs have commanded.
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

// play has a behaviour play a robot from the next step on. If once, who played before goes on when it has ended.
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

// playOn has the player of a slot, if there is one, command the robot.
func (s *slot) playOn(now *physics.Snapshot) {
	if s.player == nil || s.player.Command(now, &s.command) {
		return
	}
	s.command.TwistB = physics.PlanarTwist{}
	s.player, s.once, s.before = s.before, false, nil
	s.playOn(now)
}

// yield has the player of a slot stop for the robot's own program, whose command counts from now on.
func (c *commands) yield(slot *slot, robot string) {
	slot.command, slot.hasCome = slot.come, false
	if slot.player != nil && !slot.told {
		slot.told = true
		c.yielded = append(c.yielded, robot)
	}
	slot.playing = playing{own: true, told: slot.told}
}

// sayWhoYielded tells users whose players have stopped for their robots' own programs, once each.
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

// Play counts later than what the robot's own programs have commanded before.
func (e externalActions) Play(robot string, b player.Behaviour, once bool) error {
	if c := e.commands.yieldTo(robot); c != nil && e.inputs.told != nil && !e.inputs.closed() {
		e.inputs.done = append(e.inputs.done, Input{Command: c})
	}
	return e.commands.play(robot, b, once)
}

// Play of an event counts earlier than what the step after it takes from the robot's own programs.
func (e eventActions) Play(robot string, b player.Behaviour, once bool) error {
	return e.commands.play(robot, b, once)
}

// yieldTo has what has come of a robot's own programs count now, before the next step, and returns it; nil if nothing
// has.
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
