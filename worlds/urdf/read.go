package urdf

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// reader reads one file.
type reader struct{ markup.Reader }

const expandXacro = "is a file of xacro: expand it first, as in: xacro robot.urdf.xacro > robot.urdf"

// Parse reads a URDF file. The filename is for messages only. The error joins all problems that were found, each a
// [markup.Error].
func Parse(filename string, data []byte) (*articulated.Robot, error) {
	r := &reader{markup.Reader{File: filename}}
	top, err := r.Parse(data, xacro)
	if err == nil && top.Name != "robot" {
		err = &markup.Error{File: filename, Place: top.Place,
			Rule: fmt.Sprintf("must begin with <robot>, as URDF does: it is <%.40s>", top.Name)}
	}
	if err != nil {
		return nil, err
	}
	robot := r.robot(top)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := robot.Connect(); err != nil {
		return nil, err
	}
	robot.Skipped = append(markup.Unused(top), robot.Skipped...)
	return robot, nil
}

// xacro returns a rule that an element of a xacro file breaks.
func xacro(e xml.StartElement) string {
	if strings.Contains(e.Name.Space, "xacro") {
		return fmt.Sprintf("<xacro:%.40s>: the file %s", e.Name.Local, expandXacro)
	}
	for _, a := range e.Attr {
		if strings.Contains(a.Value, "${") || strings.Contains(a.Value, "$(") {
			return fmt.Sprintf("%s = %.60q: the file %s", a.Name.Local, a.Value, expandXacro)
		}
	}
	return ""
}

// robot reads the elements of a file.
func (r *reader) robot(top *markup.Element) *articulated.Robot {
	robot := &articulated.Robot{File: r.File, Place: top.Place}
	robot.Name, _ = top.Attr("name")
	top.Attr("version")
	named := map[string]articulated.Material{}
	for _, e := range top.All("material") {
		if m := r.material(e, nil); m.Name != "" {
			named[m.Name] = m
		}
	}
	links := top.All("link")
	// a material that a link defines has its name in the whole file
	for _, link := range links {
		for _, visual := range link.All("visual") {
			for _, e := range visual.All("material") {
				m := r.material(e, nil)
				if _, known := named[m.Name]; m.Name != "" && !known && (m.Color != nil || m.Texture != "") {
					named[m.Name] = m
				}
			}
		}
	}
	taken := map[string]bool{}
	unique := func(e *markup.Element, name string) {
		if key := e.Name + " " + name; taken[key] {
			r.Fail(e, "the file has this name twice")
		} else {
			taken[key] = true
		}
	}
	for _, e := range links {
		robot.Links = append(robot.Links, r.link(e, named, robot))
		unique(e, robot.Links[len(robot.Links)-1].Name)
	}
	for _, e := range top.All("joint") {
		robot.Joints = append(robot.Joints, r.joint(e))
		unique(e, robot.Joints[len(robot.Joints)-1].Name)
	}
	for _, e := range top.All("gazebo") {
		r.gazebo(e, robot)
	}
	return robot
}

func (r *reader) origin(e *markup.Element) spatial.Pose {
	var pos, rpy mgl64.Vec3
	o := r.Child(e, "origin")
	r.Vector(o, "xyz", false, &pos)
	r.Vector(o, "rpy", false, &rpy)
	return spatial.RPY(pos, rpy[0], rpy[1], rpy[2])
}

