package physics

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// DribbleMethod is how the simulation holds the ball at a robot. The first three methods are from Xiao et al. 2017,
// section 5.2.
type DribbleMethod string

const (
	DribblePose DribbleMethod = "pose" // puts the ball in front of the robot after every step
	// gives the ball the velocity that takes it straight to where the hold point will be at the end of the step
	DribbleSecant DribbleMethod = "secant"
	// gives the ball the velocity that the robot's body has at the ball's place at the start of the step; errors add
	// up, because nothing returns the ball to the hold point (nubot_gazebo.cc, dribble_ball, method 2)
	DribbleTangential DribbleMethod = "tangential"
	DribbleWheels     DribbleMethod = "wheels" // two friction wheels turn the ball, and can lose it
)

// Dribbler holds a ball that is close enough in front of the robot.
type Dribbler struct {
	Method   DribbleMethod  `toml:"method" oneof:"pose|secant|tangential|wheels" doc:"how the ball is held: pose never loses it by itself; with secant it lags behind fast robots; tangential loses it at fast robots that turn, as NuBot's single_nubot_gazebo does; wheels simulates two friction wheels under closed-loop control"`
	Reach    float64        `toml:"reach_m" range:"[0, 1]" doc:"largest gap between hull and ball at which the ball is taken"`
	MaxAngle float64        `toml:"max_angle_deg" required:"true" range:"(0, 180]" doc:"largest bearing of the ball, to either side, at which it is taken"`
	Hold     float64        `toml:"hold_m" range:"[0, 1]" doc:"distance from the robot's centre to the centre of a held ball, ahead of it"`
	Wheels   *FrictionWheel `toml:"wheels" doc:"friction wheels, for method wheels"`
}

// SetDefaults sets the method that loses the ball least.
func (d *Dribbler) SetDefaults() { d.Method = DribblePose }

// FrictionWheel describes the two mirrored wheels of a dribbler, which press on the ball from above and behind with
// sprung arms, and their controllers. A controller drives the rim at this speed: the surface speed of a ball that rolls
// along with the robot, minus p·x + i·∫x. Here x is travel_m minus the distance by which the ball presses the arm in.
type FrictionWheel struct {
	Spread    float64       `toml:"spread_deg" range:"[5, 80]" doc:"azimuth of the contact points, to either side of the point straight behind the ball"`
	Elevation float64       `toml:"elevation_deg" range:"[0, 80]" doc:"elevation of the contact points above the ball's centre"`
	Force     float64       `toml:"force_n" range:"[0, 200]" doc:"force with which an arm presses on a ball at hold_m"`
	Stiffness float64       `toml:"stiffness_n_m" range:"[0, 100000]" doc:"stiffness of an arm's spring"`
	Travel    float64       `toml:"travel_m" range:"(0, 0.1]" doc:"how far a ball at hold_m presses the arms in; a ball farther out than this loses contact"`
	Friction  float64       `toml:"friction" range:"[0, 5]" doc:"coefficient of friction between wheel and ball"`
	MaxSpeed  float64       `toml:"max_speed_m_s" range:"(0, 30]" doc:"highest rim speed"`
	Response  time.Duration `toml:"response_ms" range:"[0, 1000]" doc:"time constant with which the rim follows its controller"`
	P         float64       `toml:"p" range:"[0, 10000]" doc:"proportional gain, m/s for each metre of arm displacement"`
	I         float64       `toml:"i" range:"[0, 100000]" doc:"integral gain, m/s for each metre second"`
	Forward   float64       `toml:"feed_forward" range:"[0, 2]" doc:"share of the robot's velocity that is fed forward"`
}

// SetDefaults sets the values of DefaultFrictionWheel.
func (w *FrictionWheel) SetDefaults() { *w = DefaultFrictionWheel() }

// DefaultFrictionWheel returns values that are guesses from photographs of middle-size robots. They are tuned so that a
// robot at 2 m/s and 2 rad/s keeps the ball.
func DefaultFrictionWheel() FrictionWheel {
	return FrictionWheel{
		Spread: 30 * spatial.Degree, Elevation: 50 * spatial.Degree,
		Force: 12, Stiffness: 600, Travel: 0.02, Friction: 1,
		MaxSpeed: 6, Response: 15 * time.Millisecond, P: 60, I: 60, Forward: 1,
	}
}

// FrictionWheels returns the dribbler's wheels, or DefaultFrictionWheel if Wheels is nil.
func (d *Dribbler) FrictionWheels() FrictionWheel {
	if d.Wheels == nil {
		return DefaultFrictionWheel()
	}
	return *d.Wheels
}

// dribbleLift is the largest height of the ball's lowest point above the floor, in metres, at which a dribbler takes
// the ball. 0.08 is a guess: the friction wheels touch the ball a little above its centre.
const dribbleLift = 0.08

// holdOff is the time, in seconds, during which a robot cannot take the ball again after it has kicked the ball, or has
// lost the ball to another robot or an obstruction. 0.3 is a guess: the time in which a kicker retracts. A ball at 3
// m/s is out of reach after this time.
const holdOff = 0.3

