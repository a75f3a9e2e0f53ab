package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// legged is a robot with legs, whose collision shapes the ball may touch.
type legged struct {
	robot *physics.Robot
	index int // of the robot
	first int // index of its first joint in snapshots
	limbs []limb
	reach float64 // upper bound of the distance of its shapes' points from B's origin, m
}

// limb is a collision shape of a robot with legs.
type limb struct {
	solid int          // index in solidSet.all
	poseB spatial.Pose // of the solid's frame, while joints are at their Zero
	size  float64      // upper bound of the distance of the solid's points from its frame's origin, m
	rootB mgl64.Vec3   // a point that no joint moves
	reach float64      // upper bound of the distance of the frame's origin from that point, m
}

// addLegs adds the shapes of all robots with legs.
func (s *solidSet) addLegs() {
	most, first := 0, 0
	for i := range s.model.Robots {
		r := &s.model.Robots[i]
		if r.Drive.Legged() {
			l := legged{robot: r, index: i, first: first}
			s.addShapes(&l, -1, r.Trunk.Shapes)
			for k := range r.Joints {
				s.addShapes(&l, k, r.Joints[k].Shapes)
			}
			s.legs, most = append(s.legs, l), max(most, len(r.Joints))
		}
		first += len(r.Joints)
	}
	for k := range s.links {
		s.links[k] = links{poses: make([]spatial.Pose, most), known: make([]bool, most)}
	}
}

// reach returns a point that no joint moves, in B, and an upper bound of the distance from it of a point that is at
// pointB of the link of a joint: the length of the chain of joints to it.
func reach(r *physics.Robot, joint int, pointB mgl64.Vec3) (rootB mgl64.Vec3, sum float64) {
	for ; joint >= 0; joint = r.Joints[joint].Parent {
		j := &r.Joints[joint]
		if j.Slides {
			sum += max(math.Abs(j.Lower-j.Zero), math.Abs(j.Upper-j.Zero))
		}
		sum, pointB = sum+pointB.Sub(j.PointB).Len(), j.PointB
	}
	return pointB, sum
}

func (s *solidSet) addShapes(to *legged, joint int, shapes []physics.Shape) {
	r := to.robot
	for i := range shapes {
		shape := &shapes[i]
		// The ball meets the whole robot: joints whose motors hold them pass the impulse on. This is a guess.
		solid := ball.Solid{ID: s.model.RobotID(to.index), Link: joint, InvMass: 1 / r.Body.Mass,
			Contact: s.model.Config.Contacts.Ball(physics.Hull)}
		l := limb{solid: len(s.all), poseB: shape.PoseB}
		switch shape.Kind {
		case physics.BoxShape:
			solid.Half = shape.Half
		case physics.CylinderShape:
			solid.Shape, solid.Radius, solid.Height = ball.Hull, shape.Half[0], 2*shape.Half[2]
			solid.MouthRadius, solid.MouthCos = solid.Radius, 2
			l.poseB = l.poseB.Mul(spatial.Translation(mgl64.Vec3{0, 0, -shape.Half[2]}))
		default:
			solid.Shape, solid.Radius = ball.Capsule, shape.Half[0]
			if shape.Kind == physics.CapsuleShape {
				solid.Half[2] = shape.Half[2]
			}
		}
		l.size = solid.Half.Len() + solid.Radius + solid.Height
		l.rootB, l.reach = reach(r, joint, l.poseB.Pos)
		to.reach = max(to.reach, l.rootB.Len()+l.reach+l.size)
		to.limbs = append(to.limbs, l)
		s.all = append(s.all, solid)
	}
}

// links are the poses of a robot's links relative to those at Zero, as Robot.Moved returns them. They are computed when
// they are needed.
type links struct {
	poses []spatial.Pose
	known []bool
}

// moved returns the pose of the link of a joint; −1 is the robot's body.
func (l *links) moved(joints []physics.Joint, states []physics.JointState, joint int) spatial.Pose {
	if joint < 0 {
		return spatial.Identity()
	}
	if !l.known[joint] {
		j := &joints[joint]
		by := j.Moved(states[joint].Position)
		if j.Parent >= 0 {
			by = l.moved(joints, states, j.Parent).Mul(by)
		}
		l.poses[joint], l.known[joint] = by, true
	}
	return l.poses[joint]
}

// moveLegs sets the motion of the shapes of robots with legs near the ball, for a step of dt seconds.
func (s *solidSet) moveLegs(now *physics.Snapshot, posW mgl64.Vec3, radius, dt float64) {
	for i := range s.legs {
		r := &s.legs[i]
		poseWB := &s.poses[r.index]
		x, y, most := posW[0]-poseWB.Pos[0], posW[1]-poseWB.Pos[1], radius+r.reach
		if x*x+y*y > most*most {
			continue
		}
		joints, end := r.robot.Joints, r.first+len(r.robot.Joints)
		before, after := s.joints[r.first:end], now.Joints[r.first:end]
		clear(s.links[0].known)
		clear(s.links[1].known)
		for k := range r.limbs {
			l := &r.limbs[k]
			near := radius + l.size
			if apart(posW, poseWB.Apply(l.rootB), near+l.reach) {
				continue
			}
			solid := &s.all[l.solid]
			from := poseWB.Mul(s.links[0].moved(joints, before, solid.Link)).Mul(l.poseB)
			if apart(posW, from.Pos, near) {
				continue
			}
			to := now.Robots[r.index].PoseWB.Mul(s.links[1].moved(joints, after, solid.Link)).Mul(l.poseB)
			moveSolid(solid, from, to, dt)
			s.near = append(s.near, solid)
		}
	}
}

// apart reports whether the distance of two points is larger than a limit.
func apart(a, b mgl64.Vec3, limit float64) bool {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return x*x+y*y+z*z > limit*limit
}
