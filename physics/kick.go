package physics

import (
	"cmp"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// DefaultLobSpeed is the speed of an aimed lob if no goal is ahead, in m/s. 6 m/s is a guess: at 45° the ball flies 3.5
// m, which is a pass over one opponent.
const DefaultLobSpeed = 6.0

// Attacks returns the goal that the team attacks. On a field without goals it is the place where that goal would be.
func (t Team) Attacks(f *Field) Goal {
	if t == Magenta {
		return f.end(-1)
	}
	return f.end(1)
}

// Rival returns the opponents of a team.
func (t Team) Rival() Team {
	if t == Cyan {
		return Magenta
	}
	return Cyan
}

// Speed returns the speed, in m/s, that a fully charged kicker gives the ball. The argument is the strength that the
// robot's software asks for.
func (k *Kicker) Speed(asked float64) float64 {
	asked = math.Max(0, asked)
	speed := asked
	before := Strength{}
	for i, s := range k.Strengths {
		if asked <= s.Asked || i == len(k.Strengths)-1 {
			share := math.Min(1, (asked-before.Asked)/(s.Asked-before.Asked))
			speed = before.Speed + share*(s.Speed-before.Speed)
			break
		}
		before = s
	}
	return math.Min(speed, k.MaxSpeed)
}

// energy returns the energy of a shot with the given speed in m/s, as a fraction of the energy of a fully charged
// kicker.
func (k *Kicker) energy(speed float64) float64 { return speed * speed / (k.MaxSpeed * k.MaxSpeed) }

// Shot is the result of a kick.
type Shot struct {
	VelW   mgl64.Vec3 // the ball's velocity afterwards, m/s
	Energy float64    // energy that the shot takes, as a fraction of a fully charged kicker's energy
}

// Launch returns the result when a robot kicks a ball whose centre is at posW, with linear velocity velW and angular
// velocity spinW. The argument charge is the energy of the kicker as a fraction of its full energy, 0 to 1. The kick
// acts along the heading, through the ball's centre. Its velocity is added to the ball's velocity, or replaces it if
// the kick is Absolute.
//
// A lob of speed 0 is aimed. If the ray along the heading enters the opponent's goal, the ball's centre passes the goal
// line one ball radius below the height at which the ball would touch the bar, as far as the kicker is strong enough.
// With a Flight, the lob is aimed the same way wherever the ray crosses a goal line within the field.
func (s *Model) Launch(robot int, kick Kick, charge, heading float64, posW, velW, spinW mgl64.Vec3) Shot {
	kicker := s.Robots[robot].Kicker
	if kick.Mode == NoKick || kicker == nil {
		return Shot{VelW: velW}
	}
	sin, cos := math.Sincos(heading)
	up, along := 0.0, 1.0
	speed := kicker.Speed(kick.Speed)
	if kick.Absolute {
		velW = mgl64.Vec3{}
	}
	if kick.Mode == LobKick {
		angle, fast := s.lob(robot, &kick, heading, posW, velW, spinW)
		up, along = math.Sincos(angle)
		speed = fast
	}
	speed = math.Min(speed, kicker.MaxSpeed*math.Sqrt(charge))
	return Shot{
		VelW:   velW.Add(mgl64.Vec3{speed * along * cos, speed * along * sin, speed * up}),
		Energy: kicker.energy(speed),
	}
}

// lob returns the elevation of a lob, in rad, and the speed that the kicker must give the ball, in m/s. It does not
// limit this speed to what the kicker can do.
func (s *Model) lob(robot int, kick *Kick, heading float64, posW, velW, spinW mgl64.Vec3) (angle, speed float64) {
	kicker := s.Robots[robot].Kicker
	angle = cmp.Or(kick.Elevation, kicker.LobAngle)
	if kick.Flight > 0 {
		if distance, ok := s.goalLineAhead(heading, posW); ok {
			angle = s.flightAngle(kick, distance, posW)
			return angle, s.lobSpeed(angle, distance, heading, posW, velW, spinW)
		}
	}
	if kick.Speed != 0 {
		return angle, kicker.Speed(kick.Speed)
	}
	if distance, ok := s.goalAhead(robot, heading, posW); ok {
		return angle, s.lobSpeed(angle, distance, heading, posW, velW, spinW)
	}
	return angle, DefaultLobSpeed
}

// goalAhead returns the distance to the opponent's goal line along the heading, and reports whether the ball would
// cross it between the posts.
func (s *Model) goalAhead(robot int, heading float64, posW mgl64.Vec3) (distance float64, ok bool) {
	goal := s.Robots[robot].Team.Attacks(&s.Field)
	sin, cos := math.Sincos(heading)
	distance = (goal.X - posW[0]) / cos
	y := posW[1] + distance*sin
	return distance, distance > 0 && cos*goal.Side > 0 && math.Abs(y) < s.Field.GoalWidth/2-s.Ball.Radius
}

// goalLineAhead returns the distance along the heading to the goal line of either team, and reports whether the ball
// would cross it within the field.
func (s *Model) goalLineAhead(heading float64, posW mgl64.Vec3) (distance float64, ok bool) {
	sin, cos := math.Sincos(heading)
	distance = (math.Copysign(s.Field.Length/2, cos) - posW[0]) / cos
	return distance, distance > 0 && math.Abs(posW[1]+distance*sin) <= s.Field.Width/2
}

// lobHeight returns the height, in metres, at which the ball's centre crosses the goal line in an aimed lob.
func (s *Model) lobHeight() float64 { return s.Field.GoalHeight - 2*s.Ball.Radius }

// flightAngle returns the elevation at which a lob without air reaches lobHeight at the goal line after the time
// kick.Flight. From distance = v·cos·t and rise = v·sin·t − g·t²/2 follows tan = (rise + g·t²/2) / distance.
func (s *Model) flightAngle(kick *Kick, distance float64, posW mgl64.Vec3) float64 {
	t := kick.Flight
	if kick.Speed > 0 {
		t = math.Max(t, distance/kick.Speed)
	}
	return math.Atan2(s.lobHeight()-posW[2]+s.Config.Gravity*t*t/2, distance)
}

// lobSpeed returns the speed with which a lob of a given elevation reaches lobHeight at the goal line, which is at the
// given distance. It returns +Inf if no speed is enough.
func (s *Model) lobSpeed(angle, distance, heading float64, posW, velW, spinW mgl64.Vec3) float64 {
	sin, cos := math.Sincos(heading)
	ahead := mgl64.Vec3{cos, sin, 0}
	want := s.lobHeight()
	vacuum := vacuumLob(s.Config.Gravity, angle, distance, want-posW[2], velW.Dot(ahead))
	flight := s.Flight()
	if flight.drag == 0 && flight.lift == 0 || math.IsInf(vacuum, 1) {
		return vacuum
	}
	up, along := math.Sincos(angle)
	over := func(speed float64) float64 {
		v := velW.Add(ahead.Mul(speed * along))
		v[2] += speed * up
		return math.Max(-1e3, flight.heightAt(posW, v, spinW, ahead, distance)) - want
	}
	return solveRising(over, vacuum/2, 3*vacuum)
}

// vacuumLob returns the speed v with which a lob without air passes through a given point. The point is at a horizontal
// distance, and at the height rise above the start. Before the shot, the ball already moves towards the point with the
// speed forward. vacuumLob returns +Inf if the straight line at the elevation passes below the point. From distance =
// (v·cos + forward)·t and rise = v·sin·t − g·t²/2 follows a·v² + b·v + c = 0 with the terms below.
func vacuumLob(gravity, elevation, distance, rise, forward float64) float64 {
	sin, cos := math.Sincos(elevation)
	a := cos * (sin*distance - cos*rise)
	b := forward * (sin*distance - 2*cos*rise)
	c := -rise*forward*forward - gravity*distance*distance/2
	root := b*b - 4*a*c
	if a <= 0 || root < 0 {
		return math.Inf(1)
	}
	return (-b + math.Sqrt(root)) / (2 * a)
}

// solveRising returns the zero of a rising function in [lo, hi] by bisection, or +Inf if the function is negative at
// hi.
func solveRising(f func(float64) float64, lo, hi float64) float64 {
	if f(hi) < 0 {
		return math.Inf(1)
	}
	for range 40 { // to 1e-12 of the interval
		if middle := (lo + hi) / 2; f(middle) < 0 {
			lo = middle
		} else {
			hi = middle
		}
	}
	return hi
}

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

// heightAt returns the height, in metres, of a ball that has flown a horizontal distance. It returns −Inf if the ball
// falls below the floor before that. The arguments pos, v and spin are the ball's position, velocity and angular
// velocity at the start. The argument along is the horizontal unit vector of the flight.
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
