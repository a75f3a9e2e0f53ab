package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
)

// Displacement is the pair of sensors in a dribbler's arms.
type Displacement struct {
	Resolution float64 `toml:"resolution_mm" range:"[0, 100]" doc:"smallest step that they tell apart; 0 is none"`
	Noise      float64 `toml:"noise_mm" range:"[0, 100]" doc:"standard deviation of a reading"`
}

// defaultDisplacement is a potentiometer behind a converter of ten bits. Guess.
func defaultDisplacement() Displacement { return Displacement{Resolution: 5e-5, Noise: 2e-4} }

// arms tell how far the ball has pressed in the dribbler's arms.
type arms struct{ device }

func (s *arms) Observe(at *Instant, obs *Observation) {
	reading := &obs.parts.arms
	reading.Pressed = at.State().ArmM
	if obs.Level == abstraction.Raw {
		spec := s.cfg.Arms
		a, b := s.noise.Frame(obs.Frame).Normal(0)
		for k, n := range [2]float64{a, b} {
			x := reading.Pressed[k] + n*spec.Noise
			if spec.Resolution > 0 {
				x = math.Round(x/spec.Resolution) * spec.Resolution
			}
			reading.Pressed[k] = x
		}
	}
	obs.Arms = reading
}
