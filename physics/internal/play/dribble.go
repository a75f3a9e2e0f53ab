package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// chase gives the ball the velocity along the secant, or the tangent, of its path with the robot, and advances it.
func (e *Engine) chase(i int) {
	robot, hull := &e.model.Robots[i], &e.solids.all[i]
	from := e.solids.poses[i]
	twist := e.beforeTwist(i)
	pos, rolling := robot.Held(from, twist, e.model.Ball.Radius)
	if robot.Dribbler.Method == physics.DribbleSecant {
		pos, _ = robot.Held(from.Drifted(twist, e.dt), twist, e.model.Ball.Radius)
		v := pos.Sub(e.ball.Pos).Mul(1 / e.dt)
		if fast := v.Len(); fast > fetchSpeed {
			v = v.Mul(fetchSpeed / fast)
		}
		v[2] = e.ball.Twist.Lin[2]
		rolling = physics.Rolling(v, e.model.Ball.Radius)
	}
	e.ball.Twist = rolling
	mouth := hull.MouthRadius
	hull.MouthRadius = max(0, mouth-blockedDepth) // the method, not the hull, keeps the ball away
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
