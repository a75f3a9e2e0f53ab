package condition

import "errors"

// InArea holds while a body is in an area. A robot or an obstacle is in the area if its centre on the floor is. The
// ball is in the area if its centre is. If the area is a goal, the whole ball must be in it.
type InArea struct {
	Name string `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	Area string `toml:"area" required:"true" doc:"area of the field or of [[area]]; the ball is in a goal if all of it is"`
}

func (c *InArea) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBody(c.Name)), violation("area", c.Area, w.FindArea(c.Area)))
}

func (c *InArea) Bind(s State) (Test, error) {
	b, err := findBody(s, c.Name)
	if err != nil {
		return Test{}, err
	}
	a, err := s.Areas().Find(c.Area)
	if err != nil {
		return Test{}, err
	}
	if b.id == s.Model().BallID() {
		radius := s.Model().Ball.Radius
		return Test{func() bool { return a.ContainsBall(*b.posW, radius) }, b.describe}, nil
	}
	return Test{func() bool { return a.Contains(*b.posW) }, b.describe}, nil
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
