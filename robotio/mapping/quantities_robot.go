package mapping

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// robotQuantities are those of a robot: its names, and the truth about it.
func robotQuantities() *quantities {
	q := newQuantities()
	q.Texts["robot"] = func(c *Context) string { return c.Robot.Name }
	q.Texts["team"] = func(c *Context) string { return string(c.Robot.Team) }
	q.Texts["team.prefix"] = func(c *Context) string { return c.prefix(c.Robot.Team) }
	q.Texts["sensor"] = func(c *Context) string {
		if c.Sensor == nil {
			return ""
		}
		return c.Sensor.Name
	}
	q.Texts["level"] = func(c *Context) string {
		if c.Observation == nil {
			return ""
		}
		return string(c.Observation.Level)
	}
	q.plain("number", func(c *Context) float64 { return float64(c.Robot.Number) })
	q.plain("agent", func(c *Context) float64 { return float64(agent(c.Robot)) })
	q.flag("holding", func(c *Context) bool { return c.Truth.Ball.HeldBy == c.index })
	q.flag("ball.reachable", func(c *Context) bool {
		r, err := c.World.FindRobot(c.Robot.Name)
		return err == nil && r.Within(c.reach, c.state().PoseWB, c.Truth.Ball.PosW, c.World.Ball.Radius)
	})
	q.flag("stuck", func(c *Context) bool { return c.state().Stuck })
	q.plain("charge", func(c *Context) float64 { return c.state().Charge })
	q.plain("unknown", func(*Context) float64 { return math.NaN() })
	q.plain("kicks", func(c *Context) float64 { return float64(c.state().Kicks) })
	q.pose("truth.", func(c *Context) spatial.Pose { return c.state().PoseWB })
	q.pose("truth.field.", func(c *Context) spatial.Pose { return teamFrame(c.Robot.Team).Mul(c.state().PoseWB) })
	q.twist("truth.", func(c *Context) physics.PlanarTwist { return c.state().TwistWBInB() })
	stateQuantities(q)
	ownGameQuantities(q)
	teamQuantities(q, func(*Context) bool { return false })
	return q
}

// teamQuantities list the robots of the robot's team, with and without itself, in their team's field frame: the truth
// about them at the message's stamp. Of itself it is what the robot believes where it perceives.
func teamQuantities(q *quantities, perceives func(*Context) bool) {
	m := newQuantities()
	robot := func(c *Context) (*worlds.Robot, *physics.RobotState) {
		i := c.members[c.at]
		return &c.World.Robots[i], &c.Truth.Robots[i]
	}
	itself := func(c *Context) bool { return c.members[c.at] == c.index }
	pose := func(c *Context) spatial.Pose {
		if itself(c) && perceives(c) {
			return c.selfF
		}
		_, s := robot(c)
		return teamFrame(c.Robot.Team).Mul(s.PoseWB.Drifted(s.TwistWBInW, (c.Stamp - c.Truth.Time).Seconds()))
	}
	known := func(c *Context) bool {
		return !itself(c) || !perceives(c) || c.Observation.Objects.SelfKnown
	}
	m.Texts["name"] = func(c *Context) string { r, _ := robot(c); return r.Name }
	m.plain("number", func(c *Context) float64 { r, _ := robot(c); return float64(r.Number) })
	m.plain("agent", func(c *Context) float64 { r, _ := robot(c); return float64(agent(r)) })
	m.flag("itself", itself)
	m.flag("known", known)
	m.flag("in_field", func(c *Context) bool {
		pos, f := pose(c).Pos, &c.World.Field
		return known(c) && math.Abs(pos[0]) <= f.Length/2+besideField && math.Abs(pos[1]) <= f.Width/2+besideField
	})
	m.flag("sent_off", func(c *Context) bool { _, s := robot(c); return c.sentOff(s) })
	m.flag("stuck", func(c *Context) bool { _, s := robot(c); return s.Stuck })
	m.flag("holding", func(c *Context) bool { return c.Truth.Ball.HeldBy == c.members[c.at] })
	m.pose("field.", pose)
	m.vec("field.v", func(c *Context) mgl64.Vec3 {
		_, s := robot(c)
		if itself(c) && perceives(c) { // as odometry tells it, turned by the heading that the robot believes to have
			return c.selfF.Rotate(s.PoseWB.Unrotate(s.TwistWBInW.Lin))
		}
		return teamFrame(c.Robot.Team).Rotate(s.TwistWBInW.Lin)
	})
	m.angle("omega", func(c *Context) float64 { _, s := robot(c); return s.TwistWBInW.Ang[2] })
	of := func(name string, itself bool) {
		q.list(name, func(c *Context) int {
			c.members = c.members[:0]
			for i := range c.World.Robots {
				if c.World.Robots[i].Team == c.Robot.Team && (itself || i != c.index) {
					c.members = append(c.members, i)
				}
			}
			return len(c.members)
		}, m)
	}
	of("team_robots", true)
	of("teammates", false)
}

