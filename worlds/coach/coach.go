package coach

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Place is a pose for a robot, in m and rad, in the field frame of its team. The x axis of that frame points to the
// opponents' goal.
type Place struct{ X, Y, Heading float64 } // m, rad

// Word is a message of the coach to a team. It stays until the coach's next message to the team.
type Word struct {
	Mode     Mode  // mode of the team; empty stands for the mode that follows from the game
	TestMode uint8 // number of the test that the mode Test selects; the team defines the numbers
	A, B     Place
	IDA, IDB uint8  // numbers of the robots that should go to the places A and B
	Kick     uint8  // strength of a kick, as a number that the team defines
	Message  string // text for the team's programs
}

// Info is the information that the robots of a team receive from the coach.
type Info struct {
	Word
	Before Mode // mode before the present one; equal to the present mode if there was no other
}

// Coach holds the information that the robots of both teams receive: the game's mode and further messages.
type Coach struct {
	speaks bool // whether robots receive anything from a coach: see Speaks
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

// Speaks reports whether a command of the game has been given, or a message has been sent to a team. Before that,
// robots receive nothing from a coach.
func (c *Coach) Speaks() bool { return c.speaks }

// Info returns the information for the robots of a team.
func (c *Coach) Info(t physics.Team) Info { return c.teams[index(t)].info }

// Commanded notes that a command of the game has been given. The argument g is the state of the game after the command.
// Robots to which the coach has not spoken before do not receive the information of an earlier state.
func (c *Coach) Commanded(g game.State) {
	if !c.speaks && c.game != (game.State{}) {
		c.Observe(g)
	}
	c.speaks = true
}

// Tell sends a message to a team. Info contains the message from the next Observe on.
func (c *Coach) Tell(t physics.Team, w Word) {
	c.speaks = true
	c.teams[index(t)].told = w
	c.game = game.State{} // no game has the zero state, so the next Observe updates Info
}

// Observe reads the state of the game. The caller calls it at time 0 and after each step.
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

// Exchange saves or restores the state of the coach.
func (c *Coach) Exchange(k *keyframe.Codec) {
	k.Bool(&c.speaks)
	k.Value(&c.game)
	for i := range c.teams {
		k.Value(&c.teams[i].told)
		k.Value(&c.teams[i].info)
	}
}

// Mode is what a team's robots should do. The mode of a set piece says whether the set piece belongs to the team or to
// its rival. NuBot's MatchMode has a number for each mode.
type Mode string

const (
	Stop     Mode = "stop"
	Start    Mode = "start"
	Park     Mode = "park"
	DropBall Mode = "drop_ball"
	Test     Mode = "test" // a test of single robots, outside of games
)

// own and rival are the prefixes of the modes of set pieces, as in own_kickoff. The rest of such a mode is the referee
// box's command.
const own, rival = "own_", "rival_"

// Of returns the mode of a team in a given state of the game.
func Of(g game.State, team physics.Team) Mode {
	switch {
	case g.Phase == game.Playing:
		return Start
	case g.Phase == game.Parked:
		return Park
	case !g.Pending():
		return Stop
	case g.SetPiece == game.DropBall:
		return DropBall
	case g.Team == team:
		return own + Mode(g.SetPiece)
	}
	return rival + Mode(g.SetPiece)
}
