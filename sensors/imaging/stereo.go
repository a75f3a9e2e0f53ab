package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Stereo describes a stereo pair: two cameras that take their images at the same instants, and the matching of these
// images. The mount is that of the left camera.
type Stereo struct {
	Baseline   float64 `toml:"baseline_m" range:"(0, 2]" doc:"distance of the right camera to the right of the left one"`
	Min        float64 `toml:"min_m" range:"(0, 100]" doc:"least depth that is searched; half of it takes twice the time"`
	Max        float64 `toml:"max_m" range:"(0, 100]" doc:"largest depth that is reported"`
	Uniqueness float64 `toml:"uniqueness_percent" range:"[0, 99]" doc:"a match counts if every other one, except next to it, costs more by this"`
	Texture    float64 `toml:"texture" range:"[0, 255]" doc:"mean difference of opposite pixels within 7 × 7 pixels, in levels of 255: where it is less, no depth is measured"`
}

// SetDefaults sets the values of the ZED. Source: Stereolabs, "What is the camera focal length and field of view?" for
// the baseline, and the data sheet of 2015 for the depths. Uniqueness is the least value that OpenCV recommends for its
// StereoSGBM. Texture is a guess, above the noise of the default imager.
func (s *Stereo) SetDefaults() {
	*s = Stereo{Baseline: 0.12, Min: 0.5, Max: 20, Uniqueness: 0.05, Texture: 3}
}

// ZED returns the image of the ZED at its resolution WVGA: 672 × 376 pixels with a focal length of 350 pixels. Source:
// as for SetDefaults.
func ZED() Image { return Image{Width: 672, Height: 376, FOV: 2 * math.Atan2(672./2, 350)} }

// Validate reports violations of rules that involve several fields.
func (s *Stereo) Validate(violate func(field string, value any, rule string)) {
	if s.Min >= s.Max {
		violate("Max", s.Max, "must be larger than {Min}")
	}
}

// Matching returns the matching of a pair with the given camera model.
func (s *Stereo) Matching(lens optics.Pinhole) *render.Stereo {
	return &render.Stereo{Focal: lens.FX, Baseline: s.Baseline, Min: s.Min, Max: s.Max, Uniqueness: s.Uniqueness,
		Texture: s.Texture}
}

// disparitySigma is the standard deviation of a matched disparity, in pixels. It was measured: see TestDepthErrors in
// render/internal/tile.
const disparitySigma = 0.15

// Sigma returns the standard deviation, in m, of the depth z of a surface, in m, with a camera model.
func (s *Stereo) Sigma(lens optics.Pinhole) func(z float64) float64 {
	per := disparitySigma / (lens.FX * s.Baseline)
	return func(z float64) float64 { return per * z * z }
}
