package condition

import (
	"errors"
	"fmt"
)

// Speed holds while a body's speed is above a limit, below a limit, or between two limits.
type Speed struct {
	Name  string   `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Over  *float64 `toml:"over_m_s" range:"[0, 100]" doc:"lower limit of the speed of its centre, in any direction"`
	Under *float64 `toml:"under_m_s" range:"[0, 100]" doc:"upper limit of that speed"`
}

func (c *Speed) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBody(c.Name)), bounds(c.Over, c.Under, "over_m_s", "under_m_s"))
}

func (c *Speed) Bind(s State) (Test, error) {
	b, err := findBody(s, c.Name)
	lo, hi := limits(c.Over, c.Under)
	return Test{
		func() bool { v := b.velW.Len(); return v > lo && v < hi },
		func() string { return fmt.Sprintf("speed of %s %.2f m/s", c.Name, b.velW.Len()) },
	}, err
}

func (c *Speed) String() string { return "speed of " + c.Name + limitsText(c.Over, c.Under, "m/s") }
