package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// blockedDepth is how deep, in metres, a held ball may be pressed into something before its robot loses it. Guess:
// a firm push at a wall passes, a ball wedged between two robots pops out.
const blockedDepth = 0.03

// moveBall lets the ball follow its holder, or its own ways.
func (e *Engine) moveBall() {
	holder := e.possession.Holder()
	if holder < 0 {
		e.ball.Step(e.dt, e.around.near, nil)
	} else {
		e.hold(holder)
	}
	for _, s := range e.around.near {
		e.deliver(s)
	}
	e.readBall()
}

// deliver hands what the ball has given a solid to the bodies, and reports the touch.
func (e *Engine) deliver(s *ball.Solid) {
	if s.Impulse == (mgl64.Vec3{}) {
		return
	}
	t := physics.Touch{A: s.ID, B: e.scene.BallID(), PosW: s.At, Impulse: s.Impulse.Len(), Closing: s.Closing}
	if s.ID == physics.Still {
		t.A, t.B = t.B, t.A
	} else {
		e.bodies.Push(s.ID, s.Impulse, s.At)
	}
	e.now.Touches = append(e.now.Touches, t)
}

func (e *Engine) readBall() {
	b := &e.now.Ball
	b.PosW, b.RotW, b.TwistInW, b.HeldBy = e.ball.Pos, e.ball.Rot, e.ball.Twist, e.possession.Holder()
}

// hold keeps the ball before a robot for a step, by the robot's method.
func (e *Engine) hold(i int) {
	robot, state := &e.scene.Robots[i], &e.now.Robots[i]
	lost := state.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] < UprightCos
	switch robot.Dribbler.Method {
	case physics.DribbleSecant, physics.DribbleTangential:
		e.chase(i)
	case physics.DribbleWheels:
		e.turnWheels(i)
	default:
		before := *e.ball
		if e.carry(i) > blockedDepth {
			// It is squeezed out: nothing has carried it any further in.
			e.ball.Pos, e.ball.Rot = before.Pos, before.Rot
			lost = true
		}
		if lost {
			e.possession.Lose(e.now.Step)
		}
		return
	}
	if lost || !robot.Reaches(state.PoseWB, e.ball.Pos, e.scene.Ball.Radius) {
		e.possession.Lose(e.now.Step)
	}
}

// chase gives the ball the velocity of the secant, or the tangent, of its way with the robot, as it is when the step
// starts, and lets it go from there.
func (e *Engine) chase(i int) {
	robot, hull := &e.scene.Robots[i], &e.around.solids[i]
	from := e.around.poses[i]
	twist := e.beforeTwist(i)
	pos, rolling := robot.Held(from, twist, e.scene.Ball.Radius)
	if robot.Dribbler.Method == physics.DribbleSecant {
		pos, _ = robot.Held(from.Drifted(twist, e.dt), twist, e.scene.Ball.Radius)
		v := pos.Sub(e.ball.Pos).Mul(1 / e.dt)
		v[2] = e.ball.Twist.Lin[2]
		rolling = physics.Rolling(v, e.scene.Ball.Radius)
	}
	e.ball.Twist = rolling
	mouth := hull.MouthRadius
	hull.MouthRadius = max(0, mouth-blockedDepth) // the method keeps the ball off, not the hull
	e.ball.Step(e.dt, e.around.near, nil)
	hull.MouthRadius = mouth
}

// beforeTwist returns a robot's motion when the step started.
func (e *Engine) beforeTwist(i int) spatial.Twist {
	r := &e.now.Robots[i]
	return spatial.Twist{Lin: r.TwistWBInW.Lin.Sub(r.AccelWBInW.Mul(e.dt)), Ang: e.around.rates[i]}
}

