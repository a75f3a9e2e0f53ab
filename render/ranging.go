package render

import (
	"errors"
	"fmt"
)

// Ranging describes how a device measures distances along its axis. Package render/chip says what each field does to
// true distances. A Ranging is immutable.
type Ranging struct {
	Min, Max float64 // metres, 0 ≤ Min < Max ≤ 1e4; distances outside are not measured
	// Exact keeps distances between Min and Max unchanged. Distances below Min become 0, and distances above Max become
	// +Inf. The other fields then have no effect.
	Exact bool
	// Axial and Slant give the standard deviation of a distance z: Axial[0] + Axial[1]·z + Axial[2]·z² metres, plus
	// (Slant[0] + Slant[1]·z²)/√z metres for each unit of θ²/(π/2 − θ)², at an angle of incidence θ of at most 82°. Up
	// to 1e6.
	Axial [3]float64
	Slant [2]float64
	// Lateral gives the standard deviation of outlines' positions: Lateral[0] pixels plus Lateral[1] metres. Up to 1e6.
	Lateral [2]float64
	Flying  float64 // fraction of the pixels at outlines that mix near and far; Flying + Dropout ≤ 1
	Dropout float64 // fraction of the pixels at outlines that measure nothing
	// Baseline is the distance, metres, up to 1e3, from the camera to the projector on its right. The projector's light
	// does not reach surfaces behind an object.
	Baseline float64
	// Step is the step of the disparity, 1/m, up to 1e3: measured distances are 1/(n·Step) with an integer n. If Step
	// is 0, measured distances are whole millimetres.
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
