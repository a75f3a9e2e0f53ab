package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Strategy is what a team's robots play and how they coordinate.
type Strategy string

const (
	ByCards Strategy = "cards" // a match, coordinated by what each robot sees; colour cards identify teammates
	ByRadio Strategy = "radio" // a match, coordinated by radio; teammates that are silent are handled as with ByCards

	// The technical challenge of passing without communication, by two robots. Challenge moves to good passing and
	// receiving positions; ChallengeInPlace does not.
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

	team uint8       // of the last message
	way  []pitch.Vec // waypoints; nil if the robot does not drive
}

// NewPlayer returns a player without knowledge of the world.
func NewPlayer(s Strategy) *Player {
	p := &Player{strategy: s, model: world.NewModel()}
	if s == Challenge || s == ChallengeInPlace {
		p.partner = NewPartner(s == Challenge)
	}
	return p
}

// SetLatency sets the time from the capture of a frame until its message. It must be called before the first message.
func (p *Player) SetLatency(d time.Duration) { p.model.Latency = d }

// Talks reports whether the player sends radio messages, which it does with the strategy ByRadio.
func (p *Player) Talks() bool { return p.strategy == ByRadio }

// Decide processes the message of a frame and returns the robot's command.
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

// park drives the robot off the field, to a place beside its own half. Each robot number has its own place there.
func park(w *world.World) Command {
	at := pitch.Vec{-1.2 * float64(w.Me.Number), -w.Pitch.Width/2 - 0.7}
	return GoTo(w, DriveGoal{Pos: at, Heading: 0, Speed: 1.5})
}
