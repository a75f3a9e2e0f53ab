package mapping

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Limits of conditions.
const (
	fallingTilt = 15 * spatial.Degree // guess: more than any robot leans that drives
	fallenTilt  = 60 * spatial.Degree // guess: most lie at 90°, and some on what they fell over
	movingSpeed = 0.02                // m/s, guess: above the creeping of robots that rest
	movingTurn  = 0.05                // rad/s, guess
	parkedFrom  = 0.6                 // m beyond the lines, guess: nearer than robots wait to come back, and farther than play goes
)

// stateQuantities are the condition of a robot, and its joints.
func stateQuantities(q *quantities) {
	q.flag("sent_off", func(c *Context) bool { return c.sentOff(c.state()) })
	q.angle("tilt", func(c *Context) float64 { return tilt(c.state()) })
	q.Texts["condition"] = func(c *Context) string { return c.condition() }

	m := newQuantities()
	at := func(c *Context) *joint { return &c.joints[c.at] }
	m.Texts["name"] = func(c *Context) string { return at(c).name }
	m.angle("position", func(c *Context) float64 { return at(c).position })
	m.angle("velocity", func(c *Context) float64 { return at(c).velocity })
	q.list("joints", func(c *Context) int { c.findJoints(); return len(c.joints) }, m)
}

// sentOff tells whether a robot stands where those are parked that were sent off, or wait to come back.
func (c *Context) sentOff(r *physics.RobotState) bool {
	f := &c.World.Field
	return math.Abs(r.PoseWB.Pos[0]) > f.Length/2+parkedFrom || math.Abs(r.PoseWB.Pos[1]) > f.Width/2+parkedFrom
}

// tilt is the angle between a robot's upright axis and the vertical, radians.
func tilt(r *physics.RobotState) float64 {
	q := &r.PoseWB.Rot
	return math.Acos(max(-1, 1-2*(q.V[0]*q.V[0]+q.V[1]*q.V[1])))
}

// condition is fallen, falling, sent_off, moving or standing, the first that holds.
func (c *Context) condition() string {
	r := c.state()
	v := r.TwistWBInB()
	switch lean := tilt(r); {
	case lean > fallenTilt:
		return "fallen"
	case lean > fallingTilt:
		return "falling"
	case c.sentOff(r):
		return "sent_off"
	case math.Hypot(v.VX, v.VY) > movingSpeed || math.Abs(v.Omega) > movingTurn:
		return "moving"
	}
	return "standing"
}

// joint is an axis that turns, radians and rad/s.
type joint struct {
	name               string
	position, velocity float64
}

// findJoints lists the axes of the robot's heads, in its sensors' order, then its wheels.
func (c *Context) findJoints() {
	c.joints = c.joints[:0]
	for i := range c.Robot.Sensors {
		cfg := &c.Robot.Sensors[i]
		if cfg.Head == nil {
			continue
		}
		if camera, ok := c.Camera(c.Robot.Name, cfg.Name); ok {
			pan, tilt := camera.Head().Angles()
			panRate, tiltRate := camera.Head().Rates()
			c.joints = append(c.joints, joint{cfg.Name + "_pan", pan, panRate}, joint{cfg.Name + "_tilt", tilt, tiltRate})
		}
	}
	r := c.state()
	for i := range c.Robot.Drive.AllWheels() {
		c.joints = append(c.joints, joint{fmt.Sprintf("wheel%d", i+1), r.WheelRad[i], r.WheelRadS[i]})
	}
}
