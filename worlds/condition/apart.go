package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Apart holds while the centres of bodies are at least a distance apart over the floor, each from each.
type Apart struct {
	Names   []string `toml:"names" required:"true" minlen:"2" maxlen:"100" doc:"ball, or the names of robots and obstacles"`
	AtLeast float64  `toml:"at_least_m" required:"true" range:"(0, 100]" doc:"between their centres, over the floor"`
}

func (c *Apart) Validate(w World) error {
	var errs []error
	for i, name := range c.Names {
		err := w.FindBody(name)
		if slices.Contains(c.Names[:i], name) {
			err = errors.New("is there twice")
		}
		errs = append(errs, wrong(fmt.Sprintf("names[%d]", i), name, err))
	}
	return errors.Join(errs...)
}

func (c *Apart) Bind(s State) (Test, error) {
	nearest, err := c.bind(s)
	return Test{func() bool { _, _, d := nearest(); return d >= c.AtLeast }, func() string {
		a, b, d := nearest()
		return fmt.Sprintf("%s %.2f m from %s", a, d, b)
	}}, err
}

// bind returns what finds the two that are nearest to each other, and their distance, metres.
func (c *Apart) bind(s State) (nearest func() (a, b string, distance float64), err error) {
	bodies := make([]body, len(c.Names))
	for i, name := range c.Names {
		if bodies[i], err = findBody(s, name); err != nil {
			return nil, err
		}
	}
	return func() (a, b string, distance float64) {
		least := math.Inf(1)
		for i := range bodies {
			p := bodies[i].posW()
			for k := range i {
				q := bodies[k].posW()
				if d := math.Hypot(p[0]-q[0], p[1]-q[1]); d < least {
					least, a, b = d, c.Names[k], c.Names[i]
				}
			}
		}
		return a, b, least
	}, nil
}

func (c *Apart) String() string {
	return fmt.Sprintf("%s at least %v m apart", strings.Join(c.Names, ", "), c.AtLeast)
}
