package render

import (
	"errors"
	"fmt"
	"math"
)

// Chip describes the lens and the image sensor of a colour camera. Package render/chip documents the effect of each
// field on an image. A Chip is immutable, because renderers cache what they compute from it.
type Chip struct {
	FullWell  float64 // electrons of a saturated pixel, 1 to 1e12
	ReadNoise float64 // standard deviation of the reading of a dark pixel, electrons, up to 1e9
	// fraction of the full well that light of amount 1 fills, up to 1e6; above 1, bright pixels saturate
	Exposure float64
	Gain     float64    // amplification of signal and noise after the sensor, up to 1e6
	Balance  [3]float64 // additional gains of red, green and blue for the white balance, up to 1e6
	Bayer    bool       // each pixel measures one colour of an RGGB mosaic, and its other two colours are interpolated
	// chromatic aberration: displacement in the image's corners, pixels; red moves outwards, blue moves inwards
	Chromatic float64
	// Dirt is the fraction of each pixel's light that passes the lens, 0 to 1. It has Height × Width values, in rows
	// from the top. It is nil for a clean lens.
	Dirt []float32
	// Fixed is the fixed pattern noise.
	Fixed FixedPattern
	// Rows is the flicker of the light during each row's exposure.
	Rows Rows
	// Glare is the fraction, 0 to 1, of the light that the lens scatters over the image.
	Glare float64
	// Spill and Smear describe a CCD. Spill is the fraction, 0 to 1, of the charge beyond the full well that spills
	// along the column. Smear, up to 0.1, is the additional light that a column collects while its charge is shifted,
	// if a white patch a tenth as high as the image is in the column. Both use Image.Above.
	Spill, Smear float64
	// Denoise is the standard deviation, in levels of 255, up to 100, of the differences of colours that noise
	// reduction smooths; 0 for none.
	Denoise float64
	// Contrast is the share, 0 to 1, of a smoothstep curve in the curve of contrast; 0 for none.
	Contrast float64
	// Sharpening is the amount, up to 10, of the unsharp mask; 0 for none.
	Sharpening float64
	// JPEGQuality is the quality of the JPEG compression of the image, 1 to 100; 0 for none.
	JPEGQuality int
}

// FixedPattern describes how the pixels of a sensor differ permanently, independently for each colour. The zero value
// has no differences.
type FixedPattern struct {
	Key uint64 // selects the random numbers; every sensor needs its own key, which differs from the NoiseKeys of images
	// standard deviation of the dark signal, electrons, up to 1e9: EMVA 1288's dark signal nonuniformity
	DSNU      float64
	PRNU      float64 // standard deviation of the response, a fraction up to 0.2: photo response nonuniformity
	Row       float64 // standard deviation of each row's dark signal, electrons, up to 1e9
	Column    float64 // standard deviation of each column's dark signal, electrons, up to 1e9
	Hot       float64 // fraction of pixels that are hot, 0 to 1
	HotSignal float64 // dark signal of the weakest hot pixel in an image, electrons, up to 1e9
}

// Processes reports whether the camera processes the image that its sensor reads, by Denoise or a field after it.
func (c *Chip) Processes() bool {
	return c.Denoise != 0 || c.Contrast != 0 || c.Sharpening != 0 || c.JPEGQuality != 0
}

// On reports whether there is any fixed pattern noise.
func (f *FixedPattern) On() bool {
	return f.DSNU != 0 || f.PRNU != 0 || f.Row != 0 || f.Column != 0 || f.Hot != 0
}

// validate reports every violation of the rules for a Chip, for images of the given size.
func (c *Chip) validate(width, height int) error {
	var errs []error
	within := func(name string, value, from, to float64) {
		if !(value >= from && value <= to) {
			errs = append(errs, fmt.Errorf("chip: %s = %v: must be %v to %v", name, value, from, to))
		}
	}
	within("full well", c.FullWell, 1, 1e12)
	within("read noise", c.ReadNoise, 0, 1e9)
	within("exposure", c.Exposure, 0, 1e6)
	within("gain", c.Gain, 0, 1e6)
	for _, b := range c.Balance {
		within("balance", b, 0, 1e6)
	}
	within("dark signal nonuniformity", c.Fixed.DSNU, 0, 1e9)
	within("photo response nonuniformity", c.Fixed.PRNU, 0, 0.2)
	within("dark signal of rows", c.Fixed.Row, 0, 1e9)
	within("dark signal of columns", c.Fixed.Column, 0, 1e9)
	within("share of hot pixels", c.Fixed.Hot, 0, 1)
	within("dark signal of hot pixels", c.Fixed.HotSignal, 0, 1e9)
	within("glare", c.Glare, 0, 1)
	within("share of charge that spills", c.Spill, 0, 1)
	within("smear", c.Smear, 0, 0.1)
	within("noise reduction", c.Denoise, 0, 100)
	within("contrast", c.Contrast, 0, 1)
	within("sharpening", c.Sharpening, 0, 10)
	within("JPEG quality", float64(c.JPEGQuality), 0, 100)
	if err := c.Rows.validate(); err != nil {
		errs = append(errs, err)
	}
	if corner := math.Hypot(float64(width-1), float64(height-1)) / 2; c.Chromatic != 0 &&
		!(math.Abs(c.Chromatic) < corner) {
		errs = append(errs, fmt.Errorf("chip: chromatic aberration of %v pixels: must be less than the %v from the "+
			"image's middle to a corner", c.Chromatic, corner))
	}
	if (c.Bayer || c.Chromatic != 0) && (width < 2 || height < 2) {
		errs = append(errs,
			fmt.Errorf("chip: image of %d×%d: must be at least 2×2 for a mosaic or chromatic aberration", width,
				height))
	}
	if n := len(c.Dirt); n != 0 && n != width*height {
		errs = append(errs, fmt.Errorf("chip: dirt of %d pixels: must be of the image's %d", n, width*height))
	}
	return errors.Join(errs...)
}

