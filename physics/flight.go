package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Flight is how a ball moves through the air. With v its velocity and w its spin
//
//	dv/dt = g − k·|v|·v + m·w×v,   k = ρ·A·c_d/2M,   m = ρ·A·r·c_m/2M
//
// where A is the ball's cross-section, M its mass, c_d the drag coefficient, and c_m the lift coefficient divided by
// the spin ratio r·|w|/|v|.
type Flight struct {
	gravity, drag, lift float64
}

// Flight returns the model's.
func (s *Model) Flight() Flight {
	b := &s.Ball
	k := s.Config.AirDensity * math.Pi * b.Radius * b.Radius / (2 * b.Mass)
	return Flight{gravity: s.Config.Gravity, drag: k * b.Drag, lift: k * b.Radius * b.Magnus}
}

// Air returns the acceleration by the air alone, m/s².
func (f *Flight) Air(v, spin mgl64.Vec3) mgl64.Vec3 {
	a := v.Mul(-f.drag * v.Len())
	if f.lift != 0 {
		a = a.Add(spin.Cross(v).Mul(f.lift))
	}
	return a
}

// Accel returns the acceleration with gravity, m/s².
func (f *Flight) Accel(v, spin mgl64.Vec3) mgl64.Vec3 {
	a := f.Air(v, spin)
	a[2] -= f.gravity
	return a
}

// Fly advances by dt seconds, to second order: exact without air.
func (f *Flight) Fly(pos, v, spin mgl64.Vec3, dt float64) (mgl64.Vec3, mgl64.Vec3) {
	middle := v.Add(f.Accel(v, spin).Mul(dt / 2))
	return pos.Add(middle.Mul(dt)), v.Add(f.Accel(middle, spin).Mul(dt))
}

// aimStep is the time step with which an aimed lob is followed; what a step of the world is by default.
const aimStep = 0.005

// heightAt returns how high a ball that starts like this is when it has gone a distance along a horizontal direction,
// and −Inf when it comes down to below the floor before.
func (f *Flight) heightAt(pos, v, spin, along mgl64.Vec3, distance float64) float64 {
	gone := 0.0
	for pos[2] > 0 {
		next, nextV := f.Fly(pos, v, spin, aimStep)
		step := next.Sub(pos).Dot(along)
		if gone+step >= distance && step > 0 {
			pos, _ = f.Fly(pos, v, spin, aimStep*(distance-gone)/step)
			return pos[2]
		}
		gone, pos, v = gone+step, next, nextV
	}
	return math.Inf(-1)
}
