package play

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// blockedDepth is the largest overlap, in metres, of a held ball with another body. If the overlap is larger, the robot
// loses the ball. 0.03 is a guess: a robot keeps the ball when it pushes firmly against a wall, but not when the ball
// is wedged between two robots.
const blockedDepth = 0.03

// moveBall moves the ball for a step: with the robot that holds it, or freely if no robot holds it.
func (e *Engine) moveBall() {
	holder := e.possession.Holder()
	for i := range e.robots {
		if i != holder {
			e.robots[i].arms = [2]arm{}
		}
	}
	if holder < 0 {
		e.ball.Step(e.dt, e.solids.near, nil)
	} else {
		e.hold(holder)
	}
	for _, s := range e.solids.near {
		e.deliver(s)
	}
	for i := range e.now.Robots {
		e.pressArms(i)
	}
	e.readBall()
}

// deliver passes the ball's impulse on a solid to the bodies, and reports the touch.
func (e *Engine) deliver(s *ball.Solid) {
	if s.Impulse == (mgl64.Vec3{}) {
		return
	}
	t := physics.Touch{A: s.ID, B: e.model.BallID(), PosW: s.At, Impulse: s.Impulse.Len(), Closing: s.Closing}
	switch i := int(s.ID); {
	case s.ID == physics.Static:
		t.A, t.B = t.B, t.A
	case i < len(e.robots) && e.model.Robots[i].Drive.Level == physics.JointsDrive:
		e.jointed.PushLink(i, s.Link, s.Impulse, s.At)
	default:
		e.bodies.Push(s.ID, s.Impulse, s.At)
	}
	e.now.Touches = append(e.now.Touches, t)
}

func (e *Engine) readBall() {
	b := &e.now.Ball
	b.PosW, b.RotW, b.TwistInW, b.HeldBy = e.ball.Pos, e.ball.Rot, e.ball.Twist, e.possession.Holder()
}

// hold holds the ball in front of a robot for a step, with the robot's method.
func (e *Engine) hold(i int) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	lost := !physics.Upright(&state.PoseWB)
	switch robot.Dribbler.Method {
	case physics.DribbleSecant, physics.DribbleTangential:
		e.chase(i)
	case physics.DribbleWheels:
		e.turnWheels(i)
	default:
		before := *e.ball
		if e.carry(i) > blockedDepth {
			// The ball is squeezed out, and stays where it was before the step.
			e.ball.Pos, e.ball.Rot = before.Pos, before.Rot
			lost = true
		}
		if lost {
			e.possession.Lose(e.now.Step)
		}
		return
	}
	if lost || !robot.Within(e.robots[i].reach, state.PoseWB, e.ball.Pos, e.model.Ball.Radius) {
		e.possession.Lose(e.now.Step)
	}
}

// Snapshot copies the current state into s, reusing its slices.
func (e *Engine) Snapshot(s *physics.Snapshot) { e.now.CopyTo(s) }

// PlaceRobot sets a robot's pose and velocity, and its wheels' rates to match the velocity. If the robot holds the
// ball, the ball stays where it is. A robot with the pose of spatial.Absent leaves the world.
func (e *Engine) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error {
	if err := e.placeable(e.model.Robots[robot].Name, poseWB, twistWBInW); err != nil || e.err != nil {
		return err
	}
	if e.absent[robot] = poseWB.Absent(); e.absent[robot] {
		e.rest(robot)
	}
	r := &e.now.Robots[robot]
	r.PoseWB, r.TwistWBInW, r.AccelWBInW, r.AngAccelWBInW = poseWB, twistWBInW, mgl64.Vec3{}, mgl64.Vec3{}
	r.WheelRadS = e.wheels[robot].Speeds(r.TwistWBInB())
	e.robots[robot].stuck = physics.StuckTimer{}
	e.setpoints[robot] = Setpoint{TwistB: r.TwistWBInB(), Rates: r.WheelRadS}
	if j := &e.joints[robot]; j.legs.on {
		j.legs.begin(j.servos.wanted)
	}
	e.bodies.PlaceRobot(robot, standing(poseWB), twistWBInW)
	if w := e.walkers[robot]; w != nil {
		w.place()
	}
	if e.possession.Holder() == robot {
		e.drop()
	}
	return nil
}

