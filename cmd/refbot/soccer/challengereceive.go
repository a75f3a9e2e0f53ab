package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Coordinates of the receiving positions near the centre circle, in m. Source: Dai et al., tables 1 and 2. Not from
// that source is receiveHome, the position where the robot receives if no obstacle requires another one.
const (
	receiveX  = 2.0
	receiveY  = 1.5
	obstacleY = 0.5 // with an obstacle farther from the long axis, the robot receives on the opposite side
)

var receiveHome = pitch.Vec{receiveX, 0}

// Guesses. An obstacle within effectiveArea of the path of a pass, in m, blocks the pass. A ball within onAxis of the
// long axis, in m, counts as on neither side of the axis.
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

// Guesses for how a robot without the ball crosses to the receiving half. It keeps away from the centre, to which the
// partner brings the ball, and drives slowly enough to avoid obstacles.
const (
	crossedX        = 0.3  // m beyond the halfway line, from where the robot has crossed
	crossWidth      = 2.8  // m from the long axis, where the robot crosses
	crossRoom       = 0.15 // m, additional clearance from obstacles
	crossSpeed      = 2.0  // m/s
	crossRoomEnough = 1.0  // m from the centre of an obstacle: more distance has no value
	crossPathCost   = 0.1  // m of distance from obstacles that a metre of path is worth
)

// around returns a waypoint near one end of the halfway line: the end to which the path is farther from obstacles.
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

// moveAside changes the receiving position if an obstacle stands between the receiving position and the ball. If the
// robot does not see the ball, it uses the partner's position instead. If it sees neither the ball nor the partner, the
// receiving position stays.
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

// receivingPlace returns the receiving position to use when an obstacle stands in the receiving half. The argument from
// is the position of the ball, and now is the present receiving position.
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
