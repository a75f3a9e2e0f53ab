package play

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// servoGain is the speed that the controller of a position asks for, per distance from it, in 1/s. It is a guess:
// servos of small robots take about 0.1 s for small corrections.
const servoGain = 20

// mostJolt is the largest acceleration of the robot's body that moves its links, in m/s² and rad/s². It is a guess.
// Collisions in a single step have larger ones, which tell nothing of forces.
const mostJolt = 50

// joints moves the joints of one robot.
type joints struct {
	robot   *physics.Robot
	dt      float64
	dynamic bool // links move by forces; otherwise joints follow their commands at once, within their limits
	target  []physics.JointTarget
	begun   []int64 // steps at which the targets were set
	chain   chain
	servos  servos // of JointedBodies
	legs    legMotors
	// forceW and torqueW act from the links on the body during the next step, in addition to those of links that do not
	// move: N and N m about the origin of B.
	forceW, torqueW mgl64.Vec3
}

func newJoints(model *physics.Model, index int, dt float64, jointed bool) (joints, error) {
	robot, config := &model.Robots[index], &model.Config
	walks := robot.Drive.Level == physics.WalkDrive
	jointed = jointed && !walks
	dynamic := config.Engine != "planar" && !jointed && !walks
	j := joints{robot: robot, dt: dt, dynamic: dynamic, target: make([]physics.JointTarget, len(robot.Joints)),
		begun: make([]int64, len(robot.Joints))}
	for i := range robot.Joints {
		if k := &robot.Joints[i]; !k.Passive && k.Mimics < 0 && k.Wheel < 0 {
			j.target[i] = physics.JointTarget{Mode: physics.JointPosition, Value: k.Rest()}
		}
	}
	if dynamic {
		j.chain = newChain(robot, config.Gravity)
	}
	var err error
	if jointed {
		j.servos = newServos(robot)
		j.legs, err = newLegMotors(model, index)
	}
	return j, err
}

// MoveJoints implements physics.Engine.
func (e *Engine) MoveJoints(robot int, joints []int, to []physics.JointTarget) error {
	j, r := &e.joints[robot], &e.model.Robots[robot]
	states := e.model.JointsOf(robot, &e.now)
	for i, joint := range joints {
		err := r.Joints[joint].Check(&to[i])
		if err == nil {
			err = e.onTime(&to[i])
		}
		if err != nil {
			return fmt.Errorf("joint %s of %s %w", r.Joints[joint].Name, r.Name, err)
		}
	}
	for i, joint := range joints {
		if e.motions[robot].held[joint] { // the motion control discards what others ask for meanwhile
			continue
		}
		if j.legs.has(joint) {
			j.legs.released = true
		}
		j.set(joint, j.begin(joint, to[i], &states[joint], &e.now), e.now.Step)
	}
	return nil
}

// set gives a joint a command, and takes the legs from the gait if the joint is one of theirs.
func (j *joints) set(joint int, to physics.JointTarget, step int64) {
	if j.legs.has(joint) {
		j.takeLegs(step)
	}
	j.target[joint], j.begun[joint] = to, step
}

// farthestStart is the longest time until a path begins. It is a guess, far above what programs plan. A longer time
// means that a program has another clock.
const farthestStart = 1000 * time.Second

// onTime returns an error for a path that is over, or that begins too late.
func (e *Engine) onTime(t *physics.JointTarget) error {
	if t.Mode != physics.JointPath || t.From == 0 {
		return nil
	}
	now := e.now.Time
	if end := t.From + t.Path[len(t.Path)-1].At; end <= now {
		return fmt.Errorf("would follow a path that ends at %v: must end after the present sim time, %v", end, now)
	}
	if t.From > now+farthestStart {
		return fmt.Errorf("would follow a path that begins at %v: must begin at most %v after the present sim time, "+
			"%v; does the program use sim time?", t.From, farthestStart, now)
	}
	return nil
}

// begin returns the target of a joint for a command that it gets now. Its path begins where the joint is.
func (j *joints) begin(joint int, to physics.JointTarget, state *physics.JointState,
	now *physics.Snapshot) physics.JointTarget {
	switch to.Mode {
	case physics.JointHold:
		k := &j.robot.Joints[joint]
		return physics.JointTarget{Mode: physics.JointPosition, Value: mgl64.Clamp(state.Position, k.Lower, k.Upper)}
	case physics.JointPath:
	default:
		return to
	}
	start := time.Duration(0)
	if to.From > 0 {
		start = to.From - now.Time
	}
	if start == 0 && to.Path[0].At == 0 {
		to.Path, to.From = slices.Clone(to.Path), 0
		return to
	}
	path := []physics.JointPoint{{Position: state.Position, Velocity: state.Velocity}}
	if start > 0 {
		path = j.until(joint, start, state, now.Step)
	}
	for _, p := range to.Path {
		if p.At += start; p.At > path[len(path)-1].At {
			path = append(path, p)
		}
	}
	to.Path, to.From = path, 0
	return to
}

// until returns the path that a joint takes from now on for a time, without a further command. If its present path has
// too many points in that time, they are left out.
func (j *joints) until(joint int, d time.Duration, state *physics.JointState, step int64) []physics.JointPoint {
	old, since := &j.target[joint], j.since(joint, step)
	switch old.Mode {
	case physics.JointPath:
	case physics.JointPosition:
		return []physics.JointPoint{{Position: state.Position, Velocity: state.Velocity}, {At: d, Position: old.Value}}
	default:
		return []physics.JointPoint{{Position: state.Position}, {At: d, Position: state.Position}}
	}
	at := func(t time.Duration) (p physics.JointPoint) {
		p.At = t - since
		p.Position, p.Velocity = onPath(old.Path, t)
		return p
	}
	path, even := []physics.JointPoint{at(since)}, false
	for _, p := range old.Path {
		if p.At >= since+d {
			even = p.Even
			break
		} else if p.At > since {
			p.At -= since
			path = append(path, p)
		}
	}
	if len(path) > physics.MaxPathPoints {
		path = path[:1]
	}
	last := at(since + d)
	last.Even = even
	return append(path, last)
}

