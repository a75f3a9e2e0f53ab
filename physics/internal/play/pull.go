package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// pull is an effort that depends on a velocity: stiffness·(velocity − actual), within limits. Motors, friction, damping
// and stops are pulls. of is an index in chain.free; the actual velocity is factor times that of the free joint.
type pull struct {
	of                  int
	factor              float64
	stiffness, velocity float64
	low, high           float64
	joint               int // joint whose motor it is; −1 for others
}

const (
	// rigid is the stiffness of motors and stops, as a multiple of the inertia over the step.
	rigid = 1e4
	// creep is the speed below which dry friction is viscous, rad/s or m/s. A guess.
	creep = 1e-3
)

// gather lists the pulls on the joints, for a step of the given length.
func (c *chain) gather(j *joints, states []physics.JointState, step int64, dt float64) {
	c.pulls = c.pulls[:0]
	n := len(c.free)
	inf := math.Inf(1)
	for k := range c.links {
		i := c.at[k]
		if i < 0 {
			continue
		}
		joint, s, factor := &c.robot.Joints[k], &states[k], c.factor[k]
		add := func(stiffness, velocity, low, high float64, motor int) {
			c.pulls = append(c.pulls, pull{i, factor, stiffness, velocity, low, high, motor})
		}
		hard := rigid * c.mass[i*n+i] / dt
		if joint.Damping > 0 {
			add(joint.Damping, 0, -inf, inf, -1)
		}
		if joint.Friction > 0 {
			add(joint.Friction/creep, 0, -joint.Friction, joint.Friction, -1)
		}
		if joint.Lower > -inf {
			add(hard, (joint.Lower-s.Position)/dt, 0, inf, -1)
		}
		if joint.Upper < inf {
			add(hard, (joint.Upper-s.Position)/dt, -inf, 0, -1)
		}
		if joint.Mimics >= 0 {
			continue
		}
		if v, ok := j.wanted(k, s, step, servoGain); ok {
			add(hard, v, -joint.MaxEffort, joint.MaxEffort, k)
		} else if t := &j.target[k]; t.Mode == physics.JointEffort {
			effort := mgl64.Clamp(t.Value, -joint.MaxEffort, joint.MaxEffort)
			add(0, 0, effort, effort, k)
		}
	}
}

// effort returns the effort of a pull at a velocity of its free joint.
func (p *pull) effort(velocity float64) float64 {
	return mgl64.Clamp(p.stiffness*(p.velocity-p.factor*velocity), p.low, p.high)
}

// mostIterations bounds the iterations of solve. It needs as many as there are pulls that reach a limit, and few more.
const mostIterations = 50

// solve sets next to the velocities after dt seconds: M·(next − velocity) = dt·(efforts of the pulls at next − bias).
// They are where a convex function is least whose gradient is the difference of the two sides. The pulls are piecewise
// linear, so Newton's method with a search along its steps ends after a few iterations.
func (c *chain) solve(dt float64) {
	n := len(c.free)
	copy(c.next, c.velocity)
	for range mostIterations {
		copy(c.factored, c.mass)
		for i := range n {
			c.right[i] = -dt * c.bias[i]
			for k := range n {
				c.right[i] += c.mass[i*n+k] * (c.velocity[k] - c.next[k])
			}
		}
		for i := range c.pulls {
			p := &c.pulls[i]
			e := p.effort(c.next[p.of])
			c.right[p.of] += dt * p.factor * e
			if e > p.low && e < p.high {
				c.factored[p.of*n+p.of] += dt * p.stiffness * p.factor * p.factor
			}
		}
		copy(c.slope, c.right)
		solveSymmetric(c.factored, c.right)
		share := c.along(dt)
		change := 0.0
		for i := range n {
			c.next[i] += share * c.right[i]
			change = max(change, math.Abs(c.right[i]))
		}
		if !(change > 1e-12) {
			break
		}
	}
}

// along returns where the function is least along the step right from next, as a share of the step, up to 1. The
// argument dt is that of solve, which has set slope to the function's negative gradient at next.
func (c *chain) along(dt float64) float64 {
	n := len(c.free)
	down, bend := 0.0, 0.0
	for i := range n {
		down -= c.slope[i] * c.right[i]
		for k := range n {
			bend += c.right[i] * c.mass[i*n+k] * c.right[k]
		}
	}
	for i := range c.pulls {
		p := &c.pulls[i]
		down += dt * p.factor * c.right[p.of] * p.effort(c.next[p.of])
	}
	gradient := func(share float64) float64 {
		g := down + share*bend
		for i := range c.pulls {
			p := &c.pulls[i]
			g -= dt * p.factor * c.right[p.of] * p.effort(c.next[p.of]+share*c.right[p.of])
		}
		return g
	}
	low, high := 0.0, 1.0
	if gradient(1) <= 1e-12*bend {
		return 1
	}
	for range 50 {
		if middle := (low + high) / 2; gradient(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// solveSymmetric solves a symmetric, positive definite system in place: x becomes the solution. It overwrites the
// matrix, which is given row by row.
func solveSymmetric(a, x []float64) {
	n := len(x)
	for i := range n {
		for k := range i + 1 {
			sum := a[i*n+k]
			for m := range k {
				sum -= a[i*n+m] * a[k*n+m]
			}
			if i == k {
				a[i*n+i] = math.Sqrt(max(sum, 1e-300))
			} else {
				a[i*n+k] = sum / a[k*n+k]
			}
		}
	}
	for i := range n {
		for k := range i {
			x[i] -= a[i*n+k] * x[k]
		}
		x[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k*n+i] * x[k]
		}
		x[i] /= a[i*n+i]
	}
}
