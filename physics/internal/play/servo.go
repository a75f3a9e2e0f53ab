package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// Servo is what the motor of a joint does during a step. If On, it goes to a position and a velocity with the gains of
// the joint, or with the gains P and D if Own. It acts with Effort in addition, or with Effort alone.
type Servo struct {
	On, Own                    bool
	Position, Velocity, Effort float64
	P, D                       float64
}

// servos are the motors of a robot whose joints JointedBodies move.
type servos struct {
	now    []Servo
	wanted []float64 // the position to which each motor goes; of one that goes nowhere, the position that it has
}

func newServos(robot *physics.Robot) (s servos) {
	s.now, s.wanted = make([]Servo, len(robot.Joints)), make([]float64, len(robot.Joints))
	for i := range robot.Joints {
		s.wanted[i] = robot.Joints[i].Rest()
	}
	return s
}

// setServos sets what the motors of all robots do in the next step.
func (e *Engine) setServos() {
	if e.jointed == nil {
		return
	}
	for i := range e.joints {
		if j := &e.joints[i]; len(j.servos.now) > 0 && !e.absent[i] {
			states := e.model.JointsOf(i, &e.now)
			for k := range states {
				j.servos.now[k] = j.servo(k, &states[k], e.now.Step+1)
			}
			e.jointed.SetServos(i, j.servos.now)
		}
	}
}

// maxLead limits how far a joint that keeps a velocity falls behind: it may lag by the way of this time, in seconds. It
// is a guess. A blocked joint thus does not jump when it comes free.
const maxLead = 0.5

// servo returns what a joint's motor does in the step that ends at the given one. A joint with a largest speed gets
// there at that speed; one without gets the new position at once.
func (j *joints) servo(joint int, now *physics.JointState, step int64) Servo {
	k, t, wanted := &j.robot.Joints[joint], &j.target[joint], &j.servos.wanted[joint]
	before, most := *wanted, k.MaxSpeed
	if j.legs.moves(joint) {
		return j.legs.servo(joint, wanted, j.dt)
	}
	switch {
	case !k.Commanded() || t.Mode == physics.JointFree:
		*wanted = now.Position
		return Servo{}
	case t.Mode == physics.JointEffort:
		*wanted = now.Position
		return Servo{Effort: mgl64.Clamp(t.Value, -k.MaxEffort, k.MaxEffort)}
	case t.Mode == physics.JointGains:
		*wanted = now.Position
		return Servo{On: true, Own: true, Position: t.Value, Velocity: t.Velocity, Effort: t.Effort, P: t.P, D: t.D}
	case t.Mode == physics.JointVelocity:
		v := mgl64.Clamp(t.Value, -most, most)
		lead := math.Abs(v) * maxLead
		*wanted = mgl64.Clamp(mgl64.Clamp(before, now.Position-lead, now.Position+lead)+v*j.dt, k.Lower, k.Upper)
		return Servo{On: true, Position: *wanted, Velocity: (*wanted - before) / j.dt}
	}
	to, v := t.Value, 0.0
	if t.Mode == physics.JointPath {
		to, v = onPath(t.Path, j.since(joint, step))
	} else if t.Speed > 0 {
		most = min(most, t.Speed)
	}
	*wanted = before + mgl64.Clamp(to-before, -most*j.dt, most*j.dt)
	if *wanted != to {
		v = (*wanted - before) / j.dt
	}
	return Servo{On: true, Position: *wanted, Velocity: v}
}
