package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Arms is the pair of displacement sensors in a dribbler's arms.
type Arms struct {
	Resolution float64 `toml:"resolution_mm" range:"[0, 100]" doc:"resolution; 0 for none"`
	Noise      float64 `toml:"noise_mm" range:"[0, 100]" doc:"standard deviation of a reading"`
}

// SetDefaults sets the values of a potentiometer with a ten-bit converter. The values are guesses.
func (a *Arms) SetDefaults() { *a = Arms{Resolution: 5e-5, Noise: 2e-4} }

func (*Arms) row() *kind {
	return &kind{rate: 100, reading: ArmsReading{}, needs: func(r *physics.Robot) string {
		if r.Dribbler == nil {
			return "needs a robot with a [dribbler]"
		}
		return ""
	}}
}

func (*Arms) build(d device, _ Site) (Sensor, error) { return &arms{d}, nil }

// ArmsReading holds the distances by which the ball deflects the left and the right dribbling arm.
type ArmsReading struct {
	Pressed [2]float64 `json:"arms_m" quantity:"arm.left arm.right" unit:"m"`
}

// arms measures the distances by which the ball deflects the dribbler's arms.
type arms struct{ device }

func (s *arms) Observe(at *Instant, obs *Observation) {
	reading := readingIn[ArmsReading](obs)
	reading.Pressed = at.State().ArmM
	if obs.Level == abstraction.Raw {
		spec := s.cfg.Arms
		a, b := s.noise.Frame(obs.Frame).Normal(0)
		for k, n := range [2]float64{a, b} {
			reading.Pressed[k] = quantised(reading.Pressed[k]+n*spec.Noise, spec.Resolution)
		}
	}
}
