package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/legs"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// legMotors lets the legs of a robot follow the commanded velocity by a gait. It takes the legs when the commanded
// velocity is not 0, and moves them to the posture of the gait first. It keeps them when the robot stands again. A
// command to a joint of a leg takes the legs from it, until the commanded velocity has been 0 and is not 0 again. While
// the robot lies, the legs hold their positions.
type legMotors struct {
	gait     *legs.Gait // nil: the robot has none
	robot    *physics.Robot
	noise    random.Source
	of       []int // for each joint of the robot, its index in targets, or −1
	state    legs.State
	on       bool // the gait moves the legs
	released bool // the gait may not take the legs until the commanded velocity is 0
	ready    float64
	from     [2 * legs.LegJoints]float64 // positions when the gait took the legs
	targets  [2 * legs.LegJoints]legs.Target
}

const (
	takeTime = 0.6 // time in which the legs go to the posture of the gait, s; a guess
	lying    = 0.9 // tilt of a robot that does not walk on, rad; a guess
)

func newLegMotors(model *physics.Model, robot int) (legMotors, error) {
	r := &model.Robots[robot]
	if r.Drive.Level != physics.JointsDrive || r.Drive.Walk == nil {
		return legMotors{}, nil
	}
	gait, err := legs.New(r, model.Config.Gravity)
	if err != nil {
		return legMotors{}, err
	}
	w := legMotors{gait: gait, robot: r, noise: random.New(model.Seed, r.Name, "gait", 0),
		of: make([]int, len(r.Joints)), state: gait.Standing()}
	for i := range w.of {
		w.of[i] = -1
	}
	for i, k := range gait.Joints() {
		w.of[k] = i
	}
	return w, nil
}

// begin lets the legs go from the positions that the joints' motors hold to the posture of the gait.
func (w *legMotors) begin(held []float64) {
	w.state, w.ready = w.gait.Standing(), 0
	for i, k := range w.gait.Joints() {
		w.from[i] = held[k]
	}
}

// update moves the gait of a robot that does not lie on by a step, for a commanded velocity. The argument held has the
// positions that the joints' motors hold.
func (w *legMotors) update(wanted physics.PlanarTwist, now *physics.RobotState, step int64, dt float64,
	held []float64) {
	still := wanted == physics.PlanarTwist{}
	if still {
		w.released = false
	}
	if !w.on {
		if still || w.released {
			return
		}
		w.on = true
		w.begin(held)
	}
	tilt, rate := w.measure(now, step)
	w.gait.Sense(&w.state, tilt, rate, dt)
	if w.ready < 1 {
		w.ready, wanted = min(1, w.ready+dt/takeTime), physics.PlanarTwist{}
	}
	w.gait.Advance(&w.state, wanted, dt)
	w.gait.Targets(&w.state, w.targets[:])
	if w.ready < 1 {
		share := legs.Smooth(w.ready)
		for i := range w.targets {
			t := &w.targets[i]
			t.Position, t.Effort = w.from[i]+share*(t.Position-w.from[i]), share*t.Effort
		}
	}
}

// measure returns roll and pitch of the robot's body and their rates, as the robot measures them.
func (w *legMotors) measure(now *physics.RobotState, step int64) (tilt, rate [2]float64) {
	tilt[0], tilt[1], _ = now.PoseWB.RollPitchYaw()
	level := spatial.Planar(0, 0, now.PoseWB.Heading())
	ang := level.Unrotate(now.TwistWBInW.Ang)
	for k := range tilt {
		ofTilt, ofRate := w.noise.Frame(uint64(step)).Normal(uint64(k))
		tilt[k] += w.robot.Drive.Walk.TiltNoise * ofTilt
		rate[k] = ang[k] + w.robot.Drive.Walk.RateNoise*ofRate
	}
	return tilt, rate
}

// moveLegs moves the gait on by a step, for a commanded velocity.
func (j *joints) moveLegs(wanted physics.PlanarTwist, now *physics.RobotState, step int64) {
	if j.legs.gait == nil {
		return
	}
	if lies := !(now.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] > math.Cos(lying)); lies {
		j.takeLegs(step)
	} else {
		j.legs.update(wanted, now, step, j.dt, j.servos.wanted)
	}
}

// takeLegs takes the legs from the gait. They hold their positions.
func (j *joints) takeLegs(step int64) {
	if !j.legs.on {
		return
	}
	j.legs.on, j.legs.state = false, j.legs.gait.Standing()
	for _, k := range j.legs.gait.Joints() {
		j.target[k] = physics.JointTarget{Mode: physics.JointPosition, Value: j.servos.wanted[k]}
		j.begun[k] = step
	}
}

// moves reports whether the gait moves a joint now.
func (w *legMotors) moves(joint int) bool { return w.on && w.of[joint] >= 0 }

// has reports whether a joint is one of those that the gait moves.
func (w *legMotors) has(joint int) bool { return w.gait != nil && w.of[joint] >= 0 }

// servo returns what the motor of a joint of a leg does. The argument wanted is the position to which it went in the
// last step; servo sets it to the next one. The motor also makes up for the weight and for the joint's damping.
func (w *legMotors) servo(joint int, wanted *float64, dt float64) Servo {
	k, t := &w.robot.Joints[joint], &w.targets[w.of[joint]]
	to := mgl64.Clamp(t.Position, k.Lower, k.Upper)
	to = *wanted + mgl64.Clamp(to-*wanted, -k.MaxSpeed*dt, k.MaxSpeed*dt)
	v := (to - *wanted) / dt
	*wanted = to
	return Servo{On: true, Position: to, Velocity: v, Effort: t.Effort + k.Damping*v}
}

func (w *legMotors) exchange(c *keyframe.Codec) {
	if w.gait == nil {
		return
	}
	w.state.Exchange(c)
	c.Bools(&w.on, &w.released)
	c.FloatIn(&w.ready, 0, 1)
	for i := range w.from {
		c.FloatIn(&w.from[i], -math.MaxFloat64, math.MaxFloat64)
	}
}