// Ranging describes how a device measures distances along its axis. Package render/chip documents the effect of each
// field on true distances. A Ranging is immutable.
type Ranging struct {
	Min, Max float64 // limits of measured distances, metres; 0 ≤ Min < Max ≤ 1e4
	// Exact keeps distances between Min and Max unchanged. Distances below Min become 0, and distances above Max become
	// +Inf. The other fields then have no effect.
	Exact bool
	// Axial and Slant give the standard deviation of a distance z. A surface that faces the device has Axial[0] +
	// Axial[1]·z + Axial[2]·z² metres. A slant adds (Slant[0] + Slant[1]·z²)/√z metres for each unit of θ²/(π/2 − θ)².
	// The angle of incidence θ is at most 82°. The values are at most 1e6.
	Axial [3]float64
	Slant [2]float64
	// Lateral gives the standard deviation of the positions of outlines: Lateral[0] pixels plus Lateral[1] metres. The
	// values are at most 1e6.
	Lateral [2]float64
	Flying  float64 // fraction of the pixels at outlines that mix near and far distances; Flying + Dropout ≤ 1
	Dropout float64 // fraction of the pixels at outlines that measure nothing
	// Baseline is the distance from the camera to the projector on its right, metres, up to 1e3. The projector's light
	// does not reach surfaces behind an object.
	Baseline float64
	// DarkRange is the distance, metres, up to 1e3, at which half of the pixels that show a matt surface of 10 %
	// reflectance get enough light, if the surface faces the device. Light is proportional to the reflectance and to
	// the cosine of the angle of incidence, which is at most 82°, and falls with the square of the distance. Pixels
	// with too little light measure nothing. If DarkRange is 0, light is always enough; otherwise it needs
	// Depth.Reflectance.
	DarkRange float64
	// SignalNoise is the standard deviation of the light, as a fraction of the least light that is measured; 0 to 1.
	SignalNoise float64
	// Margin is the number of columns at the right border of the image that measure nothing.
	Margin int
	// Step is the step of the disparity, 1/m, up to 1e3: measured distances are 1/(n·Step) with an integer n. If Step
	// is 0, measured distances are whole millimetres.
	Step float64
}

// validate reports every violation of the rules for a Ranging.
func (r *Ranging) validate() error {
	var errs []error
	within := func(name string, from, to float64, values ...float64) {
		for _, value := range values {
			if !(value >= from && value <= to) {
				errs = append(errs, fmt.Errorf("ranging: %s = %v: must be %v to %v", name, value, from, to))
			}
		}
	}
	within("least distance", 0, 1e4, r.Min)
	within("largest distance", 0, 1e4, r.Max)
	if r.Min >= r.Max {
		errs = append(errs, fmt.Errorf("ranging: largest distance = %v: must be larger than the least, %v", r.Max,
			r.Min))
	}
	within("axial noise", -1e6, 1e6, r.Axial[:]...)
	within("slant", 0, 1e6, r.Slant[:]...)
	within("lateral noise", 0, 1e6, r.Lateral[:]...)
	within("flying pixels", 0, 1, r.Flying)
	within("dropout", 0, 1, r.Dropout)
	within("flying pixels and dropout", 0, 1, r.Flying+r.Dropout)
	within("baseline", 0, 1e3, r.Baseline)
	within("dark range", 0, 1e3, r.DarkRange)
	within("signal noise", 0, 1, r.SignalNoise)
	within("margin", 0, math.MaxInt32, float64(r.Margin))
	within("disparity step", 0, 1e3, r.Step)
	return errors.Join(errs...)
}
