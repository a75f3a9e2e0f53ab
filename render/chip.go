package render

import (
	"errors"
	"fmt"
	"math"
)

// Chip is the lens and the chip that a colour image is taken with: numbers, of which package render/chip says what they
// do to an image. It must not change: what is computed for it is kept.
type Chip struct {
	FullWell  float64    // electrons of a saturated pixel, 1 to 1e12
	ReadNoise float64    // standard deviation of a dark pixel, electrons, up to 1e9
	Exposure  float64    // share of the full well that light 1 fills, up to 1e6; above 1 bright pixels saturate
	Gain      float64    // amplification after the chip, of signal and noise, up to 1e6
	Balance   [3]float64 // gain of red, green and blue besides, for the white balance, up to 1e6
	Bayer     bool       // one colour a pixel, in an RGGB mosaic; the others are interpolated
	Chromatic float64    // pixels by which red is seen farther out in the corners, and blue farther in
	// Dirt is the share of each pixel's light that comes through the lens, 0 to 1, Height × Width, rows from the top;
	// nil for a clean one.
	Dirt []float32
	// Fixed is what differs from pixel to pixel and stays for good.
	Fixed FixedPattern
	// Rows is the light that rows get while they are exposed, where it flickers.
	Rows Rows
	// Glare is the share, 0 to 1, of the light that the lens scatters over the image.
	Glare float64
	// Spill is the share, 0 to 1, of the charge beyond the full well that spills along the column, and Smear, up to
	// 0.1, the light that charge collects while it is shifted, of a white patch a tenth as high as the image: of a CCD.
	// Their light above white is Image.Above.
	Spill, Smear float64
	// Sharpening is the amount, up to 10, of the unsharp mask; 0 for none.
	Sharpening float64
	// JPEGQuality is that of the JPEG file that the image went through, 1 to 100; 0 for none.
	JPEGQuality int
}

// FixedPattern is how the pixels of a chip differ, each of its colours in its own way, and differ for good: the zero
// value has none of it.
type FixedPattern struct {
	Key uint64 // selects the random numbers: one for each chip, far from NoiseKeys of images
	// standard deviation of the dark signal, electrons, up to 1e9: EMVA 1288's dark signal nonuniformity
	DSNU      float64
	PRNU      float64 // standard deviation of the response, a share up to 0.2: photo response nonuniformity
	Row       float64 // standard deviation of each row's dark signal, electrons, up to 1e9
	Column    float64 // the same of each column
	Hot       float64 // share of pixels that are hot, 0 to 1
	HotSignal float64 // least dark signal of a hot pixel in an image, electrons, up to 1e9
}

// Processes tells whether the camera makes another image of what its chip reads.
func (c *Chip) Processes() bool { return c.Sharpening != 0 || c.JPEGQuality != 0 }

// On tells whether any pixel differs.
func (f *FixedPattern) On() bool {
	return f.DSNU != 0 || f.PRNU != 0 || f.Row != 0 || f.Column != 0 || f.Hot != 0
}

// validate reports every violation for images of a size.
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
