package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// chase advances the ball with a velocity that keeps it with the robot. The velocity is along the secant of the path on
// which the robot would carry the ball, or along the tangent at the ball's own place.
func (e *Engine) chase(i int) {
	robot, hull := &e.model.Robots[i], &e.solids.all[i]
	from := e.solids.poses[i]
	twist := e.beforeTwist(i)
	v := twist.Lin.Add(twist.Ang.Cross(e.ball.Pos.Sub(from.Pos)))
	if robot.Dribbler.Method == physics.DribbleSecant {
		pos, _ := robot.Held(from.Drifted(twist, e.dt), twist, e.model.Ball.Radius)
		v = pos.Sub(e.ball.Pos).Mul(1 / e.dt)
		if fast := v.Len(); fast > fetchSpeed {
			v = v.Mul(fetchSpeed / fast)
		}
	}
	v[2] = e.ball.Twist.Lin[2]
	e.ball.Twist = physics.Rolling(v, e.model.Ball.Radius)
	mouth := hull.MouthRadius
	// the dribbling method, and not the hull, keeps the ball at its distance
	hull.MouthRadius = max(0, mouth-blockedDepth)
	e.ball.Step(e.dt, e.solids.near, nil)
	hull.MouthRadius = mouth
}

// fetchSpeed is the highest speed at which method secant fetches a ball from the end of a wide reach, m/s: the speed of
// the fastest kick.
const fetchSpeed = 30.0

// beforeTwist returns a robot's twist at the start of the step.
func (e *Engine) beforeTwist(i int) spatial.Twist {
	r := &e.now.Robots[i]
	return spatial.Twist{Lin: r.TwistWBInW.Lin.Sub(r.AccelWBInW.Mul(e.dt)),
		Ang: r.TwistWBInW.Ang.Sub(r.AngAccelWBInW.Mul(e.dt))}
}

// carry places the ball in front of the robot that holds it. It returns the ball's largest overlap with another body,
// in metres. The other body pushes the robot.
func (e *Engine) carry(i int) (pressed float64) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	rot := e.ball.Rot
	pos, twist := robot.Held(state.PoseWB, state.TwistWBInW, e.model.Ball.Radius)
	e.ball.Put(pos, twist)
	e.ball.Rot = spatial.Pose{Rot: rot}.Drifted(spatial.Twist{Ang: twist.Ang}, e.dt).Rot.Normalize()
	for _, s := range e.solids.near {
		s.Impulse = mgl64.Vec3{}
		if s.ID == e.model.RobotID(i) {
			continue
		}
		normal, depth, closing, ok := e.ball.Against(s, e.dt)
		flat := math.Hypot(normal[0], normal[1])
		if !ok || flat < 0.5 {
			continue
		}
		pressed = max(pressed, depth)
		normal = mgl64.Vec3{normal[0] / flat, normal[1] / flat, 0}
		at := pos.Sub(normal.Mul(e.model.Ball.Radius))
		arm := at.Sub(state.PoseWB.Pos)
		lever := arm[0]*normal[1] - arm[1]*normal[0]
		invMass := 1/robot.Body.Mass + lever*lever/robot.Body.InertiaZ + s.InvMass
		j := max(0, closing+settle*depth/e.dt) / invMass
		s.Impulse, s.At, s.Closing = normal.Mul(-j), at, closing
		e.bodies.Push(e.model.RobotID(i), normal.Mul(j), mgl64.Vec3{at[0], at[1], state.PoseWB.Pos[2] +
			robot.Body.CoMZ})
	}
	return pressed
}

// settle is the fraction of an overlap of a held ball that a step removes.
const settle = 0.2

// arm is the controller of one of a dribbler's two friction wheels.
type arm struct {
	rim      float64 // speed of the rim, m/s
	integral float64 // integral of the arm's displacement error, m s
}

