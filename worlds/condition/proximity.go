package condition

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// Near holds while the horizontal distance between the centres of two bodies is at most a given distance.
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

// Apart holds while every two of the named bodies are at least a given distance apart. The distance is horizontal, from
// centre to centre.
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

// touchedBodies returns a text with the name of a body, and the names of the bodies that it touches.
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

// LineOfSight holds while nothing blocks the straight line from one body to another. Only the hulls of other robots and
// obstacles block it. The line starts at the centre of the top of the first body, and ends at the middle of the hull of
// the second body. For the ball, both are the ball's centre.
type LineOfSight struct {
	From string `toml:"from" required:"true" doc:"ball, or the name of a robot or an obstacle; the line starts at its top"`
	To   string `toml:"to" required:"true" doc:"another body; the line ends at its middle"`
}

func (c *LineOfSight) Validate(w World) error {
	err := errors.Join(violation("from", c.From, w.FindBody(c.From)), violation("to", c.To, w.FindBody(c.To)))
	if err == nil && c.From == c.To {
		err = violation("to", c.To, errors.New("must be a body other than from"))
	}
	return err
}

func (c *LineOfSight) Bind(s State) (Test, error) {
	from, err := findBody(s, c.From)
	if err != nil {
		return Test{}, err
	}
	to, err := findBody(s, c.To)
	if err != nil {
		return Test{}, err
	}
	var between []solid
	var near []disc
	for id, hull := range hulls(s.Model()) {
		if id := physics.BodyID(id); id != from.id && id != to.id {
			b := bodyOf(s, id)
			between = append(between, solid{b, hull})
			reach := mgl64.Vec3{max(hull.Radius, hull.SizeX/2), hull.SizeY / 2, hull.Height}.Len()
			near = append(near, disc{b.posW, reach * reach})
		}
	}
	m := s.Model()
	top, middle := heightOf(m, from.id), heightOf(m, to.id)/2
	blocks := func() int {
		eye := from.up(top)
		line := to.up(middle).Sub(eye)
		flat := line[0]*line[0] + line[1]*line[1]
		for i := range near { // this fast test in plan view comes first, because most hulls are far from the line
			dx, dy := near[i].posW[0]-eye[0], near[i].posW[1]-eye[1]
			if along := dx*line[0] + dy*line[1]; along >= flat {
				dx, dy = dx-line[0], dy-line[1]
			} else if along > 0 {
				dx, dy = dx-along/flat*line[0], dy-along/flat*line[1]
			}
			if dx*dx+dy*dy <= near[i].reach2 && between[i].meets(eye, line) {
				return i
			}
		}
		return -1
	}
	return Test{func() bool { return blocks() < 0 }, func() string {
		name := "nothing"
		if i := blocks(); i >= 0 {
			name = between[i].name
		}
		return name + " between " + c.From + " and " + c.To
	}}, nil
}

// solid is a hull that may block the line of sight.
type solid struct {
	body
	hull abstraction.Shape
}

// disc is a circle in plan view. It contains a solid even if the solid has tipped over.
type disc struct {
	posW   *mgl64.Vec3
	reach2 float64 // square of the radius, m²
}

// meets reports whether the hull intersects a line. The argument eye is the start of the line, and line is the vector
// from there to its end, both in W.
func (x *solid) meets(eye, line mgl64.Vec3) bool {
	length := line.Len()
	return length > 0 && x.hull.Raycast(x.poseW(), eye, line.Mul(1/length)) < length
}

// hulls returns the hulls of robots and obstacles, indexed by BodyID.
func hulls(m *physics.Model) (list []abstraction.Shape) {
	for i := range m.Robots {
		list = append(list, sensors.RobotShape(&m.Robots[i]))
	}
	for i := range m.Obstacles {
		list = append(list, sensors.ObstacleShape(&m.Obstacles[i]))
	}
	return list
}

// heightOf returns the height of a body's hull in m. It returns 0 for the ball, because the frame of the ball is at its
// centre.
func heightOf(m *physics.Model, id physics.BodyID) float64 {
	if id == m.BallID() {
		return 0
	}
	return hulls(m)[id].Height
}

func (c *LineOfSight) String() string { return "line of sight from " + c.From + " to " + c.To }
