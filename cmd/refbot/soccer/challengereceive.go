package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Where a robot receives, m: near the middle circle. Source: Dai et al., tables 1 and 2; but for home, where it goes
// when it comes to its side.
const (
	receiveX  = 2.0
	receiveY  = 1.5
	obstacleY = 0.5 // an obstacle farther from the long axis is passed on its other side
)

var receiveHome = pitch.Vec{receiveX, 0}

// Guesses: an obstacle that far from the way of a pass is in the effective area, m; a ball that near to the long axis
// is on neither side of it, m.
const (
	effectiveArea = 1.0
	onAxis        = 0.2
)

// receive waits for the ball with the robot's front to it, where no obstacle is before it.
func (p *Partner) receive(w *world.World) Command {
	if p.adjusts && w.Me.Pos[0] > crossedX {
		p.moveAside(w)
	}
	g := DriveGoal{Pos: p.waits, Heading: p.facing(w)}
	if w.Me.Pos[0] < crossedX {
		g.Pos, g.Room, g.Speed = p.around(w), crossRoom, crossSpeed
	}
	return GoTo(w, g)
}

// How a robot crosses to its side without the ball: clear of the middle, through which the other brings the ball, and
// slow enough to keep from obstacles. Guesses.
const (
	crossedX        = 0.3  // m beyond the halfway line
	crossWidth      = 2.8  // m from the middle
	crossRoom       = 0.15 // m
	crossSpeed      = 2.0  // m/s
	crossRoomEnough = 1.0  // m from obstacles' middles
	crossPathCost   = 0.1  // m of room for each metre of way
)

// around returns the way point at that end of the halfway line to which the way is clearer.
func (p *Partner) around(w *world.World) (best pitch.Vec) {
	most := math.Inf(-1)
	for _, side := range [2]float64{1, -1} {
		to := pitch.Vec{crossedX + 0.2, side * crossWidth}
		room := crossRoomEnough
		for _, o := range p.obstacles {
			off, _ := pitch.FromSegment(o, w.Me.Pos, to)
			room = min(room, off)
		}
		if v := room - crossPathCost*pitch.Distance(w.Me.Pos, to); v > most {
			best, most = to, v
		}
	}
	return best
}

// moveAside takes another place when an obstacle stands before the robot, between it and where the ball will come from:
// the ball, or the mate when the ball is not seen. A robot that knows neither stays, as does one before which nothing
// stands.
func (p *Partner) moveAside(w *world.World) {
	from := p.mate.Pos
	switch {
	case w.Ball.Known:
		from = w.Ball.Pos
	case !p.sees(w):
		return
	}
	if from[0] > 0 {
		return
	}
	for _, o := range p.obstacles {
		if o[0] > 0 && fromWay(o, from, p.waits) < effectiveArea {
			p.waits = receivingPlace(o, from, p.waits)
			return
		}
	}
}

// receivingPlace is where to receive with an obstacle on this side.
func receivingPlace(obstacle, from, now pitch.Vec) pitch.Vec {
	side := math.Copysign(1, from[1])
	switch {
	case obstacle[1] > obstacleY:
		side = -1
	case obstacle[1] < -obstacleY:
		side = 1
	case math.Abs(from[1]) < onAxis && now[1] != 0:
		return now
	}
	return pitch.Vec{receiveX, side * receiveY}
}