// PlaceObstacle sets an obstacle's pose and velocity. An obstacle with the pose of spatial.Absent leaves the world.
func (e *Engine) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error {
	if err := e.placeable(e.model.Obstacles[obstacle].Name, poseWO, twistWOInW); err != nil || e.err != nil {
		return err
	}
	e.now.Obstacles[obstacle] = physics.ObstacleState{PoseWO: poseWO, TwistWOInW: twistWOInW}
	e.absent[len(e.robots)+obstacle] = poseWO.Absent()
	e.bodies.PlaceObstacle(obstacle, standing(poseWO), twistWOInW)
	return nil
}

// Push implements physics.Engine. The angular impulse acts as three couples of impulses, 1 m apart.
func (e *Engine) Push(body physics.BodyID, impulseW, angularW mgl64.Vec3) {
	if body == e.model.BallID() {
		e.ball.Push(impulseW, angularW)
		return
	}
	if e.absent[body] {
		return
	}
	var at mgl64.Vec3 // the centre of mass
	if i := int(body); i < len(e.model.Robots) {
		at = e.now.Robots[i].PoseWB.Apply(e.model.CoM(i))
	} else {
		i -= len(e.model.Robots)
		at = e.now.Obstacles[i].PoseWO.Apply(mgl64.Vec3{0, 0, e.model.Obstacles[i].Height / 2})
	}
	e.bodies.Push(body, impulseW, at)
	for axis, turn := range angularW {
		var arm, j mgl64.Vec3
		arm[(axis+1)%3], j[(axis+2)%3] = 0.5, turn
		e.bodies.Push(body, j, at.Add(arm))
		e.bodies.Push(body, j.Mul(-1), at.Sub(arm))
	}
}

// PlaceBall sets the ball's position and velocity, and turns it to its initial orientation. A robot that holds the ball
// loses it.
func (e *Engine) PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error {
	if err := e.placeable("ball", spatial.Translation(posW), twistInW); err != nil || e.err != nil {
		return err
	}
	e.drop()
	e.ball.Put(posW, twistInW)
	e.readBall()
	return nil
}

func (e *Engine) drop() {
	e.possession.Drop()
	e.now.Ball.HeldBy = -1
}

// maxPlace is the largest magnitude of the coordinates and velocities of placed bodies, in m, m/s and rad/s. It is far
// above any value in a hall.
const maxPlace = 1e4

// placeable returns an error if a pose or a velocity is not finite or not plausible.
func (e *Engine) placeable(name string, pose spatial.Pose, twist spatial.Twist) error {
	for _, v := range [...]struct {
		what string
		vec  mgl64.Vec3
	}{{"position", pose.Pos}, {"velocity", twist.Lin}, {"rate of rotation", twist.Ang}} {
		for _, x := range v.vec {
			if !(math.Abs(x) <= maxPlace) { // so that NaN fails
				return fmt.Errorf("%s: %s = %v: must lie in [-%g, %g]", name, v.what, v.vec, maxPlace, maxPlace)
			}
		}
	}
	if norm := pose.Rot.Norm(); !(math.Abs(norm-1) < 1e-6) {
		return fmt.Errorf("%s: orientation = %v: must be a unit quaternion", name, pose.Rot)
	}
	return nil
}

// solidSet is the solids around the ball: robots, obstacles, static bodies, and last the goalkeepers' extensions.
type solidSet struct {
	model *physics.Model
	all   []ball.Solid
	poses []spatial.Pose // poses of robots and obstacles at the start of the step
	// joints are the joints of all robots at the start of the step.
	joints []physics.JointState
	wide   [][2]float64  // how far each static body extends from its centre along x and y
	legs   []legged      // robots with legs, whose hulls do not count
	links  [2]links      // of the robot that moveLegs looks at: before and after the step
	fixed  int           // index of the first extension
	grid   *spatial.Grid // of the static bodies
	still  []int32       // static bodies near the ball, as indices in the grid
	near   []*ball.Solid // solids that the ball can touch in this step
}

