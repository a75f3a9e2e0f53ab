package condition

import (
	"errors"
	"fmt"
	"math"
)

// Near holds while the centres of two bodies are within a distance over the floor.
type Near struct {
	Name   string  `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Of     string  `toml:"of" required:"true" doc:"another one"`
	Within float64 `toml:"within_m" required:"true" range:"(0, 100]" doc:"between their centres, over the floor"`
}

func (c *Near) Validate(w World) error {
	err := errors.Join(wrong("name", c.Name, w.FindBody(c.Name)), wrong("of", c.Of, w.FindBody(c.Of)))
	if err == nil && c.Name == c.Of {
		err = wrong("of", c.Of, errors.New("must be another one than name"))
	}
	return err
}

func (c *Near) Bind(s State) (Test, error) {
	distance, err := distance(s, c.Name, c.Of)
	return Test{
		func() bool { return distance() <= c.Within },
		func() string { return fmt.Sprintf("%s %.2f m from %s", c.Name, distance(), c.Of) },
	}, err
}

func (c *Near) String() string { return fmt.Sprintf("%s within %v m of %s", c.Name, c.Within, c.Of) }

// distance returns what measures how far apart the centres of two bodies are over the floor, metres.
func distance(s State, a, b string) (func() float64, error) {
	from, err := findBody(s, a)
	if err != nil {
		return nil, err
	}
	to, err := findBody(s, b)
	return func() float64 {
		p, q := from.posW(), to.posW()
		return math.Hypot(p[0]-q[0], p[1]-q[1])
	}, err
}
