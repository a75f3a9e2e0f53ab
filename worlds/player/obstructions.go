package player

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// obstructions are the bodies that a robot goes around: other robots, obstacles and goal posts, each represented by a
// disc. The robot goes straight, or in the direction closest to straight that passes all discs at a distance. It passes
// on the side that needs the smaller turn, and keeps to that side until the straight path is free. It brakes before a
// body that it comes too close to, so that it does not push the body.
type obstructions struct {
	model   *physics.Model
	robot   int
	posts   []disc
	ball    disc // disc of the ball, if the robot is to go around the ball; otherwise the zero disc
	discs   []disc
	sector  []sector
	own     float64 // the robot's radius, metres
	room    float64 // distance that the robot keeps free from bodies, m
	carries bool    // the robot carries the ball
	lines   bool    // whether the robot stays within the field's lines, with or without the ball
	side    float64 // side on which the robot passes: 1 is left, −1 is right, 0 is neither
}

// disc is a circular area that covers a body which obstructs the robot.
type disc struct {
	centre mgl64.Vec2
	vel    mgl64.Vec2
	// distance in m between the disc's centre and the robot's centre at which the two bodies almost touch
	near float64
	wide float64 // distance in m between the two centres that the robot keeps when it goes around the body
}

// sector is a range of directions that a disc blocks.
type sector struct{ middle, half float64 }

// Distances that players keep. They are guesses: a hand's width when the robot passes a body, and one more hand's width
// when the robot carries the ball.
const (
	touchGap  = 0.03 // m: gap at which bodies almost touch
	passGap   = 0.15 // m: gap when passing a body
	carryGap  = 0.3  // m: gap when passing a body with the ball
	foresight = 0.2  // s: for how long other robots are assumed to keep their velocity
	sideBonus = 1.0  // rad: how much farther the robot turns in order to keep to its side
	// rad: how much farther the robot turns in order to pass on the right, as ships do, so that two robots do not
	// collide
	rightBonus = 0.3
)

func newObstructions(m *physics.Model, robot int) obstructions {
	o := obstructions{model: m, robot: robot, own: m.Robots[robot].Body.Radius}
	for _, g := range m.Field.Goals() {
		for _, b := range m.Field.GoalPosts(g) {
			if b.Min[2] > 0 {
				continue // skips the bar
			}
			radius := math.Hypot(b.Max[0]-b.Min[0], b.Max[1]-b.Min[1]) / 2
			o.posts = append(o.posts, o.disc(mgl64.Vec2{(b.Min[0] + b.Max[0]) / 2, (b.Min[1] + b.Max[1]) / 2},
				mgl64.Vec2{}, radius))
		}
	}
	most := len(m.Robots) + len(m.Obstacles) + len(o.posts) + 1
	o.discs, o.sector = make([]disc, 0, most), make([]sector, 0, most)
	return o
}

func (o *obstructions) disc(centre, vel mgl64.Vec2, radius float64) disc {
	near := o.own + radius + touchGap
	return disc{centre: centre, vel: vel, near: near, wide: near + o.room}
}

// update copies the positions of all bodies from a snapshot. The argument carry says whether the robot carries the
// ball.
func (o *obstructions) update(now *physics.Snapshot, carry bool) {
	o.room, o.carries = passGap, carry
	if carry {
		o.room = carryGap
	}
	o.discs = o.discs[:0]
	for i := range now.Robots {
		if r := &now.Robots[i]; i != o.robot {
			o.discs = append(o.discs, o.disc(flat(r.PoseWB.Pos), flat(r.TwistWBInW.Lin), o.model.Robots[i].Body.Radius))
		}
	}
	for i := range now.Obstacles {
		b := &now.Obstacles[i]
		o.discs = append(o.discs, o.disc(flat(b.PoseWO.Pos), flat(b.TwistWOInW.Lin), o.model.Obstacles[i].Radius()))
	}
	if o.discs = append(o.discs, o.posts...); o.ball.near > 0 {
		o.discs = append(o.discs, o.ball)
	}
}

