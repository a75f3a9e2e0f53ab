package render

import (
	"errors"
	"fmt"
)

// Ranging is how a device measures distances along its axis: numbers, of which package render/chip says what they do to
// true ones. It must not change.
type Ranging struct {
	Min, Max float64 // metres, 0 ≤ Min < Max ≤ 1e4: nearer and farther is not measured
	// Exact leaves what is between Min and Max as it is; nearer is 0, and farther +Inf. The rest is for devices that
	// are not.
	Exact bool
	// Axial and Slant make the standard deviation of a distance z: Axial[0] + Axial[1]·z + Axial[2]·z² metres, and
	// (Slant[0] + Slant[1]·z²)/√z metres more for each unit of θ²/(π/2 − θ)², at an angle of incidence θ of at most
	// 82°. Up to 1e6.
	Axial [3]float64
	Slant [2]float64
	// Lateral makes that of outlines: Lateral[0] pixels, and Lateral[1] metres. Up to 1e6.
	Lateral [2]float64
	Flying  float64 // share of the pixels at outlines that mix near and far; with Dropout at most 1
	Dropout float64 // share of the pixels at outlines that measure nothing
	// metres, up to 1e3, from the camera to the right to the projector, whose light nothing behind an object gets
	Baseline float64
	// of the disparity, 1/m, up to 1e3: distances are 1/(n·Step) with a whole n; 0 for whole millimetres
	Step float64
}

// validate reports every violation.
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
	within("disparity step", 0, 1e3, r.Step)
	return errors.Join(errs...)
}
