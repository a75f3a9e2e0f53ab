package condition

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Speed holds while a body's speed is above a limit, below a limit, or between two limits.
type Speed struct {
	Name  string   `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough"`
	Over  *float64 `toml:"over_m_s" range:"[0, 100]" doc:"lower limit of the speed of its centre, in any direction"`
	Under *float64 `toml:"under_m_s" range:"[0, 100]" doc:"upper limit of that speed"`
}

func (c *Speed) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBodies(c.Name, 1)), bounds(c.Over, c.Under, "over_m_s", "under_m_s"))
}

func (c *Speed) Bind(s State) (Test, error) {
	lo, hi := limits(c.Over, c.Under)
	return each(s, c.Name, func(b *body) (Test, error) {
		return Test{
			func() bool { v := b.velW.Len(); return v > lo && v < hi },
			func() string { return fmt.Sprintf("speed of %s %.2f m/s", b.name, b.velW.Len()) },
		}, nil
	})
}

func (c *Speed) String() string { return "speed of " + c.Name + limitsText(c.Over, c.Under, "m/s") }

// Turn holds while a body's rate of turn about the vertical axis is above a limit, below a limit, or between two
// limits. Turns to the left and to the right count alike.
type Turn struct {
	Name  string   `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough"`
	Over  *float64 `toml:"over_deg_s" range:"[0, 3000]" doc:"lower limit of the rate, to either side"`
	Under *float64 `toml:"under_deg_s" range:"[0, 3000]" doc:"upper limit of the rate, to either side"`
}

func (c *Turn) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBodies(c.Name, 1)), bounds(c.Over, c.Under, "over_deg_s",
		"under_deg_s"))
}

func (c *Turn) Bind(s State) (Test, error) {
	lo, hi := limits(c.Over, c.Under)
	return each(s, c.Name, func(b *body) (Test, error) {
		return Test{
			func() bool { rate := math.Abs(b.angW[2]); return rate > lo && rate < hi },
			func() string { return fmt.Sprintf("%s turns at %.1f deg/s", b.name, b.angW[2]/spatial.Degree) },
		}, nil
	})
}

func (c *Turn) String() string {
	return c.Name + " turns at" + limitsText(degrees(c.Over), degrees(c.Under), "deg/s")
}

// degrees returns a limit converted from rad to degrees, as in the world file.
func degrees(rad *float64) *float64 {
	if rad == nil {
		return nil
	}
	deg := *rad / spatial.Degree
	return &deg
}

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
