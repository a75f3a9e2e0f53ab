package game

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Game is the state of a game, and what counts its goals.
type Game struct {
	field  *physics.Field
	radius float64 // of the ball, metres
	state  State
	in     bool // the ball is in a goal
}

// Begun returns the state of a game that is being played, in its first half, as worlds begin in which nobody commands
// the game.
func Begun() State { return State{Phase: Playing, Half: Half(FirstHalf)} }

// New returns a game that has begun.
func New(field *physics.Field, ballRadius float64) *Game {
	return &Game{field: field, radius: ballRadius, state: Begun()}
}

// State returns the present state.
func (g *Game) State() State { return g.state }

// Exchange passes the state to a codec.
func (g *Game) Exchange(c *keyframe.Codec) {
	c.Value(&g.state)
	c.Bool(&g.in)
}

// Observe counts a goal when the ball, given by its centre in W, has come into one while the game is played: wholly
// behind the goal line, between the posts and under the bar. It counts once until the ball has left the goal. A goal is
// of the team that attacks there, whoever shot it.
func (g *Game) Observe(ballW [3]float64) {
	was := g.in
	scorer, in := g.scorer(ballW)
	if g.in = in; in && !was && g.state.Phase == Playing {
		*g.state.Score.of(scorer)++
	}
}

// BallPlaced tells that the ball has been put somewhere by hand: it scores no goal there.
func (g *Game) BallPlaced(ballW [3]float64) { _, g.in = g.scorer(ballW) }

// scorer returns who has scored if the ball got there in play.
func (g *Game) scorer(ballW [3]float64) (physics.Team, bool) {
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		if g.field.InGoal(team.Attacks(g.field), ballW, g.radius) {
			return team, true
		}
	}
	return "", false
}
