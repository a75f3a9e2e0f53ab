package match

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Parameters of how people avoid others. Source of the two rules and of the reaction time: M. Moussaïd, D. Helbing,
// G. Theraulaz, "How simple rules determine pedestrian behavior and crowd disasters", PNAS 108 (17), 2011. First, a
// person takes a direction that leads towards the goal and is free for a long way, if all others keep their velocities.
// Second, it walks so slowly that it could still react to what is ahead. The other values are guesses.
const (
	walkReaction = 0.5          // s: a person walks no faster than the free distance ahead divided by this time
	walkHorizon  = 4.0          // m: distance up to which a person looks ahead
	walkGap      = 0.06         // m: gap that a person keeps from bodies that move
	walkSide     = math.Pi / 36 // rad: angle between two directions that a person considers
	walkSides    = 27           // number of these directions on either side of the goal
	walkAlign    = 0.15         // s: time constant of a turn
	walkMat      = 0.02         // m: height of things over which people walk
	walkHead     = 2.0          // m: height of things under which people walk

	// The cost of a direction, rad, is its angle from the goal, and in addition:
	walkBlocked = 4.0 // times the share of the way to the goal, or to the horizon, that is not free
	walkSteady  = 0.7 // times the turn from the present heading, so that a person keeps to its side of an obstruction
	walkLeft    = 0.1 // on the left, so that two people who meet both pass on the right
)

// obstructions are what people walk around: robots, obstacles, and static bodies.
type obstructions struct {
	model  *physics.Model
	static []physics.StaticBox
	grid   *spatial.Grid // of static
	near   []int32       // memory for a search in the grid
	discs  []disc        // bodies near the present person

	pos    mgl64.Vec2 // of the present person, in W
	radius float64    // of the present person, m
}

// disc is a body that moves, as seen by a person.
type disc struct {
	off    mgl64.Vec2 // vector from the person to the body, in W
	vel    mgl64.Vec2 // of the body, in W
	radius float64    // distance between the centres at which the two touch, m
}

func newObstructions(m *physics.Model) *obstructions {
	o := &obstructions{model: m}
	for _, b := range m.StaticBoxes() {
		if b.Min[2] < walkHead && b.Max[2] > walkMat {
			o.static = append(o.static, b)
		}
	}
	o.grid = physics.StaticGrid(o.static)
	return o
}

// lookFrom finds what is near an obstacle that walks.
func (o *obstructions) lookFrom(obstacle int, now *physics.Snapshot) {
	o.pos, o.radius = now.Obstacles[obstacle].PoseWO.Pos.Vec2(), o.model.Obstacles[obstacle].Radius()
	o.discs = o.discs[:0]
	add := func(pose *spatial.Pose, twist *spatial.Twist, radius float64) {
		d := disc{off: pose.Pos.Vec2().Sub(o.pos), vel: twist.Lin.Vec2(), radius: radius + o.radius + walkGap}
		if d.off.Len() < walkHorizon*(1+d.vel.Len())+d.radius { // as no collision in a second is farther away
			o.discs = append(o.discs, d)
		}
	}
	for i := range now.Robots {
		b := &o.model.Robots[i].Body
		radius := b.Radius
		if b.Boxed() {
			radius = math.Hypot(b.Length, b.Width) / 2
		}
		add(&now.Robots[i].PoseWB, &now.Robots[i].TwistWBInW, radius)
	}
	for i := range now.Obstacles {
		if i != obstacle {
			add(&now.Obstacles[i].PoseWO, &now.Obstacles[i].TwistWOInW, o.model.Obstacles[i].Radius())
		}
	}
	o.near = o.grid.Near(o.near[:0], o.pos[0], o.pos[1], walkHorizon+o.radius)
}

// free returns the distance that the person can walk in a direction at a speed until it touches something, if all
// bodies keep their velocities. The distance is at most most.
func (o *obstructions) free(way mgl64.Vec2, speed, most float64) float64 {
	for i := range o.discs {
		d := &o.discs[i]
		w := d.vel.Sub(way.Mul(speed))
		a, b, c := w.Dot(w), d.off.Dot(w), d.off.Dot(d.off)-d.radius*d.radius
		root := b*b - a*c
		switch {
		case b >= 0 || root < 0: // they do not come closer, or pass each other
		case c <= 0:
			return 0
		default:
			most = min(most, speed*(-b-math.Sqrt(root))/a)
		}
	}
	for _, i := range o.near {
		most = min(most, o.freeOf(&o.static[i], way, most))
	}
	return most
}

// freeOf is free for one static body.
func (o *obstructions) freeOf(b *physics.StaticBox, way mgl64.Vec2, most float64) float64 {
	sin, cos := math.Sincos(b.Heading)
	dx, dy := o.pos[0]-(b.Min[0]+b.Max[0])/2, o.pos[1]-(b.Min[1]+b.Max[1])/2
	at := [2]float64{cos*dx + sin*dy, -sin*dx + cos*dy}
	dir := [2]float64{cos*way[0] + sin*way[1], -sin*way[0] + cos*way[1]}
	enter, leave, towards := math.Inf(-1), most, 0.0
	for k := range 2 { // the person's centre stays out of the box that is larger by its radius
		half := (b.Max[k] - b.Min[k]) / 2
		towards += (mgl64.Clamp(at[k], -half, half) - at[k]) * dir[k]
		if half += o.radius; dir[k] == 0 {
			if math.Abs(at[k]) >= half {
				return most
			}
			continue
		}
		t0, t1 := (-half-at[k])/dir[k], (half-at[k])/dir[k]
		enter, leave = max(enter, min(t0, t1)), min(leave, max(t0, t1))
	}
	switch {
	case enter >= leave || leave <= 0 || enter <= 0 && towards <= 0:
		return most
	default:
		return max(0, enter)
	}
}

// around returns the velocity of a person who avoids obstructions on the way to a goal. The arguments are the present
// heading, the vector to the goal and the speed. The person turns to the direction of least cost, and walks along its
// heading.
func (o *obstructions) around(heading float64, to mgl64.Vec2, speed float64) (twist spatial.Twist) {
	straight, most := math.Atan2(to[1], to[0]), min(to.Len(), walkHorizon)
	best, turn := math.Inf(1), 0.0
	for k := -walkSides; k <= walkSides; k++ {
		angle := float64(k) * walkSide
		free := o.free(direction(straight+angle), speed, most)
		cost := math.Abs(angle) + walkSteady*math.Abs(spatial.WrapAngle(straight+angle-heading)) +
			walkBlocked*(1-free/most)
		if k > 0 {
			cost += walkLeft
		}
		if cost < best {
			best, turn = cost, angle
		}
	}
	off := spatial.WrapAngle(straight + turn - heading)
	twist.Ang[2] = mgl64.Clamp(off/walkAlign, -walkTurn, walkTurn)
	if math.Abs(off) < math.Pi/2 {
		ahead := direction(heading)
		twist.Lin = ahead.Mul(min(speed, o.free(ahead, speed, walkHorizon)/walkReaction)).Vec3(0)
	}
	return twist
}

func direction(angle float64) mgl64.Vec2 {
	sin, cos := math.Sincos(angle)
	return mgl64.Vec2{cos, sin}
}
