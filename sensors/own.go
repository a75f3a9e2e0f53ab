package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Own is a sensor, or a level of one, that is not of this package.
type Own interface {
	// Sense returns what is delivered of an instant, which it must not keep. noise is the sensor's own for this frame:
	// numbers by index, the same in every run. It runs in the goroutine that steps: of a sensor once a frame, of a
	// camera's level when somebody listens.
	//
	// An Own that remembers anything from one to the next keeps it in key frames if it is a keyframe.Exchanger.
	Sense(at *Instant, level abstraction.Level, noise random.Source) any
}

// OwnKind is the kind of sensors that are not of this package.
const OwnKind Kind = "own"

// own makes an Own a Sensor.
type own struct {
	device
	sense Own
}

// NewOwn returns an own sensor of a robot in a world with a seed.
func NewOwn(cfg *Config, o Own, seed uint64, robot string) Sensor {
	return &own{device{cfg, random.New(seed, robot, cfg.Name, 0)}, o}
}

func (s *own) Observe(at *Instant, obs *Observation) {
	obs.Reading = s.sense.Sense(at, obs.Level, s.noise.Frame(obs.Frame))
}

func (s *own) Exchange(c *keyframe.Codec) {
	if x, ok := s.sense.(keyframe.Exchanger); ok {
		x.Exchange(c)
	}
}
