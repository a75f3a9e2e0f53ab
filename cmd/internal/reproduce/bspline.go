package reproduce

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
)

// Parameters of smooth paths. The paper gives none: these are guesses.
const (
	splineSections = 12   // sections of a piece of the curve
	splinePushes   = 30   // most changes of the via-points
	splineClear    = 0.02 // distance from a disc to which a via-point is pushed, m
	splineNear     = 1.2  // distance up to which a via-point is pushed, m; farther away, another one is added
	splineKeep     = 0.25 // time for which the curve keeps the robot's direction, s
	splineAhead    = 2.0  // time for which the motion of other robots is predicted, s
	splinePace     = 2.5  // speed of the robot until it passes an obstacle, m/s, for the choice of via-points
)

// splineSpreads are the tried distances of further control points from a via-point, m. With a longer distance the
// curve bends less sharply at the via-point.
var splineSpreads = [...]float64{0.4, 0.8, 1.6, 3.2}

// bspline is a uniform cubic B-spline with its control points. It begins at the first and ends at the last one.
type bspline []mgl64.Vec2

// at returns position, first and second derivative at u from 0 to 1.
func (b bspline) at(u float64) (pos, d, dd mgl64.Vec2) {
	pieces := float64(len(b) - 1)
	i := min(int(u*pieces), len(b)-2)
	s := u*pieces - float64(i)
	p0, p1, p2, p3 := b.control(i-1), b[i], b[i+1], b.control(i+2)
	r := 1 - s
	pos = p0.Mul(r * r * r).Add(p1.Mul(3*s*s*s - 6*s*s + 4)).Add(p2.Mul(3*r*r*r - 6*r*r + 4)).Add(p3.Mul(s * s * s)).
		Mul(1. / 6)
	d = p0.Mul(-r * r / 2).Add(p1.Mul(1.5*s*s - 2*s)).Add(p2.Mul(2*r - 1.5*r*r)).Add(p3.Mul(s * s / 2))
	dd = p0.Mul(r).Add(p1.Mul(3*s - 2)).Add(p2.Mul(3*r - 2)).Add(p3.Mul(s))
	return pos, d.Mul(pieces), dd.Mul(pieces * pieces)
}

// control returns a control point. Those before the first and after the last one let the curve begin and end there.
func (b bspline) control(i int) mgl64.Vec2 {
	switch last := len(b) - 1; {
	case i < 0:
		return b[0].Mul(2).Sub(b[1])
	case i > last:
		return b[last].Mul(2).Sub(b[last-1])
	}
	return b[i]
}

// through returns a B-spline along via-points, which bends within the distance spread, m, of each. It begins in the
// direction of the robot's velocity. The last via-point is at least splineClear from the first one.
func through(via []mgl64.Vec2, vel mgl64.Vec2, spread float64) bspline {
	b := bspline{via[0]}
	add := func(p mgl64.Vec2) {
		// A curve has no direction between equal points. The start stays, otherwise the newer point does.
		switch last := len(b) - 1; {
		case pitch.Distance(p, b[last]) >= splineClear:
			b = append(b, p)
		case last > 0:
			b[last] = p
		}
	}
	add(via[0].Add(vel.Mul(splineKeep)))
	for i := 1; i < len(via); i++ {
		from, leg := via[i-1], via[i].Sub(via[i-1])
		share := math.Min(spread/math.Max(leg.Len(), 1e-9), 0.5)
		add(from.Add(leg.Mul(share)))
		add(from.Add(leg.Mul(1 - share)))
		add(via[i])
	}
	return b
}

// mover is a disc that the centre of the robot stays out of, at the present time, and its velocity, m/s.
type mover struct {
	soccer.Disc
	vel mgl64.Vec2
}

// at returns where the disc is predicted to be after a time, s.
func (m *mover) at(in float64) mgl64.Vec2 { return m.Centre.Add(m.vel.Mul(min(in, splineAhead))) }

// deepest returns the point of the course that is deepest in a disc when the robot is there, its depth, m, and the
// disc's centre at that time. The robot is at the position from at the time now, s; points more than the time ahead
// later are left out. A disc that contains the robot or the end of the course counts as if it were on its edge. The
// depth is 0 if the course is clear.
func (c *course) deepest(movers []mover, from mgl64.Vec2, now, ahead float64) (at, centre mgl64.Vec2, depth float64) {
	end := c.points[len(c.points)-1].pos
	for i := range c.points {
		p := &c.points[i]
		if p.time < now || p.time > now+ahead {
			continue
		}
		for k := range movers {
			middle := movers[k].at(p.time - now)
			radius := min(movers[k].Radius, pitch.Distance(middle, from), pitch.Distance(middle, end))
			if in := radius - pitch.Distance(middle, p.pos); in > depth {
				at, centre, depth = p.pos, middle, in
			}
		}
	}
	return at, centre, depth
}

// planSmooth plans a smooth course around discs, from a position and velocity at the time now, s, to rest at the
// target. Its via-points are the corners of refbot's path. They are pushed away from discs until the course is clear.
// Of several courses the one that arrives first is returned.
func planSmooth(from, vel, target mgl64.Vec2, movers []mover, now, maxAccel float64) *course {
	via := append([]mgl64.Vec2{from}, soccer.PlanPath(nil, from, vel, target, whenPassed(movers, from))...)
	var best *course
	least := math.Inf(1)
	for _, spread := range splineSpreads {
		via := slices.Clone(via)
		for push := 0; ; push++ {
			b := through(via, vel, spread)
			c := newCourse(b.at, splineSections*(len(b)-1), now, vel.Len(), pathSpeed, maxAccel)
			at, centre, depth := c.deepest(movers, from, now, math.Inf(1))
			if depth > 0 && push < splinePushes {
				via = pushed(via, at, centre, depth)
				continue
			}
			// A course on which the robot is too fast to brake, or that is not clear, is a last resort.
			if cost := c.end() + 5*(vel.Len()-c.points[0].speed) + 100*depth; cost < least {
				best, least = c, cost
			}
			break
		}
	}
	return best
}

// whenPassed returns the discs at the places where the robot, which is at a position, will pass them.
func whenPassed(movers []mover, from mgl64.Vec2) []soccer.Disc {
	discs := make([]soccer.Disc, len(movers))
	for i := range movers {
		m := &movers[i]
		discs[i] = soccer.Disc{Centre: m.at(pitch.Distance(m.Centre, from) / splinePace), Radius: m.Radius}
	}
	return discs
}

// pushed moves the via-point near the deepest point of a course in a disc outwards, or adds one there.
func pushed(via []mgl64.Vec2, at, centre mgl64.Vec2, depth float64) []mgl64.Vec2 {
	out := pitch.Unit(at.Sub(centre)).Mul(depth + splineClear)
	nearest, leg, near, away := 0, 0, splineNear, math.Inf(1)
	for i := 1; i < len(via); i++ {
		if off := pitch.Distance(via[i], at); i < len(via)-1 && off < near {
			nearest, near = i, off
		}
		if off, _ := pitch.FromSegment(at, via[i-1], via[i]); off < away {
			leg, away = i, off
		}
	}
	if nearest > 0 {
		via[nearest] = via[nearest].Add(out)
		return via
	}
	return slices.Insert(via, leg, at.Add(out))
}
