package urdf

import (
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// robot reads the elements of a file.
func (r *reader) robot(top *element) *Robot {
	robot := &Robot{file: r.file, place: top.Place}
	robot.Name, _ = top.attr("name")
	top.attr("version")
	named := map[string]Material{}
	for _, e := range top.all("material") {
		if m := r.material(e, nil); m.Name != "" {
			named[m.Name] = m
		}
	}
	links := top.all("link")
	// a material that a link defines has its name in the whole file
	for _, link := range links {
		for _, visual := range link.all("visual") {
			for _, e := range visual.all("material") {
				m := r.material(e, nil)
				if _, known := named[m.Name]; m.Name != "" && !known && (m.Color != nil || m.Texture != "") {
					named[m.Name] = m
				}
			}
		}
	}
	taken := map[string]bool{}
	unique := func(e *element, name string) {
		if key := e.name + " " + name; taken[key] {
			r.fail(e, "the file has this name twice")
		} else {
			taken[key] = true
		}
	}
	for _, e := range links {
		robot.Links = append(robot.Links, r.link(e, named, robot))
		unique(e, robot.Links[len(robot.Links)-1].Name)
	}
	for _, e := range top.all("joint") {
		robot.Joints = append(robot.Joints, r.joint(e))
		unique(e, robot.Joints[len(robot.Joints)-1].Name)
	}
	if n := len(robot.Links); n == 0 || n > maxLinks {
		r.fail(top, "%d links: must be 1 to %d", n, maxLinks)
	}
	for _, e := range top.all("gazebo") {
		r.gazebo(e, robot)
	}
	return robot
}

func (r *reader) origin(e *element) spatial.Pose {
	var pos, rpy mgl64.Vec3
	o := r.child(e, "origin")
	r.vector(o, "xyz", false, &pos)
	r.vector(o, "rpy", false, &rpy)
	return spatial.RPY(pos, rpy[0], rpy[1], rpy[2])
}

func (r *reader) link(e *element, named map[string]Material, robot *Robot) Link {
	l := Link{Place: e.Place, Name: r.required(e, "name")}
	if in := r.child(e, "inertial"); in != nil {
		i := &Inertial{Place: in.Place, PoseLC: r.origin(in)}
		if mass := r.child(in, "mass"); mass == nil {
			r.fail(in, "must have a <mass>")
		} else if r.floats(mass, "value", true, &i.Mass); i.Mass < 0 {
			r.fail(mass, "value = %g: must not be negative", i.Mass)
		}
		tensor := r.child(in, "inertia")
		for k, into := range []*float64{&i.IXX, &i.IXY, &i.IXZ, &i.IYY, &i.IYZ, &i.IZZ} {
			r.floats(tensor, [...]string{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}[k], false, into)
		}
		l.Inertial = i
	}
	for _, v := range e.all("visual") {
		shape, ok := r.shape(v)
		if !ok {
			continue
		}
		visual := Visual{Collision: shape}
		if m := r.child(v, "material"); m != nil {
			visual.Material = r.material(m, named)
			if visual.Material.Color == nil && visual.Material.Texture == "" && visual.Material.Name != "" {
				(*notes)(&robot.Skipped).add(fmt.Sprintf("material %.60q, which is not defined",
					visual.Material.Name), m.Place)
			}
		}
		l.Visuals = append(l.Visuals, visual)
	}
	for _, c := range e.all("collision") {
		if shape, ok := r.shape(c); ok {
			l.Collisions = append(l.Collisions, shape)
		}
	}
	return l
}

// shape reads what visual and collision elements have in common. It reports whether the shape has a size: files have
// boxes and spheres of size 0 where a shape is to be missing.
func (r *reader) shape(e *element) (c Collision, ok bool) {
	e.attr("name") // has no meaning
	c = Collision{Place: e.Place, PoseLS: r.origin(e)}
	g := r.child(e, "geometry")
	if g == nil {
		r.fail(e, "must have a <geometry>")
		return c, true
	}
	var s *element
	for _, name := range []Shape{Box, Cylinder, Sphere, Mesh} {
		if other := r.child(g, string(name)); other != nil && s != nil {
			r.fail(other, "<geometry> has a <%s>, too: must have one shape", s.name)
		} else if other != nil {
			s, c.Shape = other, name
		}
	}
	if s == nil {
		if len(g.children) > 0 {
			g = g.children[0]
		}
		r.fail(g, "must be one of <box>, <cylinder>, <sphere> and <mesh>")
		return c, true
	}
	ok = true
	positive := func(name string, into ...*float64) {
		r.floats(s, name, true, into...)
		for _, x := range into {
			if *x < 0 {
				r.fail(s, "%s = %g: must not be negative", name, *x)
			}
			ok = ok && *x != 0
		}
	}
	switch c.Shape {
	case Box:
		positive("size", &c.Size[0], &c.Size[1], &c.Size[2])
	case Cylinder:
		positive("radius", &c.Radius)
		positive("length", &c.Length)
	case Sphere:
		positive("radius", &c.Radius)
	case Mesh:
		c.File, c.Scale = r.required(s, "filename"), mgl64.Vec3{1, 1, 1}
		r.vector(s, "scale", false, &c.Scale)
		if c.Scale[0]*c.Scale[1]*c.Scale[2] == 0 {
			r.fail(s, "scale = %v: no number may be 0", c.Scale)
		}
	}
	if !ok {
		e.used, e.why = false, fmt.Sprintf("<%s> with a <%s> of size 0", e.name, s.name)
	}
	return c, ok
}

// material reads a material. One that only has a name refers to the named ones.
func (r *reader) material(e *element, named map[string]Material) Material {
	var m Material
	m.Name, _ = e.attr("name")
	if c := r.child(e, "color"); c != nil {
		var rgba [4]float64
		r.floats(c, "rgba", true, &rgba[0], &rgba[1], &rgba[2], &rgba[3])
		for _, x := range rgba {
			if x < 0 || x > 1 {
				r.fail(c, "rgba = %v: must lie in [0, 1]", rgba)
				break
			}
		}
		m.Color = &rgba
	}
	if t := r.child(e, "texture"); t != nil {
		m.Texture, _ = t.attr("filename") // without one, the element says nothing
	}
	if other, ok := named[m.Name]; ok && m.Color == nil && m.Texture == "" {
		return other
	}
	return m
}

func (r *reader) joint(e *element) Joint {
	j := Joint{Place: e.Place, Name: r.required(e, "name"), Type: JointType(r.required(e, "type")),
		PosePJ: r.origin(e), Axis: mgl64.Vec3{1, 0, 0}}
	switch j.Type {
	case Fixed, Continuous, Revolute, Prismatic:
	case "floating", "planar":
		r.fail(e, "type = %q: joints of this type are not simulated; must be fixed, continuous, revolute or prismatic", j.Type)
	default:
		r.fail(e, "type = %.60q: must be fixed, continuous, revolute or prismatic", j.Type)
	}
	end := func(name string) (link string) {
		c := r.child(e, name)
		if c == nil {
			r.fail(e, "must have a <%s>", name)
			return ""
		}
		return r.required(c, "link")
	}
	j.Parent, j.Child = end("parent"), end("child")
	if a := r.child(e, "axis"); a != nil && j.Type != Fixed {
		r.vector(a, "xyz", true, &j.Axis)
		if j.Axis.Len() < 1e-9 {
			r.fail(a, "xyz = %v: must have a direction", j.Axis)
		} else {
			j.Axis = j.Axis.Normalize()
		}
	} else {
		a.attr("xyz") // of a fixed joint, without meaning
	}
	if l := r.child(e, "limit"); l != nil {
		j.Limit = new(Limit)
		r.bound(l, "lower", -1, &j.Limit.Lower)
		r.bound(l, "upper", 1, &j.Limit.Upper)
		r.bound(l, "velocity", 1, &j.Limit.Velocity)
		r.bound(l, "effort", 1, &j.Limit.Effort)
		if j.Type != Continuous && j.Limit.Lower > j.Limit.Upper {
			r.fail(l, "lower = %g: must be at most upper = %g", j.Limit.Lower, j.Limit.Upper)
		}
	} else if j.Type == Revolute || j.Type == Prismatic {
		r.fail(e, "must have a <limit>, as every %s joint", j.Type)
	}
	d := r.child(e, "dynamics")
	r.floats(d, "damping", false, &j.Damping)
	r.floats(d, "friction", false, &j.Friction)
	if j.Damping < 0 || j.Friction < 0 {
		r.fail(d, "damping = %g, friction = %g: must not be negative", j.Damping, j.Friction)
	}
	if m := r.child(e, "mimic"); m != nil {
		j.Mimic = &Mimic{Place: m.Place, Joint: r.required(m, "joint"), Multiplier: 1}
		r.floats(m, "multiplier", false, &j.Mimic.Multiplier)
		r.floats(m, "offset", false, &j.Mimic.Offset)
	}
	return j
}

// gazeboColors are the colours of Gazebo's materials that robots use, in sRGB.
var gazeboColors = map[string][3]float64{
	"Black": {0, 0, 0}, "DarkGrey": {0.175, 0.175, 0.175}, "Grey": {0.3, 0.3, 0.3}, "White": {1, 1, 1},
	"Red": {1, 0, 0}, "Green": {0, 1, 0}, "Blue": {0, 0, 1}, "Yellow": {1, 1, 0}, "Orange": {1, 0.5088, 0.0468},
	"FlatBlack": {0.1, 0.1, 0.1}, "Turquoise": {0, 1, 1}, "Purple": {1, 0, 1}, "ZincYellow": {0.9725, 0.9529, 0.2078},
}

// gazebo reads an extension for Gazebo: sensors of a link, and the colour of its visual shapes.
func (r *reader) gazebo(e *element, robot *Robot) {
	reference, _ := e.attr("reference")
	link := robot.Link(reference)
	if link < 0 {
		return // for the whole robot or for a joint: all of it is skipped
	}
	if m := r.child(e, "material"); m != nil {
		if c, ok := gazeboColors[strings.TrimPrefix(strings.TrimSpace(m.text), "Gazebo/")]; ok {
			for i := range robot.Links[link].Visuals {
				robot.Links[link].Visuals[i].Material = Material{Color: &[4]float64{c[0], c[1], c[2], 1}}
			}
		} else {
			m.used = false
		}
	}
	for _, s := range e.all("sensor") {
		r.sensor(s, link, robot)
	}
}
