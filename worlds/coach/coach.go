package coach

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Place is where a robot is to go, in its team's field frame, whose x points to the opponent's goal.
type Place struct{ X, Y, Heading float64 } // m, rad

// Word is what a team is told, until it is told something else.
type Word struct {
	Mode     Mode  // empty: that of the game
	TestMode uint8 // what is tested in mode Test; the team's own numbers
	A, B     Place
	IDA, IDB uint8 // numbers of robots that are to go to A and B
	Kick     uint8 // how hard they are to kick; the team's own numbers
}

// Info is what a team's robots hear.
type Info struct {
	Word
	Before Mode // that of before the present one; the same if there was none
}

// Coach tells the robots of both teams the game's mode, and what else they are told.
type Coach struct {
	speaks bool // there is something to say
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

// Speaks tells whether anybody has commanded the game, or told a team something, by now. Before that there is no coach.
func (c *Coach) Speaks() bool { return c.speaks }

// Info returns what a team's robots hear.
func (c *Coach) Info(t physics.Team) Info { return c.teams[index(t)].info }

// Commanded tells that the game has been commanded, by whomever.
func (c *Coach) Commanded() { c.speaks = true }

// Tell tells a team something. It is heard from the next Observe on.
func (c *Coach) Tell(t physics.Team, w Word) {
	c.speaks = true
	c.teams[index(t)].told = w
	c.game = game.State{} // which none is
}

// Observe looks at the state of the game after a step, and at that of time 0.
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

// Exchange passes the state to a codec.
func (c *Coach) Exchange(k *keyframe.Codec) {
	k.Bool(&c.speaks)
	k.Value(&c.game)
	for i := range c.teams {
		k.Value(&c.teams[i].told)
		k.Value(&c.teams[i].info)
	}
}
