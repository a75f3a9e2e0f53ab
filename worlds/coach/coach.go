package coach

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Place is a pose for a robot, in its team's field frame, whose x points to the opponent's goal.
type Place struct{ X, Y, Heading float64 } // m, rad

// Word is a message to a team, which stays until the next one.
type Word struct {
	Mode     Mode  // empty: the mode of the game
	TestMode uint8 // what mode Test tests, as the team's own number
	A, B     Place
	IDA, IDB uint8 // numbers of the robots that should go to A and B
	Kick     uint8 // strength of a kick, as the team's own number
}

// Info is the information that a team's robots receive.
type Info struct {
	Word
	Before Mode // mode before the present one; the same if there was none
}

// Coach sends the robots of both teams the game's mode and further messages.
type Coach struct {
	speaks bool // there is something to send
	game   game.State
	teams  [2]team
}

type team struct {
	told Word
	info Info
}

var sides = [2]physics.Team{physics.Cyan, physics.Magenta}

func index(t physics.Team) int {
	if t == physics.Magenta {
		return 1
	}
	return 0
}

// Speaks reports whether somebody has commanded the game, or sent a message to a team, so far. Until then there is no
// coach.
func (c *Coach) Speaks() bool { return c.speaks }

// Info returns the information for a team's robots.
func (c *Coach) Info(t physics.Team) Info { return c.teams[index(t)].info }

// Commanded reports that somebody has commanded the game.
func (c *Coach) Commanded() { c.speaks = true }

// Tell sends a message to a team. It is in Info from the next Observe on.
func (c *Coach) Tell(t physics.Team, w Word) {
	c.speaks = true
	c.teams[index(t)].told = w
	c.game = game.State{} // no game has this state
}

// Observe reads the state of the game at time 0 and after each step.
func (c *Coach) Observe(g game.State) {
	if g == c.game {
		return
	}
	c.game = g
	for i := range c.teams {
		t := &c.teams[i]
		mode := t.told.Mode
		if mode == "" {
			mode = Of(g, sides[i])
		}
		if was := t.info.Mode; was == "" {
			t.info.Before = mode
		} else if mode != was {
			t.info.Before = was
		}
		t.info.Word = t.told
		t.info.Mode = mode
	}
}

// Exchange saves or restores the state.
func (c *Coach) Exchange(k *keyframe.Codec) {
	k.Bool(&c.speaks)
	k.Value(&c.game)
	for i := range c.teams {
		k.Value(&c.teams[i].told)
		k.Value(&c.teams[i].info)
	}
}
