package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Own is a sensor, or a level of a sensor, that is implemented outside of this package.
type Own interface {
	// Sense returns the sensor's output for an instant. It must not keep the instant. The argument noise is a source of
	// random numbers for this frame, which returns the same numbers in every run with the same seed. The goroutine that
	// steps calls Sense: for a plugged-in sensor at every frame, and for a plugged-in level of a camera only at frames
	// that a listener wants.
	//
	// An Own that has state implements keyframe.Exchanger, so that key frames contain its state.
	Sense(at *Instant, level abstraction.Level, noise random.Source) any
}

// OwnKind is the kind of sensors implemented outside of this package.
const OwnKind Kind = "own"

// own adapts an Own to Sensor.
type own struct {
	device
	sense Own
}

// NewOwn returns a sensor of a robot whose output o computes. The argument seed is the seed of the world.
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
