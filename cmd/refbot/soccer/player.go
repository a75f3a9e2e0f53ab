// Package player puts world model, roles and set plays together: a message in, a command out. It knows no wire and no
// clock, so that tests play without either.
//
//	p := player.New()
//	command := p.Decide(perception) // for each frame
package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Strategy is what a team's robots play, and how they agree on who does what.
type Strategy string

const (
	ByCards Strategy = "cards" // by what each sees of its mates, whose colour cards show who they are
	ByRadio Strategy = "radio" // by what they tell each other; of those that are silent, by what is seen

	// Two robots play the technical challenge of passing without communication, instead of a match: Challenge moves to
	// where passes are better, ChallengeInPlace does not.
	Challenge        Strategy = "challenge"
	ChallengeInPlace Strategy = "challenge-in-place"
)

// Player plays for one robot.
type Player struct {
	strategy Strategy
	model    *world.Model
	roles    Assigner
	partner  *Partner // nil in a match
	report   report

	team uint8       // of the newest message
	way  []pitch.Vec // by which it goes; nil: it does not
}

// NewPlayer returns a player that knows nothing yet.
func NewPlayer(s Strategy) *Player {
	p := &Player{strategy: s, model: world.NewModel()}
	if s == Challenge || s == ChallengeInPlace {
		p.partner = NewPartner(s == Challenge)
	}
	return p
}

// SetLatency says how long after its capture a frame's message comes, before the first.
func (p *Player) SetLatency(d time.Duration) { p.model.Latency = d }

// Talks tells whether the player has something to tell its mates.
func (p *Player) Talks() bool { return p.strategy == ByRadio }

// Decide returns the command that answers a frame.
func (p *Player) Decide(m *msg.Perception) msg.RobotCommand {
	w := p.model.Update(m)
	r := p.roles.Assign(w)
	c := p.command(w, r)
	p.report.note(w, r, &c)
	p.team, p.way = m.Team, c.Way
	if p.way == nil && c.Target != (pitch.Vec{}) {
		p.way = []pitch.Vec{c.Target}
	}
	return c.Message(w)
}

func (p *Player) command(w *world.World, r Role) Command {
	switch {
	case !w.Known || w.Game.Phase == world.Stopped:
		return Stop(w, w.Me.Heading)
	case w.Game.Phase == world.Parked:
		return park(w)
	case p.partner != nil:
		return p.partner.Decide(w)
	case w.Game.Phase == world.TakePlaces:
		return TakePositions(w, r)
	case w.Game.Waiting && w.Game.SetPiece != world.DroppedBall:
		return StartPlay(w, r)
	}
	return PlayRole(r, w)
}

// park leaves the field at its own half, each robot at a place of its own.
func park(w *world.World) Command {
	at := pitch.Vec{-1.2 * float64(w.Me.Number), -w.Pitch.Width/2 - 0.7}
	return GoTo(w, DriveGoal{Pos: at, Heading: 0, Speed: 1.5})
}
