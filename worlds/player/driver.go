package player

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Limits are how fast a player moves its robot. The limits of the robot's drive apply too.
type Limits struct {
	Speed float64 `toml:"speed_m_s" range:"(0, 20]" doc:"highest speed; the drive's own limit applies too"`
	Accel float64 `toml:"accel_m_s2" range:"(0, 100]" doc:"largest acceleration; the drive's own limit applies too"`
}

// SetDefaults sets limits within which every shipped robot can drive without slipping.
func (l *Limits) SetDefaults() { l.Speed, l.Accel = 2, 1.8 }

// Parameters of driving. They are guesses, tried with the shipped robots: the robots stop within one or two centimetres
// of their target.
const (
	brakeShare  = 0.6                // fraction of the acceleration that is planned for braking, because motors lag
	settleRate  = 4.0                // 1/s: speed near the target, per metre of distance
	turnRate    = 6.0                // 1/s: rate of turn per radian of heading error
	maxTurn     = 2 * math.Pi        // rad/s: largest rate of turn
	carryTurn   = math.Pi            // rad/s: largest rate of turn while carrying the ball
	forwardOnly = 30 * math.Pi / 180 // rad: heading error beyond which a robot without sideways motion only turns
)

// driver drives one robot to places.
type driver struct {
	model *physics.Model
	robot int

	speed, accel float64 // m/s, m/s²
	omega, alpha float64 // rad/s, rad/s²
	sideways     bool    // the robot can drive sideways

	asked mgl64.Vec2 // velocity in W, m/s, that the driver asked for in the last step in which it drove
	step  int64      // index of the step that follows that last step
	round obstructions
	aim   aim
}

// aim is the target that a player drives to, recorded for display.
type aim struct {
	place mgl64.Vec2
	step  int64 // index of the step in which the player drove to the target
}

func newDriver(m *physics.Model, robot int, l Limits) driver {
	d := &m.Robots[robot].Drive
	wheels, err := d.WheelSet()
	sideways := err != nil || wheels.Drivable(physics.PlanarTwist{VY: 1}).VY > 0.5
	return driver{
		model: m, robot: robot, sideways: sideways, round: newObstructions(m, robot), step: -1, aim: aim{step: -1},
		speed: min(l.Speed, d.MaxSpeed), accel: min(l.Accel, d.MaxAccel), omega: min(maxTurn, d.MaxOmega),
		alpha: d.MaxAlpha,
	}
}

func (d *driver) Exchange(c *keyframe.Codec) {
	c.Floats(d.asked[:])
	c.Int64(&d.step)
	c.Float(&d.round.side)
}

// goal is a target of driving: the place to which a robot is to go, and how. It has nothing to do with the goals of the
// field.
type goal struct {
	place   mgl64.Vec2 // position of the target in W, m
	vel     mgl64.Vec2 // velocity of the place, m/s
	heading float64    // heading that the robot should have, rad
	// speed in m/s that the robot should have when it reaches the place; the robot brakes to this speed
	speed float64
	most  float64 // highest speed on the way, m/s; 0 stands for the player's own limit
	carry bool    // the robot carries the ball
}

// drive makes the robot go towards a target, around obstructions. It returns the remaining distance in m.
func (d *driver) drive(now *physics.Snapshot, c *physics.Command, g goal) float64 {
	me := &now.Robots[d.robot]
	pos := flat(me.PoseWB.Pos)
	if now.Step != d.step {
		d.asked = flat(me.TwistWBInW.Lin)
	}
	d.step = now.Step + 1
	d.aim = aim{g.place, d.step}
	d.round.update(now, g.carry)
	way := d.round.nearestFree(g.place, pos).Sub(pos)
	left := length(way)
	most, wanted := d.speed, g.vel
	if g.most > 0 {
		most = min(most, g.most)
	}
	if left > 1e-9 {
		speed := min(most, math.Sqrt(2*brakeShare*d.accel*left+g.speed*g.speed), settleRate*left+g.speed)
		sin, cos := math.Sincos(d.round.direction(pos, way))
		wanted = wanted.Add(mgl64.Vec2{speed * cos, speed * sin})
	}
	wanted = limited(wanted, most)
	wanted = d.round.brake(pos, wanted, brakeShare*d.accel)
	d.asked = d.asked.Add(limited(wanted.Sub(d.asked), d.accel*d.model.Step.Seconds()))
	d.asked = d.round.brake(pos, d.asked, d.accel) // if necessary, the robot brakes as hard as its drive can
	d.command(me, c, g)
	return left
}

