package sensors

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Joints configures the encoders of the joints of a robot that is described in URDF.
type Joints struct {
	Ticks      float64 `toml:"ticks_per_turn" range:"[1, 10000000]" doc:"resolution of the position of a joint that turns"`
	LinearTick float64 `toml:"ticks_per_m" range:"[1, 10000000]" doc:"resolution of the position of a joint that slides"`
	Noise      float64 `toml:"noise_ticks" range:"[0, 1000]" doc:"standard deviation of a position before it is rounded to ticks"`
	ZeroError  float64 `toml:"zero_error_ticks" range:"[0, 100000]" doc:"standard deviation of the unknown error of each joint's zero"`
	EffortStep float64 `toml:"effort_step_nm" range:"[0, 1000]" doc:"resolution of the effort, in N m, or in N for a joint that slides; 0 for none"`
	Supply     float64 `toml:"supply_v" range:"(0, 1000]" doc:"voltage of the motors' supply without a load"`
	SupplyOhm  float64 `toml:"supply_ohm" range:"[0, 10]" doc:"resistance of the supply, which all motors of the robot share"`
	Stall      float64 `toml:"stall_a" range:"(0, 1000]" doc:"current of a motor at its largest effort, at which it stands"`
	ThermalOhm float64 `toml:"thermal_k_w" range:"[0, 1000]" doc:"how much warmer than the air a motor becomes per watt of heat in its winding"`
	ThermalTau float64 `toml:"thermal_time_s" range:"(0, 100000]" doc:"time constant of a motor's temperature"`
	Air        float64 `toml:"air_c" range:"[-40, 60]" doc:"temperature of the air, and of the motors at the start"`
}

// SetDefaults sets the values of a servo Dynamixel XM430-W350. Its encoder is an AS5045 with 4096 steps per turn and a
// transition noise of 0.03°. Its current has a resolution of 2.69 mA, and it has 4.1 N m at 2.3 A. Sources: Robotis,
// XM430-W350 e-manual; austriamicrosystems, AS5045 data sheet 1.2, 13.2. The error of the zero, the resolution of
// joints that slide, the resistance of the supply and the thermal numbers are guesses.
func (j *Joints) SetDefaults() {
	*j = Joints{Ticks: 4096, LinearTick: 100_000, Noise: 0.03 / 360 * 4096, ZeroError: 2,
		EffortStep: 2.69e-3 * 4.1 / 2.3, Supply: 12, SupplyOhm: 0.05, Stall: 2.3, ThermalOhm: 8, ThermalTau: 600,
		Air: 25}
}

func (*Joints) row() *kind {
	return &kind{levels: abstraction.Levels{abstraction.Raw, abstraction.Ideal, abstraction.Truth}, rate: 50,
		reading: JointsReading{}, integrates: true, needs: func(r *physics.Robot) string {
			if len(r.Joints) == 0 {
				return "needs a robot that is described in URDF and has joints"
			}
			return ""
		}}
}

// JointsReading holds the readings of a robot's joints, in the order of physics.Robot.Joints.
type JointsReading struct {
	Joints []JointReading `json:"joints" quantity:"joints"`
}

// JointReading is the measured motion of a joint.
type JointReading struct {
	Name     string  `json:"name"`     // in the robot's file
	Position float64 `json:"position"` // rad, or m for a joint that slides
	Velocity float64 `json:"velocity"` // rad/s or m/s
	Effort   float64 `json:"effort"`   // N m or N; 0 for a driven wheel
	// Voltage at the motor, V, and its Temperature, °C. Both are 0 for a joint without a motor, and for one whose motor
	// has no largest effort.
	Voltage     float64 `json:"voltage_v,omitempty"`
	Temperature float64 `json:"temperature_c,omitempty"`
}

// jointEncoders reads the encoders of all joints. At raw, it counts whole ticks from a slightly wrong zero, and the
// velocity is the difference of the ticks of two frames. It also counts at the other levels, so that the velocity is
// right when the level is switched back to raw.
type jointEncoders struct {
	device
	model   *physics.Model
	robot   *physics.Robot
	perUnit []float64 // ticks per rad or m, of each joint
	zero    []float64 // error of each joint's zero, ticks
	ticks   []float64 // number of ticks at the last frame
	warmth  []float64 // of each joint's motor: how much warmer than the air it is, K
	stamp   time.Duration
	started bool
}

// Streams of random numbers: of the sensor, and within a frame.
const (
	streamJointZero uint16 = iota
	streamJointNoise
)

func (j *Joints) build(d device, site Site) (Sensor, error) {
	s := &jointEncoders{device: d, model: site.Model, robot: site.Robot, ticks: make([]float64, len(site.Robot.Joints)),
		warmth: make([]float64, len(site.Robot.Joints))}
	for i := range site.Robot.Joints {
		perUnit := j.Ticks / (2 * math.Pi)
		if site.Robot.Joints[i].Slides {
			perUnit = j.LinearTick
		}
		n, _ := d.noise.Normal(random.Index(streamJointZero, uint64(i)))
		s.perUnit, s.zero = append(s.perUnit, perUnit), append(s.zero, n*j.ZeroError)
	}
	return s, nil
}

func (s *jointEncoders) Observe(at *Instant, obs *Observation) {
	spec, noise := s.cfg.Joints, s.noise.Frame(obs.Frame)
	dt := (obs.Stamp - s.stamp).Seconds()
	measures := s.started && dt > 0
	if !measures {
		dt = 0
	}
	s.stamp, s.started = obs.Stamp, true
	var reading *JointsReading
	if !at.Unread {
		reading = readingIn[JointsReading](obs)
		reading.Joints = slices.Grow(reading.Joints[:0], len(s.ticks))[:len(s.ticks)]
	}
	states := s.model.JointsOf(at.Robot, at.Snapshot)
	voltage := s.warm(states, dt)
	for i, state := range states {
		n, _ := noise.Normal(random.Index(streamJointNoise, uint64(i)))
		ticks := math.Round(state.Position*s.perUnit[i] + s.zero[i] + n*spec.Noise)
		if obs.Level == abstraction.Raw {
			state.Position, state.Effort = ticks/s.perUnit[i], quantised(state.Effort, spec.EffortStep)
			if state.Velocity = 0; measures {
				state.Velocity = (ticks - s.ticks[i]) / (s.perUnit[i] * dt)
			}
		}
		s.ticks[i] = ticks
		if reading != nil {
			reading.Joints[i] = JointReading{Name: s.robot.Joints[i].Name, Position: state.Position,
				Velocity: state.Velocity, Effort: state.Effort}
			if hasServo(&s.robot.Joints[i]) {
				reading.Joints[i].Voltage, reading.Joints[i].Temperature = s.servo(voltage, i, obs.Level)
			}
		}
	}
}

func (s *jointEncoders) Exchange(c *keyframe.Codec) {
	c.Floats(s.ticks)
	c.Floats(s.warmth)
	c.Duration(&s.stamp)
	c.Bool(&s.started)
}