func newSolidSet(model *physics.Model) solidSet {
	s := solidSet{model: model, poses: make([]spatial.Pose, len(model.Robots)+len(model.Obstacles))}
	contacts := &model.Config.Contacts
	for i := range model.Robots {
		s.all = append(s.all, hull(model, i))
	}
	for i := range model.Obstacles {
		o := &model.Obstacles[i]
		solid := ball.Solid{ID: model.ObstacleID(i), Contact: contacts.Ball(physics.Crate),
			Half: mgl64.Vec3{o.SizeX / 2, o.SizeY / 2, o.Height / 2}, InvMass: 1 / o.Mass}
		if o.Round {
			solid.Shape, solid.Half, solid.Radius, solid.Height = ball.Hull, mgl64.Vec3{}, o.SizeX/2, o.Height
			solid.MouthRadius, solid.MouthCos = solid.Radius, 2
		}
		s.all = append(s.all, solid)
	}
	static := model.StaticBoxes()
	s.grid = physics.StaticGrid(static)
	for _, b := range static {
		solid := ball.Solid{ID: physics.Static, Contact: contacts.Ball(b.Material), Rot: mgl64.Rotate3DZ(b.Heading)}
		var wide [2]float64
		wide[0], wide[1] = b.Extent()
		s.wide = append(s.wide, wide)
		b.Max[2] = b.BallTop
		for k := range 3 {
			solid.Pos[k], solid.Half[k] = (b.Min[k]+b.Max[k])/2, (b.Max[k]-b.Min[k])/2
		}
		if b.Round {
			solid.Shape, solid.Radius, solid.Height = ball.Hull, solid.Half[0], 2*solid.Half[2]
			solid.Half = mgl64.Vec3{}
			solid.MouthRadius, solid.MouthCos, solid.Pos[2] = solid.Radius, 2, b.Min[2]
		}
		s.all = append(s.all, solid)
	}
	s.addLegs()
	s.fixed = len(s.all)
	s.all = slices.Grow(s.all, len(model.Robots)) // room for extensions, because near points into the slice
	return s
}

// hull returns a robot's hull. It has a mouth if the dribbler holds the ball closer than the round hull would allow.
func hull(model *physics.Model, robot int) ball.Solid {
	r := &model.Robots[robot]
	s := ball.Solid{ID: model.RobotID(robot), Shape: ball.Hull, Contact: model.Config.Contacts.Ball(physics.Hull),
		Radius: r.Body.Radius, Height: r.Body.Height, InvMass: 1 / r.Body.Mass, MouthRadius: r.Body.Radius, MouthCos: 2}
	if r.Body.Boxed() {
		s.Shape, s.Radius, s.Height = ball.Cuboid, 0, 0
		s.Half = mgl64.Vec3{r.Body.Length / 2, r.Body.Width / 2, r.Body.Height / 2}
		return s
	}
	if d := r.Dribbler; d != nil {
		s.MouthCos = math.Cos(d.MaxAngle)
		room := d.Hold - model.Ball.Radius
		if d.Method == physics.DribbleWheels {
			room -= d.FrictionWheels().Travel / 2 // leaves room for the wheels to move the ball
		}
		s.MouthRadius = math.Min(r.Body.Radius, room)
	}
	return s
}

// savePoses saves the poses before a step.
func (s *solidSet) savePoses(now *physics.Snapshot) {
	for i := range now.Robots {
		s.poses[i] = now.Robots[i].PoseWB
	}
	if len(s.legs) > 0 {
		s.joints = append(s.joints[:0], now.Joints...)
	}
	for i := range now.Obstacles {
		s.poses[len(now.Robots)+i] = now.Obstacles[i].PoseWO
	}
}

