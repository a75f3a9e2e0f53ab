package mjcf

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

// placed is an element with the class of the elements around it, and the pose of the frames around it.
type placed struct {
	*markup.Element
	around *class
	poseP  spatial.Pose // in the body around it
}

// each visits the children of a body that are in no other body. Those in a <frame> are moved with it.
func (r *reader) each(p placed, visit func(placed)) {
	for _, c := range p.Children {
		if c.Name != "frame" {
			visit(placed{c, p.around, p.poseP})
			continue
		}
		c.Used = true
		c.Attr("name")
		in := placed{c, r.childClass(c, p.around), p.poseP.Mul(r.pose(thing{c, c.Name, nil}))}
		r.each(in, visit)
	}
}

// childClass returns the class that a body or a frame gives to what is in it.
func (r *reader) childClass(e *markup.Element, around *class) *class {
	if name, ok := e.Attr("childclass"); ok {
		if c := r.classes[name]; c != nil {
			return c
		}
		r.Fail(e, "childclass = %.60q: is no default class", name)
	}
	return around
}

// root returns the body that is the robot, or nil: the one that moves freely, or the only one.
func (r *reader) root(worlds []*markup.Element) *placed {
	var all, free []placed
	for _, w := range worlds {
		r.each(placed{w, r.childClass(w, nil), spatial.Identity()}, func(p placed) {
			if p.Name == "body" {
				all = append(all, p)
				if r.moves(p) {
					free = append(free, p)
				}
			}
		})
	}
	if len(free) > 0 {
		all, r.free = free, true
	}
	switch {
	case len(all) > 1:
		r.Fail(all[1].Element, "is a second robot beside %s: a file must have one body that moves freely, or one body",
			all[0].Element)
		return nil
	case len(all) == 0:
		r.Fail(&markup.Element{Place: r.robot.Place, Name: "mujoco"}, "must have a <body> in <worldbody>")
		return nil
	}
	return &all[0]
}

// moves reports whether a body moves freely.
func (r *reader) moves(p placed) bool {
	return slices.ContainsFunc(p.Children, func(c *markup.Element) bool {
		if c.Name != "joint" {
			return c.Name == "freejoint"
		}
		kind, _ := r.thing(c, r.childClass(p.Element, p.around)).text("type")
		return kind == "free"
	})
}

// tree reads the robot's bodies. The world places the root; its pitch and roll stay.
func (r *reader) tree(root placed) {
	pose := root.poseP.Mul(r.pose(thing{root.Element, root.Name, nil}))
	up := pose.Unrotate(mgl64.Vec3{0, 0, 1})
	hinged := !r.free && slices.ContainsFunc(root.Children, func(c *markup.Element) bool { return c.Name == "joint" })
	if hinged || !(up[2] > 1-1e-12) {
		r.world = r.name(&markup.Element{}, "body", "world")
		r.robot.Links = append(r.robot.Links, articulated.Link{Place: root.Place, Name: r.world})
		r.body(root, r.world, spatial.Pose{Rot: pose.Rot})
		return
	}
	r.body(root, "", spatial.Identity())
}

// body reads a body, with those in it. The argument parent is the link that carries it, or "".
func (r *reader) body(p placed, parent string, posePL spatial.Pose) {
	e, class := p.Element, r.childClass(p.Element, p.around)
	e.Used = true
	owner := parent
	if owner == "" {
		owner = "body"
	}
	name := r.name(e, "body", owner)
	r.joints(e, class, name, parent, posePL)
	link := articulated.Link{Place: e.Place, Name: name}
	own := r.Child(e, "inertial")
	if own != nil && r.compiler.fromGeoms != "true" {
		link.Inertial = r.inertial(own)
	}
	var geoms []geom
	var inner []placed
	r.each(placed{e, class, spatial.Identity()}, func(c placed) {
		switch c.Name {
		case "geom":
			if g, ok := r.geom(c); ok {
				geoms = append(geoms, g)
			}
		case "site":
			c.Why = c.String() + " of <body>"
		case "body":
			inner = append(inner, c)
		}
	})
	if link.Inertial == nil && r.compiler.fromGeoms != "false" {
		link.Inertial = r.sum(e, geoms)
	}
	r.shapes(&link, geoms)
	r.robot.Links = append(r.robot.Links, link)
	for _, c := range inner {
		r.body(c, name, c.poseP.Mul(r.pose(thing{c.Element, c.Name, nil})))
	}
}

