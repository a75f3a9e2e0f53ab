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

// walker moves a robot at level walk. Bodies moves the gait's frame R over the floor. The trunk sways, and falls over,
// relative to R.
type walker struct {
	walk     *physics.Walk
	drive    *physics.Drive
	gait     *legs.Gait
	dt       float64
	swing    float64 // gravity divided by the height of the centre of mass, 1/s²
	source   random.Source
	standing spatial.Pose // of B in R
	shapes
	before, positions [2 * legs.LegJoints]float64 // of the legs' joints, in a step

	// posed and below are the state and the pose of the trunk to which positions belong.
	posed legs.State
	below spatial.Pose

	late      []physics.PlanarTwist // commands that have no effect as yet
	oldest    int                   // index in late
	state     legs.State
	begun     float64 // from 0, the pose at the start, to 1, the gait's
	effort    float64 // from 0, standing still, to 1, walking
	steps     uint64
	slip      physics.PlanarTwist // errors of the present step, m and rad
	disturbed mgl64.Vec2          // change of velocity by pushes that steps have not caught, in B, m/s
	fall      fall
	poseRB    spatial.Pose
}

// streamSlip, streamTurn and streamFall are the streams of the random numbers of a step.
const (
	streamSlip uint16 = iota
	streamTurn
	streamFall
)

// newWalker returns nil for a robot at another level.
func newWalker(model *physics.Model, robot int, dt float64) (*walker, error) {
	r := &model.Robots[robot]
	if r.Drive.Level != physics.WalkDrive {
		return nil, nil
	}
	gait, err := legs.New(r, model.Config.Gravity)
	if err != nil {
		return nil, err
	}
	w := &walker{walk: r.Drive.Walk, drive: &r.Drive, gait: gait, dt: dt, poseRB: spatial.Identity(),
		swing: model.Config.Gravity / r.Body.CoMZ, source: random.New(model.Seed, r.Name, "walk", 0),
		shapes: shapes{robot: r}, state: gait.Standing()}
	w.standing = gait.Trunk(&w.state)
	w.late = make([]physics.PlanarTwist, int(math.Round(w.walk.Errors.Delay.Seconds()/dt)))
	return w, nil
}

// place puts the robot on its feet, at rest.
func (w *walker) place() {
	clear(w.late)
	w.state, w.effort, w.slip, w.disturbed, w.fall = w.gait.Standing(), 0, physics.PlanarTwist{}, mgl64.Vec2{}, fall{}
	w.poseRB = w.pose()
}

// stopping is the time constant with which a robot that falls over stops sliding, in seconds. It is a guess.
const stopping = 0.1

// advance moves the legs by a step, and returns the velocity of R, in its own axes.
func (w *walker) advance(wanted physics.PlanarTwist) physics.PlanarTwist {
	if len(w.late) > 0 {
		wanted, w.late[w.oldest] = w.late[w.oldest], wanted
		w.oldest = (w.oldest + 1) % len(w.late)
	}
	if w.fall.limbs { // an animation ends as the robot stood at the start
		w.begun = max(0, w.begun-w.dt/takeTime)
	} else if w.begun < 1 && (w.begun > 0 || wanted != physics.PlanarTwist{}) {
		w.begun, wanted = min(1, w.begun+w.dt/takeTime), physics.PlanarTwist{}
	}
	t, change := &w.state.Twist, w.dt*w.walk.Frequency
	if w.fall.motion != onFeet {
		share := max(0, 1-w.dt/stopping)
		t.VX, t.VY, t.Omega = t.VX*share, t.VY*share, t.Omega*share
		if w.fall.update(&w.walk.Fall, &w.shapes, w.stance().Rot, w.swing, w.dt); w.fall.motion != falling {
			w.state, w.effort = w.gait.Standing(), 0
		}
		return w.moved(*t)
	}
	before := w.state.Phase
	w.gait.Advance(&w.state, wanted, w.dt)
	if w.state.Mode != legs.Walking {
		w.effort = max(0, w.effort-change)
		return w.moved(*t)
	}
	w.effort = min(1, w.effort+change)
	if before > w.state.Phase || before < math.Pi && w.state.Phase >= math.Pi {
		w.step()
	}
	// the error of a step comes and goes smoothly
	rate := 2 * w.walk.Frequency * (1 - math.Cos(2*w.state.Phase))
	m := w.moved(*t)
	return physics.PlanarTwist{VX: m.VX + w.effort*w.walk.Errors.Creep + rate*w.slip.VX, VY: m.VY + rate*w.slip.VY,
		Omega: m.Omega + rate*w.slip.Omega + w.walk.Errors.Drift}
}

