// Package pitch is the geometry of the field in a team's own frame: x towards the opponents' goal, y to the left,
// origin at the centre of the field, metres.
package pitch

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Vec is a position or a velocity on the floor.
type Vec = mgl64.Vec2

// League is a league of robot soccer.
type League uint8

const (
	MiddleSize League = iota // robots on wheels
	Humanoid                 // small robots on legs, of the Humanoid Soccer League
)

// Pitch is a field of a league: its length and width, m. Its other dimensions, in m, are methods. Those of areas go to
// the outer edge of their lines. Sources: rule book of the Middle Size League, v24.1, and draft of January 2026 of that
// of the Humanoid Soccer League.
type Pitch struct {
	Length, Width float64
	League        League
}

// Constants for the flight of the ball. Gravity is in m/s². AirDrag is the deceleration divided by the squared speed,
// in 1/m. It is ½·ρ·c·π·r²/m for a ball of the Middle Size League, of 0.43 kg, in air of 1.2 kg/m³ with a drag
// coefficient c of 0.4.
const (
	Gravity = 9.81
	AirDrag = 0.021
)

// BallRadius is the radius of the Middle Size League's ball, in m.
const BallRadius = 0.11

// BallRadius returns the radius of the ball. A ball of the Humanoid Soccer League has that of its small division.
func (p Pitch) BallRadius() float64 {
	if p.League == Humanoid {
		return 0.07
	}
	return BallRadius
}

// GoalWidth returns the distance between the posts of a goal.
func (p Pitch) GoalWidth() float64 {
	if p.League == Humanoid {
		return p.bySize(2.6, 2.6, 2.4)
	}
	return 2
}

// GoalAreaDepth returns the depth of the goal areas.
func (p Pitch) GoalAreaDepth() float64 {
	if p.League == Humanoid {
		return 1
	}
	return 0.75
}

// large reports whether the field is large, 22 m × 14 m. Such a field has larger areas.
func (p Pitch) large() bool { return p.Length > 20 }

// small reports whether the field is the smallest of its league: that of the technical challenge, 12 m × 8 m, whose
// areas have guessed sizes because the rules do not give them, or that of small humanoids, 9 m × 6 m.
func (p Pitch) small() bool { return p.Length < 12 || p.League == MiddleSize && p.Length < 15 }

// bySize returns one of three dimensions by the size of the field.
func (p Pitch) bySize(small, medium, large float64) float64 {
	switch {
	case p.large():
		return large
	case p.small():
		return small
	}
	return medium
}

// PenaltyDepth returns the depth of the penalty areas.
func (p Pitch) PenaltyDepth() float64 {
	if p.League == Humanoid {
		return p.bySize(2, 3, 3.5)
	}
	return p.bySize(1.5, 2.25, 2.25)
}

// PenaltyWidth returns the width of the penalty areas.
func (p Pitch) PenaltyWidth() float64 {
	if p.League == Humanoid {
		return p.bySize(4, 6, 7)
	}
	return p.bySize(5, 6.5, 6.9)
}

// GoalAreaWidth returns the width of the goal areas.
func (p Pitch) GoalAreaWidth() float64 {
	if p.League == Humanoid {
		return p.bySize(3, 4, 5)
	}
	return p.bySize(3.5, 3.5, 3.9)
}

// PenaltyMark returns the distance of the penalty marks from the goal lines.
func (p Pitch) PenaltyMark() float64 {
	if p.League == Humanoid {
		return p.bySize(1.5, 2, 2.5)
	}
	return p.bySize(2.25, 3, 3.6)
}

// kickoffPlaces are the places of robots 4, 5, 2 and 3 at a kick-off, in this order, in m. Those of humanoids are for a
// field of 9 m × 6 m, and grow with the field.
var kickoffPlaces = [...][4]Vec{
	MiddleSize: {{-3.7, -1}, {-3.9, 1.2}, {-1, -3.5}, {-1, 3.5}},
	Humanoid:   {{-2.4, 0}, {-2.4, 1.5}, {-0.8, 1.5}, {-0.8, -1.5}},
}

// KickoffPlace returns the place of a field robot at a kick-off, in the own half. It is far enough from the ball
// whichever team takes the kick-off.
func (p Pitch) KickoffPlace(number int) Vec {
	at := kickoffPlaces[p.League][number%4]
	if p.League == Humanoid {
		at = at.Mul(p.Width / 6)
	}
	return at
}

// OwnGoal returns the centre of the goal that the team defends.
func (p Pitch) OwnGoal() Vec { return Vec{-p.Length / 2, 0} }

