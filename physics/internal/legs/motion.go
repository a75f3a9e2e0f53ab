package legs

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Times and limits of the motion control. All are guesses.
const (
	restRate  = 0.5  // a robot that turns more slowly lies still, rad/s
	restTime  = 0.4  // for at least this time, s
	upright   = 0.35 // a robot that leans less stands, rad
	steepSide = 0.6  // sine of the angle of x above or below the floor beyond which the robot lies on its back or front
)

// Control is how a robot's motion control works. It does not change.
type Control struct {
	motion   physics.MotionControl
	lengths  []float64 // of the animations, s
	front    int       // indices of animations, or −1
	back     int
	side     int
	kickFoot [2]int // left, right
}

// NewControl returns the motion control of a robot. It returns nil for one without legs and without animations.
func NewControl(r *physics.Robot) *Control {
	if len(r.Animations) == 0 && r.Motion == nil && r.Trunk == nil {
		return nil
	}
	c := &Control{}
	if r.Motion != nil {
		c.motion = *r.Motion
	}
	for i := range r.Animations {
		c.lengths = append(c.lengths, r.Animations[i].Length().Seconds())
	}
	m := &c.motion
	c.front, c.back, c.side = r.Animation(m.GetUpFront), r.Animation(m.GetUpBack), r.Animation(m.GetUpSide)
	c.kickFoot = [2]int{r.Animation(m.KickLeft), r.Animation(m.KickRight)}
	return c
}

// Motion is the motion state of a robot: the state machine of a hardware control manager, as in the framework of
// Bestmann (Towards using ROS in the RoboCup humanoid soccer league, 2017, chapter 5). The zero value stands.
type Motion struct {
	State physics.MotionState
	// Time is how long the robot has been in its state, in seconds. Rest is how long it has lain still.
	Time, Rest float64
	// Animation is the index of the animation that plays in the states GettingUp, Animating and Kicking.
	Animation int64
	// Next is 1 more than the index of the animation that waits until the robot stands, or 0 if none waits. NextKicks
	// reports whether that is a kick.
	Next      int64
	NextKicks bool
}

// Sense is what a robot's sensors tell its motion control.
type Sense struct {
	UpB  mgl64.Vec3 // unit vector that points up, in B, as an inertial sensor estimates it
	Rate float64    // angular speed of B, rad/s
	// Walks reports whether the robot moves over the floor, or is about to.
	Walks bool
	// Limp reports whether commands have switched all motors off. They stay off, so that the robot stays down.
	Limp bool
}

// Order is what the motion control asks of the robot's joints.
type Order uint8

const (
	NoOrder Order = iota
	Relax         // switch all motors off
	Stand         // go to the positions at the start
	Play          // play the animation Motion.Animation
)

// Advance moves the state on by a step of dt seconds, and returns what the joints have to do from now on.
func (c *Control) Advance(m *Motion, s Sense, dt float64) Order {
	m.Time += dt
	if m.Rest += dt; s.Rate > restRate {
		m.Rest = 0
	}
	lean := math.Acos(mgl64.Clamp(s.UpB[2], -1, 1))
	switch m.State {
	case physics.Controllable, physics.Walking:
		m.State = physics.Controllable
		if s.Walks {
			m.State = physics.Walking
		}
		if order := c.fall(m, s, lean); order != NoOrder || m.Next == 0 || s.Walks {
			return order
		}
		state := physics.Animating
		if m.NextKicks {
			state = physics.Kicking
		}
		*m = Motion{State: state, Animation: m.Next - 1}
		return Play
	case physics.Animating, physics.Kicking:
		if m.Time >= c.Length(m) {
			m.to(physics.Controllable)
		}
		return c.fall(m, s, lean)
	case physics.Falling:
		if m.Rest < restTime || m.Time < restTime {
			return NoOrder
		}
		if lean < upright {
			return m.stand(s)
		}
		m.to(physics.Fallen)
	case physics.Fallen:
		if m.Time < restTime {
			return NoOrder
		}
		if lean < upright { // somebody has put it on its feet
			return m.stand(s)
		}
		if a := c.getUp(s.UpB[0]); a >= 0 && !s.Limp {
			m.to(physics.GettingUp)
			m.Animation = int64(a)
			return Play
		}
	case physics.GettingUp:
		if m.Time < c.Length(m) {
			return NoOrder
		}
		if m.to(physics.Fallen); lean < upright {
			m.to(physics.Controllable)
		}
	}
	return NoOrder
}