// since returns the time since a joint has got its command.
func (j *joints) since(joint int, step int64) time.Duration {
	return time.Duration(math.Round(float64(step-j.begun[joint]) * j.dt * 1e9))
}

// moveJoints moves the joints of all robots.
func (e *Engine) moveJoints() {
	for i := range e.joints {
		j, r := &e.joints[i], &e.now.Robots[i]
		if len(j.target) == 0 || e.absent[i] {
			continue
		}
		states := e.model.JointsOf(i, &e.now)
		for k := range states {
			if w := j.robot.Joints[k].Wheel; w >= 0 {
				states[k] = physics.JointState{Position: r.WheelRad[w], Velocity: r.WheelRadS[w]}
			}
		}
		switch {
		case e.walkers[i] != nil:
			e.walkers[i].keep(states)
			j.follow(states, e.now.Step)
			e.walkers[i].move(states)
		case e.jointed != nil: // Read has set the joints
		case j.dynamic:
			j.swing(states, r, e.now.Step)
		default:
			j.follow(states, e.now.Step)
		}
		j.robot.Mimic(states)
	}
}

// pushBodies lets the links of each robot act on its body.
func (e *Engine) pushBodies() {
	for i := range e.joints {
		j := &e.joints[i]
		if j.forceW != (mgl64.Vec3{}) || j.torqueW != (mgl64.Vec3{}) {
			com := e.now.Robots[i].PoseWB.Rotate(e.model.CoM(i))
			e.Push(e.model.RobotID(i), j.forceW.Mul(e.dt), j.torqueW.Sub(com.Cross(j.forceW)).Mul(e.dt))
			j.forceW, j.torqueW = mgl64.Vec3{}, mgl64.Vec3{}
		}
	}
}

// follow moves the joints without forces. Joints without a motor, and those whose motor acts with an effort, stay.
func (j *joints) follow(states []physics.JointState, step int64) {
	for k := range states {
		s, joint := &states[k], &j.robot.Joints[k]
		if joint.Wheel >= 0 || joint.Mimics >= 0 {
			continue
		}
		v, _ := j.wanted(k, s, step, 1/j.dt)
		next := mgl64.Clamp(s.Position+v*j.dt, joint.Lower, joint.Upper)
		*s = physics.JointState{Position: next, Velocity: (next - s.Position) / j.dt}
	}
}

// wanted returns the velocity that a joint's controller asks for, and whether it asks for one. The argument gain is the
// speed per distance from the wanted position, in 1/s.
func (j *joints) wanted(joint int, s *physics.JointState, step int64, gain float64) (v float64, ok bool) {
	k, t := &j.robot.Joints[joint], &j.target[joint]
	most := k.MaxSpeed
	switch t.Mode {
	case physics.JointPosition:
		if t.Speed > 0 {
			most = min(most, t.Speed)
		}
		v = gain * (t.Value - s.Position)
	case physics.JointGains:
		if t.P == 0 {
			return 0, false
		}
		v = gain * (t.Value - s.Position)
	case physics.JointVelocity:
		v = t.Value
	case physics.JointPath:
		at := j.since(joint, step)
		to, _ := onPath(t.Path, at)
		from, _ := onPath(t.Path, at-time.Duration(j.dt*1e9))
		v = (to-from)/j.dt + gain*(from-s.Position)
	default:
		return 0, false
	}
	// at most to the limits of the position, so that motors do not press against stops
	low, high := max(-most, (k.Lower-s.Position)/j.dt), min(most, (k.Upper-s.Position)/j.dt)
	return mgl64.Clamp(v, low, high), true
}

// onPath returns the position and the velocity on a path at a time.
func onPath(path []physics.JointPoint, at time.Duration) (position, velocity float64) {
	i, _ := slices.BinarySearchFunc(path, at, func(p physics.JointPoint, at time.Duration) int {
		return int(p.At - at)
	})
	switch {
	case i == 0:
		return path[0].Position, 0
	case i == len(path):
		return path[i-1].Position, 0
	}
	a, b := &path[i-1], &path[i]
	h := (b.At - a.At).Seconds()
	s := (at - a.At).Seconds() / h
	if b.Even {
		v := (b.Position - a.Position) / h
		return a.Position + s*(b.Position-a.Position), v
	}
	// cubic Hermite polynomial
	p0, p1, m0, m1 := a.Position, b.Position, a.Velocity*h, b.Velocity*h
	c2, c3 := 3*(p1-p0)-2*m0-m1, 2*(p0-p1)+m0+m1
	return p0 + s*(m0+s*(c2+s*c3)), (m0 + s*(2*c2+s*3*c3)) / h
}

// exchange saves or restores what snapshots do not contain.
func (j *joints) exchange(c *keyframe.Codec) {
	for i := range j.target {
		c.Value(&j.target[i])
		c.Int64(&j.begun[i])
		t := &j.target[i]
		known := t.Mode <= physics.JointGains && t.Mode != physics.JointHold
		c.Check(known && (t.Mode != physics.JointPath || len(t.Path) > 0),
			"joint %s: has a command of mode %d", j.robot.Joints[i].Name, t.Mode)
	}
	j.legs.exchange(c)
	for i := range j.servos.wanted {
		c.FloatIn(&j.servos.wanted[i], -math.MaxFloat64, math.MaxFloat64)
	}
	c.Floats(j.forceW[:])
	c.Floats(j.torqueW[:])
}