func (r *reader) link(e *markup.Element, named map[string]articulated.Material,
	robot *articulated.Robot) articulated.Link {
	l := articulated.Link{Place: e.Place, Name: r.Required(e, "name")}
	if in := r.Child(e, "inertial"); in != nil {
		i := &articulated.Inertial{Place: in.Place, PoseLC: r.origin(in)}
		if mass := r.Child(in, "mass"); mass == nil {
			r.Fail(in, "must have a <mass>")
		} else if r.Floats(mass, "value", true, &i.Mass); i.Mass < 0 {
			r.Fail(mass, "value = %g: must not be negative", i.Mass)
		}
		tensor := r.Child(in, "inertia")
		for k, into := range []*float64{&i.IXX, &i.IXY, &i.IXZ, &i.IYY, &i.IYZ, &i.IZZ} {
			r.Floats(tensor, [...]string{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}[k], false, into)
		}
		l.Inertial = i
	}
	for _, v := range e.All("visual") {
		shape, ok := r.shape(v)
		if !ok {
			continue
		}
		visual := articulated.Visual{Collision: shape}
		if m := r.Child(v, "material"); m != nil {
			visual.Material = r.material(m, named)
			if visual.Material.Color == nil && visual.Material.Texture == "" && visual.Material.Name != "" {
				robot.Skipped.Add(fmt.Sprintf("material %.60q, which is not defined",
					visual.Material.Name), m.Place)
			}
		}
		l.Visuals = append(l.Visuals, visual)
	}
	for _, c := range e.All("collision") {
		if shape, ok := r.shape(c); ok {
			l.Collisions = append(l.Collisions, shape)
		}
	}
	return l
}

// shape reads what visual and collision elements have in common. It reports whether the shape has a size: files have
// boxes and spheres of size 0 where a shape is to be missing.
func (r *reader) shape(e *markup.Element) (c articulated.Collision, ok bool) {
	e.Attr("name") // has no meaning
	c = articulated.Collision{Place: e.Place, PoseLS: r.origin(e)}
	g := r.Child(e, "geometry")
	if g == nil {
		r.Fail(e, "must have a <geometry>")
		return c, true
	}
	var s *markup.Element
	for _, name := range []articulated.Shape{articulated.Box, articulated.Cylinder, articulated.Sphere,
		articulated.Mesh} {
		if other := r.Child(g, string(name)); other != nil && s != nil {
			r.Fail(other, "<geometry> has a <%s>, too: must have one shape", s.Name)
		} else if other != nil {
			s, c.Shape = other, name
		}
	}
	if s == nil {
		if len(g.Children) > 0 {
			g = g.Children[0]
		}
		r.Fail(g, "must be one of <box>, <cylinder>, <sphere> and <mesh>")
		return c, true
	}
	ok = true
	positive := func(name string, into ...*float64) {
		r.Floats(s, name, true, into...)
		for _, x := range into {
			if *x < 0 {
				r.Fail(s, "%s = %g: must not be negative", name, *x)
			}
			ok = ok && *x != 0
		}
	}
	switch c.Shape {
	case articulated.Box:
		positive("size", &c.Size[0], &c.Size[1], &c.Size[2])
	case articulated.Cylinder:
		positive("radius", &c.Radius)
		positive("length", &c.Length)
	case articulated.Sphere:
		positive("radius", &c.Radius)
	case articulated.Mesh:
		c.File, c.Scale = r.Required(s, "filename"), mgl64.Vec3{1, 1, 1}
		r.Vector(s, "scale", false, &c.Scale)
		if c.Scale[0]*c.Scale[1]*c.Scale[2] == 0 {
			r.Fail(s, "scale = %v: no number may be 0", c.Scale)
		}
	}
	if !ok {
		e.Used, e.Why = false, fmt.Sprintf("<%s> with a <%s> of size 0", e.Name, s.Name)
	}
	return c, ok
}

// material reads a material. One that only has a name refers to the named ones.
func (r *reader) material(e *markup.Element, named map[string]articulated.Material) articulated.Material {
	var m articulated.Material
	m.Name, _ = e.Attr("name")
	if c := r.Child(e, "color"); c != nil {
		var rgba [4]float64
		r.Floats(c, "rgba", true, &rgba[0], &rgba[1], &rgba[2], &rgba[3])
		for _, x := range rgba {
			if x < 0 || x > 1 {
				r.Fail(c, "rgba = %v: must lie in [0, 1]", rgba)
				break
			}
		}
		m.Color = &rgba
	}
	if t := r.Child(e, "texture"); t != nil {
		m.Texture, _ = t.Attr("filename") // without one, the element says nothing
	}
	if other, ok := named[m.Name]; ok && m.Color == nil && m.Texture == "" {
		return other
	}
	return m
}

