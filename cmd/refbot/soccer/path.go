package soccer

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Disc is an obstacle. The centre of the robot stays outside of the disc.
type Disc struct {
	Centre pitch.Vec
	Radius float64 // m
}

// maxDetours is the largest number of discs that a path goes around.
const maxDetours = 3

// PlanPath plans a short path around discs from the position start, and appends its waypoints to dst. The last waypoint
// is the position target. If two paths have similar lengths, PlanPath prefers the path in the direction of the robot's
// velocity vel, so that the choice does not alternate from frame to frame.
func PlanPath(dst []pitch.Vec, start, vel, target pitch.Vec, discs []Disc) []pitch.Vec {
	return detour(dst, start, target, vel, discs, maxDetours)
}

// detour plans a path around the first disc in the way, and appends its waypoints to dst. It chooses the side of the
// disc on which the whole path is shorter. The path goes around at most maxDiscs discs.
func detour(dst []pitch.Vec, start, target, vel pitch.Vec, discs []Disc, maxDiscs int) []pitch.Vec {
	i := firstInWay(start, target, discs)
	if i < 0 || maxDiscs == 0 {
		return append(dst, target)
	}
	var best []pitch.Vec
	least := math.Inf(1)
	across := pitch.Turn(pitch.Unit(target.Sub(start)), math.Pi/2)
	for _, side := range [2]float64{1, -1} {
		corner := discs[i].Centre.Add(across.Mul(side * (discs[i].Radius + clearance)))
		way := detour(nil, start, corner, vel, discs, maxDiscs-1)
		way = detour(way, corner, target, pitch.Vec{}, discs, maxDiscs-1)
		cost := pathLength(start, way) - keepOn*pitch.Unit(corner.Sub(start)).Dot(vel)
		if cost < least {
			best, least = way, cost
		}
	}
	return append(dst, best...)
}

// Guesses. clearance is the distance of a waypoint from the edge of the disc that the path goes around, in m. keepOn is
// how much longer a path in the driving direction may be than another path, in m for each m/s of the robot's speed on
// wheels, or of that speed with the same share of the maximum on legs.
const (
	clearance = 0.05
	keepOn    = 0.6
)

// firstInWay returns the index of the first disc on a straight path, or −1 if no disc is on the path. A disc that
// contains an end of the path counts only if the path leads deeper into the disc.
func firstInWay(from, to pitch.Vec, discs []Disc) int {
	first, nearest := -1, math.Inf(1)
	for i := range discs {
		d := &discs[i]
		if besideAll(d, from, to) {
			continue
		}
		radius := min(d.Radius, pitch.Distance(d.Centre, from)-1e-6, pitch.Distance(d.Centre, to)-1e-6)
		if off, along := pitch.FromSegment(d.Centre, from, to); off < radius && along < nearest {
			first, nearest = i, along
		}
	}
	return first
}

// besideAll reports whether a disc lies entirely on one side of the bounding box of a path, so that it cannot be in the
// way. The test is cheap, and true for most discs.
func besideAll(d *Disc, from, to pitch.Vec) bool {
	for k := range 2 {
		if c := d.Centre[k]; c > max(from[k], to[k])+d.Radius || c < min(from[k], to[k])-d.Radius {
			return true
		}
	}
	return false
}

func pathLength(from pitch.Vec, way []pitch.Vec) (sum float64) {
	for _, p := range way {
		sum += pitch.Distance(from, p)
		from = p
	}
	return sum
}

// DriveGoal says where and how a robot drives.
type DriveGoal struct {
	Pos     pitch.Vec
	Heading float64
	Vel     pitch.Vec // m/s, velocity on arrival, for example the velocity of the ball
	Speed   float64   // maximum, m/s; 0 for that of the robot
	Room    float64   // additional clearance from other robots, m
	Ball    float64   // least distance between the centres of robot and ball, m; 0 for no limit
}

// body is what the robots of a league can do, and how large they are.
type body struct {
	speed, accel float64 // m/s, m/s²
	omega, alpha float64 // rad/s, rad/s²
	// turnAccel is the largest product of speed and turn rate, in m/s². A robot that turns while it drives has to
	// accelerate sideways by this product. If it cannot, it drifts.
	turnAccel   float64
	keeperAccel float64 // accel of a goalkeeper with an extension, m/s²
	radius      float64 // m
	passingRoom float64 // gap between two robots that pass each other, m
	period      float64 // time between commands: that between frames, s
}

// The limits of wheels are below what the nubot robot can do (5 m/s, 2.5 m/s², 600 °/s, 400 °/s², and 1.8 m/s² with an
// extension), so that its wheels do not slip. Those of legs are what the humanoid-kid robot can do without a fall.
var (
	wheels = body{speed: 3.2, accel: 2, omega: 5, alpha: 4.5, turnAccel: 1.6, keeperAccel: 1.4, radius: 0.25,
		passingRoom: 0.17, period: 1. / 30}
	legs = body{speed: 0.25, accel: 0.4, omega: 1, alpha: 2, turnAccel: 1.6, radius: 0.16, passingRoom: 0.2,
		period: 1. / 15}
)

// bodyOf returns the body of the robots in a world.
func bodyOf(w *world.World) *body {
	if w.OnLegs() {
		return &legs
	}
	return &wheels
}

// settleRate limits a robot's speed to settleRate times its distance from the target, in 1/s. slowTurn is a turn rate
// that is allowed at any speed, in rad/s. A robot on legs that has to go farther than walksAhead, in m, faces where it
// goes, because it is fastest ahead.
const (
	settleRate = 4.0
	slowTurn   = 0.8
	walksAhead = 0.6
)