// turnWheels advances the controllers of the dribbler's two wheels by a step. It also moves the ball, on which the
// wheels press.
func (e *Engine) turnWheels(i int) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	w := robot.Dribbler.FrictionWheels()
	from, hull := e.solids.poses[i], &e.solids.all[i]
	heading := from.Heading()
	twistB := e.wheels[i].Twist(state.WheelRadS)
	r := e.model.Ball.Radius
	// spin is the angular velocity of a ball that rolls along with the robot, relative to the robot and in B.
	v := mgl64.Vec3{twistB.VX, twistB.VY + twistB.Omega*robot.Dribbler.Hold, 0}
	spin := mgl64.Vec3{-v[1] / r, v[0] / r, -twistB.Omega}
	hold, _ := robot.Held(from, spatial.Twist{}, r)
	carrier := hull.Lin.Add(hull.Ang.Cross(hold.Sub(hull.Pos)))
	carrier[2] = 0
	var rubs [2]ball.Rub
	for k, side := range [2]float64{1, -1} {
		a := &e.robots[i].arms[k]
		contact, along := touch(&w, side)
		short := w.Travel - state.ArmM[k]
		a.integral = mgl64.Clamp(a.integral+short*e.dt, -maxIntegral, maxIntegral)
		want := w.Forward*along.Dot(spin.Cross(contact.Mul(r))) - w.P*short - w.I*a.integral
		lag := 1.0
		if w.Response > 0 {
			lag = -math.Expm1(-e.dt / w.Response.Seconds())
		}
		a.rim += (mgl64.Clamp(want, -w.MaxSpeed, w.MaxSpeed) - a.rim) * lag
		turn := mgl64.Rotate3DZ(heading)
		rubs[k] = ball.Rub{Hold: hold, Carrier: carrier, Out: turn.Mul3x1(contact.Mul(-1)), Along: turn.Mul3x1(along),
			Rim:   a.rim,
			Force: w.Force, Stiffness: w.Stiffness, Travel: w.Travel, Friction: w.Friction}
	}
	e.ball.Step(e.dt, e.solids.near, rubs[:])
	for k := range rubs {
		hull.Impulse = hull.Impulse.Add(rubs[k].Impulse)
		hull.At = mgl64.Vec3{hold[0], hold[1], state.PoseWB.Pos[2] + robot.Body.CoMZ}
	}
}

// touch returns the contact point of a wheel, as a unit vector from the ball's centre, and the direction of the rim's
// motion at this point. Both vectors are in the robot's axes. The argument side is 1 for the left wheel and −1 for the
// right wheel.
func touch(w *physics.FrictionWheel, side float64) (contact, along mgl64.Vec3) {
	sinE, cosE := math.Sincos(w.Elevation)
	sinS, cosS := math.Sincos(w.Spread)
	return mgl64.Vec3{-cosE * cosS, side * cosE * sinS, sinE}, mgl64.Vec3{sinE * cosS, -side * sinE * sinS, cosE}
}

// pressArms computes how far the ball presses a robot's arms in. It does so with every dribbling method, and even if
// another robot holds the ball.
func (e *Engine) pressArms(i int) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	state.ArmM = [2]float64{}
	if robot.Dribbler == nil {
		return
	}
	ball, at := &e.ball.Pos, &state.PoseWB.Pos
	dx, dy := ball[0]-at[0], ball[1]-at[1]
	if reach := robot.Dribbler.Hold + armReach; dx*dx+dy*dy > reach*reach { // skips most robots
		return
	}
	hold, _ := robot.Held(state.PoseWB, spatial.Twist{}, e.model.Ball.Radius)
	off := e.ball.Pos.Sub(hold)
	if off.Dot(off) > armReach*armReach {
		return
	}
	w := robot.Dribbler.FrictionWheels()
	off = state.PoseWB.Unrotate(off)
	for k, side := range [2]float64{1, -1} {
		contact, _ := touch(&w, side)
		state.ArmM[k] = max(0, w.Travel+off.Dot(contact))
	}
}

// armReach is the largest distance from the hold point of a ball that touches an arm, metres. It exceeds the travel of
// any arm.
const armReach = 0.2

// maxIntegral is the largest magnitude of arm.integral, in m s. It prevents windup of the controller after the robot
// has lost the ball. 0.01 is a guess.
const maxIntegral = 0.01

// extensionTimer enforces the time limits of a goalkeeper's extension. The zero value is ready.
type extensionTimer struct {
	now  physics.ExtensionState
	out  float64 // time since the extension was extended, s
	rest float64 // time until the extension may be extended again, s
}

// update returns the state of the extension during a step of dt seconds. The plate extends at once. It retracts on
// command or after its longest time.
func (t *extensionTimer) update(f *physics.KeeperExtension, asked physics.ExtensionState,
	dt float64) physics.ExtensionState {
	if t.now != physics.NotExtended {
		t.out += dt
		if asked != t.now || t.out > f.Hold.Seconds()-dt/2 {
			t.now, t.rest = physics.NotExtended, f.Rest.Seconds()
		}
		return t.now
	}
	if t.rest > 0 {
		t.rest -= dt
	}
	if asked != physics.NotExtended && t.rest <= dt/2 {
		t.now, t.out = asked, 0
	}
	return t.now
}
