package experiment

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// WalkSamples are the poses of a robot's body during a walk, one after each step of the simulation.
type WalkSamples struct {
	step  float64 // s
	poses []spatial.Pose
}

// NewWalkSamples returns samples of a simulation with a step of that many seconds.
func NewWalkSamples(step float64) *WalkSamples { return &WalkSamples{step: step} }

// Add records a pose.
func (s *WalkSamples) Add(poseWB spatial.Pose) { s.poses = append(s.poses, poseWB) }

// WalkTrial is a walk of a robot with legs.
type WalkTrial struct {
	Twist   physics.PlanarTwist // commanded velocity
	Way     float64             // the walk ends after this way over the floor, m
	Turn    float64             // likewise after this angle, rad; 0: no limit
	Seconds float64             // longest time, s
	Push    float64             // change of the robot's velocity by each push, m/s; 0: no pushes
}

// Times of a trial, in seconds, in addition to pushEvery. Figures are those of the time after walkSettles.
const (
	walkSettles = 2.0
	pushEvery   = 2.0
)

// Walk lets the first robot of a model walk, and pushes it every two seconds in a random direction, which depends on
// the model's seed. It ends early if the robot falls.
func Walk(s *physics.Model, t WalkTrial) (f WalkFigures, err error) {
	e, err := engine.New(s)
	if err != nil {
		return f, err
	}
	defer e.Close()
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	commands := make([]physics.Command, len(s.Robots))
	commands[0].TwistB = t.Twist
	step := s.Step.Seconds()
	samples := NewWalkSamples(step)
	var now physics.Snapshot
	e.Snapshot(&now)
	start, turned, pushed := now.Robots[0].PoseWB, 0.0, 0
	for range int(t.Seconds / step) {
		seconds, before := now.Time.Seconds(), now.Robots[0].PoseWB.Heading()
		if due := int(seconds / pushEvery); t.Push > 0 && due > pushed {
			pushed = due
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			e.Push(s.RobotID(0), mgl64.Vec3{cos, sin, 0}.Mul(t.Push*s.Robots[0].Body.Mass), mgl64.Vec3{})
		}
		if err := e.Step(commands); err != nil {
			return f, err
		}
		e.Snapshot(&now)
		pose := now.Robots[0].PoseWB
		if seconds >= walkSettles {
			samples.Add(pose)
		}
		turned += spatial.WrapAngle(pose.Heading() - before)
		f.Way = math.Hypot(pose.Pos[0]-start.Pos[0], pose.Pos[1]-start.Pos[1])
		if lies(&pose) || f.Way >= t.Way || t.Turn > 0 && math.Abs(turned) >= t.Turn {
			break
		}
	}
	way := f.Way
	f = samples.Figures()
	f.Way, f.Turned, f.Seconds = way, turned, now.Time.Seconds()
	pose := now.Robots[0].PoseWB
	f.Fell = lies(&pose)
	return f, nil
}

// lies reports whether a robot's body is tilted by more than 60°.
func lies(poseWB *spatial.Pose) bool { return !(poseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] > 0.5) }

// WalkFigures describe a walk. Other amplitudes than Lateral are those of a sine with the same
// variance.
type WalkFigures struct {
	Twist     physics.PlanarTwist // mean velocity: along the mean heading, across it, and of the heading
	Frequency float64             // at which the sideways motion is largest, which is that of double steps; Hz
	Roll      float64             // amplitude of the roll, rad
	Pitch     float64             // amplitude of the pitch, rad
	Lean      float64             // mean of the pitch, rad
	Lateral   float64             // amplitude of the sideways motion at Frequency, m
	Vertical  float64             // amplitude of the vertical motion of the body's origin, m
	Fell      bool                // the body was tilted by more than 60° at the end
	Way       float64             // distance from the start, m; of Walk
	Turned    float64             // change of the heading, rad; of Walk
	Seconds   float64             // time until the end, s; of Walk
}

// sums are the moments of a number.
type sums struct{ n, first, second float64 }

func (m *sums) add(x float64) { m.n, m.first, m.second = m.n+1, m.first+x, m.second+x*x }

func (m *sums) mean() float64 { return m.first / m.n }

func (m *sums) amplitude() float64 {
	return math.Sqrt(max(0, 2*(m.second/m.n-m.mean()*m.mean())))
}

// Figures returns the figures of at least three samples; of fewer, zeros.
func (s *WalkSamples) Figures() (f WalkFigures) {
	n := len(s.poses)
	if n < 3 {
		return f
	}
	f.Fell = lies(&s.poses[n-1])
	var ahead, left, turn, roll, pitch, height sums
	aside := make([]float64, 0, n)
	for i := range s.poses {
		p := &s.poses[i]
		r, q, _ := p.RollPitchYaw()
		roll.add(r)
		pitch.add(q)
		height.add(p.Pos[2])
		if i == 0 {
			continue
		}
		before := &s.poses[i-1]
		by := spatial.WrapAngle(p.Heading() - before.Heading())
		v := spatial.Planar(0, 0, before.Heading()+by/2).Unrotate(p.Pos.Sub(before.Pos)).Mul(1 / s.step)
		ahead.add(v[0])
		left.add(v[1])
		turn.add(by / s.step)
		aside = append(aside, v[1])
	}
	f.Twist = physics.PlanarTwist{VX: ahead.mean(), VY: left.mean(), Omega: turn.mean()}
	f.Roll, f.Pitch, f.Lean, f.Vertical = roll.amplitude(), pitch.amplitude(), pitch.mean(), height.amplitude()
	f.Frequency, f.Lateral = swayOf(aside, left.mean(), s.step)
	return f
}

// swayOf returns the frequency between 0.5 and 5 Hz at which a motion has the largest amplitude, and this amplitude.
// The arguments are velocities, their mean, and the time between them. It uses a Hann window.
func swayOf(velocities []float64, mean, step float64) (hz, amplitude float64) {
	n := float64(len(velocities))
	for at := 0.5; at < 5; at += 0.02 {
		var re, im float64
		omega := 2 * math.Pi * at
		for i, v := range velocities {
			sin, cos := math.Sincos(omega * step * float64(i))
			weight := (v - mean) * (1 - math.Cos(2*math.Pi*float64(i)/n)) // Σ of the windows is n
			re, im = re+weight*cos, im+weight*sin
		}
		if a := 2 * math.Hypot(re, im) / (n * omega); a > amplitude {
			hz, amplitude = at, a
		}
	}
	return hz, amplitude
}
