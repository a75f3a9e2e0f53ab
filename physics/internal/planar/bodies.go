package planar

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// New returns an engine in the start state of a model. It fails if the model is not valid.
func New(model *physics.Model) (physics.Engine, error) { return play.Open(model, newBodies) }

// body is a disc in the plane, or a rectangle if radius is 0.
type body struct {
	robot         bool
	x, y, heading float64
	vx, vy, omega float64 // in the world's axes
	invM, invI    float64
	radius        float64
	halfX, halfY  float64
	cos, sin      float64 // of heading
	half          float64 // half of the angle by which a robot's setpoint turns it in a step
	cosHalf       float64
	sinHalf       float64
	reach         float64 // largest distance of the body's points from its centre
	height        float64 // of a robot or an obstacle
	way           float64 // upper bound of the distance that it moves in this step
	slowing       float64 // deceleration of an obstacle by friction, m/s²
	turnSlowing   float64 // angular deceleration of an obstacle by friction, rad/s²
}

// fixed is a static body, a rectangle.
type fixed struct {
	body
	bottom       float64 // height of its lower end; bodies that are less tall pass below it
	wideX, wideY float64 // how far it extends from its centre along the world's axes
}

// bodies are robots and obstacles.
type bodies struct {
	dt       float64
	robots   int
	wheels   []physics.WheelSet
	all      []body        // robots, then obstacles
	fixed    []fixed       // boards, goals and props
	grid     *spatial.Grid // of fixed
	near     []int32       // indices in fixed, of those near a body
	clearX   float64       // within |x| < clearX and |y| < clearY there is no static body
	clearY   float64
	friction float64
	contacts []contact
	touches  []physics.Touch
}

var _ play.Bodies = (*bodies)(nil)

func newBodies(model *physics.Model) (*bodies, error) {
	b := &bodies{dt: model.Step.Seconds(), robots: len(model.Robots), friction: model.Config.Contacts.Robot.Friction,
		clearX: model.Field.Length / 2, clearY: model.Field.Width/2 + model.Field.Border}
	for i := range model.Robots {
		r := &model.Robots[i]
		wheels, err := r.Drive.WheelSet()
		if err != nil {
			return nil, err
		}
		b.wheels = append(b.wheels, wheels)
		p := body{robot: true, radius: r.Body.Radius, reach: r.Body.Radius, height: r.Body.Height,
			invM: 1 / r.Body.Mass, invI: 1 / r.Body.InertiaZ}
		if r.Body.Boxed() {
			p.radius, p.halfX, p.halfY = 0, r.Body.Length/2, r.Body.Width/2
			p.reach = math.Hypot(p.halfX, p.halfY)
		}
		b.all = append(b.all, p)
	}
	for i := range model.Obstacles {
		o := &model.Obstacles[i]
		hx, hy := o.SizeX/2, o.SizeY/2
		decel := model.Config.Contacts.Obstacle.Friction * model.Config.Gravity
		inertia, lever := o.Mass*(hx*hx+hy*hy)/3, meanRadius(hx, hy)
		p := body{halfX: hx, halfY: hy, reach: o.Radius(), height: o.Height, invM: 1 / o.Mass, slowing: decel}
		if o.Round {
			p.radius, p.halfX, p.halfY = hx, 0, 0
			inertia, lever = o.Mass*hx*hx/2, hx*2/3
		}
		p.invI, p.turnSlowing = 1/inertia, decel*o.Mass*lever/inertia
		b.all = append(b.all, p)
	}
	static := model.StaticBoxes()
	b.grid = physics.StaticGrid(static)
	for i := range static {
		b.addFixed(&static[i])
	}
	return b, nil
}

// addFixed adds a static body, and takes the area around it from the area without static bodies.
func (b *bodies) addFixed(f *physics.StaticBox) {
	still := fixed{bottom: f.Min[2], body: body{heading: f.Heading, x: (f.Min[0] + f.Max[0]) / 2,
		y: (f.Min[1] + f.Max[1]) / 2, halfX: (f.Max[0] - f.Min[0]) / 2, halfY: (f.Max[1] - f.Min[1]) / 2}}
	if f.Round {
		still.radius, still.halfX, still.halfY = still.halfX, 0, 0
	}
	still.sin, still.cos = math.Sincos(f.Heading)
	still.wideX, still.wideY = f.Extent()
	b.fixed = append(b.fixed, still)
	clearX, clearY := math.Abs(still.x)-still.wideX, math.Abs(still.y)-still.wideY
	switch {
	case clearX >= b.clearX || clearY >= b.clearY: // outside of that area
	case clearX/b.clearX > clearY/b.clearY:
		b.clearX = max(0, clearX)
	default:
		b.clearY = max(0, clearY)
	}
}

// meanRadius returns the mean distance of a rectangle's points from its centre, with an error of 2 %. It is the lever
// of the carpet's friction on a rotating box.
func meanRadius(hx, hy float64) float64 { return 0.54 * math.Hypot(hx, hy) }

