package sensors

import (
	"math"
	"reflect"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
)

// Fault is how a sensor is broken; empty is not at all.
type Fault string

const (
	Frozen Fault = "freeze" // repeats a frame's content with new stamps
	Black  Fault = "black"  // of a camera: shows nothing
	Noisy  Fault = "noise"  // what it measures is lost in noise
	Off    Fault = "off"    // delivers nothing
)

// Faults returns how a sensor of a kind can break. Only cameras show a black image, and noise is for cameras and for
// readings that have a full scale: those of an imu, a laser, a compass, a sonar.
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

// noisy is a reading that can be made noise alone, anywhere on its scale.
type noisy interface{ scramble(noise random.Source) }

// Break makes what Observe has measured what a device with obs.Fault delivers.
func (d *device) Break(obs *Observation) {
	if r, ok := obs.Reading.(noisy); ok && obs.Fault == Noisy {
		r.scramble(d.noise.Frame(obs.Frame))
	}
}

// streamFault is the stream of random numbers of faults within a frame.
const streamFault uint16 = 0x1000

// evenly returns a number from −limit to limit, each as likely.
func evenly(noise random.Source, item uint64, limit float64) float64 {
	return (2*noise.Uniform(random.Index(streamFault, item)) - 1) * limit
}

// BreakImages does the same to the images of a frame. It may run in any goroutine.
func (c *Camera) BreakImages(obs *Observation) {
	switch obs.Fault {
	case Black:
		clear(obs.Color.Pix)
		if obs.Depth != nil {
			clear(obs.Depth.Z) // nothing was measured
		}
	case Noisy:
		noise := c.noise.Frame(obs.Frame)
		snow(obs.Color.Pix, noise)
		if obs.Depth != nil {
			scatter(obs.Depth.Z, noise)
		}
	}
}

// snow leaves a quarter of an image, the rest is noise. Guess: contours of large things can be guessed at.
func snow(pix []byte, noise random.Source) {
	random := noise.Pixels(uint64(streamFault))
	for i := 0; i < len(pix); i += 8 {
		bits := random.Bits(uint64(i))
		for k := range min(8, len(pix)-i) {
			pix[i+k] = byte((uint32(pix[i+k]) + 3*uint32(bits>>(8*k)&0xff)) / 4)
		}
	}
}

// scatter has half of the pixels measure nothing, and the others up to twice their depth.
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

// perceiveBroken fills an observation of a broken camera at a level without images, or returns the vision with which
// that is to be done.
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

// blinded returns the vision of the camera when its images are noise.
func (c *Camera) blinded() *abstraction.Vision {
	if c.blind == nil {
		cfg := noisyVision(*c.cfg.Vision)
		c.blind = abstraction.NewVision(&cfg, c.ranging(), c.cfg.Rate)
	}
	return c.blind
}

// noisyVision is what vision makes of an image that is mostly noise. Guesses.
func noisyVision(v abstraction.VisionConfig) abstraction.VisionConfig {
	v.MissRate = max(v.MissRate, 0.7)
	v.FalseRate = max(v.FalseRate, 0.7)
	if v.Obstacles != nil {
		o := *v.Obstacles
		o.MissRate = max(o.MissRate, 0.7)
		v.Obstacles = &o
	}
	v.PixelNoise = max(v.PixelNoise, 10)
	v.SelfPosNoise = max(v.SelfPosNoise, 1)
	v.SelfAngNoise = max(v.SelfAngNoise, math.Pi/6)
	return v
}
