package quantity

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// gameQuantities adds the state of the game, from the referee's point of view.
func gameQuantities(q *Set) {
	q.Texts["game.phase"] = func(c *Context) string { return string(c.Game().Phase) }
	q.Texts["game.half"] = func(c *Context) string { return string(c.Game().Half) }
	q.Texts["game.set_piece"] = func(c *Context) string { return string(c.Game().SetPiece) }
	q.Texts["game.team"] = func(c *Context) string { return string(c.Game().Team) }
	// stage is the phase, and the half while the game is stopped before a half or after the game
	q.Texts["game.stage"] = func(c *Context) string {
		g := c.Game()
		if g.Phase == game.Stopped && g.Between() && !c.shootout() {
			return string(g.Half)
		}
		return string(g.Phase)
	}
	q.Texts["game.period"] = func(c *Context) string { // half, or shootout
		if c.shootout() {
			return "shootout"
		}
		return string(c.Game().Half)
	}
	// s until the end of the half, negative if the half lasts longer
	q.plain("game.half_left", func(c *Context) float64 {
		b := c.Scoreboard()
		return b.Left(c.Game(), c.World.Rules.Half, c.Truth.Time).Seconds()
	})
	q.plain("game.stage_left", func(c *Context) float64 { return c.StageLeft().Seconds() }) // s, of the referee's stage
	// s since the last throw-in, goal kick, corner or dropped ball; infinite before the first
	q.plain("game.drop_in_for", func(c *Context) float64 {
		if at := c.Scoreboard().DropIn; at >= 0 {
			return (c.Truth.Time - at).Seconds()
		}
		return math.Inf(1)
	})
	q.plain("game.cyan.score", func(c *Context) float64 { return float64(c.Game().Score.Cyan) })
	q.plain("game.magenta.score", func(c *Context) float64 { return float64(c.Game().Score.Magenta) })
}

// shootout reports whether the game is in a penalty shoot-out.
func (c *Context) shootout() bool {
	b := c.Scoreboard()
	return b.Shootout(c.Game())
}

// coachQuantities adds the newest messages of the coaches: each coach's message for the robots of its team.
func coachQuantities(q *Set) {
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		at := string(team) + ".coach."
		info := func(c *Context) coach.Info { i, _ := c.Coach(team); return i }
		q.flag(at+"speaks", func(c *Context) bool {
			_, ok := c.Coach(team)
			// If both teams have the same prefix, they share one topic, and only cyan's coach uses it.
			return ok && (team == physics.Cyan || c.prefix(physics.Cyan) != c.prefix(physics.Magenta))
		})
		q.Texts[at+"mode"] = func(c *Context) string { return string(info(c).Mode) }
		q.Texts[at+"mode_before"] = func(c *Context) string { return string(info(c).Before) }
		q.plain(at+"test_mode", func(c *Context) float64 { return float64(info(c).TestMode) })
		q.plain(at+"id_a", func(c *Context) float64 { return float64(info(c).IDA) })
		q.plain(at+"id_b", func(c *Context) float64 { return float64(info(c).IDB) })
		q.plain(at+"kick", func(c *Context) float64 { return float64(info(c).Kick) })
		for point, place := range map[string]func(coach.Info) coach.Place{
			"a": func(i coach.Info) coach.Place { return i.A }, "b": func(i coach.Info) coach.Place { return i.B },
		} {
			q.length(at+point+".x", func(c *Context) float64 { return place(info(c)).X })
			q.length(at+point+".y", func(c *Context) float64 { return place(info(c)).Y })
			q.angle(at+point+".heading", func(c *Context) float64 { return place(info(c)).Heading })
			q.plain(at+point+".heading_deg", func(c *Context) float64 { return place(info(c)).Heading * 180 / math.Pi })
		}
	}
}

// ownGameQuantities adds the state of the game from a robot's point of view.
func ownGameQuantities(q *Set) {
	q.Texts["game.own.set_piece"] = func(c *Context) string { // the text is empty during the opponents' set piece
		if g := c.Game(); g.Team == c.Robot.Team {
			return string(g.SetPiece)
		}
		return ""
	}
	q.plain("game.own.score", func(c *Context) float64 { return float64(c.Game().Score.Of(c.Robot.Team)) })
	q.plain("game.rival.score", func(c *Context) float64 { return float64(c.Game().Score.Of(c.Robot.Team.Rival())) })
	q.flag("game.may_move", func(c *Context) bool {
		phase := c.Game().Phase
		return phase != game.Stopped && phase != game.InSet && !c.sentOff(c.state())
	})
	q.plain("game.own.shots", func(c *Context) float64 { return float64(c.ownShots().Taken) })
	q.plain("game.own.shots_scored", func(c *Context) float64 { return float64(c.ownShots().Scored) }) // bit i: shot i
	q.flag("game.own.put_out", func(c *Context) bool { return c.Scoreboard().PutOut == c.Robot.Team })
	// s until a robot that the referee has sent off may return; infinite after a red card; 0 for other robots
	q.plain("penalty_left", func(c *Context) float64 {
		s := c.Standings()[c.index]
		switch {
		case s.Out == "":
			return 0
		case s.Out == game.RedCard:
			return math.Inf(1)
		}
		return max(0, math.Ceil((s.Until - c.Truth.Time).Seconds()))
	})
	q.Texts["coach.message"] = func(c *Context) string { i, _ := c.Coach(c.Robot.Team); return i.Message }
}

func (c *Context) ownShots() *game.Shots {
	b := c.Scoreboard()
	return b.Shots(c.Robot.Team)
}
