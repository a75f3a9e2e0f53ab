package play

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/legs"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// motionControl is what a robot does with its joints, and the kick that it has begun.
type motionControl struct {
	control *legs.Control // nil: the robot has neither animations nor a motion control
	legs.Motion
	held []bool       // the joints that obey no commands now
	kick physics.Kick // whose ball leaves after wait seconds; without a mode if there is none
	wait float64
}

func newMotionControl(r *physics.Robot) motionControl {
	return motionControl{control: legs.NewControl(r), held: make([]bool, len(r.Joints))}
}

// PlayAnimation implements physics.Engine.
func (e *Engine) PlayAnimation(robot, animation int) error {
	m, r := &e.motions[robot], &e.model.Robots[robot]
	if animation < 0 || animation >= len(r.Animations) || e.absent[robot] {
		return fmt.Errorf("robot %s is absent, or has no animation %d", r.Name, animation)
	}
	m.Play(animation)
	return nil
}

// moveOn advances the motion states of all robots. Those that are not free, or are about to play an animation, lose
// their commands of velocity. Kicks with a delay come later.
func (e *Engine) moveOn(commands []physics.Command) {
	for i := range e.motions {
		m, now, c := &e.motions[i], &e.now.Robots[i], &commands[i]
		limp := e.joints[i].limp()
		now.Limp = limp && e.model.Robots[i].Drive.Level == physics.JointsDrive
		if e.absent[i] || e.lies(i) {
			continue
		}
		e.beginKick(i, c)
		if m.control == nil {
			e.endKick(i, c, m.State)
			continue
		}
		if !m.State.Free() || m.Next != 0 {
			c.TwistB = physics.PlanarTwist{}
		}
		before := m.State
		sense := legs.Sense{UpB: mgl64.Vec3{0, 0, 1}, Walks: e.walks(i, c), Limp: limp}
		if e.walkers[i] == nil { // the drive level walk has its own falls
			sense.UpB, sense.Rate = now.PoseWB.Unrotate(sense.UpB), now.TwistWBInW.Ang.Len()
		}
		e.order(i, m.control.Advance(&m.Motion, sense, e.dt))
		if m.State.Free() && !before.Free() {
			clear(m.held)
		}
		e.endKick(i, c, before)
		now.Motion = m.State
		now.Progress = uint8(math.Round(100 * m.control.Progress(&m.Motion)))
	}
}

// limp reports whether commands have switched all motors of a robot off.
func (j *joints) limp() bool {
	limp := false
	for k := range j.target {
		if !j.robot.Joints[k].Commanded() {
			continue
		}
		if t := &j.target[k]; t.Mode != physics.JointEffort || t.Value != 0 {
			return false
		}
		limp = true
	}
	return limp
}

// lies sets the motion state of a robot that falls over at level walk, or gets up from a fall, and reports whether it
// does. The fall cancels what the robot has begun. From its front or back, the robot gets up by an animation if it has
// one.
func (e *Engine) lies(i int) bool {
	w, m := e.walkers[i], &e.motions[i]
	if w == nil {
		return false
	}
	if w.fall.motion == onFeet && (m.State < physics.Falling || m.State > physics.GettingUp) {
		return false
	}
	before := m.State
	if !w.fall.limbs {
		clear(m.held)
	}
	m.kick, m.Motion = physics.Kick{}, legs.Motion{Animation: m.Animation}
	progress := 0.0
	switch w.fall.motion {
	case falling:
		m.State = physics.Falling
	case onFloor:
		m.State = physics.Fallen
	case rising:
		m.State, progress = physics.GettingUp, min(1, w.fall.since/w.fall.rise)
		if before == physics.GettingUp {
			break
		}
		if a := m.control.GetUp(w.fall.towards[0]); a >= 0 {
			m.Animation, w.fall.limbs = int64(a), true
			w.fall.rise = m.control.Length(&m.Motion)
			e.play(i)
		}
	}
	e.now.Robots[i].Motion, e.now.Robots[i].Progress = m.State, uint8(math.Round(100*progress))
	return true
}

// walks reports whether a robot moves over the floor, or is about to.
func (e *Engine) walks(i int, c *physics.Command) bool {
	if w := &e.joints[i].legs; w.on && w.state.Mode != legs.Standing {
		return true
	}
	if w := e.walkers[i]; w != nil && w.state.Mode != legs.Standing {
		return true
	}
	t := &e.setpoints[i].TwistB
	return c.TwistB != physics.PlanarTwist{} || math.Hypot(t.VX, t.VY) > stands || math.Abs(t.Omega) > stands
}

