package mjcf

import (
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// Limits of default classes, far above those of any robot.
const maxClasses, maxClassDepth = 500, 20

// class is a default class: elements whose attributes count where others do not give them.
type class struct {
	parent *class
	depth  int
	of     map[string][]*markup.Element // by their names
}

// defaults reads a default class with the ones in it.
func (r *reader) defaults(e *markup.Element, parent *class) {
	c := r.main
	if name, ok := e.Attr("class"); parent != nil || ok && name != "main" {
		if parent == nil {
			r.Fail(e, "class = %.60q: the outermost class must be main", name)
			return
		}
		if !ok || name == "" {
			r.Fail(e, "must have the attribute class")
			return
		}
		if r.classes[name] != nil {
			r.Fail(e, "the file has this class twice")
			return
		}
		c = &class{parent: parent, depth: parent.depth + 1, of: map[string][]*markup.Element{}}
		r.classes[name] = c
	}
	if len(r.classes) > maxClasses || c.depth > maxClassDepth {
		r.Fail(e, "is one class too many: must be at most %d, nested at most %d deep", maxClasses, maxClassDepth)
		return
	}
	for _, child := range e.Children {
		switch child.Name {
		case "default", "tendon", "equality", "pair", "camera", "light", "site":
			continue
		}
		child.Used = true
		name := child.Name
		if kinds[name] {
			name = actuator
		}
		c.of[name] = append(c.of[name], child)
	}
	for _, child := range e.All("default") {
		r.defaults(child, c)
	}
}

// thing is an element with the class that gives what it does not.
type thing struct {
	*markup.Element
	kind  string // name under which classes have it
	class *class
}

// thing returns an element with its class: the one that it names, or else that of the bodies around it, which is nil
// for the outermost.
func (r *reader) thing(e *markup.Element, around *class) thing {
	t := thing{e, e.Name, around}
	if around == nil {
		t.class = r.main
	}
	if name, ok := e.Attr("class"); ok {
		if c := r.classes[name]; c != nil {
			t.class = c
		} else {
			r.Fail(e, "class = %.60q: is no default class", name)
		}
	}
	if kinds[t.kind] {
		t.kind = actuator
	}
	return t
}

// text returns the value of an attribute, its own or that of its class.
func (t thing) text(name string) (value string, ok bool) {
	if value, ok = t.Attr(name); ok {
		return value, true
	}
	return t.inherited(name)
}

// inherited returns the value of an attribute that its class gives.
func (t thing) inherited(name string) (value string, ok bool) {
	for c := t.class; c != nil; c = c.parent {
		all := c.of[t.kind]
		for i := len(all) - 1; i >= 0; i-- {
			if value, ok = all[i].Attr(name); ok {
				return value, true
			}
		}
	}
	return "", false
}

// floats reads numbers, and reports whether there are any.
func (r *reader) floats(t thing, name string, into ...*float64) bool {
	value, ok := t.text(name)
	if ok {
		r.Numbers(t.Element, name+" = ", value, into...)
	}
	return ok
}

// some reads up to as many numbers as into has, and returns how many there are.
func (r *reader) some(t thing, name string, into ...*float64) int {
	value, ok := t.text(name)
	if !ok {
		return 0
	}
	n := len(strings.Fields(value))
	if n == 0 || n > len(into) {
		r.Fail(t.Element, "%s = %.60q: must be 1 to %d numbers", name, value, len(into))
		return 0
	}
	r.Numbers(t.Element, name+" = ", value, into[:n]...)
	return n
}

func (r *reader) vector(t thing, name string, v *mgl64.Vec3) {
	r.floats(t, name, &v[0], &v[1], &v[2])
}

// number reads one number.
func (r *reader) number(t thing, name string, otherwise float64) float64 {
	r.floats(t, name, &otherwise)
	return otherwise
}

// notNegative reads one number that must not be negative.
func (r *reader) notNegative(t thing, name string, otherwise float64) float64 {
	x := r.number(t, name, otherwise)
	if x < 0 {
		r.Fail(t.Element, "%s = %g: must not be negative", name, x)
	}
	return x
}

// limited reads a range and whether it counts: if limited says so, or if it is given and limited does not say.
func (r *reader) limited(t thing, limits, limited string) (low, high float64, ok bool) {
	given := r.floats(t, limits, &low, &high)
	switch value, _ := t.text(limited); value {
	case "true":
		ok = true
	case "", "auto":
		if given && !r.compiler.autoLimits && low != high {
			r.Fail(t.Element, "must have %s = \"true\" or \"false\" beside %s, because autolimits of <compiler> is false",
				limited, limits)
		}
		ok = given && r.compiler.autoLimits && low < high
	case "false":
	default:
		r.Fail(t.Element, "%s = %.60q: must be true, false or auto", limited, value)
	}
	if ok && !(low < high) {
		r.Fail(t.Element, "%s = %g %g: the first number must be below the second", limits, low, high)
	}
	return low, high, ok
}

// pose reads where an element is: pos and one of the attributes for an orientation.
func (r *reader) pose(t thing) spatial.Pose {
	p := spatial.Identity()
	r.vector(t, "pos", &p.Pos)
	p.Rot = r.orientation(t)
	return p
}

// orientation reads one of quat, axisangle, xyaxes, zaxis and euler. One of its own overrides all of its class.
func (r *reader) orientation(t thing) mgl64.Quat {
	found := ""
	for _, of := range []func(string) (string, bool){t.Attr, t.inherited} {
		for _, name := range []string{"quat", "axisangle", "xyaxes", "zaxis", "euler"} {
			if _, ok := of(name); ok && found != "" {
				r.Fail(t.Element, "has %s and %s: must have one orientation", found, name)
			} else if ok {
				found = name
			}
		}
		if found != "" {
			break
		}
	}
	switch found {
	case "quat":
		return r.quaternion(t, "quat")
	case "axisangle":
		var axis mgl64.Vec3
		var angle float64
		r.floats(t, found, &axis[0], &axis[1], &axis[2], &angle)
		return mgl64.QuatRotate(angle*r.compiler.unit, r.direction(t, found, axis))
	case "xyaxes":
		var x, y mgl64.Vec3
		r.floats(t, found, &x[0], &x[1], &x[2], &y[0], &y[1], &y[2])
		x = r.direction(t, found, x)
		y = r.direction(t, found, y.Sub(x.Mul(x.Dot(y))))
		return mgl64.Mat4ToQuat(mgl64.Mat3FromCols(x, y, x.Cross(y)).Mat4()).Normalize()
	case "zaxis":
		var z mgl64.Vec3
		r.vector(t, found, &z)
		return along(r.direction(t, found, z))
	case "euler":
		var angles mgl64.Vec3
		r.vector(t, found, &angles)
		turn := mgl64.QuatIdent()
		for k, axis := range r.compiler.order {
			var about mgl64.Vec3
			about[(axis|0x20)-'x'] = 1
			by := mgl64.QuatRotate(angles[k]*r.compiler.unit, about)
			if axis >= 'x' { // about the axes that have turned already
				turn = turn.Mul(by)
			} else {
				turn = by.Mul(turn)
			}
		}
		return turn.Normalize()
	}
	return mgl64.QuatIdent()
}

// quaternion reads an attribute with w, x, y and z.
func (r *reader) quaternion(t thing, name string) mgl64.Quat {
	q := mgl64.QuatIdent()
	r.floats(t, name, &q.W, &q.V[0], &q.V[1], &q.V[2])
	if l := q.Len(); !(l >= shortest) {
		r.Fail(t.Element, "%s: must not be 0", name)
		return mgl64.QuatIdent()
	}
	return q.Scale(1 / q.Len())
}

// shortest is the length below which a vector has no direction.
const shortest = 1e-9

// direction returns a vector of length 1.
func (r *reader) direction(t thing, name string, v mgl64.Vec3) mgl64.Vec3 {
	if l := v.Len(); !(l >= shortest) {
		r.Fail(t.Element, "%s: an axis has no direction", name)
		return mgl64.Vec3{0, 0, 1}
	}
	return v.Normalize()
}

// along returns the smallest turn from z to a unit vector.
func along(z mgl64.Vec3) mgl64.Quat {
	axis := mgl64.Vec3{0, 0, 1}.Cross(z)
	sin := axis.Len()
	if sin < 1e-10 {
		axis = mgl64.Vec3{1, 0, 0}
	} else {
		axis = axis.Mul(1 / sin)
	}
	return mgl64.QuatRotate(math.Atan2(sin, z[2]), axis)
}
