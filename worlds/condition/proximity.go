package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
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

// hall is the common name of all static bodies: boards, posts and nets.
const hall = "hall"

// Contact holds in each step in which a body touches another body. Contact with the floor does not count.
type Contact struct {
	Name string `toml:"name" required:"true" doc:"ball, or the name of a robot or an obstacle"`
	With string `toml:"with" doc:"another body, or hall for boards, posts and nets; left out, any of them"`
}

func (c *Contact) Validate(w World) error {
	err := violation("name", c.Name, w.FindBody(c.Name))
	switch {
	case c.With == "" || c.With == hall:
	case c.With == c.Name:
		err = errors.Join(err, violation("with", c.With, errors.New("must be a body other than name")))
	default:
		err = errors.Join(err, violation("with", c.With, w.FindBody(c.With)))
	}
	return err
}

func (c *Contact) Bind(s State) (Test, error) {
	a, err := findBody(s, c.Name)
	if err != nil {
		return Test{}, err
	}
	with, any := physics.Static, c.With == ""
	if !any && c.With != hall {
		b, err := findBody(s, c.With)
		if err != nil {
			return Test{}, err
		}
		with = b.id
	}
	truth := s.Truth()
	return Test{func() bool {
		for i := range truth.Touches {
			t := &truth.Touches[i]
			if t.A == a.id && (any || t.B == with) || t.B == a.id && (any || t.A == with) {
				return true
			}
		}
		return false
	}, func() string { return touchedBodies(s, a) }}, nil
}

func (c *Contact) String() string {
	if c.With == "" {
		return "contact of " + c.Name
	}
	return "contact of " + c.Name + " with " + c.With
}

// touchedBodies returns a text with the names of the bodies that a body touches.
func touchedBodies(s State, b body) string {
	var with []string
	for _, t := range s.Truth().Touches {
		switch b.id {
		case t.A:
			with = append(with, s.Model().BodyName(t.B))
		case t.B:
			with = append(with, s.Model().BodyName(t.A))
		}
	}
	if with == nil {
		return b.name + " touches nothing"
	}
	return fmt.Sprintf("%s touches %s", b.name, strings.Join(with, ", "))
}
