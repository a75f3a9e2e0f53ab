package condition

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// findBodies returns the body with a name, or else all bodies of a kind: the world's own kinds, robot and obstacle.
func findBodies(s State, word string) (all []body, err error) {
	if one, err := findBody(s, word); err == nil {
		return []body{one}, nil
	}
	m := s.Model()
	for i := range m.Props {
		if m.Props[i].Name == word {
			return []body{still(&m.Props[i])}, nil
		}
	}
	if word == string(abstraction.RobotKind) {
		for i := range m.Robots {
			all = append(all, bodyOf(s, m.RobotID(i)))
		}
	}
	for i := range m.Obstacles {
		if cmp.Or(m.Obstacles[i].Kind, string(abstraction.ObstacleKind)) == word {
			all = append(all, bodyOf(s, m.ObstacleID(i)))
		}
	}
	for i := range m.Props {
		if p := &m.Props[i]; p.Form != physics.WallForm && cmp.Or(p.Kind, string(abstraction.ObstacleKind)) == word {
			all = append(all, still(p))
		}
	}
	if all == nil {
		err = fmt.Errorf("name = %q: there is no such body, and no body of that kind", word)
	}
	return all, err
}

// still returns a body that never moves, with the middle of its plan as its place.
func still(p *physics.Prop) body {
	b := body{id: physics.Static, name: p.Name, prop: p, posW: new(mgl64.Vec3), velW: new(mgl64.Vec3),
		angW: new(mgl64.Vec3), rotW: &mgl64.Quat{W: 1}}
	lo, hi := mgl64.Vec2{math.Inf(1), math.Inf(1)}, mgl64.Vec2{math.Inf(-1), math.Inf(-1)}
	for i := range p.Boxes {
		x, y := p.Boxes[i].Extent()
		for k, half := range [2]float64{x, y} {
			c := p.Boxes[i].Centre[k]
			lo[k], hi[k] = min(lo[k], c-half), max(hi[k], c+half)
		}
	}
	if len(p.Boxes) > 0 {
		*b.posW = lo.Add(hi).Mul(0.5).Vec3(0)
		*b.rotW = spatial.RotZ(p.Boxes[0].Heading)
	}
	return b
}

// across returns the horizontal vector from one body to another: between their centres, but to the nearest point of the
// plan of a body that stands still.
func across(a, b *body) mgl64.Vec2 {
	from, to := a.posW.Vec2(), b.posW.Vec2()
	if a.prop != nil {
		from = a.nearest(to)
	}
	if b.prop != nil {
		to = b.nearest(from)
	}
	return to.Sub(from)
}

// nearest returns the point of a still body's plan that is nearest to a point.
func (b *body) nearest(to mgl64.Vec2) (best mgl64.Vec2) {
	least := math.Inf(1)
	for i := range b.prop.Boxes {
		at := b.prop.Boxes[i].Nearest(to)
		if d := at.Sub(to); d.Dot(d) < least {
			best, least = at, d.Dot(d)
		}
	}
	return best
}

// touchDepth is how far a contact point may be from the surface of the body that it belongs to, m. It is a guess.
const touchDepth = 0.03

// touched reports whether a body is the one of a contact that has the given id.
func (b *body) touched(t *physics.Touch, id physics.BodyID) bool {
	return b.id == id && (b.prop == nil || encloses(b.prop, t.PosW))
}

// encloses reports whether a contact point belongs to a body that stands still. The planar engine's contact points are
// at height 0.
func encloses(p *physics.Prop, at mgl64.Vec3) bool {
	for i := range p.Boxes {
		b := &p.Boxes[i]
		d := b.Nearest(at.Vec2()).Sub(at.Vec2())
		if d.Dot(d) <= touchDepth*touchDepth &&
			(at[2] == 0 || at[2] >= b.Bottom()-touchDepth && at[2] <= b.Top()+touchDepth) {
			return true
		}
	}
	return false
}

// stillAt returns the name of the body that stands still to which a contact point belongs, or hall.
func stillAt(m *physics.Model, at mgl64.Vec3) string {
	for i := range m.Props {
		if encloses(&m.Props[i], at) {
			return m.Props[i].Name
		}
	}
	return hall
}

// each returns a test that holds if the test that bind returns holds for at least one of the bodies that a word names.
func each(s State, word string, bind func(*body) (Test, error)) (Test, error) {
	bodies, err := findBodies(s, word)
	if err != nil {
		return Test{}, err
	}
	var tests []Test
	for i := range bodies {
		test, err := bind(&bodies[i])
		if err != nil {
			return Test{}, err
		}
		if test.Holds != nil {
			tests = append(tests, test)
		}
	}
	return oneOf(tests), nil
}

// eachPair is like each for two words, and leaves out pairs of a body with itself.
func eachPair(s State, first, second string, bind func(a, b *body) (Test, error)) (Test, error) {
	return each(s, first, func(a *body) (Test, error) {
		return each(s, second, func(b *body) (Test, error) {
			if a.name == b.name {
				return Test{}, nil
			}
			return bind(a, b)
		})
	})
}

// maxDescribed is the largest number of texts in the description of oneOf.
const maxDescribed = 4

// oneOf returns a test that holds if at least one of the tests holds. The tests must have no memory.
func oneOf(tests []Test) Test {
	switch len(tests) {
	case 0:
		return Test{}
	case 1:
		return tests[0]
	}
	holding := func() int {
		for i := range tests {
			if tests[i].Holds() {
				return i
			}
		}
		return -1
	}
	return Test{func() bool { return holding() >= 0 }, func() string {
		if i := holding(); i >= 0 {
			return tests[i].Now()
		}
		var texts []string
		for _, test := range tests {
			if text := test.Now(); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		if n := len(texts) - maxDescribed; n > 0 {
			texts = append(texts[:maxDescribed], fmt.Sprintf("%d more", n))
		}
		return strings.Join(texts, ", ")
	}}
}