// besideField is how far beyond the lines NuBot's match simulator takes a robot for one that plays, metres:
// is_robot_valid in nubot_gazebo.cc of nubot-nudt/simatch.
const besideField = 1

// answerQuantities are the result of a service call.
func answerQuantities() *quantities {
	q := newQuantities()
	q.flag("answer.holding", func(c *Context) bool { return c.Answer.Holding })
	q.flag("answer.reachable", func(c *Context) bool { return c.Answer.Reachable })
	q.flag("answer.kicked", func(c *Context) bool { return c.Answer.Kicked })
	q.flag("answer.done", func(c *Context) bool { return c.Answer.Err == nil })
	q.Texts["answer.error"] = func(c *Context) string {
		if c.Answer.Err == nil {
			return ""
		}
		return c.Answer.Err.Error()
	}
	return q
}

// quantitiesOf returns the quantities of a topic by what it is from: of cameras only those that there are at each of
// the levels.
func quantitiesOf(from string, levels []abstraction.Level) *quantities {
	q := worldQuantities()
	if from == fromWorld {
		return q
	}
	q = q.with(robotQuantities())
	kind := sensors.Kind(from)
	if from == fromRobot {
		return q
	}
	if !takesImages(from) {
		return q.with(deviceQuantities(kind))
	}
	q = q.with(lensQuantities())
	switch contentOf(from, levels) {
	case pixels:
		q = q.with(shapeQuantities())
	case pictures:
		q = q.with(shapeQuantities()).with(pictureQuantities(kind))
	case features:
		q = q.with(shapeQuantities()).with(featureQuantities())
	case objects:
		q = q.with(objectQuantities())
	}
	return q
}

// takesImages tells whether a topic is from cameras.
func takesImages(from string) bool { return from == fromCameras || sensors.Kind(from).TakesImages() }

// content is what a camera's observation holds.
type content uint8

const (
	mixed content = iota // not the same at all levels, or nothing that only cameras have
	pictures
	features
	objects
	pixels // pictures or features
)

// contentOf is what a camera delivers at all of the levels.
func contentOf(from string, levels []abstraction.Level) (c content) {
	if !takesImages(from) {
		return mixed
	}
	for i, l := range levels {
		now := objects
		switch {
		case l.Rendered():
			now = pictures
		case l == abstraction.Features:
			now = features
		}
		switch {
		case i == 0 || now == c:
			c = now
		case c != mixed && c != objects && now != objects:
			c = pixels
		default:
			return mixed
		}
	}
	return c
}

// in tells whether an observation holds the content: one of a level that a Go program has plugged in need not.
func (c content) in(o *sensors.Observation) bool {
	switch c {
	case pictures:
		return o.Color != nil
	case features:
		return o.Features != nil
	case objects:
		return o.Objects != nil
	case pixels:
		return o.Color != nil || o.Features != nil
	}
	return true
}

// Limits of conditions.
const (
	fallingTilt = 15 * spatial.Degree // guess: more than any robot leans that drives
	fallenTilt  = 60 * spatial.Degree // guess: most lie at 90°, and some on what they fell over
	movingSpeed = 0.02                // m/s, guess: above the creeping of robots that rest
	movingTurn  = 0.05                // rad/s, guess
	// m beyond the lines, guess: nearer than robots wait to come back, and farther than play goes
	parkedFrom = 0.6
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
			c.joints = append(c.joints, joint{cfg.Name + "_pan", pan, panRate}, joint{cfg.Name + "_tilt", tilt,
				tiltRate})
		}
	}
	r := c.state()
	for i := range c.Robot.Drive.AllWheels() {
		c.joints = append(c.joints, joint{fmt.Sprintf("wheel%d", i+1), r.WheelRad[i], r.WheelRadS[i]})
	}
}
