package game

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Game is the state of a game. It detects goals and counts them.
type Game struct {
	field  *physics.Field
	radius float64 // radius of the ball, metres
	state  State
	in     bool // the ball is in a goal
}

// Begun returns the state of a game whose first half is being played. A world in which nobody commands the game starts
// with this state.
func Begun() State { return State{Phase: Playing, Half: Half(FirstHalf)} }

// New returns a game in the state Begun.
func New(field *physics.Field, ballRadius float64) *Game {
	return &Game{field: field, radius: ballRadius, state: Begun()}
}

// State returns the present state.
func (g *Game) State() State { return g.state }

// Exchange saves or restores the state.
func (g *Game) Exchange(c *keyframe.Codec) {
	c.Value(&g.state)
	c.Bool(&g.in)
}

// Observe counts a goal when the ball enters a goal while the game is being played. The ball is in the goal when it is
// wholly behind the goal line, between the posts and under the bar. ballW is the ball's centre in W. Another goal can
// be counted only after the ball has left the goal. The goal counts for the team that attacks there, no matter who shot
// it.
func (g *Game) Observe(ballW [3]float64) {
	was := g.in
	scorer, in := g.scorer(ballW)
	if g.in = in; in && !was && g.state.Phase == Playing {
		*g.state.Score.goals(scorer)++
	}
}

// BallPlaced tells the game that somebody has placed the ball. A ball that is placed in a goal does not score.
func (g *Game) BallPlaced(ballW [3]float64) { _, g.in = g.scorer(ballW) }

// scorer returns the team that scores when a ball in play is at the given position in W. The bool result is false if
// the ball is in no goal.
func (g *Game) scorer(ballW [3]float64) (physics.Team, bool) {
	if !g.field.HasGoals {
		return "", false
	}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		if g.field.InGoal(team.Attacks(g.field), ballW, g.radius) {
			return team, true
		}
	}
	return "", false
}

// Phase says what the robots of both teams should do.
type Phase string

const (
	Stopped  Phase = "stopped"
	SetPiece Phase = "set_piece" // take their places for a set piece, which the command start begins
	InSet    Phase = "set"       // stand still for the set piece
	Playing  Phase = "playing"
	Parked   Phase = "parked" // leave the field
)

// Half is a part of the game, such as first_half: the part that the referee box named last.
type Half string

// PreGame is before the first half.
const PreGame Half = "pre_game"

// State is the state of a game according to the referee box.
type State struct {
	Phase Phase
	Half  Half
	// set piece with which play will start, or with which it has started since the last stop; empty if there is none
	SetPiece Command
	Team     physics.Team // team of the set piece; empty if the set piece is for both teams, such as a dropped ball
	Score    Score
}

// Score is the number of goals of each team.
type Score struct{ Cyan, Magenta int }

// Of returns the number of goals of a team.
func (s Score) Of(team physics.Team) int { return *s.goals(team) }

func (s *Score) goals(team physics.Team) *int {
	if team == physics.Magenta {
		return &s.Magenta
	}
	return &s.Cyan
}

// Parking is a set of places next to a field, one for each robot of a world. It computes the places of cyan; the places
// of magenta are mirror images on the other side of the halfway line.
type Parking struct {
	field  *physics.Field
	robots []physics.Robot
	room   float64 // smallest distance between places, m
}

// Parameters of parking, in m, all guesses. Robots park in rows along their own half: one robot every 2 m if there is
// enough space, and always with a gap between them. A robot that may return waits 1 m outside the touch line if the
// border of the field is wide enough.
const (
	parkingGap   = 0.2
	parkingPitch = 2.0
	waitingOff   = 1.0
)

// NewParking returns the places of all robots of a world.
func NewParking(field *physics.Field, robots []physics.Robot) Parking {
	p := Parking{field: field, robots: robots}
	for i := range robots {
		p.room = max(p.room, 2*robots[i].Body.Radius+parkingGap)
	}
	return p
}

// Place returns a robot's own place, in W, in m, computed as for a robot of cyan. The place is beyond the boards. If
// back is true, the robot may return, and the place is in front of the boards.
func (p *Parking) Place(r *physics.Robot, back bool) (x, y float64) {
	before, team := 0, 0
	for i := range p.robots {
		if p.robots[i].Team == r.Team {
			if p.robots[i].Name == r.Name {
				before = team
			}
			team++
		}
	}
	half := p.field.Length / 2
	columns := min(team, max(1, int(half/p.room)))
	pitch := min(parkingPitch, half/float64(columns))
	row, column := float64(before/columns), float64(before%columns)
	x = -half + (column+0.5)*pitch
	boards := p.field.Width/2 + p.field.Border
	if back {
		return x, -min(p.field.Width/2+waitingOff, boards-p.room/2) + row*p.room
	}
	return x, -boards - physics.BoardThickness - p.room/2 - row*p.room
}

// OffBoards returns a y coordinate at which a robot with the given x coordinate touches no board. It returns the given
// y if the robot touches no board there, and otherwise a y coordinate beyond the boards.
func (p *Parking) OffBoards(x, y float64) float64 {
	for _, b := range p.field.StaticBoxes() {
		if b.Material != physics.Board {
			continue
		}
		dx := max(b.Min[0]-x, 0, x-b.Max[0])
		dy := max(b.Min[1]-y, 0, y-b.Max[1])
		if math.Hypot(dx, dy) < (p.room-parkingGap)/2 {
			return math.Copysign(p.field.Width/2+p.field.Border+physics.BoardThickness+p.room/2, y)
		}
	}
	return y
}
