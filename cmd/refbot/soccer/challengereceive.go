package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Receiving positions near the centre circle, m. Source: Dai et al., tables 1 and 2, except for receiveHome, the
// position before an adjustment.
const (
	receiveX  = 2.0
	receiveY  = 1.5
	obstacleY = 0.5 // with an obstacle farther from the long axis than this, the robot receives on the other side
)

var receiveHome = pitch.Vec{receiveX, 0}

// Guesses. An obstacle within effectiveArea of the path of a pass blocks it, m. A ball within onAxis of the long axis
// is on neither side, m.
const (
	effectiveArea = 1.0
	onAxis        = 0.2
)

// receive drives to the receiving position and faces the ball.
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

// How a robot without the ball crosses to the receiving half: away from the middle, where the partner brings the ball,
// and slowly enough to avoid obstacles. Guesses.
const (
	crossedX        = 0.3  // m beyond the halfway line
	crossWidth      = 2.8  // m from the long axis
	crossRoom       = 0.15 // m, additional clearance
	crossSpeed      = 2.0  // m/s
	crossRoomEnough = 1.0  // m, sufficient distance from the centres of obstacles
	crossPathCost   = 0.1  // m of distance per metre of path
)

// around returns a waypoint at that end of the halfway line to which the path is clearer.
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

// moveAside changes the receiving position if an obstacle stands between it and the ball, or the partner if the ball is
// not seen. If neither is seen, the robot stays.
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

// receivingPlace returns the receiving position for an obstacle in this half.
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
