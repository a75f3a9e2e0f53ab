package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
)

// Gauge measures a battery.
type Gauge struct {
	Resolution float64 `toml:"resolution_v" range:"[0, 10]" doc:"smallest step of voltage that it tells apart; 0 is none"`
	Noise      float64 `toml:"noise_v" range:"[0, 10]" doc:"standard deviation of a voltage"`
	Current    float64 `toml:"current_noise_a" range:"[0, 100]" doc:"standard deviation of a current"`
}

// defaultGauge is a converter of ten bits behind a divider. Guess.
func defaultGauge() Gauge { return Gauge{Resolution: 0.03, Noise: 0.02, Current: 0.3} }

// battery tells what is left at the motors, and what they draw.
type battery struct{ device }

func (s *battery) Observe(at *Instant, obs *Observation) {
	r := at.State()
	reading := &obs.parts.battery
	*reading = BatteryReading{Voltage: r.BatteryV, Current: r.MotorA}
	if obs.Level == abstraction.Raw {
		spec := s.cfg.Gauge
		a, b := s.noise.Frame(obs.Frame).Normal(0)
		reading.Voltage += a * spec.Noise
		reading.Current += b * spec.Current
		if spec.Resolution > 0 {
			reading.Voltage = math.Round(reading.Voltage/spec.Resolution) * spec.Resolution
		}
	}
	obs.Battery = reading
}
