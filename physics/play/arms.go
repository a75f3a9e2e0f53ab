package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// arm is one of a dribbler's two, with its wheel.
type arm struct {
	pressed  float64 // how far the ball presses it in: what the displacement sensor says, metres
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
		short := w.Travel - a.pressed
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
		e.robots[i].arms[k].pressed = rubs[k].Travelled
		state.ArmM[k] = rubs[k].Travelled
		hull.Impulse = hull.Impulse.Add(rubs[k].Impulse)
		hull.At = mgl64.Vec3{hold[0], hold[1], state.PoseWB.Pos[2] + robot.Body.CoMZ}
	}
}

// maxIntegral keeps the controllers of a lost ball from winding up, in m s. Guess.
const maxIntegral = 0.01

func clamp(v, limit float64) float64 { return max(-limit, min(v, limit)) }