// nearestFree returns the place nearest to the given one at which the robot touches nothing. If the given place is
// inside a disc, the result is on the robot's side of the disc.
func (o *obstructions) nearestFree(place, pos mgl64.Vec2) mgl64.Vec2 {
	for i := range o.discs {
		d := &o.discs[i]
		if off := place.Sub(d.centre); off.Dot(off) < d.near*d.near {
			place = d.centre.Add(unit(off, unit(pos.Sub(d.centre), mgl64.Vec2{1, 0})).Mul(d.near))
		}
	}
	return place
}

// direction returns the direction, in rad, in which the robot starts so that it avoids the discs. The argument way is
// the vector from the robot to its target. It must not be zero.
func (o *obstructions) direction(pos, way mgl64.Vec2) float64 {
	straight := math.Atan2(way[1], way[0])
	o.sector = o.sector[:0]
	for i := range o.discs {
		o.block(&o.discs[i], pos, way)
	}
	left, right := o.turn(straight, 1)+rightBonus, o.turn(straight, -1)
	if right == 0 {
		o.side = 0
		return straight
	}
	if o.side > 0 {
		left -= sideBonus
	} else if o.side < 0 {
		right -= sideBonus
	}
	o.side = 1
	if right < left {
		o.side = -1
	}
	return straight + o.side*o.turn(straight, o.side)
}

// block adds the sector of directions that a disc blocks, if the disc obstructs the path.
func (o *obstructions) block(d *disc, pos, way mgl64.Vec2) {
	centre := d.centre.Add(d.vel.Mul(foresight)).Sub(pos)
	square, ahead := centre.Dot(centre), way.Dot(way)
	if ahead <= square-d.wide*d.wide {
		return // the path ends before the disc
	}
	// The target may be a place close to the disc, so the robot keeps a smaller distance there.
	radius := min(d.wide, max(d.near, length(centre.Sub(way))))
	distance := math.Sqrt(square)
	if distance < 1e-6 || ahead <= square-radius*radius {
		return
	}
	o.sector = append(o.sector, sector{math.Atan2(centre[1], centre[0]), math.Asin(min(1, radius/distance))})
}

// turn returns the angle, in rad, from the direction start to the nearest direction on one side that no disc blocks.
// The argument side is 1 for left and −1 for right.
func (o *obstructions) turn(start, side float64) float64 {
	turned := 0.0
	for again := true; again && turned < 2*math.Pi; {
		again = false
		for _, s := range o.sector {
			off := spatial.WrapAngle(start + side*turned - s.middle)
			if math.Abs(off) < s.half-1e-9 {
				turned += s.half - side*off
				again = true
			}
		}
	}
	return turned
}

// brake reduces a velocity so that the robot touches nothing if it brakes with the given acceleration. The robot may
// follow a body that moves away.
func (o *obstructions) brake(pos, vel mgl64.Vec2, accel float64) mgl64.Vec2 {
	braking := vel.Dot(vel) / (2 * accel)
	for i := range o.discs {
		d := &o.discs[i]
		x, y, far := d.centre[0]-pos[0], d.centre[1]-pos[1], d.near+2*braking
		if x*x+y*y > far*far { // nearly always
			continue
		}
		to := mgl64.Vec2{x, y}
		normal, gap := unit(to, mgl64.Vec2{1, 0}), length(to)-d.near
		away := d.vel.Dot(normal)
		if away < 0 {
			gap /= 2 // the body approaches, so each of the two may use only half of the gap
		}
		vel = slowed(vel, normal, gap, max(0, away), accel)
	}
	f := &o.model.Field
	for axis, half := range [2]float64{f.Length / 2, f.Width / 2} {
		wall := half + f.Border - o.own - touchGap
		if o.carries || o.lines {
			wall = half - o.own // inside the line, because a ball that has crossed it is out of play
		}
		for _, side := range [2]float64{-1, 1} {
			var normal mgl64.Vec2
			normal[axis] = side
			vel = slowed(vel, normal, wall-side*pos[axis], 0, accel)
		}
	}
	return vel
}

// slowed limits the part of a velocity that points along a normal, towards another body. The limit is the speed from
// which the robot can brake within the gap, plus the speed at which the other body moves away.
func slowed(vel, normal mgl64.Vec2, gap, away, accel float64) mgl64.Vec2 {
	most := away + math.Sqrt(2*accel*max(0, gap))
	if along := vel.Dot(normal); along > most {
		return vel.Sub(normal.Mul(along - most))
	}
	return vel
}
