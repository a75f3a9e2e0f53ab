package mapping

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// gameQuantities are what the referee box knows of the game.
func gameQuantities(q *quantities) {
	q.Texts["game.phase"] = func(c *Context) string { return string(c.Game().Phase) }
	q.Texts["game.half"] = func(c *Context) string { return string(c.Game().Half) }
	q.Texts["game.set_piece"] = func(c *Context) string { return string(c.Game().SetPiece) }
	q.Texts["game.team"] = func(c *Context) string { return string(c.Game().Team) }
	q.plain("game.cyan.score", func(c *Context) float64 { return float64(c.Game().Score.Cyan) })
	q.plain("game.magenta.score", func(c *Context) float64 { return float64(c.Game().Score.Magenta) })
}

// ownGameQuantities are the same as a robot sees it.
func ownGameQuantities(q *quantities) {
	q.Texts["game.own.set_piece"] = func(c *Context) string { // empty while it is the others'
		if g := c.Game(); g.Team == c.Robot.Team {
			return string(g.SetPiece)
		}
		return ""
	}
	q.plain("game.own.score", func(c *Context) float64 { return float64(c.Game().Score.Of(c.Robot.Team)) })
	q.plain("game.rival.score", func(c *Context) float64 { return float64(c.Game().Score.Of(rival(c.Robot.Team))) })
	q.flag("game.may_move", func(c *Context) bool { return c.Game().Phase != game.Stopped && !c.sentOff(c.state()) })
}

func rival(team physics.Team) physics.Team {
	if team == physics.Magenta {
		return physics.Cyan
	}
	return physics.Magenta
}
