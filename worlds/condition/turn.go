package condition

import (
	"errors"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Turn holds while a body's rate of turn about the vertical axis is above a limit, below a limit, or between two
// limits. Turns to the left and to the right count alike.
type Turn struct {
	Name  string   `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Over  *float64 `toml:"over_deg_s" range:"[0, 3000]" doc:"lower limit of the rate, to either side"`
	Under *float64 `toml:"under_deg_s" range:"[0, 3000]" doc:"upper limit of the rate, to either side"`
}

func (c *Turn) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBody(c.Name)), bounds(c.Over, c.Under, "over_deg_s",
		"under_deg_s"))
}

func (c *Turn) Bind(s State) (Test, error) {
	b, err := findBody(s, c.Name)
	lo, hi := limits(c.Over, c.Under)
	return Test{
		func() bool { rate := math.Abs(b.angW[2]); return rate > lo && rate < hi },
		func() string { return fmt.Sprintf("%s turns at %.1f deg/s", c.Name, b.angW[2]/spatial.Degree) },
	}, err
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
