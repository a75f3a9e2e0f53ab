package condition

import (
	"errors"
	"fmt"
	"math"
)

// bounds returns an error if both limits are missing, or if no number satisfies both limits. keyOver and keyUnder are
// the keys of the limits.
func bounds(over, under *float64, keyOver, keyUnder string) error {
	switch {
	case over == nil && under == nil:
		return violation("", nil, fmt.Errorf("needs %s, %s or both", keyOver, keyUnder))
	case over != nil && under != nil && *over >= *under:
		return violation(keyUnder, *under, errors.New("must be more than "+keyOver))
	}
	return nil
}

// limits returns the lower and upper ends of the open interval between the limits. The end for a nil limit is infinite.
func limits(over, under *float64) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if over != nil {
		lo = *over
	}
	if under != nil {
		hi = *under
	}
	return lo, hi
}

// limitsText returns a text about the limits, such as " over 1 and under 2 m/s".
func limitsText(over, under *float64, unit string) (text string) {
	if over != nil {
		text = fmt.Sprintf(" over %v", *over)
	}
	if under != nil {
		if text != "" {
			text += " and"
		}
		text += fmt.Sprintf(" under %v", *under)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

// countText returns a text about the limits of a count, such as " at least 1, at most 2".
func countText(least, most *int) (text string) {
	if least != nil {
		text = fmt.Sprintf(" at least %d", *least)
	}
	if most != nil {
		if text != "" {
			text += ","
		}
		text += fmt.Sprintf(" at most %d", *most)
	}
	return text
}
