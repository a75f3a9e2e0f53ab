package sensors

import (
	"math"
	"reflect"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
)

// Fault is the way in which a sensor is broken. It is "" for a sensor that works.
type Fault string

const (
	Frozen Fault = "freeze" // the sensor repeats the content of one frame, with new stamps
	Black  Fault = "black"  // the images of a camera are black
	Noisy  Fault = "noise"  // readings and images are mostly noise
	Off    Fault = "off"    // the sensor delivers nothing
)

// Faults returns the faults that a kind supports. Only cameras support Black. Noisy is supported by cameras, and by
// devices whose readings have a full scale: imu, laser, lidar, microphone, compass and sonar.
func (k Kind) Faults() []Fault {
	if k.TakesImages() {
		return []Fault{Frozen, Black, Noisy, Off}
	}
	if reading := k.Reading(); reading != nil {
		if _, ok := reflect.New(reflect.TypeOf(reading)).Interface().(noisy); ok {
			return []Fault{Frozen, Noisy, Off}
		}
	}
	return []Fault{Frozen, Off}
}

// noisy is a reading that has a full scale. The method scramble replaces the reading by random numbers over that scale.
type noisy interface{ scramble(noise random.Source) }

// Break applies obs.Fault to the reading that Observe has filled in.
func (d *device) Break(obs *Observation) {
	if r, ok := obs.Reading.(noisy); ok && obs.Fault == Noisy {
		r.scramble(d.noise.Frame(obs.Frame))
	}
}

// streamFault is the stream from which faults take their random numbers within a frame.
const streamFault uint16 = 0x1000

// evenly returns a random number that is uniformly distributed from −limit to limit. Each item of a frame has its own
// number.
func evenly(noise random.Source, item uint64, limit float64) float64 {
	return (2*noise.Uniform(random.Index(streamFault, item)) - 1) * limit
}

// BreakImages applies obs.Fault to the images of a frame. It may run in any goroutine.
func (c *Camera) BreakImages(obs *Observation) {
	switch obs.Fault {
	case Black:
		clear(obs.Color.Pix)
		if obs.Right != nil {
			clear(obs.Right.Pix)
		}
		if obs.Depth != nil {
			clear(obs.Depth.Z) // 0 means not measured
		}
	case Noisy:
		noise := c.noise.Frame(obs.Frame)
		snow(obs.Color.Pix, noise)
		if obs.Right != nil {
			snow(obs.Right.Pix, c.right.noise.Frame(obs.Frame))
		}
		if obs.Depth != nil {
			scatter(obs.Depth.Z, noise)
		}
	}
}

// snow mixes an image with noise: each value becomes a quarter of itself plus three quarters of a random value. The
// fraction is a guess. With it, contours of large objects remain barely recognisable.
func snow(pix []byte, noise random.Source) {
	random := noise.Pixels(uint64(streamFault))
	for i := 0; i < len(pix); i += 8 {
		bits := random.Bits(uint64(i))
		for k := range min(8, len(pix)-i) {
			pix[i+k] = byte((uint32(pix[i+k]) + 3*uint32(bits>>(8*k)&0xff)) / 4)
		}
	}
}

// scatter removes half of the depth values, and multiplies the others by random factors from 0 to 2.
func scatter(z []float32, noise random.Source) {
	random := noise.Pixels(uint64(streamFault) + 1)
	for i := range z {
		if bits := random.Bits(uint64(i)); bits&1 == 1 {
			z[i] = 0
		} else {
			z[i] *= 2 * float32(bits>>40+1) / (1 << 24)
		}
	}
}

// perceiveBroken handles the faults of a camera at a level without images. Either it fills in the observation and
// returns true, or it returns the vision that must fill in the observation.
func (c *Camera) perceiveBroken(obs *Observation) (v *abstraction.Vision, done bool) {
	switch obs.Fault {
	case Black:
		if obs.Level == abstraction.Features {
			obs.Features = &obs.features
			obs.Features.Clear()
		} else {
			obs.Objects = &obs.objects
			obs.Objects.Clear()
		}
		return nil, true
	case Noisy:
		return c.blinded(), false
	}
	return c.vision, false
}

// blinded returns the vision that the camera uses while its images are noise.
func (c *Camera) blinded() *abstraction.Vision {
	if c.blind == nil {
		cfg := noisyVision(*c.cfg.Vision)
		c.blind = abstraction.NewVision(&cfg, c.depthSigma(), c.cfg.Rate)
	}
	return c.blind
}

// noisyVision returns the configuration of vision for images that are mostly noise. The rates are guesses.
func noisyVision(v abstraction.VisionConfig) abstraction.VisionConfig {
	v.MissRate = max(v.MissRate, 0.7)
	v.FalseRate = max(v.FalseRate, 0.7)
	if v.Obstacles != nil {
		o := *v.Obstacles
		o.MissRate = max(o.MissRate, 0.7)
		v.Obstacles = &o
	}
	v.Kinds = slices.Clone(v.Kinds)
	for i := range v.Kinds {
		v.Kinds[i].MissRate = max(v.Kinds[i].MissRate, 0.7)
	}
	v.PixelNoise = max(v.PixelNoise, 10)
	v.SelfPosNoise = max(v.SelfPosNoise, 1)
	v.SelfAngNoise = max(v.SelfAngNoise, math.Pi/6)
	return v
}
