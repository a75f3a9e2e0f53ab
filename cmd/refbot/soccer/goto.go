package soccer

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// DriveGoal is the goal of a drive.
type DriveGoal struct {
	Pos     pitch.Vec
	Heading float64
	Vel     pitch.Vec // on arrival, m/s, for example that of the ball
	Speed   float64   // maximum, m/s; 0 for maxSpeed
	Room    float64   // additional clearance from others, m
	Ball    float64   // distance from the ball, centre to centre, m; 0 for no limit
}

// Limits of the drive. They are below those of the nubot robot (5 m/s, 2.5 m/s², 600 °/s, 400 °/s²), so that wheels do
// not slip.
const (
	maxSpeed   = 3.2 // m/s
	accel      = 2.0 // m/s²
	maxOmega   = 5.0 // rad/s
	maxAlpha   = 4.5 // rad/s²
	settleRate = 4.0 // 1/s: near its goal the robot's speed is at most this times its distance
	// m/s², largest product of speed and turn rate: a robot that turns while it drives has to accelerate sideways by
	// that much, or it drifts
	turnAccel = 1.6
	slowTurn  = 0.8 // rad/s, always allowed
)

// robotRadius is the radius of a robot, and passing the gap between two robots that pass each other, m.
const (
	robotRadius = 0.25
	passingRoom = 0.17
)

// GoTo drives the robot to a goal, around others, and stops it there.
func GoTo(w *world.World, g DriveGoal) Command {
	if g.Speed == 0 {
		g.Speed = maxSpeed
	}
	discs := Obstacles(w, g)
	to := outsideDiscs(g.Pos, w.Me.Pos, discs)
	if w.Me.Number != 1 && w.Pitch.InGoalArea(to, robotRadius) {
		to, g.Vel = w.Pitch.OutsideGoalAreas(to, robotRadius), pitch.Vec{}
	}
	way := PlanPath(nil, w.Me.Pos, w.Me.Vel, to, discs)
	far := pathLength(w.Me.Pos, way)
	speed := min(g.Speed, stoppingSpeed(far, accel), settleRate*far)
	vel := pitch.Unit(way[0].Sub(w.Me.Pos)).Mul(speed).Add(g.Vel)
	if v := vel.Len(); v > maxSpeed {
		vel = vel.Mul(maxSpeed / v)
	}
	most := max(slowTurn, turnAccel/max(w.Me.Vel.Len(), 1e-6))
	vel = brake(w, vel)
	if g.Ball > 0 && w.Ball.Known { // applies on any path
		off := w.Ball.Pos.Sub(w.Me.Pos)
		vel = limitAlong(vel, pitch.Unit(off), stoppingSpeed(off.Len()-g.Ball, accel))
	}
	return Command{Target: to, Way: way, Vel: vel, Omega: mgl64.Clamp(TurnTo(w, g.Heading), -most, most)}
}

// Stop stops the robot and turns it to a heading.
func Stop(w *world.World, heading float64) Command { return Command{Omega: TurnTo(w, heading)} }

// TurnTo returns the turn rate at which the robot comes to rest at a heading, rad/s.
func TurnTo(w *world.World, heading float64) float64 {
	off := pitch.Wrap(heading - w.Me.Heading)
	speed := min(maxOmega, stoppingSpeed(math.Abs(off), maxAlpha), settleRate*1.5*math.Abs(off))
	return math.Copysign(speed, off)
}

// stoppingSpeed returns the highest speed from which a robot can stop within a distance.
func stoppingSpeed(far, accel float64) float64 { return math.Sqrt(2 * accel * max(0, far)) }

// Facing returns the heading towards a position, rad.
func Facing(w *world.World, at pitch.Vec) float64 { return pitch.Angle(at.Sub(w.Me.Pos)) }

// foresight is how far ahead other robots are predicted at constant velocity, s. Guess.
const foresight = 0.3

// Obstacles returns the discs that the robot drives around on its way to a goal.
func Obstacles(w *world.World, g DriveGoal) []Disc {
	discs := make([]Disc, 0, len(w.Others)+3)
	for i := range w.Others {
		o := &w.Others[i]
		discs = append(discs, Disc{o.Pos.Add(o.Vel.Mul(foresight)), 2*robotRadius + passingRoom + g.Room})
	}
	if g.Ball > 0 && w.Ball.Known {
		discs = append(discs, Disc{w.Ball.Pos, g.Ball + passingRoom})
	}
	for _, x := range [2]float64{-1, 1} { // posts
		for _, y := range [2]float64{-1, 1} {
			discs = append(discs, Disc{pitch.Vec{x * (w.Pitch.Length/2 + 0.06), y * (pitch.GoalWidth/2 + 0.06)},
				robotRadius + 0.15})
		}
	}
	return discs
}

// outsideDiscs moves a goal that lies in discs towards the robot, out of them.
func outsideDiscs(to, from pitch.Vec, discs []Disc) pitch.Vec {
	for i := range discs {
		d := &discs[i]
		if pitch.Distance(to, d.Centre) < d.Radius-passingRoom {
			to = pitch.Toward(d.Centre, from, d.Radius-passingRoom)
		}
	}
	return to
}

// brake limits the velocity so that the robot does not hit another one if both brake.
func brake(w *world.World, vel pitch.Vec) pitch.Vec {
	for i := range w.Others {
		o := &w.Others[i]
		normal := pitch.Unit(o.Pos.Sub(w.Me.Pos))
		gap := pitch.Distance(o.Pos, w.Me.Pos) - 2*robotRadius - 0.03
		away := o.Vel.Dot(normal)
		if away < 0 {
			gap /= 2 // the other robot stops within the other half
		}
		vel = limitAlong(vel, normal, max(0, away)+stoppingSpeed(gap, accel))
	}
	return vel
}

// limitAlong limits the component of a velocity in a direction.
func limitAlong(vel, direction pitch.Vec, most float64) pitch.Vec {
	return vel.Sub(direction.Mul(max(0, vel.Dot(direction)-most)))
}
