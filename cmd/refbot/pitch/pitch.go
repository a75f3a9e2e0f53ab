// Package pitch knows the field in a team's own frame: x towards the opponents' goal, y to the left, origin in the
// middle, metres.
package pitch

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Vec is a place or a velocity over the floor.
type Vec = mgl64.Vec2

// Pitch is a field of the Middle Size League.
type Pitch struct{ Length, Width float64 }

// Measures that all fields share, metres; areas are measured to the outer edge of their lines. Source: rule book of the
// league, v24.1.
const (
	GoalWidth     = 2.0
	PenaltyDepth  = 2.25
	GoalAreaDepth = 0.75
	BallRadius    = 0.11
)

// The flight of the ball: what it falls by, m/s², and by which share of its speed squared the air slows it, 1/m. A ball
// of 0.43 kg in air of 1.2 kg/m³ at a drag coefficient of 0.4: ½·ρ·c·π·r²/m.
const (
	Gravity = 9.81
	AirDrag = 0.021
)

// large tells whether a field is one of 22 m × 14 m, whose areas are larger.
func (p Pitch) large() bool { return p.Length > 20 }

// PenaltyWidth is how wide the penalty areas are.
func (p Pitch) PenaltyWidth() float64 {
	if p.large() {
		return 6.9
	}
	return 6.5
}

// GoalAreaWidth is how wide the goal areas are.
func (p Pitch) GoalAreaWidth() float64 {
	if p.large() {
		return 3.9
	}
	return 3.5
}

// PenaltyMark is how far the penalty marks are from the goal lines.
func (p Pitch) PenaltyMark() float64 {
	if p.large() {
		return 3.6
	}
	return 3
}

// OwnGoal is the middle of the goal that the team defends.
func (p Pitch) OwnGoal() Vec { return Vec{-p.Length / 2, 0} }

// TheirGoal is the middle of the goal that the team attacks.
func (p Pitch) TheirGoal() Vec { return Vec{p.Length / 2, 0} }

// InOwnPenaltyArea tells whether a place is in the own penalty area, or at most so far outside of it.
func (p Pitch) InOwnPenaltyArea(at Vec, margin float64) bool {
	return at[0] < -p.Length/2+PenaltyDepth+margin && math.Abs(at[1]) < p.PenaltyWidth()/2+margin
}

// InTheirPenaltyArea tells the same of the opponents'.
func (p Pitch) InTheirPenaltyArea(at Vec, margin float64) bool {
	return p.InOwnPenaltyArea(Vec{-at[0], at[1]}, margin)
}

// InGoalArea tells whether a place is in one of the goal areas, or at most so far outside of it.
func (p Pitch) InGoalArea(at Vec, margin float64) bool {
	return math.Abs(at[0]) > p.Length/2-GoalAreaDepth-margin && math.Abs(at[1]) < p.GoalAreaWidth()/2+margin
}

// Inside tells whether a place is on the field, at least so far from its lines.
func (p Pitch) Inside(at Vec, margin float64) bool {
	return math.Abs(at[0]) < p.Length/2-margin && math.Abs(at[1]) < p.Width/2-margin
}

// Clamp returns the place on the field, at least so far from its lines, that is nearest to one.
func (p Pitch) Clamp(at Vec, margin float64) Vec {
	x, y := p.Length/2-margin, p.Width/2-margin
	return Vec{mgl64.Clamp(at[0], -x, x), mgl64.Clamp(at[1], -y, y)}
}

// OutsideAreas returns a place near one that is in neither penalty area, at least so far from them.
func (p Pitch) OutsideAreas(at Vec, margin float64) Vec {
	if p.InOwnPenaltyArea(at, margin) || p.InTheirPenaltyArea(at, margin) {
		at[0] = math.Copysign(p.Length/2-PenaltyDepth-margin, at[0])
	}
	return at
}

// OutsideGoalAreas returns the place nearest to one that is in neither goal area, at least so far from them.
func (p Pitch) OutsideGoalAreas(at Vec, margin float64) Vec {
	if !p.InGoalArea(at, margin) {
		return at
	}
	x, y := p.Length/2-GoalAreaDepth-margin, p.GoalAreaWidth()/2+margin
	if math.Abs(at[0])-x < y-math.Abs(at[1]) {
		return Vec{math.Copysign(x, at[0]), at[1]}
	}
	return Vec{at[0], math.Copysign(y, at[1])}
}

// Toward returns the place that lies so far from one in the direction of another.
func Toward(from, to Vec, far float64) Vec { return from.Add(Unit(to.Sub(from)).Mul(far)) }

// Unit returns a vector of length 1 in the same direction, and (1, 0) for one without a direction.
func Unit(v Vec) Vec {
	if l := math.Hypot(v[0], v[1]); l > 1e-9 {
		return v.Mul(1 / l)
	}
	return Vec{1, 0}
}

// Angle returns a vector's direction, rad.
func Angle(v Vec) float64 { return math.Atan2(v[1], v[0]) }

// Direction returns the vector of length 1 with a direction, rad.
func Direction(angle float64) Vec { return Vec{math.Cos(angle), math.Sin(angle)} }

// Turn returns a vector turned anticlockwise, rad.
func Turn(v Vec, angle float64) Vec {
	sin, cos := math.Sincos(angle)
	return Vec{v[0]*cos - v[1]*sin, v[0]*sin + v[1]*cos}
}

// Wrap returns an angle in (−π, π].
func Wrap(angle float64) float64 { return math.Remainder(angle, 2*math.Pi) }

// Distance returns how far two places are from each other.
func Distance(a, b Vec) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// FromSegment returns how far a place is from the nearest point of the way between two others, and how far along that
// way the point is.
func FromSegment(at, from, to Vec) (off, along float64) {
	way := to.Sub(from)
	long := math.Hypot(way[0], way[1])
	if long < 1e-9 {
		return Distance(at, from), 0
	}
	along = mgl64.Clamp(at.Sub(from).Dot(way)/long, 0, long)
	return Distance(at, from.Add(way.Mul(along/long))), along
}
