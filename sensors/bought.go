package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// boughtCamera describes a camera that is sold, by its data sheet or by published measurements. Its chip has a Bayer
// mosaic.
type boughtCamera struct {
	name          string
	width, height int
	pitch         float64 // side of a pixel, m
	focal         float64 // focal length of the lens that it is sold with, m
	fullWell      float64 // electrons
	readNoise     float64 // electrons
}

// plainLens is the focal length of cameras that are sold without a lens, m. The value is a guess.
const plainLens = 6e-3

// boughtCameras returns the profiles of cameras.
func boughtCameras() []profile {
	var all []profile
	for _, c := range []boughtCamera{
		// Source: Teledyne FLIR, "Specifications and Frame Rates" of the BFS-U3-04S2: Sony IMX287, global shutter. Full
		// well and read noise are guesses for pixels of that size.
		{"blackfly-s-04s2", 720, 540, 6.9e-6, plainLens, 22_000, 4},
		// Source: Teledyne FLIR, "Specifications and Frame Rates" of the FFY-U3-16S2: Sony IMX296, global shutter. Full
		// well and read noise are guesses. Those of the IMX273, which has pixels of the same size, are close.
		{"firefly-16s2", 1440, 1080, 3.45e-6, plainLens, 10_500, 3},
		// Sources: Basler, acA1440-220uc, for pixels and pitch; Balluff, mvBlueFOX3-2016, by EMVA 1288, for a largest
		// signal-to-noise ratio of 40.2 dB, whose square is the full well, and a dynamic range of 71.4 dB.
		{"imx273", 1440, 1080, 3.45e-6, plainLens, 10_500, 2.8},
		// Sources: Raspberry Pi, "Camera": module 2, 3.04 mm; libcamera, rpi/vc4/data/imx219.json: a deviation of
		// 3.67·√level, of 65,536 levels, is the shot noise of 65,536/3.67² electrons. It has no constant term,
		// and so no read noise.
		{"imx219", 3280, 2464, 1.12e-6, 3.04e-3, 4_870, 0},
		// The same chip, 4 × 4 binned. A pixel is the mean of 16 pixels of its colour, and has their charge.
		{"imx219-binned", 820, 616, 4 * 1.12e-6, 3.04e-3, 16 * 4_870, 0},
		// Source: "Pi HQ Cam Sensor Performance", strollswithmydog.com: Raspberry Pi HQ camera at gain 1.
		{"imx477", 4056, 3040, 1.55e-6, plainLens, 8_180, 3},
		// Sources: Raspberry Pi, "Camera": module 1, 3.6 mm; OptArc, AF51 user guide 1.02: full well, and a dynamic
		// range of 68 dB.
		{"ov5647", 2592, 1944, 1.4e-6, 3.6e-3, 4_300, 1.7},
	} {
		all = append(all, profile{c.name, c.apply})
	}
	return all
}

func (c *boughtCamera) apply(cfg *Config) {
	cfg.Image = &imaging.Image{Width: c.width, Height: c.height,
		FOV: 2 * math.Atan(float64(c.width)/2*c.pitch/c.focal)}
	cfg.Imager = new(imaging.Imager)
	cfg.Imager.SetDefaults()
	cfg.Imager.FullWell, cfg.Imager.ReadNoise, cfg.Imager.Bayer = c.fullWell, c.readNoise, true
}

// zed sets the chips of a Stereolabs ZED. Sources: Stereolabs, "What is the readout time of the ZED 2 camera?": two
// OV4689; Aldebaran, Pepper's stereo camera, which has the same chips: a largest signal-to-noise ratio of 38.3 dB,
// whose square is the full well, and a dynamic range of 64.6 dB. How the camera reduces its images to 672 × 376 pixels
// is not published: the values are those of one pixel of the chip.
func zed(c *Config) {
	image := imaging.ZED()
	c.Image, c.Imager = &image, new(imaging.Imager)
	c.Imager.SetDefaults()
	c.Imager.FullWell, c.Imager.ReadNoise, c.Imager.Bayer = 6_760, 4, true
}