// Plan implements Planner.
func (d *driver) Plan(now *physics.Snapshot, into []mgl64.Vec2) []mgl64.Vec2 {
	if d.aim.step != now.Step {
		return into
	}
	return append(into, d.aim.place)
}

// command sets the robot's command to the wanted velocity, in the robot's own axes.
func (d *driver) command(me *physics.RobotState, c *physics.Command, g goal) {
	heading := me.PoseWB.Heading()
	vel, share := d.asked, 1.0
	if !d.sideways {
		if speed := length(vel); speed > 0.05 {
			g.heading = math.Atan2(vel[1], vel[0])
			off := math.Abs(spatial.WrapAngle(g.heading - heading))
			share = max(0, 1-off/forwardOnly)
		}
	}
	off := spatial.WrapAngle(g.heading - heading)
	most := d.omega
	if g.carry {
		most = min(most, carryTurn)
	}
	sin, cos := math.Sincos(heading)
	c.TwistB = physics.PlanarTwist{
		VX:    share * (vel[0]*cos + vel[1]*sin),
		VY:    share * (vel[1]*cos - vel[0]*sin),
		Omega: math.Copysign(min(most, turnRate*math.Abs(off), math.Sqrt(brakeShare*d.alpha*math.Abs(off))), off),
	}
}

// pos returns the robot's position on the floor, in W, m.
func (d *driver) pos(now *physics.Snapshot) mgl64.Vec2 { return flat(now.Robots[d.robot].PoseWB.Pos) }

// facing returns the heading from the robot to a point, in rad. If the robot stands on the point, it returns the
// robot's present heading.
func (d *driver) facing(now *physics.Snapshot, point mgl64.Vec2) float64 {
	way := point.Sub(d.pos(now))
	if length(way) < 0.05 {
		return now.Robots[d.robot].PoseWB.Heading()
	}
	return math.Atan2(way[1], way[0])
}

func flat(v mgl64.Vec3) mgl64.Vec2 { return mgl64.Vec2{v[0], v[1]} }

// length returns the length of a vector. Unlike Vec2.Len of mgl64, it does not handle numbers near the limits of
// float64 specially, which would make it three times as slow.
func length(v mgl64.Vec2) float64 { return math.Sqrt(v.Dot(v)) }

// limited returns a vector. If the vector is longer than maxLength, it is scaled down to this length.
func limited(v mgl64.Vec2, maxLength float64) mgl64.Vec2 {
	if n := length(v); n > maxLength {
		return v.Mul(maxLength / n)
	}
	return v
}

// unit returns the unit vector in the direction of a vector. For a zero vector it returns fallback.
func unit(v, fallback mgl64.Vec2) mgl64.Vec2 {
	if n := length(v); n > 1e-6 {
		return v.Mul(1 / n)
	}
	return fallback
}

// Drive makes a robot drive at one velocity for a given time, and ignore obstructions.
type Drive struct {
	Twist physics.PlanarTwist
	For   time.Duration
}

func (*Drive) Validate(string, World) error { return nil }

// Start returns a player that ends when the given time has passed.
func (d *Drive) Start(*physics.Model, int) Player { return &drive{Drive: *d, until: -1} }

type drive struct {
	Drive
	until time.Duration // sim time at which the player ends; −1 before the first step
}

func (d *drive) Command(now *physics.Snapshot, c *physics.Command) bool {
	if d.until < 0 {
		d.until = now.Time + d.For
	}
	if now.Time >= d.until {
		return false
	}
	c.TwistB = d.Twist
	return true
}

func (d *drive) Exchange(c *keyframe.Codec) { c.Duration(&d.until) }
