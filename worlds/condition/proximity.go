package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
)

// Near holds while the horizontal distance between two bodies is at most a given distance. It is the distance of their
// centres, or of the nearest point of the plan of a body that stands still.
type Near struct {
	Name   string  `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough"`
	Of     string  `toml:"of" required:"true" doc:"another body, or a kind"`
	Within float64 `toml:"within_m" required:"true" range:"(0, 100]" doc:"largest distance between their centres, over the floor; of a body that stands still, the nearest point of its plan counts"`
}

func (c *Near) Validate(w World) error {
	return errors.Join(violation("name", c.Name, w.FindBodies(c.Name, 1)), violation("of", c.Of, findOther(w, c.Name,
		c.Of, "name")))
}

// findOther fails unless a word names a body other than the one that another key names. For a kind, both words may be
// the same.
func findOther(w World, first, second, key string) error {
	if err := w.FindBodies(second, 1); err != nil || first != second {
		return err
	}
	if w.FindBodies(second, 2) != nil {
		return errors.New("must be a body other than " + key)
	}
	return nil
}

func (c *Near) Bind(s State) (Test, error) {
	within2 := c.Within * c.Within
	return eachPair(s, c.Name, c.Of, func(a, b *body) (Test, error) {
		return Test{
			func() bool { d := across(a, b); return d.Dot(d) <= within2 },
			func() string { return fmt.Sprintf("%s %.2f m from %s", a.name, across(a, b).Len(), b.name) },
		}, nil
	})
}

func (c *Near) String() string { return fmt.Sprintf("%s within %v m of %s", c.Name, c.Within, c.Of) }

// Apart holds while every two of the named bodies are at least a given distance apart, measured as by Near. Pairs of
// bodies that both stand still are left out.
type Apart struct {
	Names   []string `toml:"names" required:"true" minlen:"1" maxlen:"100" doc:"names of bodies, or kinds: all bodies of a kind"`
	AtLeast float64  `toml:"at_least_m" required:"true" range:"(0, 100]" doc:"smallest distance, as of near"`
}

func (c *Apart) Validate(w World) error {
	var errs []error
	for i, name := range c.Names {
		err := w.FindBodies(name, 1)
		switch {
		case slices.Contains(c.Names[:i], name):
			err = errors.New("is named twice")
		case err == nil && len(c.Names) == 1 && w.FindBodies(name, 2) != nil:
			err = errors.New("is one body alone: needs two or more")
		}
		errs = append(errs, violation(fmt.Sprintf("names[%d]", i), name, err))
	}
	return errors.Join(errs...)
}

func (c *Apart) Bind(s State) (Test, error) {
	var bodies []body
	for _, name := range c.Names {
		more, err := findBodies(s, name)
		if err != nil {
			return Test{}, err
		}
		for _, b := range more {
			if !slices.ContainsFunc(bodies, func(o body) bool { return o.name == b.name }) {
				bodies = append(bodies, b)
			}
		}
	}
	least2 := c.AtLeast * c.AtLeast
	return Test{func() bool {
		for i := range bodies {
			for k := range i {
				a, b := &bodies[i], &bodies[k]
				if a.prop != nil && b.prop != nil {
					continue
				}
				if d := across(a, b); !(d.Dot(d) >= least2) {
					return false
				}
			}
		}
		return true
	}, func() string { return nearest(bodies) }}, nil
}

// nearest names the two bodies that are nearest to each other.
func nearest(bodies []body) string {
	least, text := math.Inf(1), ""
	for i := range bodies {
		for k := range i {
			a, b := &bodies[k], &bodies[i]
			if d := across(a, b).Len(); d < least && (a.prop == nil || b.prop == nil) {
				least, text = d, fmt.Sprintf("%s %.2f m from %s", a.name, d, b.name)
			}
		}
	}
	return text
}

func (c *Apart) String() string {
	return fmt.Sprintf("%s at least %v m apart", strings.Join(c.Names, ", "), c.AtLeast)
}

// hall is the common name of all static bodies: boards, posts and nets.
const hall = "hall"

// Contact holds in each step in which a body touches another body. Contact with the floor does not count.
type Contact struct {
	Name string `toml:"name" required:"true" doc:"name of a body, or a kind: one body of the kind is enough"`
	With string `toml:"with" doc:"another body, a kind, or hall for all that stands still; left out, any of them. Of all bodies that stand still and touch the same body in a step, only the one that is pressed most counts"`
}

func (c *Contact) Validate(w World) error {
	err := violation("name", c.Name, w.FindBodies(c.Name, 1))
	if c.With != "" && c.With != hall {
		err = errors.Join(err, violation("with", c.With, findOther(w, c.Name, c.With, "name")))
	}
	return err
}

func (c *Contact) Bind(s State) (Test, error) {
	truth := s.Truth()
	if c.With != "" && c.With != hall {
		return eachPair(s, c.Name, c.With, func(a, b *body) (Test, error) {
			return Test{func() bool {
				for i := range truth.Touches {
					t := &truth.Touches[i]
					if a.touched(t, t.A) && b.touched(t, t.B) || a.touched(t, t.B) && b.touched(t, t.A) {
						return true
					}
				}
				return false
			}, func() string { return touchedBodies(s, a) }}, nil
		})
	}
	return each(s, c.Name, func(a *body) (Test, error) {
		return Test{func() bool {
			for i := range truth.Touches {
				t := &truth.Touches[i]
				if a.touched(t, t.A) && (c.With == "" || t.B == physics.Static) || a.touched(t, t.B) && c.With == "" {
					return true
				}
			}
			return false
		}, func() string { return touchedBodies(s, a) }}, nil
	})
}

func (c *Contact) String() string {
	if c.With == "" {
		return "contact of " + c.Name
	}
	return "contact of " + c.Name + " with " + c.With
}

// touchedBodies returns a text with the name of a body, and the names of the bodies that it touches.
func touchedBodies(s State, b *body) string {
	var with []string
	for _, t := range s.Truth().Touches {
		switch {
		case b.touched(&t, t.A) && t.B == physics.Static:
			with = append(with, stillAt(s.Model(), t.PosW))
		case b.touched(&t, t.A):
			with = append(with, s.Model().BodyName(t.B))
		case b.touched(&t, t.B):
			with = append(with, s.Model().BodyName(t.A))
		}
	}
	if with == nil {
		return b.name + " touches nothing"
	}
	return fmt.Sprintf("%s touches %s", b.name, strings.Join(with, ", "))
}
