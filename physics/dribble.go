package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// dribbleLift is the largest height of a ball's lowest point at which a dribbler takes it, in metres. Guess: the
// dribbling wheels stand a little over the ball's middle.
const dribbleLift = 0.08

// holdOff is how long a robot that has kicked the ball, lost it to another or had it blocked cannot take it again, in
// seconds. Guess: as long as a kicker needs to draw back; at 3 m/s the ball is out of reach by then.
const holdOff = 0.3

// Reaches tells whether a robot's dribbler takes a ball at posW: before the hull, near enough, and on the floor.
func (r *Robot) Reaches(poseWB spatial.Pose, posW mgl64.Vec3, ballRadius float64) bool {
	if r.Dribbler == nil || posW[2]-ballRadius > dribbleLift {
		return false
	}
	inB := poseWB.Unrotate(posW.Sub(poseWB.Pos))
	gap := math.Hypot(inB[0], inB[1]) - r.Body.Radius - ballRadius
	return gap <= r.Dribbler.Reach && math.Abs(math.Atan2(inB[1], inB[0])) <= r.Dribbler.MaxAngle
}

// Held returns where a ball is that a robot holds, and its motion: carried along with the robot, and spinning as a
// ball does that rolls that way.
func (r *Robot) Held(poseWB spatial.Pose, twistWBInW spatial.Twist, ballRadius float64) (posW mgl64.Vec3, twistInW spatial.Twist) {
	sin, cos := math.Sincos(poseWB.Heading())
	arm := mgl64.Vec3{r.Dribbler.Hold * cos, r.Dribbler.Hold * sin, 0}
	posW = poseWB.Pos.Add(arm)
	posW[2] = ballRadius
	v := twistWBInW.PointVelocity(arm)
	v[2] = 0
	return posW, spatial.Twist{Lin: v, Ang: mgl64.Vec3{-v[1] / ballRadius, v[0] / ballRadius, 0}}
}

// Possession decides which robot holds the ball. A robot that dribbles takes a ball within its reach, from another
// robot too; when several could, the first in the scene's order does. It keeps the ball until it stops dribbling,
// kicks, another robot takes it, or something blocks it.
type Possession struct {
	scene  *Scene
	holder int
	// freeAt is the step from which on a robot may take the ball.
	freeAt []int64
}

// NewPossession returns the state in which nobody holds the ball.
func NewPossession(scene *Scene) Possession {
	return Possession{scene: scene, holder: -1, freeAt: make([]int64, len(scene.Robots))}
}

// Holder returns the index of the robot that holds the ball, or -1.
func (p *Possession) Holder() int { return p.holder }

// Drop lets the ball go; the robot may take it again at once.
func (p *Possession) Drop() { p.holder = -1 }

// Lose lets the ball go and keeps its holder from taking it for a while.
func (p *Possession) Lose(step int64) {
	if p.holder >= 0 {
		p.freeAt[p.holder] = step + int64(math.Ceil(holdOff/p.scene.Step.Seconds()))
		p.holder = -1
	}
}

// Update decides who holds the ball during the step that starts at now.
func (p *Possession) Update(now *Snapshot, commands []Command) {
	if p.holder >= 0 && !commands[p.holder].Dribble {
		p.Drop()
	}
	for i := range commands {
		if i == p.holder || !commands[i].Dribble || now.Step < p.freeAt[i] {
			continue
		}
		if p.scene.Robots[i].Reaches(now.Robots[i].PoseWB, now.Ball.PosW, p.scene.Ball.Radius) {
			p.Lose(now.Step)
			p.holder = i
			return
		}
	}
}
