package condition

import "errors"

// InArea holds while a body is in an area. Any body but the ball is in the area if its centre on the floor is. The
// ball is in the area if its centre is. If the area is a goal, the whole ball must be in it.
type InArea struct {
	Name string `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough"`
	Area string `toml:"area" required:"true" doc:"area of the field or of [[area]]; the ball is in a goal if all of it is"`
}

func (c *InArea) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBodies(c.Name, 1)),
		violation("area", c.Area, w.FindArea(c.Area)))
}

func (c *InArea) Bind(s State) (Test, error) {
	a, err := s.Areas().Find(c.Area)
	if err != nil {
		return Test{}, err
	}
	return each(s, c.Name, func(b *body) (Test, error) {
		if b.id == s.Model().BallID() {
			radius := s.Model().Ball.Radius
			return Test{func() bool { return a.ContainsBall(*b.posW, radius) }, b.describe}, nil
		}
		return Test{func() bool { return a.Contains(*b.posW) }, b.describe}, nil
	})
}

// Areas lists the areas that the condition names, with repetitions.
func (c *Choice) Areas() (areas []string) {
	if c == nil {
		return nil
	}
	if c.InArea != nil {
		areas = append(areas, c.InArea.Area)
	}
	if c.Not != nil {
		areas = append(areas, c.Not.Areas()...)
	}
	for _, list := range [][]Choice{c.All, c.Any} {
		for i := range list {
			areas = append(areas, list[i].Areas()...)
		}
	}
	return areas
}

func (c *InArea) String() string { return c.Name + " in " + c.Area }
