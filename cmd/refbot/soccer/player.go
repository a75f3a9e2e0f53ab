package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Strategy is what a team's robots play and how they coordinate.
type Strategy string

const (
	ByCards Strategy = "cards" // a match, coordinated by what each robot sees; colour cards identify teammates
	ByRadio Strategy = "radio" // a match, coordinated by radio; teammates that are silent are handled as with ByCards

	// Challenge and ChallengeInPlace play the technical challenge, in which two robots pass without communication. With
	// Challenge they move to good passing and receiving positions, with ChallengeInPlace they do not.
	Challenge        Strategy = "challenge"
	ChallengeInPlace Strategy = "challenge-in-place"

	// In an encirclement, chasers drive fleeing robots of the other team into a prison.
	Chase Strategy = "chase"
	Flee  Strategy = "flee"
)

// Player plays for one robot.
type Player struct {
	strategy Strategy
	model    *world.Model
	roles    Assigner
	partner  *Partner // nil but in the technical challenge
	caught   bool     // in an encirclement
	report   report
	plate    plate

	team uint8       // of the last message
	way  []pitch.Vec // waypoints; nil if the robot does not drive

	action string // what the robot does, by the last command
}

// NewPlayer returns a player without knowledge of the world.
func NewPlayer(s Strategy) *Player {
	p := &Player{strategy: s, model: world.NewModel()}
	if s == Challenge || s == ChallengeInPlace {
		p.partner = NewPartner(s == Challenge)
	}
	return p
}

// PlayByImages prepares the player for perceptions that the robot's own vision makes from images. It must be called
// before the first perception.
func (p *Player) PlayByImages() {
	p.model.Latency, p.model.Separate = world.ImageLatency, !p.Talks()
}

// PlayOnLegs makes the player play for a humanoid, by the rules of the Humanoid Soccer League. It must be called before
// the first perception.
func (p *Player) PlayOnLegs() { p.model.League = pitch.Humanoid }

// Falls tells the player where a ball in the air lands, in the robot's frame at the time of the image.
func (p *Player) Falls(f world.Fall) { p.model.Falls(f) }

// Talks reports whether the player sends radio messages, which it does with the strategy ByRadio.
func (p *Player) Talks() bool { return p.strategy == ByRadio }

// Decide processes the message of a frame and returns the robot's command.
func (p *Player) Decide(m *msg.Perception) msg.RobotCommand {
	w := p.model.Update(m)
	r := p.roles.Assign(w)
	c := p.command(w, r)
	c.Extend = p.plate.hold(c.Extend, w.Now)
	p.report.note(w, r, &c)
	p.action = actionOf(w, &c)
	p.team, p.way = m.Team, c.Way
	if p.way == nil && c.Target != (pitch.Vec{}) {
		p.way = []pitch.Vec{c.Target}
	}
	return c.Message(w)
}

func (p *Player) command(w *world.World, r Role) Command {
	switch {
	case w.Known && p.strategy == Chase:
		return chase(w)
	case w.Known && p.strategy == Flee:
		return p.flee(w)
	case w.Known && mayGoOn(w):
		return TakePositions(w, r)
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

// Command is what a robot requests from its actuators for one frame.
type Command struct {
	Vel     pitch.Vec // m/s, field frame
	Omega   float64   // rad/s
	Dribble bool
	Kick    Kick
	Speed   float64 // of the kick, m/s
	Extend  uint8   // from msg.ExtendIn to msg.ExtendUp

	// For teammates:
	Target pitch.Vec // where the robot drives; the origin if it does not drive
	Pass   Pass

	// waypoints, the last of which is Target; nil if the path is straight, or if the robot does not drive
	Way []pitch.Vec
}

// Pass is an intended pass.
type Pass struct {
	To uint8 // number of the receiver; 0 for no pass
	At pitch.Vec
	In float64 // s until the ball arrives
}

// Kick is a kind of kick.
type Kick uint8

const (
	NoKick Kick = iota
	Flat
	Lob
)

// Message converts the command to a message, which gives the velocity in the robot's own axes. The robot turns while it
// drives, so Message uses the axes that the robot will have after half of the time until the next frame. The message
// asks nothing of parts that the robot lacks.
func (c *Command) Message(w *world.World) msg.RobotCommand {
	v := pitch.Turn(c.Vel, -(w.Me.Heading + w.Me.Omega*bodyOf(w).period/2))
	m := msg.RobotCommand{VX: v[0], VY: v[1], Omega: c.Omega, Dribble: c.Dribble && w.Parts.Dribbler}
	if w.Parts.Kicker {
		m.Kick, m.KickSpeed = uint8(c.Kick), c.Speed
	}
	if w.Parts.Extension {
		m.Extend = c.Extend
	}
	return m
}
