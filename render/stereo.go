package render

import (
	"errors"
	"fmt"
	"math"
)

// Stereo describes a stereo pair, and how depth is computed from its images. The images are rectified: both cameras
// have the same pinhole model, and the right camera is moved by Baseline along the x axis of the left one.
type Stereo struct {
	Focal    float64 // horizontal focal length of both cameras, pixels
	Baseline float64 // m
	Min, Max float64 // range of depths, m
	// Uniqueness is the fraction by which the cost of the best disparity must be less than that of any other one that
	// is not next to it.
	Uniqueness float64
	// Texture is the least mean difference, in levels of 255, of the opposite pixels around a pixel that gets a depth.
	Texture float64
}

// MostMatched is the largest number of pixels of a stereo pair's image, times the number of disparities.
// MostDisparities is the largest number of disparities.
const (
	MostMatched     = 1 << 29
	MostDisparities = 256
)

// Disparity returns the disparity of a depth in m, in pixels.
func (s *Stereo) Disparity(z float64) float64 { return s.Focal * s.Baseline / z }

// Disparities returns the number of disparities, from 0, that depths from Min on have.
func (s *Stereo) Disparities() int {
	return int(math.Ceil(math.Min(s.Disparity(s.Min), MostDisparities))) + 1
}

// Validate reports why depth cannot be computed for images of a size.
func (s *Stereo) Validate(width, height int) error {
	n := s.Disparities()
	if n > MostDisparities {
		return fmt.Errorf("the least depth has a disparity of %.0f pixels: must be less than %d",
			s.Disparity(s.Min), MostDisparities)
	}
	if float64(width)*float64(height)*float64(n) > MostMatched {
		return fmt.Errorf("images of %d × %d pixels with %d disparities: must be at most %d together", width, height,
			n, MostMatched)
	}
	if !(s.Min > 0 && s.Max > s.Min && s.Baseline > 0 && s.Focal > 0) || !(s.Uniqueness >= 0 && s.Uniqueness < 1) {
		return errors.New("focal length, baseline and depths must be positive, and the uniqueness in [0, 1)")
	}
	return nil
}

// Matcher computes the depth of the pixels of the left image of a stereo pair, from the images alone. A pixel gets 0 if
// it has no depth: it is occluded in the right image, lacks texture, resembles other places, is too near, or belongs to
// a region of a few pixels. It gets +Inf beyond the largest depth. All three images must have the same size. Any
// goroutine may call it.
type Matcher func(left, right *Image, s *Stereo, into *Depth) error
