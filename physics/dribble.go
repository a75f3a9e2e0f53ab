package physics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// DribbleMethod is how a robot holds the ball. The first three are those of Xiao et al. 2017, section 5.2.
type DribbleMethod string

const (
	DribblePose DribbleMethod = "pose" // the ball is placed in front of the robot after every step
	// it gets the velocity that moves it straight to where it should be after the step
	DribbleSecant DribbleMethod = "secant"
	// it gets the velocity of the point where it should be before the step
	DribbleTangential DribbleMethod = "tangential"
	DribbleWheels     DribbleMethod = "wheels" // two friction wheels turn it, and can lose it
)

// Dribbler holds a ball that is close enough in front of the robot.
type Dribbler struct {
	Method   DribbleMethod  `toml:"method" oneof:"pose|secant|tangential|wheels" doc:"pose never loses the ball by itself, secant and tangential lag behind fast robots, wheels are two friction wheels under closed-loop control"`
	Reach    float64        `toml:"reach_m" range:"[0, 1]" doc:"largest gap between hull and ball at which the ball is taken"`
	MaxAngle float64        `toml:"max_angle_deg" required:"true" range:"(0, 180]" doc:"largest bearing of the ball, to either side, at which it is taken"`
	Hold     float64        `toml:"hold_m" range:"[0, 1]" doc:"distance of a held ball's centre before the robot's centre"`
	Wheels   *FrictionWheel `toml:"wheels" doc:"of method wheels"`
}

// SetDefaults is the most forgiving method.
func (d *Dribbler) SetDefaults() { d.Method = DribblePose }

// FrictionWheel is one of two mirrored wheels on sprung arms that press on the ball from above and behind, and its
// controller. The wanted speed of the rim is the surface speed of a ball that rolls along with the robot, computed from
// the robot's velocity, less p·x + i·∫x, where x is how much less than travel_m the ball presses the arm in.
type FrictionWheel struct {
	Spread    float64       `toml:"spread_deg" range:"[5, 80]" doc:"azimuth of the contact points, to either side of straight behind the ball"`
	Elevation float64       `toml:"elevation_deg" range:"[0, 80]" doc:"of the contact points over the ball's centre"`
	Force     float64       `toml:"force_n" range:"[0, 200]" doc:"with which an arm presses on a ball where it should be"`
	Stiffness float64       `toml:"stiffness_n_m" range:"[0, 100000]" doc:"of an arm's spring"`
	Travel    float64       `toml:"travel_m" range:"(0, 0.1]" doc:"how far a ball where it should be has pressed the arms in; further out they lose it"`
	Friction  float64       `toml:"friction" range:"[0, 5]" doc:"coefficient between wheel and ball"`
	MaxSpeed  float64       `toml:"max_speed_m_s" range:"(0, 30]" doc:"fastest rim"`
	Response  time.Duration `toml:"response_ms" range:"[0, 1000]" doc:"time constant with which the rim follows its controller"`
	P         float64       `toml:"p" range:"[0, 10000]" doc:"m/s for each metre of the displacement sensors"`
	I         float64       `toml:"i" range:"[0, 100000]" doc:"m/s for each metre second"`
	Forward   float64       `toml:"feed_forward" range:"[0, 2]" doc:"share of the robot's velocity that is given beforehand"`
}

// SetDefaults sets DefaultFrictionWheel.
func (w *FrictionWheel) SetDefaults() { *w = DefaultFrictionWheel() }

// DefaultFrictionWheel returns guesses after photographs of middle-size robots, tuned to keep the ball at 2 m/s and 2
// rad/s.
func DefaultFrictionWheel() FrictionWheel {
	return FrictionWheel{
		Spread: 30 * spatial.Degree, Elevation: 50 * spatial.Degree,
		Force: 12, Stiffness: 600, Travel: 0.02, Friction: 1,
		MaxSpeed: 6, Response: 15 * time.Millisecond, P: 60, I: 60, Forward: 1,
	}
}

// FrictionWheels returns the dribbler's wheels, or the default ones if it sets none.
func (d *Dribbler) FrictionWheels() FrictionWheel {
	if d.Wheels == nil {
		return DefaultFrictionWheel()
	}
	return *d.Wheels
}

// dribbleLift is the largest height of the ball's lowest point at which a dribbler takes it, metres. Guess: the
// friction wheels touch the ball a little over its middle.
const dribbleLift = 0.08

// holdOff is how long a robot cannot take the ball again after it has kicked it, lost it to another robot or had it
// blocked, seconds. Guess: as long as a kicker takes to retract; at 3 m/s the ball is out of reach by then.
const holdOff = 0.3

// UprightCos is the cosine of the largest tilt of a robot that has not fallen over, 0.3 rad. Guess.
const UprightCos = 0.955

