// Package player puts world model, roles and set plays together: a message in, a command out. It knows no wire and no clock, so that tests play without
// either.
//
//	p := player.New()
//	command := p.Decide(perception) // for each frame
package player

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/role"
	"github.com/omnipitch/omnipitch/cmd/refbot/setplay"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Player plays for one robot.
type Player struct {
	model *world.Model
	roles role.Assigner
}

// New returns a player that knows nothing yet.
func New() *Player { return &Player{model: world.New()} }

// Decide returns the command that answers a frame.
func (p *Player) Decide(m *msg.Perception) msg.RobotCommand {
	w := p.model.Update(m)
	c := p.command(w)
	return c.Message(w)
}

func (p *Player) command(w *world.World) skill.Command {
	r := p.roles.Assign(w)
	switch {
	case !w.Known || w.Game.Phase == world.Stopped:
		return skill.Stop(w, w.Me.Heading)
	case w.Game.Phase == world.Parked:
		return park(w)
	case w.Game.Phase == world.TakePlaces:
		return setplay.TakePlace(w, r)
	case w.Game.Waiting && w.Game.SetPiece != world.DroppedBall:
		return setplay.Begin(w, r)
	}
	return role.Play(r, w)
}

// park leaves the field at its own half, each robot at a place of its own.
func park(w *world.World) skill.Command {
	at := pitch.Vec{-1.2 * float64(w.Me.Number), -w.Pitch.Width/2 - 0.7}
	return skill.GoTo(w, skill.Goal{Pos: at, Heading: 0, Speed: 1.5})
}