// TheirGoal returns the centre of the goal that the team attacks.
func (p Pitch) TheirGoal() Vec { return Vec{p.Length / 2, 0} }

// InOwnPenaltyArea reports whether a position is in the own penalty area, grown by a margin on all sides.
func (p Pitch) InOwnPenaltyArea(at Vec, margin float64) bool {
	return at[0] < -p.Length/2+p.PenaltyDepth()+margin && math.Abs(at[1]) < p.PenaltyWidth()/2+margin
}

// InTheirPenaltyArea reports whether a position is in the opponents' penalty area, grown by a margin on all sides.
func (p Pitch) InTheirPenaltyArea(at Vec, margin float64) bool {
	return p.InOwnPenaltyArea(Vec{-at[0], at[1]}, margin)
}

// InGoalArea reports whether a position is in one of the goal areas, grown by a margin.
func (p Pitch) InGoalArea(at Vec, margin float64) bool {
	return math.Abs(at[0]) > p.Length/2-p.GoalAreaDepth()-margin && math.Abs(at[1]) < p.GoalAreaWidth()/2+margin
}

// Inside reports whether a position is on the field, at least margin metres inside the outer lines. A negative margin
// also allows positions outside.
func (p Pitch) Inside(at Vec, margin float64) bool {
	return math.Abs(at[0]) < p.Length/2-margin && math.Abs(at[1]) < p.Width/2-margin
}

// Clamp moves a position to the closest position that is on the field, at least margin metres inside the outer lines.
func (p Pitch) Clamp(at Vec, margin float64) Vec {
	x, y := p.Length/2-margin, p.Width/2-margin
	return Vec{mgl64.Clamp(at[0], -x, x), mgl64.Clamp(at[1], -y, y)}
}

// OutsideAreas returns a position moved along x out of the penalty areas, which are grown by a margin. A position
// outside of the areas stays the same.
func (p Pitch) OutsideAreas(at Vec, margin float64) Vec {
	if p.InOwnPenaltyArea(at, margin) || p.InTheirPenaltyArea(at, margin) {
		at[0] = math.Copysign(p.Length/2-p.PenaltyDepth()-margin, at[0])
	}
	return at
}

// OutsideGoalAreas moves a position to the closest position outside of the goal areas, which are grown by a margin, in
// m.
func (p Pitch) OutsideGoalAreas(at Vec, margin float64) Vec {
	if !p.InGoalArea(at, margin) {
		return at
	}
	x, y := p.Length/2-p.GoalAreaDepth()-margin, p.GoalAreaWidth()/2+margin
	if math.Abs(at[0])-x < y-math.Abs(at[1]) {
		return Vec{math.Copysign(x, at[0]), at[1]}
	}
	return Vec{at[0], math.Copysign(y, at[1])}
}

// Toward returns the position that is reached by moving a distance, in m, from start straight towards target.
func Toward(start, target Vec, distance float64) Vec {
	return start.Add(Unit(target.Sub(start)).Mul(distance))
}

// Unit returns the unit vector in the direction of v, or (1, 0) if v is zero.
func Unit(v Vec) Vec {
	if l := math.Hypot(v[0], v[1]); l > 1e-9 {
		return v.Mul(1 / l)
	}
	return Vec{1, 0}
}

// Angle returns the direction of a vector, in rad, anticlockwise from the x axis.
func Angle(v Vec) float64 { return math.Atan2(v[1], v[0]) }

// Direction returns the unit vector in the direction given by an angle, in rad.
func Direction(angle float64) Vec { return Vec{math.Cos(angle), math.Sin(angle)} }

// Turn returns a vector turned anticlockwise by an angle, rad.
func Turn(v Vec, angle float64) Vec {
	sin, cos := math.Sincos(angle)
	return Vec{v[0]*cos - v[1]*sin, v[0]*sin + v[1]*cos}
}

// Wrap returns the equivalent angle in (−π, π].
func Wrap(angle float64) float64 { return math.Remainder(angle, 2*math.Pi) }

// Distance returns the distance between two positions.
func Distance(a, b Vec) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// FromSegment returns the distance between a position and a line segment. It also returns the distance of the segment's
// nearest point from the start of the segment.
func FromSegment(at, start, end Vec) (distance, fromStart float64) {
	way := end.Sub(start)
	long := math.Hypot(way[0], way[1])
	if long < 1e-9 {
		return Distance(at, start), 0
	}
	fromStart = mgl64.Clamp(at.Sub(start).Dot(way)/long, 0, long)
	return Distance(at, start.Add(way.Mul(fromStart/long))), fromStart
}
