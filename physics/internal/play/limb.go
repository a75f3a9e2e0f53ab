package play

import (
	"math"

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
		first := len(s.legs)
		s.addShapes(i, -1, r.Trunk.Shapes)
		span := r.Trunk.CoMB.Len()
		for k := range r.Joints {
			s.addShapes(i, k, r.Joints[k].Shapes)
			span = max(span, r.Joints[k].PointB.Len())
		}
		for k := range s.legs[first:] {
			l := &s.legs[first+k]
			l.reach = 2*span + l.poseB.Pos.Len() // links turn about points within span
		}
	}
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
		s.all = append(s.all, solid)
		s.legs = append(s.legs, l)
	}
}

// moveLegs sets the motion of the shapes of robots with legs near the ball, for a step of dt seconds.
func (s *solidSet) moveLegs(now *physics.Snapshot, posW mgl64.Vec3, radius, dt float64) {
	for i := range s.legs {
		l := &s.legs[i]
		at, solid := &s.poses[l.robot], &s.all[l.solid]
		reach := radius + l.reach + solid.Half.Len() + solid.Radius + solid.Height
		if math.Hypot(posW[0]-at.Pos[0], posW[1]-at.Pos[1]) > reach {
			continue
		}
		r, first := &s.model.Robots[l.robot], s.model.FirstJoint(l.robot)
		before, after := s.joints[first:first+len(r.Joints)], now.Joints[first:first+len(r.Joints)]
		from := at.Mul(r.Moved(solid.Link, before)).Mul(l.poseB)
		to := now.Robots[l.robot].PoseWB.Mul(r.Moved(solid.Link, after)).Mul(l.poseB)
		moveSolid(solid, from, to, dt)
		s.near = append(s.near, solid)
	}
}
