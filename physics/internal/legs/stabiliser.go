package legs

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Balance is what the stabiliser knows of the trunk, and what it does.
type Balance struct {
	Tilt [2]float64 // filtered roll and pitch, as differences to those of the gait, rad
	Rate [2]float64 // filtered rates of them, rad/s
	Step [2]float64 // by how much the next step lands farther ahead and farther to the left, m
}

// filterTime is the time constant of the filters of tilt and rate, in seconds. It is a guess.
const filterTime = 0.02

// Sense tells the stabiliser what the robot measures of its trunk: the roll and the pitch of B about the vertical, in
// rad, and the rates of both, in rad/s, over a step of dt seconds.
func (g *Gait) Sense(s *State, tilt, rate [2]float64, dt float64) {
	b := &s.Balance
	share := 1 - math.Exp(-dt/filterTime)
	tilt[1] -= g.walk.TrunkPitch
	for k := range tilt {
		b.Tilt[k] += share * (tilt[k] - b.Tilt[k])
		b.Rate[k] += share * (rate[k] - b.Rate[k])
	}
	// change of the capture point, by the tilt about the foot
	ahead := g.height * (b.Tilt[1] + b.Rate[1]/g.pendulum)
	left := -g.height * (b.Tilt[0] + b.Rate[0]/g.pendulum)
	most := g.halfDist
	b.Step[0] = mgl64.Clamp(g.walk.StepGain*ahead, -most, most)
	b.Step[1] = mgl64.Clamp(g.walk.StepGain*left, -most, most)
}

// Target is what the motor of a joint should do.
type Target struct {
	Position float64
	Effort   float64 // that holds the weight; N m
}

// Loads returns the shares of the weight that the left and the right foot carry.
func (g *Gait) Loads(s *State) (loads [2]float64) {
	if s.Mode != Walking {
		return [2]float64{0.5, 0.5}
	}
	loads[0] = (1 + g.pressure(s.Phase)) / 2
	loads[1] = 1 - loads[0]
	return loads
}

// Targets sets what the joints should do, in the order of Joints: the nominal positions, changed by the stabiliser.
func (g *Gait) Targets(s *State, to []Target) {
	trunk := g.Trunk(s)
	upB := trunk.Unrotate(mgl64.Vec3{0, 0, 1})
	loads := g.Loads(s)
	var q [LegJoints]float64
	for side := range g.legs {
		leg, load := &g.legs[side], loads[side]
		soleB := g.soleB(s, side, trunk)
		if g.rise(s, side) > 0 { // keep the sole level
			level := mgl64.QuatRotate(-s.Balance.Tilt[1], mgl64.Vec3{0, 1, 0}).Mul(
				mgl64.QuatRotate(-s.Balance.Tilt[0], mgl64.Vec3{1, 0, 0}))
			soleB.Rot = level.Mul(soleB.Rot)
		}
		leg.positions(soleB, q[:])
		for axis := range 2 {
			turn := g.walk.AnkleP*s.Balance.Tilt[axis] + g.walk.AnkleD*s.Balance.Rate[axis]
			q[5-axis] += load * leg.sign[5-axis] * turn
		}
		targets := to[side*LegJoints : (side+1)*LegJoints]
		for i := range targets {
			targets[i].Position = q[i]
		}
		g.hold(leg, soleB.Pos, upB.Mul(load*g.weight), upB.Mul(g.gravity), targets)
	}
}

// hold sets the efforts that hold a leg's weight, and a force of the floor on it at a point, all in B.
func (g *Gait) hold(l *leg, atB, forceB, gravityB mgl64.Vec3, to []Target) {
	var axis, point, com [LegJoints]mgl64.Vec3
	before := spatial.Identity()
	for i := range to {
		j := &g.robot.Joints[l.joint[i]]
		axis[i] = before.Rotate(j.AxisB)
		before = before.Mul(j.Moved(to[i].Position))
		point[i], com[i] = before.Apply(j.PointB), before.Apply(j.CoMB)
	}
	for i := range to {
		moment := atB.Sub(point[i]).Cross(forceB)
		for k := i; k < LegJoints; k++ {
			mass := g.robot.Joints[l.joint[k]].Mass
			moment = moment.Sub(com[k].Sub(point[i]).Cross(gravityB.Mul(mass)))
		}
		to[i].Effort = -axis[i].Dot(moment)
	}
}

func (b *Balance) exchange(c *keyframe.Codec) {
	for k := range b.Tilt {
		for _, x := range []*float64{&b.Tilt[k], &b.Rate[k], &b.Step[k]} {
			c.FloatIn(x, -far, far)
		}
	}
}
