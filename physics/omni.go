package physics

import (
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// rollerAngle is between an omni wheel's rim and the axes of its rollers' travel: they roll straight across.
// Source: Zhou et al., Simatch, table II.
const rollerAngle = math.Pi / 2

// minSpan is the smallest determinant of the wheels' normalised normal equations (1 for a square of four wheels)
// that still counts as spanning the plane. Guess.
const minSpan = 1e-6

var errNoSpan = errors.New("the wheels do not span the plane: two of the three velocities would be coupled")

// OmniWheels turns body velocities into wheel speeds and back. The zero value has no wheels.
type OmniWheels struct {
	grips  [MaxWheels]WheelGrip
	n      int
	radius float64
	// fromRims is the pseudo-inverse: 3×n, from rim speeds in m/s to vx, vy, omega.
	fromRims [MaxWheels]mgl64.Vec3
}

// WheelGrip is where one wheel touches the floor and along which direction it holds on, in the body frame.
type WheelGrip struct {
	X, Y   float64 // contact point, metres
	EX, EY float64 // unit vector along which the floor passes at rim speed; across it the rollers run free
}

// OmniWheels returns the kinematics of a drive. It fails when the wheels do not span the plane.
func (d *Drive) OmniWheels() (OmniWheels, error) {
	return newOmniWheels(d.WheelAngles, rollerAngle, d.WheelDistance, d.WheelRadius)
}

// newOmniWheels allows any roller angle beta, in radians; see Speeds for the formula.
func newOmniWheels(angles []float64, beta, distance, radius float64) (OmniWheels, error) {
	o := OmniWheels{n: len(angles), radius: radius * math.Sin(beta)}
	if o.n > MaxWheels {
		return OmniWheels{}, errors.New("more than 8 wheels")
	}
	var normal mgl64.Mat3
	var rows [MaxWheels]mgl64.Vec3
	for i, a := range angles {
		sin, cos := math.Sincos(a)
		g := WheelGrip{X: distance * cos, Y: distance * sin, EX: -math.Cos(a + beta), EY: -math.Sin(a + beta)}
		o.grips[i] = g
		rows[i] = mgl64.Vec3{g.EX, g.EY, g.X*g.EY - g.Y*g.EX}
		normal = normal.Add(rows[i].OuterProd3(rows[i]))
	}
	lengths := mgl64.Vec3{1, 1, distance}
	if scale := math.Pow(float64(o.n)/2, 2) * float64(o.n) * lengths[2] * lengths[2]; !(normal.Det() > minSpan*scale) {
		return OmniWheels{}, errNoSpan
	}
	inverse := normal.Inv()
	for i := range o.n {
		o.fromRims[i] = inverse.Mul3x1(rows[i])
	}
	return o, nil
}

// Len returns the number of wheels.
func (o *OmniWheels) Len() int { return o.n }

// Grip returns the contact of wheel i.
func (o *OmniWheels) Grip(i int) WheelGrip { return o.grips[i] }

// Radius returns the factor between a wheel's rate, rad/s, and the speed along its grip, m/s.
func (o *OmniWheels) Radius() float64 { return o.radius }

// Speeds returns each wheel's rate in rad/s for a body velocity; entries without a wheel are 0. With r the wheel's
// radius, d its distance, a its place around the centre and b the angle of its rollers
//
//	w = (1/r)·( −cos(a+b)/sin b · vx − sin(a+b)/sin b · vy − d·omega )
//
// Source: Zhou et al., Simatch, eq. 3.
func (o *OmniWheels) Speeds(t PlanarTwist) (rates [MaxWheels]float64) {
	for i := range o.n {
		g := &o.grips[i]
		rates[i] = (g.EX*(t.VX-t.Omega*g.Y) + g.EY*(t.VY+t.Omega*g.X)) / o.radius
	}
	return rates
}

// Twist returns the body velocity that fits the wheels' rates best, in the sense of least squares of rim speeds.
func (o *OmniWheels) Twist(rates [MaxWheels]float64) PlanarTwist {
	var sum mgl64.Vec3
	for i := range o.n {
		sum = sum.Add(o.fromRims[i].Mul(rates[i] * o.radius))
	}
	return PlanarTwist{VX: sum[0], VY: sum[1], Omega: sum[2]}
}
