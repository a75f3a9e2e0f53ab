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
		if slot.playing = (playing{own: slot.own, told: slot.told}); slot.own || robots[i].Player == nil {
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

// yield has the player of a slot stop for the robot's own program, whose command starts from nothing.
func (c *commands) yield(slot *slot, robot string, change func(*physics.Command)) error {
	was := slot.command
	if slot.player != nil {
		slot.command = physics.Command{}
	}
	if err := slot.change(robot, change); err != nil {
		slot.command = was
		return err
	}
	if slot.player != nil && !slot.told {
		slot.told = true
		c.yielded = append(c.yielded, robot)
	}
	slot.playing = playing{own: true, told: slot.told}
	return nil
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

func (e effects) Play(robot string, b player.Behaviour, once bool) error {
	return e.commands.play(robot, b, once)
}