// nearby is a distance in metres. Solids that are farther from the ball's path are left out of the step. A body at 10
// m/s moves this far in a step of 50 ms.
const nearby = 0.5

// computeMotion sets the solids' velocities for the step of dt seconds that has moved them from their saved poses to
// their poses in now. The velocities are constant over the step. It also finds the solids that the ball can touch.
func (s *solidSet) computeMotion(now *physics.Snapshot, holder int, posW, velW mgl64.Vec3, dt float64) {
	s.near, s.all = s.near[:0], s.all[:s.fixed]
	radius := s.model.Ball.Radius + nearby + velW.Len()*dt
	s.moveLegs(now, posW, radius, dt)
	for i := range s.poses {
		if i < len(now.Robots) && s.model.Robots[i].Drive.Legged() {
			continue
		}
		solid := &s.all[i]
		dx, dy, reach := posW[0]-s.poses[i].Pos[0], posW[1]-s.poses[i].Pos[1],
			radius+solid.Radius+solid.Half[0]+solid.Half[1]
		if i != holder && dx*dx+dy*dy > reach*reach {
			continue
		}
		if i < len(now.Robots) {
			s.setMotion(i, now.Robots[i].PoseWB, solid.Half[2], dt)
		} else {
			s.setMotion(i, now.Obstacles[i-len(now.Robots)].PoseWO, solid.Half[2], dt)
		}
		s.near = append(s.near, solid)
	}
	s.still = s.grid.Near(s.still[:0], posW[0], posW[1], radius+1e-3)
	for _, i := range s.still {
		solid, wide := &s.all[len(s.poses)+int(i)], &s.wide[i]
		if math.Abs(posW[0]-solid.Pos[0]) < wide[0]+radius && math.Abs(posW[1]-solid.Pos[1]) < wide[1]+radius {
			s.near = append(s.near, solid)
		}
	}
	for i := range now.Robots {
		if now.Robots[i].Extension != physics.NotExtended {
			s.setMotion(i, now.Robots[i].PoseWB, s.all[i].Half[2], dt)
			s.all = append(s.all, s.extension(i, now.Robots[i].Extension))
			s.near = append(s.near, &s.all[len(s.all)-1])
		}
	}
}

// setMotion sets the motion of a solid in a step of dt seconds. The second argument is the solid's pose after the step.
// The solid's centre is at height up, in metres, above the origin of its frame.
func (s *solidSet) setMotion(i int, to spatial.Pose, up, dt float64) {
	from, solid := s.poses[i], &s.all[i]
	moveSolid(solid, from, to, dt)
	if up != 0 {
		arm := solid.Rot.Col(2).Mul(up)
		solid.Pos = solid.Pos.Add(arm)
		solid.Lin = solid.Lin.Add(solid.Ang.Cross(arm))
	}
}

// moveSolid sets the motion of a solid whose pose changes in a step of dt seconds.
func moveSolid(solid *ball.Solid, from, to spatial.Pose, dt float64) {
	solid.Rot = from.Rot.Mat4().Mat3()
	solid.Pos, solid.Lin = from.Pos, to.Pos.Sub(from.Pos).Mul(1/dt)
	solid.Ang = spatial.AngularVelocity(&from.Rot, &to.Rot, dt)
}

// extension returns the plate that a robot has extended.
func (s *solidSet) extension(robot int, to physics.ExtensionState) ball.Solid {
	r, carrier := &s.model.Robots[robot], &s.all[robot]
	f := ball.Solid{ID: carrier.ID, Contact: carrier.Contact, Rot: carrier.Rot, Ang: carrier.Ang,
		InvMass: carrier.InvMass}
	centre, half := r.SidePlate(to)
	if to == physics.ExtendUp {
		centre, half = r.TopPlate(to)
	}
	arm := f.Rot.Mul3x1(centre.Sub(mgl64.Vec3{0, 0, carrier.Half[2]})) // a box's Pos is its centre
	f.Half, f.Pos, f.Lin = half, carrier.Pos.Add(arm), carrier.Lin.Add(f.Ang.Cross(arm))
	return f
}
