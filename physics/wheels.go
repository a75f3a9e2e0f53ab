package physics

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// rollerAngle is between an omni wheel's rolling direction and its rollers' travel: they roll straight across.
// Source: Zhou et al., Simatch, table II.
const rollerAngle = math.Pi / 2

const (
	// minSpan is the smallest determinant of the wheels' normalised normal equations (1 for a square of four wheels)
	// that still counts as spanning the plane. Guess.
	minSpan = 1e-6
	// minGrip is the smallest sine of a roller's angle with which a wheel still drives. Guess: 6°.
	minGrip = 0.1
)

var errNoSpan = errors.New("the wheels do not span the plane: two of the three velocities would be coupled")

// WheelSet turns body velocities into wheel rates and back. The zero value has no wheels.
type WheelSet struct {
	grips [MaxWheels]WheelGrip
	n     int
	// fromRates is the pseudo-inverse: 3×n, from rates in rad/s to vx, vy, omega.
	fromRates [MaxWheels]mgl64.Vec3
	holds     bool // some wheel is a standard one, so that not every velocity can be driven
	// most is the greatest rate of any wheel for 1 m/s forwards, 1 m/s to the left and 1 rad/s.
	most [3]float64
}

// WheelGrip is where one wheel touches the floor and along which direction it holds on, in the body frame.
type WheelGrip struct {
	X, Y   float64 // contact point, metres
	EX, EY float64 // unit vector along which the floor is driven; across it the rollers run free
	Radius float64 // speed along E for a rate of the wheel, m
	Holds  bool    // there are no rollers: it holds across E too
	wheel  Wheel

	perRadius float64 // 1/Radius
}

// Heading returns where the wheel rolls, anticlockwise from x, radians.
func (g *WheelGrip) Heading() float64 { return g.wheel.Heading }

// WheelSet returns the kinematics of a drive. It fails when the wheels do not span the plane.
func (d *Drive) WheelSet() (WheelSet, error) {
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
		g := WheelGrip{X: w.X, Y: w.Y, EX: math.Sin(slip), EY: -math.Cos(slip), wheel: w, Holds: w.Kind == StandardWheel}
		along := math.Sin(slip - w.Heading) // of the rolling direction on E
		if math.Abs(along) < minGrip {
			return WheelSet{}, fmt.Errorf("the rollers of wheel %d let it slip where it rolls", i)
		}
		if along < 0 {
			g.EX, g.EY, along = -g.EX, -g.EY, -along
		}
		g.Radius = d.WheelRadius * along
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

// Speeds returns each wheel's rate in rad/s for a body velocity; entries without a wheel are 0. With r the wheel's
// radius, d its distance, a its place around the centre and b the angle of its rollers
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

// within tells whether no wheel turns faster than at a rate, rad/s, for a body velocity, as far as that can be told without looking at
// each.
func (o *WheelSet) within(t PlanarTwist, rate float64) bool {
	return math.Abs(t.VX)*o.most[0]+math.Abs(t.VY)*o.most[1]+math.Abs(t.Omega)*o.most[2] <= rate
}

// fastest returns the greatest rate of any wheel for a body velocity, rad/s.
func (o *WheelSet) fastest(t PlanarTwist) float64 {
	most := 0.0
	for i := range o.n {
		g := &o.grips[i]
		rate := (g.EX*(t.VX-t.Omega*g.Y) + g.EY*(t.VY+t.Omega*g.X)) * g.perRadius
		most = max(most, rate, -rate)
	}
	return most
}

// Twist returns the body velocity that fits the wheels' rates best, in the sense of least squares of speeds along
// their grips; standard wheels do not move sideways.
func (o *WheelSet) Twist(rates [MaxWheels]float64) PlanarTwist {
	// Number by number: sums of arrays go through memory.
	var vx, vy, omega float64
	for i := range o.n {
		from, rate := &o.fromRates[i], rates[i]
		vx += from[0] * rate
		vy += from[1] * rate
		omega += from[2] * rate
	}
	return PlanarTwist{VX: vx, VY: vy, Omega: omega}
}

// Drivable returns the part of a velocity that the wheels can drive: all of it, unless some are standard wheels.
func (o *WheelSet) Drivable(t PlanarTwist) PlanarTwist {
	if !o.holds {
		return t
	}
	return o.Twist(o.Speeds(t))
}
