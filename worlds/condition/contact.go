package condition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
)

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
