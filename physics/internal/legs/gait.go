package legs

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// harmonics is the number of terms of the sway's Fourier series. The next one is a thousandth of the first.
const harmonics = 3

// Gait is how a robot walks. It does not change.
type Gait struct {
	walk     physics.Walk
	drive    physics.Drive
	legs     [2]leg // left, right
	joints   [2 * LegJoints]int
	pendulum float64            // √(g/h) of the linear inverted pendulum, 1/s
	height   float64            // of the centre of mass, m
	sway     [harmonics]float64 // amplitudes of the sines of the phase's odd multiples, per halfDist
	halfDist float64            // half of the distance between the soles, m
	posture  spatial.Pose       // of the trunk in R without sway
	gravity  float64
	weight   float64 // of the robot, N
	robot    *physics.Robot
}

// New returns the gait of a robot whose drive has a walk. It fails if the robot does not have two legs of six joints.
func New(robot *physics.Robot, gravity float64) (*Gait, error) {
	g := &Gait{walk: *robot.Drive.Walk, drive: robot.Drive, robot: robot, gravity: gravity}
	var err error
	if g.legs, err = findLegs(robot); err != nil {
		return nil, err
	}
	for i := range g.joints {
		g.joints[i] = g.legs[i/LegJoints].joint[i%LegJoints]
	}
	states := make([]physics.JointState, len(robot.Joints))
	for i := range states {
		states[i].Position = robot.Joints[i].Rest()
	}
	robot.Mimic(states)
	com, mass := CentreOfMass(robot, states)
	if g.halfDist = g.walk.FootDistance / 2; g.halfDist == 0 {
		l, r := &g.legs[0], &g.legs[1]
		left := robot.Moved(l.joint[LegJoints-1], states).Apply(l.sole)
		right := robot.Moved(r.joint[LegJoints-1], states).Apply(r.sole)
		g.halfDist = (left[1] - right[1]) / 2
	}
	turn := mgl64.QuatRotate(g.walk.TrunkPitch, mgl64.Vec3{0, 1, 0})
	g.height = com[2] - g.walk.Crouch
	if !(g.height > 0) {
		return nil, fmt.Errorf("robot %s: crouch_m = %g: must leave the centre of mass, which is at %.3g m, above the floor",
			robot.Name, g.walk.Crouch, com[2])
	}
	leant := turn.Rotate(com)
	g.posture = spatial.Pose{Pos: mgl64.Vec3{g.walk.TrunkForward - leant[0], -leant[1], g.height - leant[2]}, Rot: turn}
	g.weight = mass * gravity
	g.pendulum = math.Sqrt(max(gravity, 0.1) / g.height)
	g.setSway()
	return g, g.checkReach()
}

// checkReach returns an error if the corrections of legs whose axes do not meet do not lead to a wide stance with
// turned feet.
func (g *Gait) checkReach() error {
	s := g.Standing()
	s.Feet = [2]Foot{{Y: 1.5 * g.halfDist, Yaw: 0.3}, {Y: -1.5 * g.halfDist, Yaw: -0.3}}
	trunk := g.Trunk(&s)
	var q [LegJoints]float64
	for side := range g.legs {
		l := &g.legs[side]
		soleB := g.soleB(&s, side, trunk)
		l.positions(soleB, q[:])
		if miss := l.soleAt(q[:]).Sub(soleB.Pos).Len(); !l.meet && !(miss <= mostOffset) {
			return fmt.Errorf("robot %s: the axes of the leg with joint %s do not meet, and its sole misses a step by "+
				"%.3g m: the axes of the hip must be near each other, as those of the ankle, and crouch_m must bend the knee",
				g.robot.Name, l.joints[LegJoints-1].Name, miss)
		}
	}
	return nil
}

// setSway sets the amplitudes of the sway: those of the centre of pressure, a trapezoid that crosses from foot to foot
// during double support, times what the pendulum passes at that frequency.
func (g *Gait) setSway() {
	const samples = 1000
	rate := 2 * math.Pi * g.walk.Frequency
	for k := range g.sway {
		n, sum := float64(2*k+1), 0.0
		for i := range samples {
			phase := (float64(i) + 0.5) * 2 * math.Pi / samples
			sum += g.pressure(phase) * math.Sin(n*phase) * 2 / samples
		}
		g.sway[k] = g.walk.Swing * sum / (1 + math.Pow(n*rate/g.pendulum, 2))
	}
}

// pressure returns where the centre of pressure is at a phase, from −1, the right foot, to 1, the left one.
func (g *Gait) pressure(phase float64) float64 {
	half := math.Pi / 2 * g.walk.DoubleSupport // of the time of double support, as a phase
	return mgl64.Clamp(math.Asin(math.Sin(phase))/max(half, 1e-6), -1, 1)
}

