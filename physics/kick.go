package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// DefaultLobSpeed is that of a lob that may choose its speed and has no goal ahead, in m/s. Guess: from 45° it flies
// 3.7 m, a pass over one opponent.
const DefaultLobSpeed = 6.0

// Attacks returns the goal that a team shoots at.
func (t Team) Attacks(f *Field) Goal {
	goals := f.Goals()
	if t == Magenta {
		return goals[0]
	}
	return goals[1]
}

// Launch returns the ball's velocity in W right after a robot with the given heading has kicked it: the kick, along
// the heading, on top of the velocity that the ball has had before. posW is the ball's centre.
//
// A lob of speed 0 aims: where the ray along the heading enters the opponent's goal, the ball's centre passes the goal
// line one ball radius below where it would touch the bar, as fast as that needs and the kicker can.
func (s *Scene) Launch(robot int, kick Kick, heading float64, posW, velW mgl64.Vec3) mgl64.Vec3 {
	kicker := s.Robots[robot].Kicker
	if kick.Mode == NoKick || kicker == nil {
		return velW
	}
	sin, cos := math.Sincos(heading)
	if kick.Mode == FlatKick {
		speed := kicker.within(kick.Speed)
		return velW.Add(mgl64.Vec3{speed * cos, speed * sin, 0})
	}
	speed := kick.Speed
	if speed == 0 {
		speed = DefaultLobSpeed
		if distance, ok := s.goalAhead(robot, heading, posW); ok {
			forward := velW[0]*cos + velW[1]*sin
			rise := s.Field.GoalHeight - 2*s.Ball.Radius - posW[2]
			speed = lobSpeed(s.Config.Gravity, kicker.LobAngle, distance, rise, forward)
		}
	}
	speed = kicker.within(speed)
	up, along := math.Sincos(kicker.LobAngle)
	return velW.Add(mgl64.Vec3{speed * along * cos, speed * along * sin, speed * up})
}

func (k *Kicker) within(speed float64) float64 { return math.Max(0, math.Min(speed, k.MaxSpeed)) }

// goalAhead returns how far along the heading the goal line is, if the ball crosses it between the posts.
func (s *Scene) goalAhead(robot int, heading float64, posW mgl64.Vec3) (distance float64, ok bool) {
	goal := s.Robots[robot].Team.Attacks(&s.Field)
	sin, cos := math.Sincos(heading)
	distance = (goal.X - posW[0]) / cos
	y := posW[1] + distance*sin
	return distance, distance > 0 && cos*goal.Side > 0 && math.Abs(y) < s.Field.GoalWidth/2-s.Ball.Radius
}

// lobSpeed returns the speed at which a ball shot at an elevation, on top of a forward speed, has risen by rise when
// it has gone the distance. It is +Inf where the straight line at that elevation passes lower. From
// distance = (v·cos + forward)·t and rise = v·sin·t − g·t²/2 follows a·v² + b·v + c = 0 with the terms below.
func lobSpeed(gravity, elevation, distance, rise, forward float64) float64 {
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
