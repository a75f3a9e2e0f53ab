package game

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Scoreboard holds what follows from the course of a game and is not part of its State: the time of the half, when the
// ball last went out of play, and the shots of a penalty shoot-out.
type Scoreboard struct {
	// DropIn is the sim time at which the last throw-in, goal kick, corner or dropped ball was announced; −1 if there
	// was none. PutOut is the team that had put the ball out of play; it is empty for a dropped ball.
	DropIn time.Duration
	PutOut physics.Team

	cyan, magenta Shots
	shooting      physics.Team  // team of the present shot, until the next set piece; empty if there is none
	runs          bool          // the half has been started
	from          time.Duration // sim time at which the half was started, if it runs
}

// Shots are the penalty kicks of one team in a penalty shoot-out: the penalty kicks after the game's regular end.
type Shots struct {
	Taken  int
	Scored uint16 // bit i is set if shot i scored, counted from 0
}

// NewScoreboard returns the scoreboard of a game that begins at time 0 in the state Begun.
func NewScoreboard() Scoreboard { return Scoreboard{DropIn: -1, runs: true} }

// Shootout reports whether a game in the state s is in a penalty shoot-out.
func (b *Scoreboard) Shootout(s State) bool {
	return s.Half == Half(EndGame) && (s.SetPiece == Penalty || b.cyan.Taken+b.magenta.Taken > 0)
}

// Shots returns the shots of a team.
func (b *Scoreboard) Shots(team physics.Team) *Shots {
	if team == physics.Magenta {
		return &b.magenta
	}
	return &b.cyan
}

// Command notes a command of the referee box, which is given at the sim time now, before it changes the state s.
func (b *Scoreboard) Command(s State, c Command, team physics.Team, now time.Duration) {
	switch c {
	case Start:
		if !b.runs && !s.over() {
			b.runs, b.from = true, now
		}
		if s.Half == Half(EndGame) && s.Pending() && s.SetPiece == Penalty {
			b.Shots(s.Team).Taken++
			b.shooting = s.Team
		}
	case FirstHalf, SecondHalf, FirstHalfOvertime, SecondHalfOvertime, HalfTime, EndGame, GameOver:
		b.runs = false
	case Reset:
		*b = Scoreboard{DropIn: -1}
	case Goal, SubGoal:
		b.Score(team, c == Goal)
	case ThrowIn, GoalKick, Corner, DropBall:
		b.DropIn, b.PutOut, b.shooting = now, "", ""
		if c != DropBall {
			b.PutOut = team.Rival()
		}
	case Kickoff, FreeKick, Penalty:
		b.shooting = ""
	}
}

// Score notes that a team has scored a goal, or that its goal does not count.
func (b *Scoreboard) Score(team physics.Team, counts bool) {
	if team != b.shooting {
		return
	}
	s := b.Shots(team)
	if bit := uint16(1) << max(0, s.Taken-1); counts {
		s.Scored |= bit
	} else {
		s.Scored &^= bit
	}
}

// Left returns the rest of the half in the state s, at the sim time now. The argument half is the length of a half.
// The rest is negative if the half lasts longer. It is 0 in the break and after the game.
func (b *Scoreboard) Left(s State, half, now time.Duration) time.Duration {
	switch {
	case b.runs:
		return half - (now - b.from)
	case s.over():
		return 0
	}
	return half
}

// Between reports whether no half is being played: before the game, in the break and after the game.
func (s State) Between() bool { return s.Half == PreGame || s.over() }

// over reports whether the half is over and no other half has been announced.
func (s State) over() bool {
	return s.Half == Half(HalfTime) || s.Half == Half(EndGame) || s.Half == Half(GameOver)
}

// Exchange saves or restores the scoreboard.
func (b *Scoreboard) Exchange(c *keyframe.Codec) {
	c.Duration(&b.DropIn)
	keyframe.Text(c, &b.PutOut)
	c.Value(&b.cyan)
	c.Value(&b.magenta)
	c.Check(b.cyan.Taken >= 0 && b.magenta.Taken >= 0, "a number of penalty shots is negative")
	keyframe.Text(c, &b.shooting)
	c.Bool(&b.runs)
	c.Duration(&b.from)
}

// Runs reports whether the half has been started and is not over.
func (b *Scoreboard) Runs() bool { return b.runs }
