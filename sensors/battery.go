package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
)

// Battery is a gauge of the robot's battery.
type Battery struct {
	Resolution float64 `toml:"resolution_v" range:"[0, 10]" doc:"resolution of the voltage; 0 for none"`
	Noise      float64 `toml:"noise_v" range:"[0, 10]" doc:"standard deviation of a voltage"`
	Current    float64 `toml:"current_noise_a" range:"[0, 100]" doc:"standard deviation of a current"`
}

// SetDefaults sets the values of a ten-bit converter behind a voltage divider. The values are guesses.
func (b *Battery) SetDefaults() { *b = Battery{Resolution: 0.03, Noise: 0.02, Current: 0.3} }

func (*Battery) row() *kind {
	return &kind{rate: 10, reading: BatteryReading{}, needs: func(r *physics.Robot) string {
		if r.Drive.Motor == nil {
			return "needs a robot with [drive.motor]"
		}
		return ""
	}}
}

func (*Battery) build(d device, _ Site) (Sensor, error) { return &battery{d}, nil }

// BatteryReading is the voltage at the motors and their total current.
type BatteryReading struct {
	Voltage float64 `json:"voltage_v" quantity:"battery.voltage" unit:"V"`
	Current float64 `json:"current_a" quantity:"battery.current" unit:"A"`
	// −Current, the sign convention of sensor_msgs/BatteryState
	Drawn float64 `json:"-" quantity:"battery.drawn" unit:"A"`
}

// battery measures the voltage at the motors and their total current.
type battery struct{ device }

func (s *battery) Observe(at *Instant, obs *Observation) {
	r := at.State()
	reading := readingIn[BatteryReading](obs)
	*reading = BatteryReading{Voltage: r.BatteryV, Current: r.MotorA}
	if obs.Level == abstraction.Raw {
		spec := s.cfg.Battery
		a, b := s.noise.Frame(obs.Frame).Normal(0)
		reading.Voltage = quantised(reading.Voltage+a*spec.Noise, spec.Resolution)
		reading.Current += b * spec.Current
	}
	reading.Drawn = -reading.Current
}
