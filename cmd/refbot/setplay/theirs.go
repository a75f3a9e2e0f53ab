package setplay

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/role"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// keepAway has robots take the places of their roles, but as far from the ball as the rules ask for. The goalkeeper may
// stay in its goal.
func keepAway(w *world.World, r role.Role, room float64) skill.Command {
	if r == role.Goalkeeper {
		return skill.Block(w)
	}
	if w.Game.SetPiece == world.Penalty {
		return stand(w, besidePenalty(w, spot(w)), room)
	}
	c := stand(w, waitsAt(w, r, room), room)
	c.Dribble = false
	return c
}