// carry puts the ball before its robot, and returns how deep that presses it into something, which pushes the robot.
func (e *Engine) carry(i int) (pressed float64) {
	robot, state := &e.scene.Robots[i], &e.now.Robots[i]
	rot := e.ball.Rot
	pos, twist := robot.Held(state.PoseWB, state.TwistWBInW, e.scene.Ball.Radius)
	e.ball.Put(pos, twist)
	e.ball.Rot = spatial.Pose{Rot: rot}.Drifted(spatial.Twist{Ang: twist.Ang}, e.dt).Rot.Normalize()
	for _, s := range e.around.near {
		s.Impulse = mgl64.Vec3{}
		if s.ID == e.scene.RobotID(i) {
			continue
		}
		normal, depth, closing, ok := e.ball.Against(s, e.dt)
		flat := math.Hypot(normal[0], normal[1])
		if !ok || flat < 0.5 {
			continue
		}
		pressed = max(pressed, depth)
		normal = mgl64.Vec3{normal[0] / flat, normal[1] / flat, 0}
		at := pos.Sub(normal.Mul(e.scene.Ball.Radius))
		arm := at.Sub(state.PoseWB.Pos)
		lever := arm[0]*normal[1] - arm[1]*normal[0]
		invMass := 1/robot.Body.Mass + lever*lever/robot.Body.InertiaZ + s.InvMass
		j := max(0, closing+settle*depth/e.dt) / invMass
		s.Impulse, s.At, s.Closing = normal.Mul(-j), at, closing
		e.bodies.Push(e.scene.RobotID(i), normal.Mul(j), mgl64.Vec3{at[0], at[1], state.PoseWB.Pos[2] + robot.Body.CoMZ})
	}
	return pressed
}

// settle is the share of an overlap of a held ball that a step undoes.
const settle = 0.2

// arm is one of a dribbler's two, with its wheel.
type arm struct {
	rim      float64 // m/s
	integral float64 // m s
}

// turnWheels runs the dribbler's two controllers and lets the wheels rub on the ball.
func (e *Engine) turnWheels(i int) {
	robot, state := &e.scene.Robots[i], &e.now.Robots[i]
	w := robot.Dribbler.FrictionWheels()
	from, hull := e.around.poses[i], &e.around.solids[i]
	heading := from.Heading()
	twistB := e.wheels[i].Twist(state.WheelRadS)
	r := e.scene.Ball.Radius
	// What a ball that rolls along shows the wheels: its spin, in B, without what turns with the robot.
	v := mgl64.Vec3{twistB.VX, twistB.VY + twistB.Omega*robot.Dribbler.Hold, 0}
	spin := mgl64.Vec3{-v[1] / r, v[0] / r, -twistB.Omega}
	hold, _ := robot.Held(from, spatial.Twist{}, r)
	carrier := hull.Lin.Add(hull.Ang.Cross(hold.Sub(hull.Pos)))
	carrier[2] = 0
	var rubs [2]ball.Rub
	for k, side := range [2]float64{1, -1} {
		a := &e.robots[i].arms[k]
		sinE, cosE := math.Sincos(w.Elevation)
		sinS, cosS := math.Sincos(w.Spread)
		contact := mgl64.Vec3{-cosE * cosS, side * cosE * sinS, sinE}
		along := mgl64.Vec3{sinE * cosS, -side * sinE * sinS, cosE}
		short := w.Travel - state.ArmM[k]
		a.integral = clamp(a.integral+short*e.dt, maxIntegral)
		want := w.Forward*along.Dot(spin.Cross(contact.Mul(r))) - w.P*short - w.I*a.integral
		lag := 1.0
		if w.Response > 0 {
			lag = -math.Expm1(-e.dt / w.Response.Seconds())
		}
		a.rim += (clamp(want, w.MaxSpeed) - a.rim) * lag
		turn := mgl64.Rotate3DZ(heading)
		rubs[k] = ball.Rub{Hold: hold, Carrier: carrier, Out: turn.Mul3x1(contact.Mul(-1)), Along: turn.Mul3x1(along), Rim: a.rim,
			Force: w.Force, Stiffness: w.Stiffness, Travel: w.Travel, Friction: w.Friction}
	}
	e.ball.Step(e.dt, e.around.near, rubs[:])
	for k := range rubs {
		state.ArmM[k] = rubs[k].Travelled
		hull.Impulse = hull.Impulse.Add(rubs[k].Impulse)
		hull.At = mgl64.Vec3{hold[0], hold[1], state.PoseWB.Pos[2] + robot.Body.CoMZ}
	}
}

// maxIntegral keeps the controllers of a lost ball from winding up, in m s. Guess.
const maxIntegral = 0.01

func clamp(v, limit float64) float64 { return max(-limit, min(v, limit)) }
