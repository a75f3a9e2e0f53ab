package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Flight is the dynamics of the ball in the air. If v is the ball's velocity and w its angular velocity, then
//
//	dv/dt = g − k·|v|·v + m·w×v,   k = ρ·A·c_d/2M,   m = ρ·A·r·c_m/2M
//
// where A is the ball's cross-section, M its mass, c_d the drag coefficient, and c_m the lift coefficient divided by
// the spin ratio r·|w|/|v|.
type Flight struct {
	gravity, drag, lift float64
}

// Flight returns the dynamics of the model's ball.
func (s *Model) Flight() Flight {
	b := &s.Ball
	k := s.Config.AirDensity * math.Pi * b.Radius * b.Radius / (2 * b.Mass)
	return Flight{gravity: s.Config.Gravity, drag: k * b.Drag, lift: k * b.Radius * b.Magnus}
}

// Air returns the acceleration that the air alone causes, m/s².
func (f *Flight) Air(v, spin mgl64.Vec3) mgl64.Vec3 {
	a := v.Mul(-f.drag * v.Len())
	if f.lift != 0 {
		a = a.Add(spin.Cross(v).Mul(f.lift))
	}
	return a
}

// Accel returns the acceleration that air and gravity cause, m/s².
func (f *Flight) Accel(v, spin mgl64.Vec3) mgl64.Vec3 {
	a := f.Air(v, spin)
	a[2] -= f.gravity
	return a
}

// Fly returns the ball's position and velocity after dt seconds, computed by the midpoint method. Without air the
// result is exact.
func (f *Flight) Fly(pos, v, spin mgl64.Vec3, dt float64) (mgl64.Vec3, mgl64.Vec3) {
	middle := v.Add(f.Accel(v, spin).Mul(dt / 2))
	return pos.Add(middle.Mul(dt)), v.Add(f.Accel(middle, spin).Mul(dt))
}

// aimStep is the time step for simulating the flight of an aimed lob, seconds: the default step of a world.
const aimStep = 0.005

// heightAt returns the height, in metres, that a ball has when it has flown a horizontal distance. The arguments pos, v
// and spin are the ball's position, velocity and angular velocity at the start; along is the horizontal unit vector of
// the flight. heightAt returns −Inf if the ball falls below the floor before that.
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
