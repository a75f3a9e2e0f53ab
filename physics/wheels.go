package physics

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// rollerAngle is the angle from an omni wheel's rolling direction to the direction in which its rollers roll: 90°.
// Source: Zhou et al., Simatch, table II.
const rollerAngle = math.Pi / 2

const (
	// minSpan is the smallest determinant of the wheels' normalised normal equations at which the wheels still span the
	// plane. A square of four wheels has a determinant of 1. 1e-6 is a guess.
	minSpan = 1e-6
	// minGrip is the smallest sine of the rollers' angle at which a wheel can drive. 0.1, the sine of 6°, is a guess.
	minGrip = 0.1
)

var errNoSpan = errors.New("the wheels do not span the plane: two of the three velocities would be coupled")

// WheelSet is the kinematics of a drive. It converts body velocities to wheel rates and back. The zero value has no
// wheels.
type WheelSet struct {
	grips [MaxWheels]WheelGrip
	n     int
	// fromRates is the pseudo-inverse, 3×n, from rates in rad/s to vx, vy, omega.
	fromRates [MaxWheels]mgl64.Vec3
	holds     bool       // the drive has standard wheels, so it cannot drive all velocities
	most      [3]float64 // highest rates of any wheel, rad/s, at 1 m/s forwards, 1 m/s to the left and 1 rad/s
}

// WheelGrip is a wheel's contact point and the direction in which it drives, in the body frame.
type WheelGrip struct {
	X, Y   float64 // contact point, metres
	EX, EY float64 // unit vector E along which the wheel drives; across it the rollers roll freely
	Radius float64 // speed along E divided by the wheel's rate, metres
	Holds  bool    // the wheel has no rollers: it holds across E too
	wheel  Wheel

	perRadius float64 // 1/Radius
}

// Heading returns the wheel's rolling direction, anticlockwise from x, rad.
func (g *WheelGrip) Heading() float64 { return g.wheel.Heading }

// WheelSet returns the kinematics of the drive, which has no wheels on legs. It fails if the wheels do not span
// the plane.
func (d *Drive) WheelSet() (WheelSet, error) { return d.AssumedWheels(nil, 0) }

// AssumedWheels returns the kinematics that a robot assumes that does not know its dimensions. The argument radii holds
// the relative errors of the wheels' radii, in the order of AllWheels. Wheels without a value have the right radius.
// The argument base is the relative error of the wheels' distances from the robot's centre.
func (d *Drive) AssumedWheels(radii []float64, base float64) (WheelSet, error) {
	if d.Legged() {
		return WheelSet{}, nil
	}
	wheels := d.AllWheels()
	o := WheelSet{n: len(wheels)}
	if o.n > MaxWheels {
		return WheelSet{}, fmt.Errorf("more than %d wheels", MaxWheels)
	}
	var normal mgl64.Mat3
	var rows [MaxWheels]mgl64.Vec3
	count, spread := 0.0, 0.0
	for i, w := range wheels {
		slip := w.Heading + w.Roller
		if w.Kind == StandardWheel {
			slip = w.Heading + math.Pi/2
		}
		w.X, w.Y = w.X*(1+base), w.Y*(1+base)
		g := WheelGrip{X: w.X, Y: w.Y, EX: math.Sin(slip), EY: -math.Cos(slip), wheel: w,
			Holds: w.Kind == StandardWheel}
		along := math.Sin(slip - w.Heading) // component of the rolling direction along E
		if math.Abs(along) < minGrip {
			return WheelSet{}, fmt.Errorf("the rollers of wheel %d let it slip where it rolls", i)
		}
		if along < 0 {
			g.EX, g.EY, along = -g.EX, -g.EY, -along
		}
		g.Radius = d.WheelRadius * along
		if i < len(radii) {
			g.Radius *= 1 + radii[i]
		}
		g.perRadius = 1 / g.Radius
		o.grips[i] = g
		rows[i] = mgl64.Vec3{g.EX, g.EY, g.X*g.EY - g.Y*g.EX}
		normal = normal.Add(rows[i].OuterProd3(rows[i]))
		for k := range o.most {
			o.most[k] = max(o.most[k], math.Abs(rows[i][k])*g.perRadius)
		}
		count++
		if g.Holds {
			o.holds = true
			across := mgl64.Vec3{-g.EY, g.EX, g.X*g.EX + g.Y*g.EY}
			normal = normal.Add(across.OuterProd3(across))
			count++
		}
		spread += g.X*g.X + g.Y*g.Y
	}
	if !(normal.Det() > minSpan*math.Pow(count/2, 2)*spread) {
		return WheelSet{}, errNoSpan
	}
	inverse := normal.Inv()
	for i := range o.n {
		o.fromRates[i] = inverse.Mul3x1(rows[i]).Mul(o.grips[i].Radius)
	}
	return o, nil
}

// Len returns the number of wheels.
func (o *WheelSet) Len() int { return o.n }

// Grip returns the contact of wheel i.
func (o *WheelSet) Grip(i int) WheelGrip { return o.grips[i] }

// Speeds returns each wheel's rate in rad/s for a body velocity. Entries without a wheel are 0. With r the wheel's
// radius, d its distance from the centre, a its azimuth and b the angle of its rollers
//
//	w = (1/r)·( −cos(a+b)/sin b · vx − sin(a+b)/sin b · vy − d·omega )
//
// for wheels that face outwards. Source: Zhou et al., Simatch, eq. 3.
func (o *WheelSet) Speeds(t PlanarTwist) (rates [MaxWheels]float64) {
	for i := range o.n {
		g := &o.grips[i]
		rates[i] = (g.EX*(t.VX-t.Omega*g.Y) + g.EY*(t.VY+t.Omega*g.X)) * g.perRadius
	}
	return rates
}

// within reports whether all wheels' rates for a body velocity are certainly at most the argument rate, in rad/s. It
// compares an upper bound of the rates, which is quick to compute.
func (o *WheelSet) within(t PlanarTwist, rate float64) bool {
	return math.Abs(t.VX)*o.most[0]+math.Abs(t.VY)*o.most[1]+math.Abs(t.Omega)*o.most[2] <= rate
}

// fastest returns the highest rate of any wheel for a body velocity, rad/s.
func (o *WheelSet) fastest(t PlanarTwist) float64 {
	most := 0.0
	for i := range o.n {
		g := &o.grips[i]
		rate := (g.EX*(t.VX-t.Omega*g.Y) + g.EY*(t.VY+t.Omega*g.X)) * g.perRadius
		most = max(most, rate, -rate)
	}
	return most
}

// Twist returns the body velocity that best fits the wheels' rates, which are in rad/s. It minimises the squares of the
// errors along the wheels' grips, and of the sideways speeds of standard wheels, which should be 0.
func (o *WheelSet) Twist(rates [MaxWheels]float64) PlanarTwist {
	// Separate scalars, because sums of arrays go through memory.
	var vx, vy, omega float64
	for i := range o.n {
		from, rate := &o.fromRates[i], rates[i]
		vx += from[0] * rate
		vy += from[1] * rate
		omega += from[2] * rate
	}
	return PlanarTwist{VX: vx, VY: vy, Omega: omega}
}

// Drivable returns the part of a velocity that the wheels can drive. Without standard wheels this is the whole
// velocity.
func (o *WheelSet) Drivable(t PlanarTwist) PlanarTwist {
	if !o.holds {
		return t
	}
	return o.Twist(o.Speeds(t))
}