// UprightCos is the cosine of 0.3 rad, the largest tilt of a robot that has not fallen over. 0.3 rad is a guess.
const UprightCos = 0.955

// Upright reports whether a robot with this pose has not fallen over.
func Upright(poseWB *spatial.Pose) bool {
	x, y := poseWB.Rot.V[0], poseWB.Rot.V[1]
	return 1-2*(x*x+y*y) >= UprightCos // dot product of the z axes of B and W
}

// Reaches reports whether a robot's dribbler can take a ball whose centre is at posW. The ball must be in front of the
// hull and within reach_m. The ball and the robot must be on the floor, and the robot must be upright.
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

// Within reports whether a ball with its centre at posW is within a Reach of a robot. It returns false for a robot that
// does not stand upright on the floor. With the zero Reach it returns the result of Reaches.
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

// Held returns the centre and the twist of a ball that a robot holds. The ball moves with the robot and rolls without
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

// Rolling returns the twist of a ball that rolls without slipping. The argument velW is the velocity of its centre,
// m/s.
func Rolling(velW mgl64.Vec3, radius float64) spatial.Twist {
	return spatial.Twist{Lin: velW, Ang: mgl64.Vec3{-velW[1] / radius, velW[0] / radius, 0}}
}

// Possession decides which robot holds the ball. A robot that dribbles takes a ball within its reach, even from another
// robot. If several robots can take the ball, the first of these robots in the model's order takes it. A robot keeps
// the ball until it stops dribbling or kicks, another robot takes the ball, or an obstruction blocks the ball.
type Possession struct {
	model  *Model
	holder int
	freeAt []int64 // first step at which a robot may take the ball
}

// NewPossession returns a Possession in which no robot holds the ball.
func NewPossession(model *Model) Possession {
	return Possession{model: model, holder: -1, freeAt: make([]int64, len(model.Robots))}
}

// Holder returns the index of the robot that holds the ball, or -1.
func (p *Possession) Holder() int { return p.holder }

// Ready reports whether a robot may take or kick a ball within its reach. After the robot has lost or kicked the ball,
// it may not do so for the time holdOff.
func (p *Possession) Ready(robot int, step int64) bool { return step >= p.freeAt[robot] }

// Drop releases the ball. The robot that held the ball may take it again at once.
func (p *Possession) Drop() { p.holder = -1 }

// Lose releases the ball. The robot that held the ball cannot take it again for the time holdOff. The argument is the
// present step.
func (p *Possession) Lose(step int64) {
	if p.holder >= 0 {
		p.holdOff(p.holder, step)
		p.holder = -1
	}
}

// Kicked releases the ball. For the time holdOff, neither the robot that held the ball nor the robot that kicked it can
// take it. The arguments are the robot that kicked and the present step.
func (p *Possession) Kicked(robot int, step int64) {
	p.Lose(step)
	p.holdOff(robot, step)
}

func (p *Possession) holdOff(robot int, step int64) {
	p.freeAt[robot] = step + int64(math.Ceil(holdOff/p.model.Step.Seconds()))
}

// Update decides which robot holds the ball during the next step. The argument now is the state at the start of that
// step.
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

// KeeperExtension is a part of a goalkeeper that it extends to one side or upwards for a short time. It consists of
// plates through the robot's centre, across its x axis.
type KeeperExtension struct {
	Reach float64       `toml:"reach_m" range:"(0, 0.5]" doc:"how far the plate extends"`
	Hold  time.Duration `toml:"hold_s" range:"(0, 10]" doc:"longest time for which the plate stays extended"`
	Rest  time.Duration `toml:"rest_s" range:"[0, 60]" doc:"shortest time between two extensions"`
}

// SetDefaults sets the limits of the rules.
func (f *KeeperExtension) SetDefaults() {
	// from memory of the MSL rule book: by 10 cm, for 1 s, and not again within the next 4 s
	*f = KeeperExtension{Reach: 0.1, Hold: time.Second, Rest: 4 * time.Second}
}

// extensionPlate is half the thickness of the plates, in metres. 0.01 is a guess.
const extensionPlate = 0.01

// SidePlate returns the plate that the robot extends to the left or to the right: the plate's centre and half its
// sizes, in the robot's frame, in metres. The robot must have an Extension.
func (r *Robot) SidePlate(to ExtensionState) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{extensionPlate, (r.Body.Radius + r.Extension.Reach) / 2, r.Body.Height / 2}
	centre[2] = half[2]
	switch to {
	case ExtendLeft:
		centre[1] = half[1]
	case ExtendRight:
		centre[1] = -half[1]
	}
	return centre, half
}

// TopPlate returns the plate that the robot extends upwards. Its results have the same meaning as those of SidePlate.
func (r *Robot) TopPlate(to ExtensionState) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{extensionPlate, 0.8 * r.Body.Radius, r.Extension.Reach / 2}
	centre[2] = r.Body.Height - half[2]
	if to == ExtendUp {
		centre[2] = r.Body.Height + half[2]
	}
	return centre, half
}
