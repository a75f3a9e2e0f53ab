package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

const degree = math.Pi / 180

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
		fill(&c.Image, defaultOmniImage)
		fill(&c.Mirror, defaultMirror)
		fill(&c.Imager, defaultImager)
		fill(&c.Vision, abstraction.DefaultVision)
	case CameraKind:
		fill(&c.Image, defaultImage)
		fill(&c.Imager, defaultImager)
		fill(&c.Vision, abstraction.DefaultVision)
	case KinectKind:
		fill(&c.Image, kinectImage)
		fill(&c.Imager, defaultImager)
		fill(&c.Ranging, kinectV2)
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

// defaultImage is a 640×480 camera with a common 6 mm lens.
func defaultImage() Image { return Image{Width: 640, Height: 480, FOV: 62 * degree} }

// defaultOmniImage fits the mirror's disc of defaultMirror into 640×640 pixels.
func defaultOmniImage() Image { return Image{Width: 640, Height: 640, FOV: 66 * degree} }

// defaultMirror looks 11° over the horizon at its rim and has ξ = 0.9, as mirrors of the league's robots do. Guess,
// after photographs; k follows from ξ = √(k(k−2))/(k−1).
func defaultMirror() Mirror {
	return Mirror{Profile: "hyperbolic", Method: "raster", K: 3.294, C: 0.1, RimRadius: 0.0683}
}

// defaultImager is a 1/3 inch industrial CMOS camera. Guess: EMVA 1288 data sheets of such chips give 8,000 to 12,000
// electrons and 5 to 15; the fall-off is half the natural one, since lenses for such cameras correct for it.
func defaultImager() Imager {
	return Imager{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, WhiteBalance: render.White, Vignetting: 0.5}
}

// kinectImage is the Kinect v2's depth image; its colour image is registered to it.
func kinectImage() Image { return Image{Width: 512, Height: 424, FOV: 70.6 * degree} }

// defaultEncoders are magnetic encoders behind a gear. Guess.
func defaultEncoders() Encoders { return Encoders{Ticks: 4096, ScaleError: 0.003} }

// defaultInertial is a MEMS unit of the MTi class. Guess, after data sheets: 60 µg/√Hz, 0.01 °/s/√Hz; the walks give
// biases of about 0.01 m/s² and 0.02 °/s after a match of half an hour.
func defaultInertial() Inertial {
	return Inertial{
		AccelNoise: 60e-6 * 9.81, AccelWalk: 2.4e-4,
		GyroNoise: 0.01 * degree, GyroWalk: 5e-4 * degree,
	}
}
