package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// DefaultLobSpeed is the speed of a lob that aims without a goal ahead, m/s. Guess: at 45° it flies 3.5 m, a pass over one opponent.
const DefaultLobSpeed = 6.0

// Attacks returns the goal that a team shoots at.
func (t Team) Attacks(f *Field) Goal {
	goals := f.Goals()
	if t == Magenta {
		return goals[0]
	}
	return goals[1]
}

// Speed returns the ball's speed, m/s, for the strength that the software asks of a fully charged kicker.
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

// energy returns the share of a full kicker's energy that a shot of a speed, m/s, takes.
func (k *Kicker) energy(speed float64) float64 { return speed * speed / (k.MaxSpeed * k.MaxSpeed) }

// Shot is the result of a kick.
type Shot struct {
	VelW   mgl64.Vec3 // the ball's velocity afterwards, m/s
	Energy float64    // that the kicker loses, as a share of a full one's
}

// Launch returns the result of a kick of a ball at posW with the velocity velW and the angular velocity spinW, by a robot with a heading
// and a charge, the share of its kicker's energy, 0 to 1. The kick acts along the heading, through the ball's centre, and adds to the
// ball's velocity.
//
// A lob of speed 0 aims: if the ray along the heading enters the opponent's goal, the ball's centre passes the goal line one ball radius
// below where the ball would touch the bar, as far as the kicker is strong enough.
func (s *Model) Launch(robot int, kick Kick, charge, heading float64, posW, velW, spinW mgl64.Vec3) Shot {
	kicker := s.Robots[robot].Kicker
	if kick.Mode == NoKick || kicker == nil {
		return Shot{VelW: velW}
	}
	sin, cos := math.Sincos(heading)
	up, along := 0.0, 1.0
	speed := kicker.Speed(kick.Speed)
	if kick.Mode == LobKick {
		up, along = math.Sincos(kicker.LobAngle)
		if kick.Speed == 0 {
			speed = math.Min(s.lobSpeed(robot, heading, posW, velW, spinW), kicker.MaxSpeed)
		}
	}
	speed = math.Min(speed, kicker.MaxSpeed*math.Sqrt(charge))
	return Shot{
		VelW:   velW.Add(mgl64.Vec3{speed * along * cos, speed * along * sin, speed * up}),
		Energy: kicker.energy(speed),
	}
}

// goalAhead returns the distance to the opponent's goal line along the heading, and whether the ball would cross it between the posts.
func (s *Model) goalAhead(robot int, heading float64, posW mgl64.Vec3) (distance float64, ok bool) {
	goal := s.Robots[robot].Team.Attacks(&s.Field)
	sin, cos := math.Sincos(heading)
	distance = (goal.X - posW[0]) / cos
	y := posW[1] + distance*sin
	return distance, distance > 0 && cos*goal.Side > 0 && math.Abs(y) < s.Field.GoalWidth/2-s.Ball.Radius
}

// lobSpeed returns the speed of a lob that aims; +Inf if no speed is enough.
func (s *Model) lobSpeed(robot int, heading float64, posW, velW, spinW mgl64.Vec3) float64 {
	distance, ok := s.goalAhead(robot, heading, posW)
	if !ok {
		return DefaultLobSpeed
	}
	sin, cos := math.Sincos(heading)
	ahead := mgl64.Vec3{cos, sin, 0}
	angle := s.Robots[robot].Kicker.LobAngle
	want := s.Field.GoalHeight - 2*s.Ball.Radius
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

// vacuumLob returns the speed v at which a ball that is shot at an elevation, and already moves forwards, has risen by rise at a
// distance, without air; +Inf if the straight line at that elevation passes lower. From
// distance = (v·cos + forward)·t and rise = v·sin·t − g·t²/2 follows a·v² + b·v + c = 0 with the terms below.
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

// solveRising returns the zero of a rising function in an interval by bisection; +Inf if the function is negative at its end.
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
