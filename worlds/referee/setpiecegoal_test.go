package referee

import (
	"fmt"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// A goal that one robot alone shoots from a set piece counts only in the opponents' goal, and only if direct goals are
// allowed from that set piece. A goal counts if a second robot has touched the ball. Source: FIFA, Laws of the Game,
// Laws 8, 13, 15, 16 and 17: after a direct goal a goal kick continues play, after a direct own goal a corner.
func TestGoalsFromSetPieces(t *testing.T) {
	second := map[string]func(taker int) int{
		"alone":         func(int) int { return nobody },
		"with a mate":   func(taker int) int { return taker + 1 },
		"with opponent": func(taker int) int { return (taker + 3) % 6 },
	}
	for _, piece := range []game.Command{game.Kickoff, game.FreeKick, game.GoalKick, game.ThrowIn, game.Corner,
		game.Penalty, game.DropBall} {
		for _, allowed := range []bool{false, true} {
			for taker, team := range map[int]physics.Team{c2: physics.Cyan, m2: physics.Magenta} {
				for _, side := range []float64{-1, 1} {
					for how, touches := range second {
						own := side != team.Attacks(&testModel().Field).Side
						want := "goal: kickoff of " + string(physics.Magenta) + " at (0, 0)"
						if side < 0 {
							want = "goal: kickoff of " + string(physics.Cyan) + " at (0, 0)"
						}
						switch alone := how == "alone"; {
						case alone && own:
							want = fmt.Sprintf("goal_from_set_piece against %s: corner of %s at (%g, 5.7)", team, team.Rival(),
								side*8.7)
						case alone && !allowed:
							want = fmt.Sprintf("goal_from_set_piece against %s: goalkick of %s at (%g, 3)", team, team.Rival(),
								side*6)
						}
						name := fmt.Sprintf("%s of %s, direct %v, own goal %v, %s", piece, team, allowed, own, how)
						must.Equal(t, goalFrom(t, piece, allowed, taker, touches(taker), side), want, "%s", name)
					}
				}
			}
		}
	}
}

// goalFrom plays a set piece of the taker's team, which the taker shoots into the goal on a side of the field. A second
// robot touches the ball on its way, unless it is nobody. goalFrom returns the decision.
func goalFrom(t *testing.T, piece game.Command, direct bool, taker, second int, side float64) string {
	p := newGame(t, func(r *Rules) {
		r.Direct = nil
		if direct {
			r.Direct = []string{string(piece)}
		}
	})
	p.keepAway()
	team := p.r.match.team(taker)
	if piece == game.DropBall {
		team = ""
	}
	p.g.Command(game.Stop, "")
	p.g.Command(piece, team)
	p.rolls(side*5, 0)
	p.g.Command(game.Start, "")
	p.next()
	p.touch(taker)
	p.rolls(side*5.5, 0)
	if second != nobody {
		p.touch(second)
	}
	p.rolls(side*7, 0)
	p.rolls(side*(goalLine+.01), 0)
	if len(p.all) != 1 {
		return fmt.Sprint(p.all)
	}
	return text(&p.all[0])
}
