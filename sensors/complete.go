package sensors

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Complete fills what a configuration leaves out with the defaults of its kind: the level (raw), the rate, and the
// parts that the kind needs.
func (c *Config) Complete() {
	if c.Level == "" {
		c.Level = abstraction.Raw
	}
	if c.Rate == 0 {
		c.Rate = map[Kind]float64{"odometry": 100, "imu": 100, "laser": 25, "compass": 100, "arms": 100, "bumper": 200, "battery": 10}[c.Kind]
		if c.Rate == 0 {
			c.Rate = 30
		}
	}
	switch c.Kind {
	case OmniKind:
		fill(&c.Image, imaging.DefaultOmniImage)
		fill(&c.Mirror, imaging.DefaultMirror)
		fill(&c.Imager, imaging.DefaultImager)
		fill(&c.Vision, abstraction.DefaultVision)
	case CameraKind:
		fill(&c.Image, imaging.DefaultImage)
		fill(&c.Imager, imaging.DefaultImager)
		fill(&c.Vision, abstraction.DefaultVision)
	case KinectKind:
		fill(&c.Image, imaging.KinectImage)
		fill(&c.Imager, imaging.DefaultImager)
		fill(&c.Ranging, imaging.KinectV2)
		fill(&c.Vision, abstraction.DefaultVision)
	case "odometry":
		fill(&c.Wheels, defaultEncoders)
	case "imu":
		fill(&c.Inertia, defaultInertial)
	case "laser":
		fill(&c.Laser, defaultLaser)
	case "compass":
		fill(&c.Compass, defaultCompass)
	case "arms":
		fill(&c.Arms, defaultDisplacement)
	case "bumper":
		fill(&c.Bumper, defaultBumper)
	case "battery":
		fill(&c.Gauge, defaultGauge)
	}
}

func fill[T any](part **T, defaults func() T) {
	if *part == nil {
		d := defaults()
		*part = &d
	}
}

// BindNode reads kind and profile first, so that the keys of a file override the defaults of both.
func (c *Config) BindNode(n *schema.Node) error {
	text := func(key string) string {
		if node := n.Get(key); node != nil {
			if name, ok := node.Text(); ok {
				return name
			}
		}
		return ""
	}
	if kind := text("kind"); kind != "" {
		c.Kind = Kind(kind)
	}
	if name := text("profile"); name != "" {
		c.Profile = name
		c.takeProfile()
	}
	if c.Kind != "" {
		c.Complete()
	}
	return n.Bind(c)
}

// defaultEncoders are magnetic encoders behind a gear. Guess.
func defaultEncoders() Encoders { return Encoders{Ticks: 4096, ScaleError: 0.003} }

// defaultInertial is a MEMS unit of the MTi class. Guess, after data sheets: 60 µg/√Hz, 0.01 °/s/√Hz; the walks give
// biases of about 0.01 m/s² and 0.02 °/s after a match of half an hour.
func defaultInertial() Inertial {
	return Inertial{
		AccelNoise: 60e-6 * 9.81, AccelWalk: 2.4e-4,
		GyroNoise: 0.01 * spatial.Degree, GyroWalk: 5e-4 * spatial.Degree,
	}
}