// CentreOfMass returns the centre of mass of a robot's links in B, and the mass.
func CentreOfMass(r *physics.Robot, states []physics.JointState) (com mgl64.Vec3, mass float64) {
	com, mass = r.Trunk.CoMB.Mul(r.Trunk.Mass), r.Trunk.Mass
	for i := range r.Joints {
		com = com.Add(r.Moved(i, states).Apply(r.Joints[i].CoMB).Mul(r.Joints[i].Mass))
		mass += r.Joints[i].Mass
	}
	return com.Mul(1 / mass), mass
}

// Joints returns the indices of the joints that the gait moves: those of the left leg and then those of the right one,
// each from the hip to the foot. The slice must not be changed.
func (g *Gait) Joints() []int { return g.joints[:] }

// Trunk returns the nominal pose of B in R: the posture and the sway.
func (g *Gait) Trunk(s *State) spatial.Pose {
	pose := g.posture
	share := 0.0
	switch done := s.Phase / (2 * math.Pi); s.Mode {
	case Starting:
		share = Smooth(done)
	case Walking:
		share = 1
	case Stopping:
		share = Smooth(1 - done)
	}
	if share > 0 {
		half := math.Abs(g.neutral(0, s.Twist).Y)
		for k, amplitude := range g.sway {
			pose.Pos[1] += share * half * amplitude * math.Sin(float64(2*k+1)*s.Phase)
		}
	}
	return pose
}

// Smooth goes from 0 to 1, and has no slope there.
func Smooth(u float64) float64 { return u * u * (3 - 2*u) }

// swing returns the progress of a foot's swing at a phase: at most 0 before it, at least 1 after it.
func (g *Gait) swing(side int, phase float64) float64 {
	half := math.Pi / 2 * g.walk.DoubleSupport
	if side == 0 { // the left foot swings while the right one supports
		phase -= math.Pi
	}
	return (phase - half) / (math.Pi - 2*half)
}

// swingTime returns how long a foot swings, in seconds.
func (g *Gait) swingTime() float64 { return (1 - g.walk.DoubleSupport) / (2 * g.walk.Frequency) }

// neutral returns the place of a foot in R in the middle of its support. Feet that go sideways or turn keep apart:
// their inner edges come about as close as those of a robot that stands.
func (g *Gait) neutral(side int, t physics.PlanarTwist) Foot {
	half := 1 / (4 * g.walk.Frequency) // of a step's time
	f := Foot{Y: g.halfDist + (math.Abs(t.VY)+math.Abs(t.Omega)*g.legs[side].toe)*half}
	if side == 1 {
		f.Y = -f.Y
	}
	return f
}

// landing returns the place in R where a foot lands after some seconds: so that it passes its neutral place in the
// middle of its support, and never nearer to the other foot than it stands.
func (g *Gait) landing(s *State, side int, after float64) Foot {
	f, other := g.neutral(side, s.Twist), s.Feet[1-side]
	f.drift(s.Twist, -(1+g.walk.DoubleSupport)/(4*g.walk.Frequency))
	f.X += s.Balance.Step[0]
	f.Y += s.Balance.Step[1]
	other.drift(s.Twist, after)
	if side == 0 {
		f.Y = max(f.Y, other.Y+2*g.halfDist)
	} else {
		f.Y = min(f.Y, other.Y-2*g.halfDist)
	}
	return f
}

// rise returns the height of a sole above the floor, m.
func (g *Gait) rise(s *State, side int) float64 {
	u := g.swing(side, s.Phase)
	if s.Mode != Walking || u <= 0 || u >= 1 {
		return 0
	}
	sin := math.Sin(math.Pi * u)
	return g.walk.FootRise * sin * sin
}

// soleB returns the pose in B of the middle of a sole, with its axes, for a pose of the trunk.
func (g *Gait) soleB(s *State, side int, trunk spatial.Pose) spatial.Pose {
	f := &s.Feet[side]
	return trunk.Inverse().Mul(spatial.Pose{Pos: mgl64.Vec3{f.X, f.Y, g.rise(s, side)},
		Rot: mgl64.QuatRotate(f.Yaw, mgl64.Vec3{0, 0, 1})})
}

// Positions sets the nominal positions of the joints, in the order of Joints: those with which the feet have their
// places and the trunk its nominal pose.
func (g *Gait) Positions(s *State, to []float64) { g.PositionsBelow(s, g.Trunk(s), to) }

// PositionsBelow sets positions like Positions, for another pose of the trunk in R.
func (g *Gait) PositionsBelow(s *State, trunk spatial.Pose, to []float64) {
	for side := range g.legs {
		g.legs[side].positions(g.soleB(s, side, trunk), to[side*LegJoints:])
	}
}
