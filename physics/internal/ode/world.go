package ode

// #cgo pkg-config: ode
// #cgo CFLAGS: -O2
// #cgo LDFLAGS: -lm
// #include "world.h"
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// pile is the largest number of contacts between touching bodies that libode's exact solver solves together. The time
// of the exact solver grows with the cube of this number: with 20 robots it takes 0.4 ms at 20 contacts, and 4 ms at
// 40. The iterative solver takes 0.1 ms and 0.2 ms, but lets wheels slip too much. The times are measured with
// BenchmarkPile. Ten robots around one ball have up to 50 contacts, half of which do not touch yet.
const pile = 60

// world is the simulation in C, in memory that free releases.
type world struct {
	c      *C.omni_world
	bodies []body // robots, obstacles, ball
	robots int
	parts  []C.omni_part
	grid   *spatial.Grid // of the static boxes
	near   []int32       // memory for a search in the grid
}

// body is the state of a robot or an obstacle that Go and C share.
type body C.omni_body

func newWorld(model *physics.Model, wheels []physics.WheelSet) (*world, error) {
	fixed := model.StaticBoxes()
	contacts := &model.Config.Contacts
	config := C.omni_config{
		gravity:           C.double(model.Config.Gravity),
		wheel_friction:    C.double(contacts.WheelCarpet.Friction),
		body_friction:     C.double(contacts.Robot.Friction),
		obstacle_friction: C.double(contacts.Obstacle.Friction),
		upright_cos:       physics.UprightCos,
		pile:              pile,
		seed:              C.ulong(model.Seed),
	}
	robots, obstacles := len(model.Robots), len(model.Obstacles)
	c := C.omni_new(&config, C.int(robots), C.int(obstacles), C.int(len(fixed)))
	if c == nil {
		return nil, errors.New("ode: out of memory")
	}
	parts := unsafe.Slice(c.part, robots+obstacles)
	for i := range model.Robots {
		fillRobot(&parts[i], &model.Robots[i], &wheels[i])
		com := model.CoM(i)
		parts[i].com_x, parts[i].com_y = C.double(com[0]), C.double(com[1])
	}
	for i := range model.Obstacles {
		fillObstacle(&parts[robots+i], &model.Obstacles[i])
	}
	boxes := unsafe.Slice(c.box, len(fixed))
	for i, f := range fixed {
		b := &boxes[i]
		for k := range 3 {
			b.min[k], b.max[k] = C.double(f.Min[k]), C.double(f.Max[k])
		}
		sin, cos := math.Sincos(f.Heading)
		wideX, wideY := f.Extent()
		b.heading, b.sin, b.cos = C.double(f.Heading), C.double(sin), C.double(cos)
		b.wide = [2]C.double{C.double(wideX), C.double(wideY)}
		if f.Material == physics.Crate {
			b.prop = 1
		}
		if f.Round {
			b.round = 1
		}
	}
	w := &world{c: c, bodies: unsafe.Slice((*body)(c.body), robots+obstacles), robots: robots, parts: parts,
		grid: physics.StaticGrid(fixed)}
	if C.omni_build(c) != 0 {
		err := errors.New(C.GoString(&c.error[0]))
		w.free()
		return nil, err
	}
	return w, nil
}

func fillRobot(p *C.omni_part, r *physics.Robot, wheels *physics.WheelSet) {
	d := &r.Drive
	p.kind = C.OMNI_ROBOT
	p.radius, p.height, p.com_height = C.double(r.Body.Radius), C.double(r.Body.Height), C.double(r.Body.CoMZ)
	if r.Body.Boxed() {
		p.boxed = 1
		p.half = [3]C.double{C.double(r.Body.Length / 2), C.double(r.Body.Width / 2), C.double(r.Body.Height / 2)}
	}
	p.mass, p.inertia_z = C.double(r.Body.Mass), C.double(r.Body.InertiaZ)
	switch d.Level {
	case physics.ChassisDrive, physics.WalkDrive:
		p.level = C.OMNI_CHASSIS
	case physics.RollersDrive:
		p.level = C.OMNI_ROLLERS
	default:
		p.level = C.OMNI_WHEELS
	}
	p.wheels = C.int(wheels.Len())
	for k := range wheels.Len() {
		g, w := wheels.Grip(k), &p.wheel[k]
		w.x, w.y, w.ex, w.ey = C.double(g.X), C.double(g.Y), C.double(g.EX), C.double(g.EY)
		w.heading, w.radius = C.double(g.Heading()), C.double(g.Radius)
		if g.Holds {
			w.holds = 1
		}
	}
	p.casters = C.int(len(d.Casters))
	for k, at := range d.Casters {
		p.caster[k] = [2]C.double{C.double(at.X), C.double(at.Y)}
	}
	fillMotor(&p.motor, d)
	rollers := d.RollerSet()
	p.wheel_radius, p.rollers = C.double(d.WheelRadius), C.int(rollers.PerWheel)
	p.roller_radius, p.roller_angle = C.double(rollers.Radius), C.double(rollers.HalfAngle())
	p.row_gap, p.roller_mass, p.hub_mass = C.double(rollers.RowGap), C.double(rollers.Mass), C.double(rollers.Hub)
}

