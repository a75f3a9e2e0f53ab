package condition

import (
	"errors"
	"fmt"
	"math"
)

// bounds reports limits of a number that are missing, or that leave no number; keys are those of the two.
func bounds(over, under *float64, keyOver, keyUnder string) error {
	switch {
	case over == nil && under == nil:
		return wrong("", nil, fmt.Errorf("needs %s, %s or both", keyOver, keyUnder))
	case over != nil && under != nil && *over >= *under:
		return wrong(keyUnder, *under, errors.New("must be more than "+keyOver))
	}
	return nil
}

// limits returns what is over one limit and under the other as an interval without its ends.
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

// spoken says limits: " over 1 and under 2 m/s".
func spoken(over, under *float64, unit string) (text string) {
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

// leastMost says limits of a count: " at least 1, at most 2".
func leastMost(least, most *int) (text string) {
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