// joints reads the joints of a body. All but the last carry links without mass.
func (r *reader) joints(e *markup.Element, class *class, name, parent string, posePL spatial.Pose) {
	var all []articulated.Joint
	for _, c := range e.Children {
		switch c.Name {
		case "freejoint":
			c.Used = true
			r.freeJoint(c, parent)
			c.Attr("name") // has no meaning
		case "joint":
			c.Used = true
			if j, ok := r.joint(r.thing(c, class), name, parent); ok {
				all = append(all, j)
			}
		}
	}
	if parent == "" {
		return
	}
	if len(all) == 0 {
		all = []articulated.Joint{{Place: e.Place, Name: r.name(&markup.Element{}, "joint", name+"_fixed"),
			Type: articulated.Fixed, Axis: mgl64.Vec3{1, 0, 0}}}
	}
	for i := range all {
		j := &all[i]
		j.Parent, j.Child, j.PosePJ = parent, name, posePL
		if i < len(all)-1 {
			j.Child = r.name(&markup.Element{}, "body", name+"_"+j.Name)
			r.robot.Links = append(r.robot.Links, articulated.Link{Place: j.Place, Name: j.Child})
		}
		parent, posePL = j.Child, spatial.Identity()
	}
	r.robot.Joints = append(r.robot.Joints, all...)
}

// freeJoint checks a joint by which a body moves freely. Only the root may have one.
func (r *reader) freeJoint(e *markup.Element, parent string) {
	if parent != "" && parent != r.world {
		r.Fail(e, "moves freely: only the outermost body may")
	}
}

// joint reads a joint. It returns false for one by which the root moves freely.
func (r *reader) joint(t thing, body, parent string) (j articulated.Joint, ok bool) {
	kind, given := t.text("type")
	j = articulated.Joint{Place: t.Place, Name: r.name(t.Element, "joint", body+"_joint"), Axis: mgl64.Vec3{0, 0, 1},
		Limit: &articulated.Limit{Lower: math.Inf(-1), Upper: math.Inf(1)}}
	unit := r.compiler.unit
	switch {
	case kind == "hinge" || !given:
		j.Type = articulated.Continuous
	case kind == "slide":
		j.Type, unit = articulated.Prismatic, 1
	case kind == "free":
		r.freeJoint(t.Element, parent)
		for i := range t.Attrs {
			t.Attrs[i].Used = true // of no effect on a joint without limits
		}
		return j, false
	case kind == "ball":
		r.Fail(t.Element, "type = %q: joints of this type are not simulated; must be hinge, slide or free", kind)
		return j, false
	default:
		r.Fail(t.Element, "type = %.60q: must be hinge, slide or free", kind)
		return j, false
	}
	r.vector(t, "axis", &j.Axis)
	j.Axis = r.direction(t, "axis", j.Axis)
	r.vector(t, "pos", &j.PointC)
	if low, high, ok := r.limited(t, "range", "limited"); ok {
		j.Limit.Lower, j.Limit.Upper = low*unit, high*unit
		if j.Type == articulated.Continuous {
			j.Type = articulated.Revolute
		}
	}
	if low, high, ok := r.limited(t, "actuatorfrcrange", "actuatorfrclimited"); ok {
		j.Limit.Effort = max(-low, high)
	}
	j.Reference = r.number(t, "ref", 0) * unit
	j.Start = mgl64.Clamp(j.Reference, j.Limit.Lower, j.Limit.Upper)
	j.Damping = r.notNegative(t, "damping", 0)
	j.Friction = r.notNegative(t, "frictionloss", 0)
	j.Armature = r.notNegative(t, "armature", 0)
	return j, true
}

// inertial reads a body's mass.
func (r *reader) inertial(e *markup.Element) *articulated.Inertial {
	t := thing{e, e.Name, nil}
	i := &articulated.Inertial{Place: e.Place, PoseLC: r.pose(t)}
	r.Required(e, "pos")
	r.Required(e, "mass")
	i.Mass = r.notNegative(t, "mass", 0)
	r.floats(t, "diaginertia", &i.IXX, &i.IYY, &i.IZZ)
	if r.floats(t, "fullinertia", &i.IXX, &i.IYY, &i.IZZ, &i.IXY, &i.IXZ, &i.IYZ) {
		if _, both := e.Attr("diaginertia"); both {
			r.Fail(e, "has diaginertia and fullinertia: must have one")
		}
	}
	if i.IXX < 0 || i.IYY < 0 || i.IZZ < 0 {
		r.Fail(e, "moments of inertia %g %g %g: must not be negative", i.IXX, i.IYY, i.IZZ)
	}
	return i
}

// settle gives the robot the mass that <compiler> sets.
func (r *reader) settle() {
	sum := 0.0
	for i := range r.robot.Links {
		if in := r.robot.Links[i].Inertial; in != nil {
			sum += in.Mass
		}
	}
	if !(r.compiler.total > 0 && sum > 0) {
		return
	}
	k := r.compiler.total / sum
	for i := range r.robot.Links {
		if in := r.robot.Links[i].Inertial; in != nil {
			for _, x := range []*float64{&in.Mass, &in.IXX, &in.IXY, &in.IXZ, &in.IYY, &in.IYZ, &in.IZZ} {
				*x *= k
			}
		}
	}
}