// fillMotor converts a motor's parameters to the wheel's side of its gear.
func fillMotor(c *C.omni_motor, d *physics.Drive) {
	c.force = C.double(d.MaxWheelForce)
	m := d.Motor
	if m == nil {
		return
	}
	supply := d.Supply()
	k, rotor := m.Torque*m.Gear, m.Rotor*m.Gear*m.Gear
	c.on = 1
	c.k, c.efficiency, c.resistance = C.double(k), C.double(m.Efficiency), C.double(m.Resistance)
	c.friction, c.rotor, c.inertia = C.double(k*m.NoLoad), C.double(rotor), C.double(rotor+m.Wheel)
	c.max_current, c.forward = C.double(m.MaxCurrent), C.double(m.Forward)
	c.p, c.i, c.d = C.double(m.P), C.double(m.I), C.double(m.D)
	c.voltage, c.sag = C.double(supply.Voltage), C.double(supply.Resistance)
}

func fillObstacle(p *C.omni_part, o *physics.Obstacle) {
	p.kind = C.OMNI_OBSTACLE
	p.mass, p.com = C.double(o.Mass), C.double(o.Height/2)
	p.half = [3]C.double{C.double(o.SizeX / 2), C.double(o.SizeY / 2), C.double(o.Height / 2)}
	p.height, p.boxed = C.double(o.Height), 1
	if o.Round {
		p.radius, p.boxed = C.double(o.SizeX/2), 0
	}
}

// nearby is how far beyond its reach a part's boxes are sought, m, in addition to its way in a step.
const nearby = 0.5

// findNear finds the boxes that each part can touch in a step of dt seconds.
func (w *world) findNear(dt float64) {
	for i := range w.parts {
		p, b := &w.parts[i], &w.bodies[i]
		reach := p.radius + p.height + p.half[0] + p.half[1]
		speed := math.Hypot(float64(b.lin[0]), float64(b.lin[1]))
		if b.pushed != 0 {
			speed += math.Hypot(float64(b.push_sum[0]), float64(b.push_sum[1])) / float64(p.mass)
		}
		w.near = w.grid.Near(w.near[:0], float64(b.pos[0]), float64(b.pos[1]), float64(reach)+speed*dt+nearby)
		if p.nears = C.int(len(w.near)); len(w.near) > C.OMNI_MAX_NEAR {
			p.nears = -1
			continue
		}
		for k, box := range w.near {
			p.near[k] = C.int(box)
		}
	}
}

// step advances by dt seconds.
func (w *world) step(dt float64) error {
	w.findNear(dt)
	if C.omni_step(w.c, C.double(dt)) != 0 {
		return errors.New(C.GoString(&w.c.error[0]))
	}
	return nil
}

// readTouches appends the touches of the last step.
func (w *world) readTouches(touches []physics.Touch) []physics.Touch {
	all := unsafe.Slice(w.c.touch, int(w.c.touches))
	for i := range all {
		t := &all[i]
		if t.impulse <= 0 {
			continue
		}
		touches = append(touches, physics.Touch{A: physics.BodyID(t.a), B: physics.BodyID(t.b), PosW: vec(&t.pos),
			Impulse: float64(t.impulse), Closing: math.Max(0, float64(t.closing))})
	}
	return touches
}

func (w *world) free() { C.omni_free(w.c) }

// contacts returns the number of contacts between moving bodies in the last substep.
func (w *world) contacts() int      { return int(w.c.contacts) }
func (w *world) repeatedSteps() int { return int(w.c.repeated) }
func (w *world) setPile(most int)   { w.c.config.pile = C.int(most) }

func (w *world) robot(i int) *body            { return &w.bodies[i] }
func (w *world) obstacle(i int) *body         { return &w.bodies[w.robots+i] }
func (w *world) body(id physics.BodyID) *body { return &w.bodies[id] }

func vec(v *[3]C.double) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

func (b *body) get() (spatial.Pose, spatial.Twist) {
	q := mgl64.Quat{W: float64(b.quat[0]), V: mgl64.Vec3{float64(b.quat[1]), float64(b.quat[2]), float64(b.quat[3])}}
	return spatial.Pose{Pos: vec(&b.pos), Rot: q}, spatial.Twist{Lin: vec(&b.lin), Ang: vec(&b.ang)}
}

// put sets pose and twist from the next step on.
func (b *body) put(pose spatial.Pose, twist spatial.Twist) {
	b.quat[0] = C.double(pose.Rot.W)
	for k := range 3 {
		b.pos[k], b.quat[k+1] = C.double(pose.Pos[k]), C.double(pose.Rot.V[k])
		b.lin[k], b.ang[k] = C.double(twist.Lin[k]), C.double(twist.Ang[k])
	}
	b.place = 1
}

func (b *body) setSetpoint(o *play.Setpoint) {
	b.twist = [3]C.double{C.double(o.TwistB.VX), C.double(o.TwistB.VY), C.double(o.TwistB.Omega)}
	b.setRates(o.Rates)
}

func (b *body) setRates(rates [physics.MaxWheels]float64) {
	for k := range rates {
		b.rate[k] = C.double(rates[k])
	}
}

func (b *body) readWheels(r *physics.RobotState) {
	for k := range r.WheelRadS {
		r.WheelRadS[k] = float64(b.rate[k])
		r.WheelStuck[k] = b.stuck[k] != 0
	}
	r.MotorA, r.BatteryV = float64(b.current), float64(b.voltage)
}

// push adds an impulse at a point, both in W. If several impulses are added before a step, their sum acts at the first
// point, together with the moment of the other impulses about this point.
func (b *body) push(impulse, at mgl64.Vec3) {
	if b.pushed == 0 {
		b.pushed = 1
		b.push_sum, b.push_turn = [3]C.double{}, [3]C.double{}
		for k := range 3 {
			b.push_at[k] = C.double(at[k])
		}
	}
	turn := at.Sub(vec(&b.push_at)).Cross(impulse)
	for k := range 3 {
		b.push_sum[k] += C.double(impulse[k])
		b.push_turn[k] += C.double(turn[k])
	}
}