// stands is the largest speed of a robot that stands, in m/s and rad/s. It is a guess.
const stands = 0.01

// beginKick takes the command of a kick by a leg, or of one with a delay. The kick begins when the robot stands.
func (e *Engine) beginKick(i int, c *physics.Command) {
	m, k := &e.motions[i], e.model.Robots[i].Kicker
	if c.Kick.Mode == physics.NoKick || k == nil {
		return
	}
	if c.Kick.Reach.Distance == 0 && k.Reach != nil {
		c.Kick.Reach = *k.Reach
	}
	if k.Delay == 0 && !m.control.Kicks() {
		return
	}
	asked := c.Kick
	c.Kick = physics.Kick{}
	pose := e.now.Robots[i].PoseWB
	if m.kick.Mode != physics.NoKick || e.possession.Holder() != i &&
		!e.model.Robots[i].Within(asked.Reach, pose, e.ball.Pos, e.model.Ball.Radius) {
		return
	}
	if !m.control.Kicks() || m.control.Kick(&m.Motion, pose.Unrotate(e.ball.Pos.Sub(pose.Pos))[1]) {
		m.kick, m.wait = asked, k.Delay.Seconds()
	}
}

// endKick lets the ball of a kick leave after its delay. A fall, or another animation, ends the kick.
func (e *Engine) endKick(i int, c *physics.Command, before physics.MotionState) {
	m := &e.motions[i]
	if m.kick.Mode == physics.NoKick {
		return
	}
	if m.control.Kicks() {
		switch {
		case m.State == physics.Kicking:
		case m.State.Free() && before == physics.Kicking: // the animation is shorter than the delay
			m.wait = 0
		case m.State.Free() && m.NextKicks:
			return
		default:
			m.kick = physics.Kick{}
			return
		}
	}
	if m.wait -= e.dt; m.wait > e.dt/2 {
		return
	}
	if e.model.Robots[i].Drive.Level == physics.JointsDrive && m.control.Kicks() {
		e.now.Robots[i].Kicks++ // the foot itself moves the ball
	} else {
		c.Kick = m.kick
	}
	m.kick = physics.Kick{}
}

// order lets the joints of a robot do what its motion control asks for.
func (e *Engine) order(i int, order legs.Order) {
	j, r := &e.joints[i], &e.model.Robots[i]
	switch order {
	case legs.Play:
		e.play(i)
	case legs.Relax, legs.Stand:
		m := &e.motions[i]
		for k := range r.Joints {
			if !r.Joints[k].Commanded() || r.Joints[k].Passive {
				continue
			}
			m.held[k] = order == legs.Relax
			to := physics.JointTarget{Mode: physics.JointFree}
			if order == legs.Stand {
				to = physics.JointTarget{Mode: physics.JointPosition, Value: r.Joints[k].Rest(), Speed: riseSpeed}
			}
			j.set(k, to, e.now.Step)
		}
	}
}

// riseSpeed is the speed at which joints go to their positions at the start once a fallen robot stands, rad/s. It is a
// guess.
const riseSpeed = 1

// play lets the joints of a robot follow the animation of its motion state. If the robot gets up, those that the
// animation does not move go to their positions at the start.
func (e *Engine) play(i int) {
	m, j, r := &e.motions[i], &e.joints[i], &e.model.Robots[i]
	if m.State == physics.GettingUp {
		e.order(i, legs.Stand)
	}
	states := e.model.JointsOf(i, &e.now)
	joints, to := r.Animations[m.Animation].Path(states)
	clear(m.held)
	for k, joint := range joints {
		j.set(joint, j.begin(joint, to[k], &states[joint], &e.now), e.now.Step)
		m.held[joint] = true
	}
	if m.State == physics.GettingUp {
		for k := range m.held {
			m.held[k] = true
		}
	}
}

// rest ends what a robot does with its joints, as it leaves the world. They go to their positions at the start.
func (e *Engine) rest(i int) {
	m := &e.motions[i]
	if m.control == nil {
		return
	}
	if !m.State.Free() {
		e.order(i, legs.Stand)
	}
	m.Motion, m.kick, m.wait = legs.Motion{}, physics.Kick{}, 0
	e.now.Robots[i].Motion, e.now.Robots[i].Progress = m.State, 0
}

// exchange saves or restores the motion state.
func (m *motionControl) exchange(c *keyframe.Codec) {
	m.control.Exchange(&m.Motion, c)
	for i := range m.held {
		c.Bool(&m.held[i])
	}
	c.Value(&m.kick)
	c.Float(&m.wait)
}
