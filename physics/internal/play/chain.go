package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// chain computes how the links of a robot move by forces, in the coordinates of its joints. These are the equations of
// R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapter 6, with M from the links' Jacobians. All vectors are
// in the present axes of B.
type chain struct {
	robot   *physics.Robot
	gravity float64
	// free lists the joints that move by forces. Joints that mimic them move along, by factor; at is the index in free,
	// or −1.
	free   []int
	at     []int
	factor []float64

	moved    []spatial.Pose // Robot.Moved of each joint
	links    []link
	mass     []float64 // M, row by row
	bias     []float64 // efforts that hold the joints at constant speed
	pulls    []pull
	position []float64 // of free joints, and their velocities
	velocity []float64
	next     []float64 // velocities after a step
	factored []float64 // Cholesky factor of the system, row by row
	right    []float64
	slope    []float64
	before   []float64 // velocities before the step
}

// link is the present motion of a link.
type link struct {
	axis, point, com    mgl64.Vec3
	turn                mgl64.Mat3 // from the axes of B in the model
	inertia             mgl64.Mat3
	omega, alpha, accel mgl64.Vec3 // accel is that of point; both accelerations are without those of the joints
	force, torque       mgl64.Vec3 // that move the link: the force at com, the torque about it
}

func newChain(robot *physics.Robot, gravity float64) chain {
	n := len(robot.Joints)
	c := chain{robot: robot, gravity: gravity, at: make([]int, n), factor: make([]float64, n),
		moved: make([]spatial.Pose, n), links: make([]link, n)}
	for i := range robot.Joints {
		c.at[i] = -1
		if j := &robot.Joints[i]; j.Mimics < 0 && j.Wheel < 0 {
			c.at[i], c.factor[i] = len(c.free), 1
			c.free = append(c.free, i)
		}
	}
	for i := range robot.Joints {
		if j := &robot.Joints[i]; j.Mimics >= 0 {
			c.at[i], c.factor[i] = c.at[j.Mimics], j.Multiplier
		}
	}
	m := len(c.free)
	c.mass, c.factored = make([]float64, m*m), make([]float64, m*m)
	for _, v := range []*[]float64{&c.bias, &c.position, &c.velocity, &c.next, &c.right, &c.slope, &c.before} {
		*v = make([]float64, m)
	}
	return c
}

// base is the motion of the robot's body in the axes of B: its angular velocity and acceleration, and the acceleration
// of the origin, with that of gravity.
type base struct{ omega, alpha, accel mgl64.Vec3 }

// turnPerPart is the angle, in rad, that a joint turns in a part of a step. A guess, with which the energy of a double
// pendulum drifts by less than 1 %.
const turnPerPart = 0.02

// swing moves the joints by forces for a step.
func (j *joints) swing(states []physics.JointState, r *physics.RobotState, step int64) {
	c := &j.chain
	still := base{omega: r.PoseWB.Unrotate(r.TwistWBInW.Ang),
		accel: r.PoseWB.Unrotate(mgl64.Vec3{0, 0, c.gravity})}
	body := still
	body.accel = body.accel.Add(calmed(r.PoseWB.Unrotate(r.AccelWBInW)))
	body.alpha = calmed(r.PoseWB.Unrotate(r.AngAccelWBInW))
	fastest := 0.0
	for i, k := range c.free {
		fastest = max(fastest, math.Abs(states[k].Velocity))
		c.before[i] = states[k].Velocity
	}
	parts := 1 + min(int(fastest*j.dt/turnPerPart), 7)
	for range parts {
		c.part(j, states, &body, step, j.dt/float64(parts))
	}
	for i, k := range c.free {
		c.next[i] = (states[k].Velocity - c.before[i]) / j.dt // now an acceleration
	}
	c.compute(states, &still, c.next)
	force, torque := c.onBody(&still)
	j.forceW, j.torqueW = r.PoseWB.Rotate(force), r.PoseWB.Rotate(torque)
}

// part moves the joints for dt seconds, by the midpoint rule with implicit pulls.
func (c *chain) part(j *joints, states []physics.JointState, body *base, step int64, dt float64) {
	for i, k := range c.free {
		c.position[i], c.velocity[i] = states[k].Position, states[k].Velocity
	}
	c.place(states)
	c.compute(states, body, nil)
	c.gather(j, states, step, dt/2)
	c.solve(dt / 2)
	for i, k := range c.free {
		states[k] = physics.JointState{Position: c.position[i] + c.next[i]*dt/2, Velocity: c.next[i]}
	}
	j.robot.Mimic(states)
	c.place(states) // the middle
	c.compute(states, body, nil)
	for i, k := range c.free {
		states[k] = physics.JointState{Position: c.position[i], Velocity: c.velocity[i]}
	}
	j.robot.Mimic(states)
	c.gather(j, states, step, dt)
	c.solve(dt)
	for i, k := range c.free {
		q := c.position[i] + (c.velocity[i]+c.next[i])/2*dt
		joint := &j.robot.Joints[k]
		states[k] = physics.JointState{Position: mgl64.Clamp(q, joint.Lower, joint.Upper), Velocity: c.next[i]}
	}
	for i := range c.pulls {
		if p := &c.pulls[i]; p.joint >= 0 {
			states[p.joint].Effort = p.effort(states[p.joint].Velocity)
		}
	}
	j.robot.Mimic(states)
}

