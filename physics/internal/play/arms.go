package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// arm is the controller of one of a dribbler's two friction wheels.
type arm struct {
	rim      float64 // speed of the rim, m/s
	integral float64 // integral of the arm's displacement error, m s
}

// turnWheels advances the dribbler's two controllers, and the ball under the wheels.
func (e *Engine) turnWheels(i int) {
	robot, state := &e.model.Robots[i], &e.now.Robots[i]
	w := robot.Dribbler.FrictionWheels()
	from, hull := e.solids.poses[i], &e.solids.all[i]
	heading := from.Heading()
	twistB := e.wheels[i].Twist(state.WheelRadS)
	r := e.model.Ball.Radius
	// The angular velocity of a ball that rolls along with the robot, relative to the robot and in B.
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

// maxIntegral is the largest magnitude of arm.integral, in m s. It prevents windup of a controller that has lost its
// ball. 0.01 is a guess.
const maxIntegral = 0.01