// Upright tells whether a robot has not fallen over.
func Upright(poseWB *spatial.Pose) bool {
	x, y := poseWB.Rot.V[0], poseWB.Rot.V[1]
	return 1-2*(x*x+y*y) >= UprightCos // of B's z axis and W's
}

// Reaches tells whether a robot's dribbler can take a ball at posW: in front of the hull, within reach_m, and both on
// the floor.
func (r *Robot) Reaches(poseWB spatial.Pose, posW mgl64.Vec3, ballRadius float64) bool {
	if r.Dribbler == nil || max(posW[2]-ballRadius, poseWB.Pos[2]) > dribbleLift || !Upright(&poseWB) {
		return false
	}
	inB := poseWB.Unrotate(posW.Sub(poseWB.Pos))
	gap := math.Hypot(inB[0], inB[1]) - r.Body.Radius - ballRadius
	if r.Body.Boxed() {
		gap = inB[0] - r.Body.Front() - ballRadius
	}
	return gap <= r.Dribbler.Reach && math.Abs(math.Atan2(inB[1], inB[0])) <= r.Dribbler.MaxAngle
}

// Within tells whether a ball at posW is within a reach of a robot that has not fallen over or left the floor; of the
// zero reach, whether its dribbler reaches it.
func (r *Robot) Within(reach Reach, poseWB spatial.Pose, posW mgl64.Vec3, ballRadius float64) bool {
	if reach.Distance == 0 {
		return r.Reaches(poseWB, posW, ballRadius)
	}
	if poseWB.Pos[2] > dribbleLift || !Upright(&poseWB) {
		return false
	}
	inB := poseWB.Unrotate(posW.Sub(poseWB.Pos))
	return inB.Len() <= reach.Distance && (reach.Angle == 0 || math.Abs(math.Atan2(inB[1], inB[0])) <= reach.Angle)
}

// Held returns the centre and the motion of a ball that a robot holds: it moves with the robot and rolls without
// slipping.
func (r *Robot) Held(poseWB spatial.Pose, twistWBInW spatial.Twist, ballRadius float64) (posW mgl64.Vec3,
	twistInW spatial.Twist) {
	sin, cos := math.Sincos(poseWB.Heading())
	arm := mgl64.Vec3{r.Dribbler.Hold * cos, r.Dribbler.Hold * sin, 0}
	posW = poseWB.Pos.Add(arm)
	posW[2] = ballRadius
	v := twistWBInW.PointVelocity(arm)
	v[2] = 0
	return posW, Rolling(v, ballRadius)
}

// Rolling returns the motion of a ball that rolls at a velocity without slipping.
func Rolling(velW mgl64.Vec3, radius float64) spatial.Twist {
	return spatial.Twist{Lin: velW, Ang: mgl64.Vec3{-velW[1] / radius, velW[0] / radius, 0}}
}

// Possession is which robot holds the ball. A robot that dribbles takes a ball within its reach, also from another
// robot; if several can, the first in the model's order does. It keeps the ball until it stops dribbling,
// kicks, another robot takes the ball, or something blocks it.
type Possession struct {
	model  *Model
	holder int
	freeAt []int64 // first step at which a robot may take the ball
}

// NewPossession returns the state in which no robot holds the ball.
func NewPossession(model *Model) Possession {
	return Possession{model: model, holder: -1, freeAt: make([]int64, len(model.Robots))}
}

// Holder returns the index of the robot that holds the ball, or -1.
func (p *Possession) Holder() int { return p.holder }

// Ready tells whether a robot may take or kick a ball within its reach: not for a while after it has lost one.
func (p *Possession) Ready(robot int, step int64) bool { return step >= p.freeAt[robot] }

// Drop lets the ball go; the robot may take it again at once.
func (p *Possession) Drop() { p.holder = -1 }

// Lose lets the ball go and keeps its holder from taking it for a while.
func (p *Possession) Lose(step int64) {
	if p.holder >= 0 {
		p.holdOff(p.holder, step)
		p.holder = -1
	}
}

// Kicked lets the ball go, and keeps its holder and the robot that kicked it from taking it for a while.
func (p *Possession) Kicked(robot int, step int64) {
	p.Lose(step)
	p.holdOff(robot, step)
}

func (p *Possession) holdOff(robot int, step int64) {
	p.freeAt[robot] = step + int64(math.Ceil(holdOff/p.model.Step.Seconds()))
}

// Update decides which robot holds the ball during the step that starts at now.
func (p *Possession) Update(now *Snapshot, commands []Command) {
	if p.holder >= 0 && !commands[p.holder].Dribble {
		p.Drop()
	}
	for i := range commands {
		if i == p.holder || !commands[i].Dribble || !p.Ready(i, now.Step) {
			continue
		}
		robot := &p.model.Robots[i]
		if robot.Dribbler != nil && robot.Within(commands[i].Reach, now.Robots[i].PoseWB, now.Ball.PosW,
			p.model.Ball.Radius) {
			p.Lose(now.Step)
			p.holder = i
			return
		}
	}
}
