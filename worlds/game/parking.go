package game

import (
	"math"

	"github.com/omnipitch/omnipitch/physics"
)

// Parking is a set of places next to a field, one for each robot of a world. It computes the places of cyan; the places
// of magenta are mirror images on the other side of the halfway line.
type Parking struct {
	field  *physics.Field
	robots []physics.Robot
	room   float64 // smallest distance between places, m
}

// Parameters of parking, all guesses. Robots park with a gap between them, in rows along their own half, usually one
// robot every 2 m. A robot that may return waits 1 m outside the touch line if the border of the field is wide enough.
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

// Place returns a robot's own place, in W, in m, computed as for cyan. The place is beyond the boards. If back is true,
// which means that the robot may return, the place is in front of the boards.
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

// OffBoards returns a y coordinate at which a robot at x touches no board. The result is the given y if a robot there
// touches no board. Otherwise it is a coordinate beyond the boards.
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
