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
	"github.com/omnipitch/omnipitch/physics/spatial"
)

const (
	// hullBounce is the share of its speed that the ball keeps off a robot or an obstacle. Guess.
	hullBounce = 0.3
	// pile is the number of contacts between the bodies of one pile above which libode's exact solver, whose time grows
	// with their cube (1 ms at 40, 40 ms at 130), gives way to its iterative one (0.1 ms, 0.3 ms), which lets wheels
	// slip too much. Measured: BenchmarkPile. Ten robots fighting for one ball make 35.
	pile = 40
)

// uprightCos is the cosine of the tilt from which on a robot counts as fallen over.
const uprightCos = C.OMNI_UPRIGHT_COS

// world is the C side. Its memory belongs to C and outlives no Engine.
type world struct {
	c      *C.omni_world
	bodies []body // robots, obstacles, ball
	robots int
}

// body is one part's state as both sides see it.
type body C.omni_body

func newWorld(scene *physics.Scene, wheels []physics.OmniWheels) (*world, error) {
	statics := fixedBoxes(scene)
	config := C.omni_config{
		gravity:        C.double(scene.Config.Gravity),
		wheel_friction: C.double(scene.Config.WheelFriction),
		body_friction:  C.double(scene.Config.BodyFriction),
		ball_bounce:    C.double(scene.Ball.Restitution),
		ball_friction:  C.double(scene.Ball.Friction),
		ball_rho:       C.double(rollingFriction(&scene.Ball, scene.Config.Gravity)),
		hull_bounce:    hullBounce,
		pile:           pile,
		seed:           C.ulong(scene.Seed),
	}
	robots, obstacles := len(scene.Robots), len(scene.Obstacles)
	c := C.omni_new(&config, C.int(robots), C.int(obstacles), C.int(len(statics)))
	if c == nil {
		return nil, errors.New("ode: out of memory")
	}
	parts := unsafe.Slice(c.part, robots+obstacles+1)
	for i := range scene.Robots {
		fillRobot(&parts[i], &scene.Robots[i], &wheels[i], &scene.Ball)
	}
	for i := range scene.Obstacles {
		fillObstacle(&parts[robots+i], &scene.Obstacles[i])
	}
	ball := &parts[robots+obstacles]
	ball.kind = C.OMNI_BALL
	ball.mass, ball.radius = C.double(scene.Ball.Mass), C.double(scene.Ball.Radius)
	boxes := unsafe.Slice(c.box, len(statics))
	for i, s := range statics {
		for k := range 3 {
			boxes[i].min[k], boxes[i].max[k] = C.double(s.Min[k]), C.double(s.Max[k])
		}
		boxes[i].ball_top = C.double(s.ballTop)
		boxes[i].friction, boxes[i].bounce = C.double(s.friction), C.double(s.bounce)
	}
	w := &world{c: c, bodies: unsafe.Slice((*body)(c.body), robots+obstacles+1), robots: robots}
	if C.omni_build(c) != 0 {
		err := errors.New(C.GoString(&c.error[0]))
		w.free()
		return nil, err
	}
	return w, nil
}

func fillRobot(p *C.omni_part, r *physics.Robot, wheels *physics.OmniWheels, ball *physics.Ball) {
	p.kind = C.OMNI_ROBOT
	p.radius, p.height, p.com = C.double(r.Body.Radius), C.double(r.Body.Height), C.double(r.Body.CoMZ)
	p.mass, p.inertia_z = C.double(r.Body.Mass), C.double(r.Body.InertiaZ)
	if r.Drive.Level == physics.ChassisDrive {
		p.chassis = 1
	}
	p.wheels = C.int(wheels.Len())
	for k := range wheels.Len() {
		g := wheels.Grip(k)
		p.wheel[k].x, p.wheel[k].y = C.double(g.X), C.double(g.Y)
		p.wheel[k].ex, p.wheel[k].ey = C.double(g.EX), C.double(g.EY)
		p.wheel[k].force = C.double(r.Drive.MaxWheelForce * r.Drive.WheelRadius / wheels.Radius())
	}
	// Where the dribbler holds the ball closer than the round hull would let it, the hull has a mouth.
	p.mouth_radius, p.mouth_cos = p.radius, 2
	if d := r.Dribbler; d != nil {
		p.hold = C.double(d.Hold)
		p.mouth_cos = C.double(math.Cos(d.MaxAngle))
		p.mouth_radius = C.double(math.Min(r.Body.Radius, d.Hold-ball.Radius))
	}
}

func fillObstacle(p *C.omni_part, o *physics.Obstacle) {
	p.kind = C.OMNI_OBSTACLE
	p.mass, p.com = C.double(o.Mass), C.double(o.Height/2)
	p.half = [3]C.double{C.double(o.SizeX / 2), C.double(o.SizeY / 2), C.double(o.Height / 2)}
}

// rollingFriction returns libode's rolling friction in metres for a hollow ball (inertia 2/3·m·r²) that slows down
// as told: torque = rho·m·g, decel·(m·r + I/r) = torque. Measured within 2 %.
func rollingFriction(b *physics.Ball, gravity float64) float64 {
	if gravity == 0 {
		return 0
	}
	return b.RollingDecel * b.Radius * 5 / 3 / gravity
}

// step advances by dt seconds and returns how deep the held ball was pressed into something.
func (w *world) step(dt float64, holder int) (pressed float64, err error) {
	w.c.held_by = C.int(holder)
	if C.omni_step(w.c, C.double(dt)) != 0 {
		return 0, errors.New(C.GoString(&w.c.error[0]))
	}
	return float64(w.c.held_depth), nil
}

func (w *world) free() { C.omni_free(w.c) }

func (w *world) contacts() int    { return int(w.c.contacts) } // between moving bodies, in the last sub-step
func (w *world) setPile(most int) { w.c.config.pile = C.int(most) }

func (w *world) robot(i int) *body    { return &w.bodies[i] }
func (w *world) obstacle(i int) *body { return &w.bodies[w.robots+i] }
func (w *world) ball() *body          { return &w.bodies[len(w.bodies)-1] }

func vec(v *[3]C.double) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

func (b *body) get() (spatial.Pose, spatial.Twist) {
	q := mgl64.Quat{W: float64(b.quat[0]), V: mgl64.Vec3{float64(b.quat[1]), float64(b.quat[2]), float64(b.quat[3])}}
	return spatial.Pose{Pos: vec(&b.pos), Rot: q}, spatial.Twist{Lin: vec(&b.lin), Ang: vec(&b.ang)}
}

// put makes the next step start from here.
func (b *body) put(pose spatial.Pose, twist spatial.Twist) {
	b.quat[0] = C.double(pose.Rot.W)
	for k := range 3 {
		b.pos[k], b.quat[k+1] = C.double(pose.Pos[k]), C.double(pose.Rot.V[k])
		b.lin[k], b.ang[k] = C.double(twist.Lin[k]), C.double(twist.Ang[k])
	}
	b.place = 1
}

func (b *body) setDrive(t physics.PlanarTwist, wheels *physics.OmniWheels) {
	b.twist = [3]C.double{C.double(t.VX), C.double(t.VY), C.double(t.Omega)}
	rates := wheels.Speeds(t)
	for k := range wheels.Len() {
		b.rim[k] = C.double(rates[k] * wheels.Radius())
	}
}

func (b *body) wheelRates(wheels *physics.OmniWheels) (rates [physics.MaxWheels]float64) {
	for k := range wheels.Len() {
		rates[k] = float64(b.rim[k]) / wheels.Radius()
	}
	return rates
}
