package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Own is a sensor, or a level of one, that is implemented outside of this package.
type Own interface {
	// Sense returns the output for an instant, which it must not keep. noise is the sensor's noise for this frame:
	// numbers by index, the same in every run. It runs in the goroutine that steps: once per frame for a sensor, and if
	// there is a listener for a camera's level.
	//
	// An Own with state implements keyframe.Exchanger to keep its state in key frames.
	Sense(at *Instant, level abstraction.Level, noise random.Source) any
}

// OwnKind is the kind of sensors implemented outside of this package.
const OwnKind Kind = "own"

// own adapts an Own to Sensor.
type own struct {
	device
	sense Own
}

// NewOwn returns an own sensor of a robot, in a world with a seed.
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