func (r *reader) joint(e *markup.Element) articulated.Joint {
	j := articulated.Joint{Place: e.Place, Name: r.Required(e, "name"),
		Type: articulated.JointType(r.Required(e, "type")), PosePJ: r.origin(e), Axis: mgl64.Vec3{1, 0, 0}}
	switch j.Type {
	case articulated.Fixed, articulated.Continuous, articulated.Revolute, articulated.Prismatic:
	case "floating", "planar":
		r.Fail(e, "type = %q: joints of this type are not simulated; must be fixed, continuous, revolute or prismatic", j.Type)
	default:
		r.Fail(e, "type = %.60q: must be fixed, continuous, revolute or prismatic", j.Type)
	}
	end := func(name string) (link string) {
		c := r.Child(e, name)
		if c == nil {
			r.Fail(e, "must have a <%s>", name)
			return ""
		}
		return r.Required(c, "link")
	}
	j.Parent, j.Child = end("parent"), end("child")
	if a := r.Child(e, "axis"); a != nil && j.Type != articulated.Fixed {
		r.Vector(a, "xyz", true, &j.Axis)
		if j.Axis.Len() < 1e-9 {
			r.Fail(a, "xyz = %v: must have a direction", j.Axis)
		} else {
			j.Axis = j.Axis.Normalize()
		}
	} else {
		a.Attr("xyz") // of a fixed joint, without meaning
	}
	if l := r.Child(e, "limit"); l != nil {
		j.Limit = new(articulated.Limit)
		r.Bound(l, "lower", -1, &j.Limit.Lower)
		r.Bound(l, "upper", 1, &j.Limit.Upper)
		r.Bound(l, "velocity", 1, &j.Limit.Velocity)
		r.Bound(l, "effort", 1, &j.Limit.Effort)
		if j.Type != articulated.Continuous && j.Limit.Lower > j.Limit.Upper {
			r.Fail(l, "lower = %g: must be at most upper = %g", j.Limit.Lower, j.Limit.Upper)
		}
	} else if j.Type == articulated.Revolute || j.Type == articulated.Prismatic {
		r.Fail(e, "must have a <limit>, as every %s joint", j.Type)
	}
	d := r.Child(e, "dynamics")
	r.Floats(d, "damping", false, &j.Damping)
	r.Floats(d, "friction", false, &j.Friction)
	if j.Damping < 0 || j.Friction < 0 {
		r.Fail(d, "damping = %g, friction = %g: must not be negative", j.Damping, j.Friction)
	}
	if m := r.Child(e, "mimic"); m != nil {
		j.Mimic = &articulated.Mimic{Place: m.Place, Joint: r.Required(m, "joint"), Multiplier: 1}
		r.Floats(m, "multiplier", false, &j.Mimic.Multiplier)
		r.Floats(m, "offset", false, &j.Mimic.Offset)
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
func (r *reader) gazebo(e *markup.Element, robot *articulated.Robot) {
	reference, _ := e.Attr("reference")
	link := robot.Link(reference)
	if link < 0 {
		return // for the whole robot or for a joint: all of it is skipped
	}
	if m := r.Child(e, "material"); m != nil {
		if c, ok := gazeboColors[strings.TrimPrefix(strings.TrimSpace(string(m.Text)), "Gazebo/")]; ok {
			for i := range robot.Links[link].Visuals {
				robot.Links[link].Visuals[i].Material = articulated.Material{Color: &[4]float64{c[0], c[1], c[2], 1}}
			}
		} else {
			m.Used = false
		}
	}
	for _, s := range e.All("sensor") {
		r.sensor(s, link, robot)
	}
}
