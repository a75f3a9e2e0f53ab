package play

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// limb is a collision shape of a robot with legs, which the ball may touch.
type limb struct {
	robot, solid int          // solid is an index in solidSet.all
	poseB        spatial.Pose // of the solid's frame, while joints are at their Zero
	reach        float64      // upper bound of its distance from B's origin, m
}

// addLegs adds the shapes of all robots with legs.
func (s *solidSet) addLegs() {
	for i := range s.model.Robots {
		r := &s.model.Robots[i]
		if !r.Drive.Legged() {
			continue
		}
		s.addShapes(i, -1, r.Trunk.Shapes)
		for k := range r.Joints {
			s.addShapes(i, k, r.Joints[k].Shapes)
		}
		for k := range s.links {
			s.links[k] = slices.Grow(s.links[k], len(r.Joints))
		}
	}
}

// reach returns an upper bound of the distance from B's origin of a point that is at pointB of the link of a joint: the
// length of the chain of joints to it.
func reach(r *physics.Robot, joint int, pointB mgl64.Vec3) (sum float64) {
	for ; joint >= 0; joint = r.Joints[joint].Parent {
		j := &r.Joints[joint]
		if j.Slides {
			sum += max(math.Abs(j.Lower-j.Zero), math.Abs(j.Upper-j.Zero))
		}
		sum, pointB = sum+pointB.Sub(j.PointB).Len(), j.PointB
	}
	return sum + pointB.Len()
}

func (s *solidSet) addShapes(robot, joint int, shapes []physics.Shape) {
	r := &s.model.Robots[robot]
	for i := range shapes {
		shape := &shapes[i]
		// The ball meets the whole robot: joints whose motors hold them pass the impulse on. This is a guess.
		solid := ball.Solid{ID: s.model.RobotID(robot), Link: joint, InvMass: 1 / r.Body.Mass,
			Contact: s.model.Config.Contacts.Ball(physics.Hull)}
		l := limb{robot: robot, solid: len(s.all), poseB: shape.PoseB}
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
		l.reach = reach(r, joint, l.poseB.Pos)
		s.all = append(s.all, solid)
		s.legs = append(s.legs, l)
	}
}

// moveLegs sets the motion of the shapes of robots with legs near the ball, for a step of dt seconds.
func (s *solidSet) moveLegs(now *physics.Snapshot, posW mgl64.Vec3, radius, dt float64) {
	linked := -1 // the robot whose links have moved to s.links
	for i := range s.legs {
		l := &s.legs[i]
		at, solid := &s.poses[l.robot], &s.all[l.solid]
		x, y := posW[0]-at.Pos[0], posW[1]-at.Pos[1]
		near := radius + solid.Half.Len() + solid.Radius + solid.Height
		if reach := near + l.reach; x*x+y*y > reach*reach {
			continue
		}
		r, before, after := &s.model.Robots[l.robot], spatial.Identity(), spatial.Identity()
		if linked != l.robot {
			first := s.model.FirstJoint(l.robot)
			s.links[0] = r.MovedLinks(s.joints[first:first+len(r.Joints)], s.links[0][:0])
			s.links[1] = r.MovedLinks(now.Joints[first:first+len(r.Joints)], s.links[1][:0])
			linked = l.robot
		}
		if solid.Link >= 0 {
			before, after = s.links[0][solid.Link], s.links[1][solid.Link]
		}
		from := at.Mul(before).Mul(l.poseB)
		if off := posW.Sub(from.Pos); off.Dot(off) > near*near {
			continue
		}
		moveSolid(solid, from, now.Robots[l.robot].PoseWB.Mul(after).Mul(l.poseB), dt)
		s.near = append(s.near, solid)
	}
}
