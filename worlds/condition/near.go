package condition

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl64"
)

// Near holds while the centres of two bodies are within a given distance of each other, measured over the floor.
type Near struct {
	Name   string  `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Of     string  `toml:"of" required:"true" doc:"another body"`
	Within float64 `toml:"within_m" required:"true" range:"(0, 100]" doc:"largest distance between their centres, over the floor"`
}

func (c *Near) Validate(w World) error {
	err := errors.Join(violation("name", c.Name, w.FindBody(c.Name)), violation("of", c.Of, w.FindBody(c.Of)))
	if err == nil && c.Name == c.Of {
		err = violation("of", c.Of, errors.New("must be a body other than name"))
	}
	return err
}

func (c *Near) Bind(s State) (Test, error) {
	a, err := findBody(s, c.Name)
	if err != nil {
		return Test{}, err
	}
	b, err := findBody(s, c.Of)
	between := func() mgl64.Vec2 { return mgl64.Vec2{a.posW[0] - b.posW[0], a.posW[1] - b.posW[1]} }
	within2 := c.Within * c.Within
	return Test{
		func() bool { d := between(); return d.Dot(d) <= within2 },
		func() string { return fmt.Sprintf("%s %.2f m from %s", c.Name, between().Len(), c.Of) },
	}, err
}

func (c *Near) String() string { return fmt.Sprintf("%s within %v m of %s", c.Name, c.Within, c.Of) }
