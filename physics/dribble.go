package physics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// DribbleMethod is how a robot keeps the ball. The first three are those of Xiao et al. 2017, section 5.2.
type DribbleMethod string

const (
	DribblePose       DribbleMethod = "pose"       // the ball is put before the robot after every step
	DribbleSecant     DribbleMethod = "secant"     // it gets the velocity that takes it straight to where it should be next
	DribbleTangential DribbleMethod = "tangential" // it gets the velocity of the point where it should be now
	DribbleWheels     DribbleMethod = "wheels"     // two friction wheels turn it, and can lose it
)

// Dribbler holds a ball that comes close enough in front.
type Dribbler struct {
	Method   DribbleMethod  `toml:"method" oneof:"pose|secant|tangential|wheels" doc:"pose never loses the ball by itself, secant and tangential lag behind fast robots, wheels are two friction wheels under closed-loop control"`
	Reach    float64        `toml:"reach_m" range:"[0, 1]" doc:"largest gap between hull and ball at which the ball is taken"`
	MaxAngle float64        `toml:"max_angle_deg" range:"(0, 180]" doc:"largest bearing of the ball, to either side, at which it is taken"`
	Hold     float64        `toml:"hold_m" range:"[0, 1]" doc:"distance of a held ball's centre before the robot's centre"`
	Wheels   *FrictionWheel `toml:"wheels" doc:"of method wheels"`
}

// SetDefaults is the most forgiving method.
func (d *Dribbler) SetDefaults() { d.Method = DribblePose }

// FrictionWheel is one of two mirrored wheels on sprung arms that press on the ball from above and behind, and what
// controls it: the rim's speed is that of the rolling ball's surface there, as the robot's own velocity foretells it, less
// p·x + i·∫x, where x is how much too little the ball presses the arms in.
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

// SetDefaults are guesses after photographs of middle-size robots, tuned to keep the ball at 2 m/s and 2 rad/s.
func (w *FrictionWheel) SetDefaults() { *w = DefaultFrictionWheel() }

// DefaultFrictionWheel returns what SetDefaults sets.
func DefaultFrictionWheel() FrictionWheel {
	return FrictionWheel{
		Spread: 30 * math.Pi / 180, Elevation: 50 * math.Pi / 180,
		Force: 12, Stiffness: 600, Travel: 0.02, Friction: 1,
		MaxSpeed: 6, Response: 15 * time.Millisecond, P: 60, I: 60, Forward: 1,
	}
}

// FrictionWheels returns those of a dribbler, with their defaults where it leaves them out.
func (d *Dribbler) FrictionWheels() FrictionWheel {
	if d.Wheels == nil {
		return DefaultFrictionWheel()
	}
	return *d.Wheels
}

// dribbleLift is the largest height of a ball's lowest point at which a dribbler takes it, in metres. Guess: the
// dribbling wheels stand a little over the ball's middle.
const dribbleLift = 0.08

// holdOff is how long a robot that has kicked the ball, lost it to another or had it blocked cannot take it again, in
// seconds. Guess: as long as a kicker needs to draw back; at 3 m/s the ball is out of reach by then.
const holdOff = 0.3

// UprightCos is the cosine of the tilt from which on a robot counts as fallen over, 0.3 rad. Guess.
const UprightCos = 0.955

// Upright tells whether a robot has not fallen over.
func Upright(poseWB *spatial.Pose) bool {
	x, y := poseWB.Rot.V[0], poseWB.Rot.V[1]
	return 1-2*(x*x+y*y) >= UprightCos // of B's z axis and W's
}

// Reaches tells whether a robot's dribbler takes a ball at posW: before the hull, near enough, and both on the floor.
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

// Held returns where a ball is that a robot holds, and its motion: carried along with the robot, and spinning as a
// ball does that rolls that way.
func (r *Robot) Held(poseWB spatial.Pose, twistWBInW spatial.Twist, ballRadius float64) (posW mgl64.Vec3, twistInW spatial.Twist) {
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

// Possession decides which robot holds the ball. A robot that dribbles takes a ball within its reach, from another
// robot too; when several could, the first in the model's order does. It keeps the ball until it stops dribbling,
// kicks, another robot takes it, or something blocks it.
type Possession struct {
	model  *Model
	holder int
	// freeAt is the step from which on a robot may take the ball.
	freeAt []int64
}

// NewPossession returns the state in which nobody holds the ball.
func NewPossession(model *Model) Possession {
	return Possession{model: model, holder: -1, freeAt: make([]int64, len(model.Robots))}
}

// Holder returns the index of the robot that holds the ball, or -1.
func (p *Possession) Holder() int { return p.holder }

// Drop lets the ball go; the robot may take it again at once.
func (p *Possession) Drop() { p.holder = -1 }

// Lose lets the ball go and keeps its holder from taking it for a while.
func (p *Possession) Lose(step int64) {
	if p.holder >= 0 {
		p.freeAt[p.holder] = step + int64(math.Ceil(holdOff/p.model.Step.Seconds()))
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
		if p.model.Robots[i].Reaches(now.Robots[i].PoseWB, now.Ball.PosW, p.model.Ball.Radius) {
			p.Lose(now.Step)
			p.holder = i
			return
		}
	}
}