// moved returns the velocity at which a robot moves whose legs move at t.
func (w *walker) moved(t physics.PlanarTwist) physics.PlanarTwist {
	e := &w.walk.Errors
	along := e.Forward
	if t.VX < 0 {
		along = e.Backward
	}
	return physics.PlanarTwist{VX: along * t.VX, VY: e.Sideways * t.VY, Omega: e.Turn * t.Omega}
}

// step draws the errors of a step, and whether the robot falls over in it.
func (w *walker) step() {
	w.steps++
	e, source := &w.walk.Errors, w.source.Frame(w.steps)
	x, y := source.Normal(random.Index(streamSlip, 0))
	turn, _ := source.Normal(random.Index(streamTurn, 0))
	w.slip = physics.PlanarTwist{VX: x * e.Slip, VY: y * e.Slip, Omega: turn * e.SlipTurn}
	t := &w.state.Twist
	demand := math.Hypot(math.Hypot(t.VX, t.VY)/w.drive.MaxSpeed, t.Omega/w.drive.MaxOmega)
	if source.Uniform(random.Index(streamFall, 0)) < w.walk.Fall.PerStep*demand*demand {
		sin, cos := math.Sincos(2 * math.Pi * source.Uniform(random.Index(streamFall, 1)))
		w.fall.begin(&w.shapes, w.standing.Rot, mgl64.Vec2{cos, sin})
	}
}

// rounding is a change of velocity that engines make without a contact, in m/s and rad/s.
const rounding = 1e-6

// disturb tells the robot the velocity of R, which pushes and contacts have changed. Legs that step take up the
// change.
func (w *walker) disturb(set, got physics.PlanarTwist) {
	if w.fall.motion != onFeet {
		return
	}
	caught := math.Exp2(-2 * w.walk.Frequency * w.dt)
	change := mgl64.Vec2{got.VX - set.VX, got.VY - set.VY}
	if turn := got.Omega - set.Omega; math.Abs(turn) < rounding && change.Len() < rounding {
		change, got.Omega = mgl64.Vec2{}, set.Omega
	}
	w.disturbed = w.disturbed.Mul(caught).Add(change)
	if t := &w.state.Twist; w.state.Mode != legs.Standing { // then feet hold the floor
		t.VX, t.VY, t.Omega = t.VX+change[0], t.VY+change[1], t.Omega+got.Omega-set.Omega
	}
	if math.Hypot(w.disturbed[0]/w.walk.Fall.Push, w.disturbed[1]/w.walk.Fall.Aside) > 1 {
		w.fall.begin(&w.shapes, w.standing.Rot, w.disturbed)
		w.disturbed = mgl64.Vec2{}
	}
}

// pose returns the pose of B in R.
func (w *walker) pose() spatial.Pose {
	p := w.stance()
	if w.fall.motion != onFeet {
		p = w.fall.pose(&w.shapes, p)
	}
	return p
}

// stance returns the pose of B in R of a robot that does not fall.
func (w *walker) stance() spatial.Pose {
	p := w.upright()
	if w.begun < 1 {
		start := spatial.Identity()
		p = start.Between(&p, w.begun)
	}
	return p
}

// Constants of the sway, from humanoid-kid and humanoid-adult at level joints.
const (
	pitchLag   = 30 * spatial.Degree // phase of the pitch, rad; -30° to 60°, depending on robot and speed
	rollGrowth = 4.3                 // share of the roll that is added for each m/s to a side
)

// upright returns the pose of B in R by the gait and the sway.
func (w *walker) upright() spatial.Pose {
	sway, p := &w.walk.Sway, w.gait.Trunk(&w.state)
	p.Pos[1] = w.standing.Pos[1] + sway.Side*(p.Pos[1]-w.standing.Pos[1])
	if w.effort > 0 {
		t, phase := &w.state.Twist, w.state.Phase
		roll := sway.Roll * (1 + rollGrowth*math.Abs(t.VY)) * math.Sin(phase-sway.Lag)
		pitch := sway.Pitch * (1 + sway.Growth*math.Abs(t.VX)/w.drive.MaxSpeed) * math.Sin(2*phase-pitchLag)
		p.Pos[2] += w.effort * sway.Height * math.Cos(2*phase)
		p.Rot = mgl64.QuatRotate(w.effort*roll, mgl64.Vec3{1, 0, 0}).Mul(
			mgl64.QuatRotate(w.effort*(pitch+sway.Lean), mgl64.Vec3{0, 1, 0})).Mul(p.Rot)
	}
	return p
}