// fall lets a robot that leans too far fall.
func (c *Control) fall(m *Motion, s Sense, lean float64) Order {
	if !c.motion.HandleFalls || lean <= c.motion.FallTilt {
		return NoOrder
	}
	*m = Motion{State: physics.Falling}
	if s.Limp {
		return NoOrder
	}
	return Relax
}

// stand ends a fall of a robot that is upright.
func (m *Motion) stand(s Sense) Order {
	m.to(physics.Controllable)
	if s.Limp {
		return NoOrder
	}
	return Stand
}

// getUp returns the animation that gets a robot up, or −1. The argument is the height of the tip of B's x axis.
func (c *Control) getUp(x float64) int {
	switch {
	case math.Abs(x) < steepSide && c.side >= 0:
		return c.side
	case x < 0:
		return c.front
	}
	return c.back
}

// GetUp returns the animation that gets a robot up that has fallen at drive level walk, or −1: to its front if the
// argument is positive, to its back if it is negative, and to a side if it is 0.
func (c *Control) GetUp(ahead float64) int {
	switch {
	case c == nil || ahead == 0 || !c.motion.HandleFalls:
		return -1
	case ahead > 0:
		return c.front
	}
	return c.back
}

// to begins a state.
func (m *Motion) to(state physics.MotionState) {
	*m = Motion{State: state, Next: m.Next, NextKicks: m.NextKicks}
}

// Play lets an animation begin when the robot stands and is free, instead of one that waits already.
func (m *Motion) Play(animation int) { m.Next, m.NextKicks = int64(animation)+1, false }

// Kick lets the kick of a ball begin when the robot stands, and reports whether it can: it must be free, and have the
// animation of the foot. The argument is the y coordinate of the ball in B.
func (c *Control) Kick(m *Motion, y float64) bool {
	foot := 0
	if y < 0 {
		foot = 1
	}
	a := c.kickFoot[foot]
	if a < 0 || !m.State.Free() || m.Next != 0 {
		return false
	}
	m.Next, m.NextKicks = int64(a)+1, true
	return true
}

// Kicks reports whether a robot kicks by animations of its legs.
func (c *Control) Kicks() bool { return c != nil && max(c.kickFoot[0], c.kickFoot[1]) >= 0 }

// Progress returns the share of the present animation that is over, or 0 if none plays.
func (c *Control) Progress(m *Motion) float64 {
	switch m.State {
	case physics.GettingUp, physics.Animating, physics.Kicking:
		return min(1, m.Time/max(c.Length(m), 1e-9))
	}
	return 0
}

// Length returns how long the present animation takes, in seconds. A robot at drive level walk may get up without one.
func (c *Control) Length(m *Motion) float64 {
	if int(m.Animation) < len(c.lengths) {
		return c.lengths[m.Animation]
	}
	return 0
}

// Exchange saves or restores the state. The argument is nil for a robot without motion control.
func (c *Control) Exchange(m *Motion, k *keyframe.Codec) {
	if c == nil {
		return
	}
	state := int64(m.State)
	k.Int64(&state)
	k.Check(state >= 0 && state <= int64(physics.Kicking), "a robot has motion state %d", state)
	m.State = physics.MotionState(state)
	k.FloatIn(&m.Time, 0, longest)
	k.FloatIn(&m.Rest, 0, longest)
	k.Int64(&m.Animation)
	k.Int64(&m.Next)
	k.Bool(&m.NextKicks)
	n := len(c.lengths)
	k.Check(m.Next >= 0 && m.Next <= int64(n), "a robot is to play animation %d of %d", m.Next-1, n)
	k.Check(m.Animation >= 0 && m.Animation < int64(max(n, 1)), "a robot plays animation %d of %d", m.Animation, n)
}

// longest bounds restored times, in seconds.
const longest = float64(1<<62) / float64(time.Second)
