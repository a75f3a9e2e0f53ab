package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"
)

// Apart holds while the centres of any two of the named bodies are at least a given distance apart, measured over the
// floor.
type Apart struct {
	Names   []string `toml:"names" required:"true" minlen:"2" maxlen:"100" doc:"ball, or the names of robots and obstacles"`
	AtLeast float64  `toml:"at_least_m" required:"true" range:"(0, 100]" doc:"smallest distance between their centres, over the floor"`
}

func (c *Apart) Validate(w World) error {
	var errs []error
	for i, name := range c.Names {
		err := w.FindBody(name)
		if slices.Contains(c.Names[:i], name) {
			err = errors.New("is named twice")
		}
		errs = append(errs, violation(fmt.Sprintf("names[%d]", i), name, err))
	}
	return errors.Join(errs...)
}

func (c *Apart) Bind(s State) (Test, error) {
	bodies, places, least2 := make([]body, len(c.Names)), make([]*mgl64.Vec3, len(c.Names)), c.AtLeast*c.AtLeast
	for i, name := range c.Names {
		var err error
		if bodies[i], err = findBody(s, name); err != nil {
			return Test{}, err
		}
		places[i] = bodies[i].posW
	}
	return Test{func() bool {
		for i, p := range places {
			for _, q := range places[:i] {
				if dx, dy := p[0]-q[0], p[1]-q[1]; !(dx*dx+dy*dy >= least2) {
					return false
				}
			}
		}
		return true
	}, func() string { return nearest(bodies) }}, nil
}

// nearest names the two bodies that are nearest to each other.
func nearest(bodies []body) string {
	least, a, b := math.Inf(1), 0, 0
	for i := range bodies {
		for k := range i {
			p, q := bodies[i].posW, bodies[k].posW
			if d := math.Hypot(p[0]-q[0], p[1]-q[1]); d < least {
				least, a, b = d, k, i
			}
		}
	}
	return fmt.Sprintf("%s %.2f m from %s", bodies[a].name, least, bodies[b].name)
}

func (c *Apart) String() string {
	return fmt.Sprintf("%s at least %v m apart", strings.Join(c.Names, ", "), c.AtLeast)
}