// Step implements play.Bodies.
func (b *bodies) Step(setpoints []play.Setpoint) error {
	for i := range b.all[:b.robots] {
		p, t := &b.all[i], setpoints[i].TwistB
		p.half = t.Omega * b.dt / 2
		p.sinHalf, p.cosHalf = math.Sincos(p.half)
		sin, cos := p.sin*p.cosHalf+p.cos*p.sinHalf, p.cos*p.cosHalf-p.sin*p.sinHalf // mean heading of the step
		p.vx, p.vy, p.omega = cos*t.VX-sin*t.VY+p.vx, sin*t.VX+cos*t.VY+p.vy, t.Omega+p.omega
	}
	for i := range b.all[b.robots:] {
		b.all[b.robots+i].slide(b.dt)
	}
	b.collide()
	b.solve()
	for i := range b.all {
		b.all[i].move(b.dt)
	}
	return nil
}

// slide slows an obstacle by the carpet's friction.
func (p *body) slide(dt float64) {
	if v, most := math.Hypot(p.vx, p.vy), p.slowing*dt; v > most {
		p.vx -= most * p.vx / v
		p.vy -= most * p.vy / v
	} else {
		p.vx, p.vy = 0, 0
	}
	p.omega -= mgl64.Clamp(p.omega, -p.turnSlowing*dt, p.turnSlowing*dt)
}

// move moves the body along an arc at its mean velocity. It then turns the velocity of a robot to the direction at the
// end of the arc.
func (p *body) move(dt float64) {
	half, sin, cos := p.omega*dt/2, p.sinHalf, p.cosHalf
	if half != p.half { // contacts have changed the turn
		sin, cos = math.Sincos(half)
	}
	chord := dt
	if half != 0 {
		chord *= sin / half
	}
	p.x += p.vx * chord
	p.y += p.vy * chord
	p.heading = spatial.WrapAngle(p.heading + 2*half)
	if p.robot {
		p.vx, p.vy = cos*p.vx-sin*p.vy, sin*p.vx+cos*p.vy
	}
}

// Read implements play.Bodies. It also resets the robots' velocities: the next step starts with the setpoint, and
// pushes add to it.
func (b *bodies) Read(now *physics.Snapshot) {
	for i := range b.all {
		p := &b.all[i]
		pose := spatial.Planar(p.x, p.y, p.heading)
		sinHalf, cosHalf := pose.Rot.V[2], pose.Rot.W
		p.sin, p.cos = 2*sinHalf*cosHalf, cosHalf*cosHalf-sinHalf*sinHalf
		twist := spatial.Twist{Lin: mgl64.Vec3{p.vx, p.vy, 0}, Ang: mgl64.Vec3{0, 0, p.omega}}
		if i >= b.robots {
			o := &now.Obstacles[i-b.robots]
			o.PoseWO, o.TwistWOInW = pose, twist
			continue
		}
		r := &now.Robots[i]
		r.PoseWB, r.TwistWBInW = pose, twist
		r.WheelRadS = b.wheels[i].Speeds(physics.PlanarTwist{VX: p.cos*p.vx + p.sin*p.vy, VY: -p.sin*p.vx + p.cos*p.vy,
			Omega: p.omega})
		p.vx, p.vy, p.omega = 0, 0, 0
	}
	now.Touches = append(now.Touches, b.touches...)
}

// PlaceRobot implements play.Bodies.
func (b *bodies) PlaceRobot(robot int, poseWB spatial.Pose, _ spatial.Twist) {
	p := &b.all[robot]
	p.x, p.y, p.heading = poseWB.Pos[0], poseWB.Pos[1], poseWB.Heading()
	p.sin, p.cos = math.Sincos(p.heading)
	p.vx, p.vy, p.omega = 0, 0, 0
}

// PlaceObstacle implements play.Bodies. The obstacle moves at the given velocity in the next step: friction, which that
// step subtracts, is added. A body that is placed in every step thus keeps its velocity.
func (b *bodies) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) {
	b.PlaceRobot(b.robots+obstacle, poseWO, spatial.Twist{})
	p := &b.all[b.robots+obstacle]
	p.vx, p.vy, p.omega = twistWOInW.Lin[0], twistWOInW.Lin[1], twistWOInW.Ang[2]
	if v := math.Hypot(p.vx, p.vy); v > 0 {
		more := 1 + p.slowing*b.dt/v
		p.vx, p.vy = p.vx*more, p.vy*more
	}
	if p.omega != 0 {
		p.omega += math.Copysign(p.turnSlowing*b.dt, p.omega)
	}
}

// Push implements play.Bodies.
func (b *bodies) Push(id physics.BodyID, impulseW, atW mgl64.Vec3) {
	b.all[id].push(impulseW[0], impulseW[1], atW[0], atW[1])
}

func (p *body) push(jx, jy, x, y float64) {
	p.vx += jx * p.invM
	p.vy += jy * p.invM
	p.omega += ((x-p.x)*jy - (y-p.y)*jx) * p.invI
}

// Close implements play.Bodies: there is nothing to free.
func (b *bodies) Close() {}