// sway sets a robot's pose and velocity, which are those of R, to those of B.
func (w *walker) sway(r *physics.RobotState) {
	before := w.poseRB
	w.poseRB = w.pose()
	offset := r.PoseWB.Rotate(w.poseRB.Pos)
	r.TwistWBInW.Lin = r.TwistWBInW.PointVelocity(offset).Add(
		r.PoseWB.Rotate(w.poseRB.Pos.Sub(before.Pos).Mul(1 / w.dt)))
	r.TwistWBInW.Ang = r.TwistWBInW.Ang.Add(r.PoseWB.Rotate(
		spatial.AngularVelocity(&before.Rot, &w.poseRB.Rot, w.dt)))
	r.PoseWB = r.PoseWB.Mul(w.poseRB)
	r.PoseWB.Rot = r.PoseWB.Rot.Normalize()
}

// fallenRate is the speed of the leg's joints while a robot falls over and gets up, in rad/s. It is a guess.
const fallenRate = 4

// keep notes the positions of the legs' joints, which the joints' own controllers do not move.
func (w *walker) keep(states []physics.JointState) {
	for i, k := range w.gait.Joints() {
		w.before[i] = states[k].Position
	}
}

// move moves the joints of the legs, unless an animation does.
func (w *walker) move(states []physics.JointState) {
	if w.fall.limbs {
		return
	}
	trunk := w.standing
	switch w.fall.motion {
	case falling:
		trunk = w.upright()
	case onFeet:
		trunk = w.poseRB
	}
	if w.posed != w.state || w.below != trunk {
		w.posed, w.below = w.state, trunk
		w.gait.PositionsBelow(&w.state, trunk, w.positions[:])
	}
	for i, k := range w.gait.Joints() {
		j, was, to := &w.robot.Joints[k], w.before[i], w.positions[i]
		if w.begun < 1 {
			to = j.Rest() + w.begun*(to-j.Rest())
		}
		if w.fall.motion != onFeet || w.begun < 1 {
			most := fallenRate * w.dt
			to = mgl64.Clamp(to, was-most, was+most)
		}
		to = mgl64.Clamp(to, j.Lower, j.Upper)
		states[k] = physics.JointState{Position: to, Velocity: (to - was) / w.dt}
	}
}

// exchange saves or restores the state.
func (w *walker) exchange(c *keyframe.Codec) {
	for i := range w.late {
		w.exchangeTwist(c, &w.late[i])
	}
	c.Index(&w.oldest, 0, max(1, len(w.late)))
	w.state.Exchange(c)
	for _, x := range []*float64{&w.begun, &w.effort} {
		c.FloatIn(x, 0, 1)
	}
	c.Uint(&w.steps)
	w.exchangeTwist(c, &w.slip)
	for k := range w.disturbed {
		c.FloatIn(&w.disturbed[k], -physics.MaxPlausible, physics.MaxPlausible)
	}
	w.fall.exchange(c)
	c.Pose(&w.poseRB.Pos, &w.poseRB.Rot)
}

func (w *walker) exchangeTwist(c *keyframe.Codec, t *physics.PlanarTwist) {
	for _, x := range []*float64{&t.VX, &t.VY, &t.Omega} {
		c.FloatIn(x, -physics.MaxPlausible, physics.MaxPlausible)
	}
}

// sway sets the motion of robots at level walk. Until then it is that of the frame R.
func (e *Engine) sway() {
	for i, w := range e.walkers {
		if w == nil || e.absent[i] {
			continue
		}
		r := &e.now.Robots[i]
		w.disturb(e.setpoints[i].TwistB, r.TwistWBInB())
		w.sway(r)
	}
}

// linkWalkers tells robots at level walk where the state of their joints is.
func (e *Engine) linkWalkers() {
	for i, w := range e.walkers {
		if w != nil {
			w.states = e.model.JointsOf(i, &e.now)
		}
	}
}
