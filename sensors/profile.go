package sensors

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors/imaging"
)

// profile is a real device: what a sensor of it has unless its configuration says otherwise.
type profile struct {
	name  string
	kinds []Kind // that it can be
	apply func(*Config)
}

// profiles are the devices that a configuration can name, with their sources. What no source tells is said to be a
// guess.
func profiles() []profile {
	return []profile{
		{"kinect-v1", []Kind{KinectKind}, func(c *Config) {
			// 640×480 at 57° (Khoshelham and Elberink 2012); the rest as of kinectV1.
			r := imaging.KinectV1()
			c.Image, c.Ranging = &imaging.Image{Width: 640, Height: 480, FOV: 57 * spatial.Degree}, &r
		}},
		{"kinect-v2", []Kind{KinectKind}, func(c *Config) {
			image, r := imaging.KinectImage(), imaging.KinectV2()
			c.Image, c.Ranging = &image, &r
		}},
		// Teledyne FLIR's page "Specifications and Frame Rates" of the BFS-U3-04S2: Sony IMX287, 720×540 pixels of 6.9 µm,
		// global shutter. Full well and read noise are guesses for pixels of that size; the lens is one of 6 mm.
		{"blackfly-s-04s2", []Kind{CameraKind, OmniKind}, func(c *Config) {
			c.industrial(720, 540, 6.9e-6, 6e-3, 22_000, 4)
		}},
		// SICK's product pages of the families: 270° at 25 Hz and 0.5°, systematic error ±30 mm, statistical 12 mm.
		{"sick-lms1xx", []Kind{"laser"}, func(c *Config) {
			l := defaultLaser()
			c.Laser, c.Rate = &l, 25
		}},
		// The same of the LMS5xx SR: 190°, errors ±25/35/50 mm and 6/8/14 mm to 10, 20 and 30 m. Range: guess for a hall.
		{"sick-lms5xx", []Kind{"laser"}, func(c *Config) {
			l := defaultLaser()
			l.FOV, l.Min, l.Max = 190*spatial.Degree, 0.7, 30
			l.Bands = []LaserBand{{10, 0.025, 0.006}, {20, 0.035, 0.008}, {30, 0.05, 0.014}}
			c.Laser, c.Rate = &l, 25
		}},
		// The scanner of Beck et al. 2008, all around at 10 Hz. Errors: guesses for its generation.
		{"sick-ld", []Kind{"laser"}, func(c *Config) {
			l := defaultLaser()
			l.FOV, l.Resolution, l.Min, l.Max = 360*spatial.Degree, spatial.Degree, 0.3, 30
			l.Bands = []LaserBand{{30, 0.025, 0.02}}
			c.Laser, c.Rate = &l, 10
		}},
		// The same of the FFY-U3-16S2: Sony IMX296, 1440×1080 pixels of 3.45 µm, global shutter. Guesses as above.
		{"firefly-16s2", []Kind{CameraKind, OmniKind}, func(c *Config) {
			c.industrial(1440, 1080, 3.45e-6, 6e-3, 10_500, 3)
		}},
	}
}

// industrial is a camera with a mosaic and a chip of pixels of the given size behind a lens of the given focal length,
// both in metres.
func (c *Config) industrial(width, height int, pixel, focal, fullWell, readNoise float64) {
	imager := imaging.DefaultImager()
	imager.FullWell, imager.ReadNoise, imager.Bayer = fullWell, readNoise, true
	c.Image = &imaging.Image{Width: width, Height: height, FOV: 2 * math.Atan(float64(width)/2*pixel/focal)}
	c.Imager = &imager
}

// ProfileNames returns the devices that a sensor of a kind can be.
func ProfileNames(kind Kind) []string {
	var names []string
	for _, p := range profiles() {
		if slices.Contains(p.kinds, kind) {
			names = append(names, p.name)
		}
	}
	return names
}

// takeProfile gives the configuration what its profile has. A profile that there is not, or not for this kind, changes
// nothing; Validate says so.
func (c *Config) takeProfile() {
	for _, p := range profiles() {
		if p.name == c.Profile && slices.Contains(p.kinds, c.Kind) {
			p.apply(c)
		}
	}
}
