package soccer

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// In an encirclement, the robots of one team chase those of the other into a circular prison in front of the goal that
// the chasers attack. Nobody talks: each robot decides by what it sees.
const (
	prisonGap  = 3.0 // m: distance of the prison's centre from the goal line
	yardRadius = 2.0 // m: a robot within this distance of the centre is caught
	chaseGap   = 1.0 // m: distance between the centres of a chaser and the robot that it drives
	// angle, seen from the driven robot, between its first chaser and each helper, rad
	chaseBeside  = 50 * math.Pi / 180
	fleeSpeed    = 1.2 // m/s
	fleeWithin   = 2.5 // m: distance between centres at which a robot begins to flee
	fullFear     = 0.5 // a robot flees at full speed at this share of the way from fleeWithin to contact
	lineGap      = 1.0 // m: distance from a line at which a fleeing robot turns away from the line
	fleeingAhead = 1.0 // m
)

// chase drives an opponent towards the prison. If all opponents that the robot sees are caught, the robot stops.
func chase(w *world.World) Command {
	prison := pitch.Vec{w.Pitch.Length/2 - prisonGap, 0}
	target, before := quarry(w, prison)
	if target == nil {
		return Stop(w, w.Me.Heading)
	}
	angle := pitch.Angle(target.Pos.Sub(prison))
	switch before {
	case 0:
	case 1:
		angle += chaseBeside
	default:
		angle -= chaseBeside
	}
	place := target.Pos.Add(pitch.Direction(angle).Mul(chaseGap))
	return GoTo(w, DriveGoal{Pos: place, Heading: Facing(w, target.Pos), Vel: target.Vel})
}

// quarry returns the opponent to drive, and the number of teammates that drive it, too, and are nearer to it. It
// returns nil if there is no opponent to drive. The nearest pair of a chaser and an opponent belongs together, then the
// nearest of the others, and so on. Chasers that are left help in the same way. Robots that see the same decide the
// same.
func quarry(w *world.World, prison pitch.Vec) (target *world.Robot, before int) {
	chasers := []*world.Robot{&w.Me}
	var free []*world.Robot // opponents
	for i := range w.Others {
		switch o := &w.Others[i]; {
		case o.Side == world.Mate:
			chasers = append(chasers, o)
		case o.Side == world.Opponent && pitch.Distance(o.Pos, prison) > yardRadius:
			free = append(free, o)
		}
	}
	for ; len(free) > 0; before++ {
		for left := slices.Clone(free); len(left) > 0 && len(chasers) > 0; {
			c, f, least := 0, 0, math.Inf(1)
			for i, chaser := range chasers {
				for k, opponent := range left {
					if d := pitch.Distance(chaser.Pos, opponent.Pos); d < least {
						c, f, least = i, k, d
					}
				}
			}
			if chasers[c] == &w.Me {
				return left[f], before
			}
			chasers, left = slices.Delete(chasers, c, c+1), slices.Delete(left, f, f+1)
		}
	}
	return nil, 0
}

// flee keeps the robot away from opponents and within the lines. A robot that has been in the prison's yard is caught
// and stays there.
func (p *Player) flee(w *world.World) Command {
	prison := pitch.Vec{-w.Pitch.Length/2 + prisonGap, 0} // the goal that chasers attack is the own goal
	if p.caught = p.caught || pitch.Distance(w.Me.Pos, prison) <= yardRadius; p.caught {
		return Stop(w, w.Me.Heading)
	}
	away := pitch.Vec{} // the nearer the opponents, the longer
	for i := range w.Others {
		off := w.Me.Pos.Sub(w.Others[i].Pos)
		if d := off.Len(); w.Others[i].Side == world.Opponent && d < fleeWithin {
			away = away.Add(pitch.Unit(off).Mul(1 - d/fleeWithin))
		}
	}
	fear := min(1, away.Len()/fullFear)
	if fear < 1e-6 {
		return Stop(w, w.Me.Heading)
	}
	for axis, half := range [2]float64{w.Pitch.Length / 2, w.Pitch.Width / 2} {
		if gap := half - wheels.radius - math.Abs(w.Me.Pos[axis]); gap < lineGap {
			away[axis] -= math.Copysign(min(1, 1-gap/lineGap), w.Me.Pos[axis])
		}
	}
	way := pitch.Unit(away)
	place := w.Pitch.Clamp(w.Me.Pos.Add(way.Mul(fleeingAhead)), wheels.radius)
	c := GoTo(w, DriveGoal{Pos: place, Heading: pitch.Angle(way), Speed: fleeSpeed * fear})
	for axis, half := range [2]float64{w.Pitch.Length / 2, w.Pitch.Width / 2} { // also on the way around others
		outward := pitch.Vec{}
		outward[axis] = math.Copysign(1, w.Me.Pos[axis])
		c.Vel = limitAlong(c.Vel, outward, stoppingSpeed(half-wheels.radius-math.Abs(w.Me.Pos[axis]), wheels.accel))
	}
	return c
}
