package quantity

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// robotQuantities returns the quantities of a robot: its names, its state and its teammates.
func robotQuantities() *Set {
	q := NewSet()
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
		return err == nil && r.Within(c.Reach, c.state().PoseWB, c.Truth.Ball.PosW, c.World.Ball.Radius)
	})
	q.flag("has_dribbler", func(c *Context) bool { return c.Robot.Dribbler != nil })
	q.flag("has_kicker", func(c *Context) bool { return c.Robot.Kicker != nil })
	q.flag("has_extension", func(c *Context) bool { return c.Robot.Extension != nil })
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
	messageQuantities(q)
	return q
}

// teamQuantities adds the lists of the robots of the team: one list with the robot itself and one list without it.
// Poses are the true poses at the message's stamp, in the team's field frame. If the function perceives returns true,
// the robot's own pose is its estimate, not the true pose.
func teamQuantities(q *Set, perceives func(*Context) bool) {
	m := NewSet()
	robot := func(c *Context) (*worlds.Robot, *physics.RobotState) {
		i := c.members[c.Member]
		return &c.World.Robots[i], &c.Truth.Robots[i]
	}
	itself := func(c *Context) bool { return c.members[c.Member] == c.index }
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
	m.flag("holding", func(c *Context) bool { return c.Truth.Ball.HeldBy == c.members[c.Member] })
	m.pose("field.", pose)
	m.vec("field.v", func(c *Context) mgl64.Vec3 {
		_, s := robot(c)
		if itself(c) && perceives(c) { // velocity from odometry, rotated by the estimated heading
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

// besideField is the maximum distance outside the lines at which NuBot's match simulator still treats a robot as a
// player, in metres. Source: is_robot_valid in nubot_gazebo.cc of nubot-nudt/simatch.
const besideField = 1

// Limits that distinguish the conditions of robots.
const (
	fallingTilt = 15 * spatial.Degree    // guess: more than the tilt of a robot that drives
	fallenTilt  = 60 * spatial.Degree    // guess: most fallen robots lie at 90°, some on the thing that they fell over
	movingSpeed = 0.02                   // m/s, guess: above the residual motion of resting robots
	movingTurn  = 0.05                   // rad/s, guess
	kickTime    = 100 * time.Millisecond // guess: two messages of robot_state
	// parkedFrom is the distance outside the lines above which a robot counts as sent off, in m. 0.6 is a guess: robots
	// that were sent off wait farther out, and players stay closer.
	parkedFrom = 0.6
)

// stateQuantities adds the condition of a robot and its joints.
func stateQuantities(q *Set) {
	q.flag("sent_off", func(c *Context) bool { return c.sentOff(c.state()) })
	q.angle("tilt", func(c *Context) float64 { return tilt(c.state()) })
	q.angle("truth.roll", func(c *Context) float64 { roll, _, _ := c.state().PoseWB.RollPitchYaw(); return roll })
	q.angle("truth.pitch", func(c *Context) float64 { _, pitch, _ := c.state().PoseWB.RollPitchYaw(); return pitch })
	q.plain("animation.progress", func(c *Context) float64 { return float64(c.state().Progress) })
	q.Texts["condition"] = func(c *Context) string { return c.condition() }
	q.Texts["motors"] = func(c *Context) string {
		if c.state().Limp {
			return "off"
		}
		return "on"
	}
	q.Texts["recovery"] = func(c *Context) string {
		if c.getsUp() && !c.state().Limp {
			return "possible"
		}
		return "impossible"
	}
	q.Texts["control"] = func(c *Context) string { // the condition, or off if a program handles falls
		if m := c.Robot.Motion; m != nil && !m.HandleFalls {
			return "off"
		}
		return c.condition()
	}

	q.Texts["description"] = func(c *Context) string { return c.Robot.Description() }

	q.list("joints", func(c *Context) int { c.findJoints(); return len(c.joints) },
		jointQuantities(func(c *Context) *sensors.JointReading { return &c.joints[c.Member] }))
}

// jointQuantities returns the quantities of a joint. The function at returns the joint.
func jointQuantities(at func(*Context) *sensors.JointReading) *Set {
	q := NewSet()
	q.Texts["name"] = func(c *Context) string { return at(c).Name }
	q.angle("position", func(c *Context) float64 { return at(c).Position })
	q.angle("velocity", func(c *Context) float64 { return at(c).Velocity })
	q.plain("effort", func(c *Context) float64 { return at(c).Effort })
	// −1 without data
	q.plain("voltage", func(c *Context) float64 { return orMinusOne(at(c).Voltage, at(c)) })
	q.plain("temperature", func(c *Context) float64 { return orMinusOne(at(c).Temperature, at(c)) })
	return q
}

// orMinusOne returns x, or −1 for a joint without a servo.
func orMinusOne(x float64, joint *sensors.JointReading) float64 {
	if joint.Voltage == 0 {
		return -1
	}
	return x
}

// sentOff reports whether a robot is more than parkedFrom outside the field. Robots that were sent off wait there.
func (c *Context) sentOff(r *physics.RobotState) bool {
	f := &c.World.Field
	return math.Abs(r.PoseWB.Pos[0]) > f.Length/2+parkedFrom || math.Abs(r.PoseWB.Pos[1]) > f.Width/2+parkedFrom
}

// tilt returns the angle between a robot's upright axis and the vertical, in radians.
func tilt(r *physics.RobotState) float64 {
	q := &r.PoseWB.Rot
	return math.Acos(max(-1, 1-2*(q.V[0]*q.V[0]+q.V[1]*q.V[1])))
}

// getsUp reports whether the robot gets up on its own after a fall to any side, while its motors are on.
func (c *Context) getsUp() bool {
	m := c.Robot.Motion
	return c.Robot.Drive.Level == physics.WalkDrive ||
		m != nil && m.HandleFalls && m.GetUpFront != "" && m.GetUpBack != ""
}

// condition returns the condition of the robot: the first that applies of getting_up, limp, fallen, falling, sent_off,
// parking, extending, animation, kicking, moving and standing. A robot with legs may be fallen or falling before it is
// limp: then quantity motors is off. A robot in the condition parking is beside the field and drives, without having
// been sent off by the referee.
func (c *Context) condition() string {
	r := c.state()
	v := r.TwistWBInB()
	driving := math.Hypot(v.VX, v.VY) > movingSpeed
	kicking := c.kicking()
	switch lean := tilt(r); {
	case r.Motion == physics.GettingUp:
		return "getting_up"
	case r.Motion == physics.Fallen:
		return "fallen"
	case r.Motion == physics.Falling:
		return "falling"
	case r.Limp:
		return "limp"
	case lean > fallenTilt:
		return "fallen"
	case lean > fallingTilt:
		return "falling"
	case c.Standings()[c.index].Out != "", c.sentOff(r) && !driving:
		return "sent_off"
	case c.sentOff(r):
		return "parking"
	case r.Extension != physics.NotExtended:
		return "extending"
	case r.Motion == physics.Animating:
		return "animation"
	case kicking, r.Motion == physics.Kicking:
		return "kicking"
	case driving || math.Abs(v.Omega) > movingTurn || r.Motion == physics.Walking:
		return "moving"
	}
	return "standing"
}

// kicking reports whether the robot has kicked within the last kickTime, as far as earlier calls show.
func (c *Context) kicking() bool {
	k, n, now := &c.kick, c.state().Kicks, c.Truth.Time
	if !k.known || n < k.count { // the first call, or the first after a restart
		*k = lastKick{known: true, at: -kickTime}
	} else if n > k.count {
		k.at = now
	}
	k.count = n
	return now-k.at < kickTime && now >= k.at
}

// lastKick is the last kick of a robot that condition has noticed.
type lastKick struct {
	known bool
	count int           // number of kicks
	at    time.Duration // sim time at which the last one was noticed
}

// findJoints collects joints in c.joints: first the axes of the robot's heads, in the order of its sensors, then the
// joints of its URDF by their names there, or else its wheels.
func (c *Context) findJoints() {
	c.joints = c.joints[:0]
	for i := range c.Robot.Sensors {
		cfg := &c.Robot.Sensors[i]
		if cfg.Head == nil || cfg.Head.OnJoints() {
			continue
		}
		if camera, ok := c.Camera(c.Robot.Name, cfg.Name); ok {
			pan, tilt := camera.Head().Angles()
			panRate, tiltRate := camera.Head().Rates()
			c.joints = append(c.joints,
				sensors.JointReading{Name: cfg.Name + "_pan", Position: pan, Velocity: panRate},
				sensors.JointReading{Name: cfg.Name + "_tilt", Position: tilt, Velocity: tiltRate})
		}
	}
	r := c.state()
	if joints, first := c.World.Joints(c.index); len(joints) > 0 {
		for i := range joints {
			now := &c.Truth.Joints[first+i]
			c.joints = append(c.joints, sensors.JointReading{Name: joints[i].Name, Position: now.Position,
				Velocity: now.Velocity, Effort: now.Effort})
		}
		return
	}
	for i := range c.Robot.Drive.AllWheels() {
		c.joints = append(c.joints, sensors.JointReading{Name: fmt.Sprintf("wheel%d", i+1), Position: r.WheelRad[i],
			Velocity: r.WheelRadS[i]})
	}
}