// calmed limits an acceleration to mostJolt.
func calmed(a mgl64.Vec3) mgl64.Vec3 {
	for i := range a {
		a[i] = mgl64.Clamp(a[i], -mostJolt, mostJolt)
	}
	return a
}

// place computes where the links are, and M.
func (c *chain) place(states []physics.JointState) {
	for i := range c.links {
		j, l := &c.robot.Joints[i], &c.links[i]
		before := spatial.Identity()
		if j.Parent >= 0 {
			before = c.moved[j.Parent]
		}
		c.moved[i] = before.Mul(j.Moved(states[i].Position))
		l.axis, l.point, l.com = before.Rotate(j.AxisB), c.moved[i].Apply(j.PointB), c.moved[i].Apply(j.CoMB)
		l.turn = c.moved[i].Rotation()
		l.inertia = l.turn.Mul3(j.InertiaB).Mul3(l.turn.Transpose())
	}
	clear(c.mass)
	n := len(c.free)
	for i := range c.links {
		l, m := &c.links[i], c.robot.Joints[i].Mass
		for a := i; a >= 0; a = c.robot.Joints[a].Parent {
			if c.at[a] < 0 {
				continue
			}
			va, wa := c.links[a].column(l, c.slides(a))
			iwa := l.inertia.Mul3x1(wa)
			for b := i; b >= 0; b = c.robot.Joints[b].Parent {
				if c.at[b] < 0 {
					continue
				}
				vb, wb := c.links[b].column(l, c.slides(b))
				c.mass[c.at[a]*n+c.at[b]] += c.factor[a] * c.factor[b] * (m*va.Dot(vb) + iwa.Dot(wb))
			}
		}
	}
	for i, at := range c.at {
		if at >= 0 {
			c.mass[at*n+at] += c.factor[i] * c.factor[i] * c.robot.Joints[i].Armature
		}
	}
	for i := range n { // a link without mass must not make the motion infinite
		c.mass[i*n+i] += 1e-9
	}
}

func (c *chain) slides(joint int) bool { return c.robot.Joints[joint].Slides }

// column returns the velocity of another link's centre of mass, and its angular velocity, per speed of the joint of l.
func (l *link) column(other *link, slides bool) (lin, ang mgl64.Vec3) {
	if slides {
		return l.axis, mgl64.Vec3{}
	}
	return l.axis.Cross(other.com.Sub(l.point)), l.axis
}

// compute sets the forces that move the links, and with them bias. The argument accel has the accelerations of the free
// joints; nil for none.
func (c *chain) compute(states []physics.JointState, body *base, accel []float64) {
	clear(c.bias)
	for i := range c.links {
		j, l := &c.robot.Joints[i], &c.links[i]
		from, omega, alpha, a := mgl64.Vec3{}, body.omega, body.alpha, body.accel
		if j.Parent >= 0 {
			p := &c.links[j.Parent]
			from, omega, alpha, a = p.point, p.omega, p.alpha, p.accel
		}
		speed, change := states[i].Velocity, 0.0
		if c.at[i] < 0 {
			speed = 0 // a wheel
		} else if accel != nil {
			change = c.factor[i] * accel[c.at[i]]
		}
		to := l.point.Sub(from)
		l.accel = a.Add(alpha.Cross(to)).Add(omega.Cross(omega.Cross(to)))
		l.omega, l.alpha = omega, alpha
		if j.Slides {
			l.accel = l.accel.Add(omega.Cross(l.axis).Mul(2 * speed)).Add(l.axis.Mul(change))
		} else {
			l.omega = omega.Add(l.axis.Mul(speed))
			l.alpha = alpha.Add(omega.Cross(l.axis).Mul(speed)).Add(l.axis.Mul(change))
		}
		to = l.com.Sub(l.point)
		l.force = l.accel.Add(l.alpha.Cross(to)).Add(l.omega.Cross(l.omega.Cross(to))).Mul(j.Mass)
		l.torque = l.inertia.Mul3x1(l.alpha).Add(l.omega.Cross(l.inertia.Mul3x1(l.omega)))
		for k := i; k >= 0; k = c.robot.Joints[k].Parent {
			if c.at[k] < 0 {
				continue
			}
			lin, ang := c.links[k].column(l, c.slides(k))
			c.bias[c.at[k]] += c.factor[k] * (lin.Dot(l.force) + ang.Dot(l.torque))
		}
	}
}

// onBody returns the force and the torque about the origin of B with which the links act on the body, in addition to
// those of links that do not move.
func (c *chain) onBody(body *base) (force, torque mgl64.Vec3) {
	for i := range c.links {
		j, l := &c.robot.Joints[i], &c.links[i]
		force = force.Sub(l.force)
		torque = torque.Sub(l.torque).Sub(l.com.Cross(l.force))
		f := body.accel.Add(body.omega.Cross(body.omega.Cross(j.CoMB))).Mul(j.Mass)
		force = force.Add(f)
		torque = torque.Add(j.CoMB.Cross(f)).Add(body.omega.Cross(j.InertiaB.Mul3x1(body.omega)))
	}
	return force, torque
}
