package play

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// solidSet is the solids around the ball: robots, obstacles, boards and goals, and last the goalkeepers' extensions.
type solidSet struct {
	model *physics.Model
	all   []ball.Solid
	poses []spatial.Pose // poses of robots and obstacles at the start of the step
	fixed int            // index of the first extension
	near  []*ball.Solid  // solids that the ball can touch in this step
}

func newSolidSet(model *physics.Model) solidSet {
	s := solidSet{model: model, poses: make([]spatial.Pose, len(model.Robots)+len(model.Obstacles))}
	contacts := &model.Config.Contacts
	for i := range model.Robots {
		s.all = append(s.all, hull(model, i))
	}
	for i := range model.Obstacles {
		o := &model.Obstacles[i]
		s.all = append(s.all, ball.Solid{ID: model.ObstacleID(i), Contact: contacts.Ball(physics.Crate),
			Half: mgl64.Vec3{o.SizeX / 2, o.SizeY / 2, o.Height / 2}, InvMass: 1 / o.Mass})
	}
	for _, b := range model.Field.StaticBoxes() {
		solid := ball.Solid{ID: physics.Static, Contact: contacts.Ball(b.Material), Rot: mgl64.Ident3()}
		b.Max[2] = b.BallTop
		for k := range 3 {
			solid.Pos[k], solid.Half[k] = (b.Min[k]+b.Max[k])/2, (b.Max[k]-b.Min[k])/2
		}
		s.all = append(s.all, solid)
	}
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
	for i := range now.Obstacles {
		s.poses[len(now.Robots)+i] = now.Obstacles[i].PoseWO
	}
}

// nearby is the distance from the ball's path within which solids are considered, metres: the distance that a body at
// 10 m/s moves in a step of 50 ms.
const nearby = 0.5

// computeMotion sets the solids' velocities, constant over the step, from their poses before the step and dt seconds
// later. It also finds the solids that the ball can touch.
func (s *solidSet) computeMotion(now *physics.Snapshot, holder int, posW, velW mgl64.Vec3, dt float64) {
	s.near, s.all = s.near[:0], s.all[:s.fixed]
	radius := s.model.Ball.Radius + nearby + velW.Len()*dt
	for i := range s.poses {
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
	for i := len(s.poses); i < s.fixed; i++ {
		solid := &s.all[i]
		if math.Abs(posW[0]-solid.Pos[0]) < solid.Half[0]+radius &&
			math.Abs(posW[1]-solid.Pos[1]) < solid.Half[1]+radius {
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
	solid.Rot = from.Rot.Mat4().Mat3()
	solid.Pos, solid.Lin = from.Pos, to.Pos.Sub(from.Pos).Mul(1/dt)
	// Twice the vector part of the rotation, which is the angle to first order.
	d := to.Rot.Mul(from.Rot.Conjugate())
	solid.Ang = d.V.Mul(math.Copysign(2, d.W) / dt)
	if up != 0 {
		arm := solid.Rot.Col(2).Mul(up)
		solid.Pos = solid.Pos.Add(arm)
		solid.Lin = solid.Lin.Add(solid.Ang.Cross(arm))
	}
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