// GoTo drives the robot to the target g.Pos, around other robots. The robot arrives there with the velocity g.Vel, so
// with a zero g.Vel it stops there.
func GoTo(w *world.World, g DriveGoal) Command {
	b := bodyOf(w)
	if g.Speed == 0 {
		g.Speed = b.speed
	}
	discs := Obstacles(w, g)
	to := outsideDiscs(g.Pos, w.Me.Pos, discs, b.passingRoom)
	if w.Me.Number != 1 && !w.OnLegs() && w.Pitch.InGoalArea(to, b.radius) {
		to, g.Vel = w.Pitch.OutsideGoalAreas(to, b.radius), pitch.Vec{}
	}
	way := PlanPath(nil, w.Me.Pos, w.Me.Vel.Mul(wheels.speed/b.speed), to, discs)
	far := pathLength(w.Me.Pos, way)
	if w.OnLegs() && far > walksAhead {
		g.Heading = pitch.Angle(way[0].Sub(w.Me.Pos))
	}
	accel := accelOf(w)
	speed := min(g.Speed, stoppingSpeed(far, accel), settleRate*far)
	vel := pitch.Unit(way[0].Sub(w.Me.Pos)).Mul(speed).Add(g.Vel)
	if v := vel.Len(); v > b.speed {
		vel = vel.Mul(b.speed / v)
	}
	most := max(slowTurn, b.turnAccel/max(w.Me.Vel.Len(), 1e-6))
	vel = brake(w, vel)
	if g.Ball > 0 && w.Ball.Known { // applies on any path
		off := w.Ball.Pos.Sub(w.Me.Pos)
		vel = limitAlong(vel, pitch.Unit(off), stoppingSpeed(off.Len()-g.Ball, accel))
	}
	return Command{Target: to, Way: way, Vel: vel, Omega: mgl64.Clamp(TurnTo(w, g.Heading), -most, most)}
}

// accelOf returns the largest acceleration of the robot, m/s².
func accelOf(w *world.World) float64 {
	if w.Parts.Extension {
		return bodyOf(w).keeperAccel
	}
	return bodyOf(w).accel
}

// Stop stops the robot and turns it on the spot to a heading, in rad.
func Stop(w *world.World, heading float64) Command { return Command{Omega: TurnTo(w, heading)} }

// TurnTo returns the turn rate at which the robot comes to rest at a heading, rad/s.
func TurnTo(w *world.World, heading float64) float64 {
	b, off := bodyOf(w), pitch.Wrap(heading-w.Me.Heading)
	speed := min(b.omega, stoppingSpeed(math.Abs(off), b.alpha), settleRate*1.5*math.Abs(off))
	return math.Copysign(speed, off)
}

// stoppingSpeed returns the highest speed from which a robot can stop within the distance given by far, in m/s.
func stoppingSpeed(far, accel float64) float64 { return math.Sqrt(2 * accel * max(0, far)) }

// Facing returns the heading towards a position, rad.
func Facing(w *world.World, at pitch.Vec) float64 { return pitch.Angle(at.Sub(w.Me.Pos)) }

// foresight is how far ahead in time other robots are predicted at constant velocity, in s. 0.3 is a guess.
const foresight = 0.3

// Obstacles returns the discs around which the robot drives: other robots, the goalposts, and the ball if g requires a
// distance from it.
func Obstacles(w *world.World, g DriveGoal) []Disc {
	b, discs := bodyOf(w), make([]Disc, 0, len(w.Others)+3)
	for i := range w.Others {
		o := &w.Others[i]
		discs = append(discs, Disc{o.Pos.Add(o.Vel.Mul(foresight)), 2*b.radius + b.passingRoom + g.Room})
	}
	if g.Ball > 0 && w.Ball.Known {
		discs = append(discs, Disc{w.Ball.Pos, g.Ball + b.passingRoom})
	}
	for _, x := range [2]float64{-1, 1} { // posts
		for _, y := range [2]float64{-1, 1} {
			discs = append(discs, Disc{pitch.Vec{x * (w.Pitch.Length/2 + 0.06), y * (w.Pitch.GoalWidth()/2 + 0.06)},
				b.radius + 0.15})
		}
	}
	return discs
}

// outsideDiscs moves a target out of each disc that contains it, in the direction of the robot's position.
func outsideDiscs(target, robot pitch.Vec, discs []Disc, passingRoom float64) pitch.Vec {
	for i := range discs {
		d := &discs[i]
		if pitch.Distance(target, d.Centre) < d.Radius-passingRoom {
			target = pitch.Toward(d.Centre, robot, d.Radius-passingRoom)
		}
	}
	return target
}

// brake limits the robot's velocity so that the robot can still avoid a collision with another robot if both brake.
func brake(w *world.World, vel pitch.Vec) pitch.Vec {
	accel := accelOf(w)
	for i := range w.Others {
		o := &w.Others[i]
		normal := pitch.Unit(o.Pos.Sub(w.Me.Pos))
		gap := pitch.Distance(o.Pos, w.Me.Pos) - 2*bodyOf(w).radius - 0.03
		away := o.Vel.Dot(normal)
		if away < 0 {
			gap -= away * away / (2 * accel) // the other robot needs this part to stop
		}
		vel = limitAlong(vel, normal, max(0, away)+stoppingSpeed(gap, accel))
	}
	return vel
}

// limitAlong reduces a velocity so that its component in a direction is at most most, in m/s. The direction is a
// unit vector.
func limitAlong(vel, direction pitch.Vec, most float64) pitch.Vec {
	return vel.Sub(direction.Mul(max(0, vel.Dot(direction)-most)))
}
