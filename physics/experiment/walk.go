package experiment

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
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

// WalkFigures describe a walk. Amplitudes are those of a sine with the same variance.
type WalkFigures struct {
	Twist     physics.PlanarTwist // mean velocity: along the mean heading, across it, and of the heading
	Frequency float64             // of the lateral sway, which is that of double steps; Hz
	Roll      float64             // amplitude of the roll, rad
	Pitch     float64             // amplitude of the pitch, rad
	Lean      float64             // mean of the pitch, rad
	Lateral   float64             // amplitude of the sideways motion, m
	Vertical  float64             // amplitude of the vertical motion of the body's origin, m
	Fell      bool                // the body was tilted by more than 60° at the end
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
	last := &s.poses[n-1]
	f.Fell = last.Rotate(mgl64.Vec3{0, 0, 1})[2] < 0.5
	var ahead, left, turn, roll, pitch, height, sway sums
	velocities := make([]float64, 0, n)
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
		velocities = append(velocities, v[1])
	}
	f.Twist = physics.PlanarTwist{VX: ahead.mean(), VY: left.mean(), Omega: turn.mean()}
	y, side, crossings, first, latest := 0.0, -1.0, 0.0, 0.0, 0.0
	band := left.amplitude() / 4
	for i, v := range velocities {
		v -= left.mean()
		y += v * s.step
		sway.add(y)
		if v > band && side < 0 {
			if latest = float64(i) * s.step; crossings == 0 {
				first = latest
			}
			crossings++
		}
		if math.Abs(v) > band {
			side = v
		}
	}
	if crossings > 1 {
		f.Frequency = (crossings - 1) / (latest - first)
	}
	f.Roll, f.Pitch, f.Lean = roll.amplitude(), pitch.amplitude(), pitch.mean()
	f.Lateral, f.Vertical = sway.amplitude(), height.amplitude()
	return f
}
