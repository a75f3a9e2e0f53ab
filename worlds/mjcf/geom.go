package mjcf

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/articulated"
	"github.com/omnipitch/omnipitch/worlds/markup"
)

const (
	water      = 1000 // density of a geom that gives none, kg/m³
	lastGroup  = 2    // of geoms that MuJoCo's viewer draws, unless it is told otherwise
	largestInt = math.MaxInt32
)

// plain is the colour of a geom that gives none, in sRGB.
var plain = [4]float64{0.5, 0.5, 0.5, 1}

// geom is a shape of a body.
type geom struct {
	articulated.Visual
	mass     float64
	moments  mgl64.Vec3 // of inertia about its centre, in its axes, kg·m²
	visible  bool
	collides bool
}

// geom reads a geom. It returns false for one that is listed instead.
func (r *reader) geom(p placed) (g geom, ok bool) {
	t := r.thing(p.Element, p.around)
	t.Used = true
	t.Attr("name") // has no meaning for the robot
	kind, given := t.text("type")
	if !given {
		kind = "sphere"
	}
	file, fits := t.text("mesh")
	skip := func(why string) (geom, bool) {
		t.Used, t.Why = false, why
		return g, false
	}
	switch kind {
	case "sphere", "capsule", "ellipsoid", "cylinder", "box":
		if fits {
			return skip(fmt.Sprintf("<geom> of type %s around a mesh", kind))
		}
		g.Geometry, g.PoseLS = r.primitive(t, kind)
	case "mesh":
		m, known := r.meshes[file]
		if !known {
			if !fits {
				r.Fail(t.Element, "must have the attribute mesh")
			}
			return skip(fmt.Sprintf("<geom> with the mesh %.60q, which has no file", file))
		}
		g.Geometry = articulated.Geometry{Shape: articulated.Mesh, File: m.file, Scale: m.scale}
		g.PoseLS = r.pose(t).Mul(m.poseGM)
	case "plane", "hfield", "sdf":
		return skip(fmt.Sprintf("<geom> of type %s in <body>", kind))
	default:
		r.Fail(t.Element, "type = %.60q: must be sphere, capsule, ellipsoid, cylinder, box or mesh", kind)
		return g, false
	}
	g.Place, g.PoseLS = t.Place, p.poseP.Mul(g.PoseLS)
	group := r.whole(t, "group", 0)
	g.Layers, g.Touches = uint32(r.whole(t, "contype", 1)), uint32(r.whole(t, "conaffinity", 1))
	g.collides = g.Layers|g.Touches != 0
	var sliding, twisting, rolling float64
	r.some(t, "friction", &sliding, &twisting, &rolling)
	g.Friction = sliding
	r.paint(t, &g)
	g.visible = group <= lastGroup && g.Material.Color[3] > 0
	if float64(group) >= r.compiler.groups[0] && float64(group) <= r.compiler.groups[1] {
		r.weigh(t, &g)
	}
	return g, true
}

// whole reads a number without a fraction that is not negative.
func (r *reader) whole(t thing, name string, otherwise float64) int {
	x := r.number(t, name, otherwise)
	if x != math.Trunc(x) || x < 0 || x > largestInt {
		r.Fail(t.Element, "%s = %g: must be a whole number from 0 to %d", name, x, largestInt)
		return 0
	}
	return int(x)
}

// primitive reads a shape other than a mesh, and where it is.
func (r *reader) primitive(t thing, kind string) (g articulated.Geometry, pose spatial.Pose) {
	var size mgl64.Vec3
	n := r.some(t, "size", &size[0], &size[1], &size[2])
	var from, to mgl64.Vec3
	least := map[string]int{"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}[kind]
	if kind != "sphere" && r.floats(t, "fromto", &from[0], &from[1], &from[2], &to[0], &to[1], &to[2]) {
		between := from.Sub(to)
		pose = spatial.Pose{Pos: from.Add(to).Mul(0.5), Rot: along(r.direction(t, "fromto", between))}
		size[1] = between.Len() / 2
		if least == 3 {
			size = mgl64.Vec3{size[0], size[0], size[1]}
		}
		n, least = min(n, 1), 1
	} else {
		pose = r.pose(t)
	}
	if n < least {
		r.Fail(t.Element, "size: must have %d numbers for the type %s", least, kind)
		return g, pose
	}
	for _, x := range size[:n] {
		if !(x > 0) {
			r.Fail(t.Element, "size = %v: must be positive", size[:n])
			return g, pose
		}
	}
	switch g.Radius, g.Length = size[0], 2*size[1]; kind {
	case "sphere":
		g = articulated.Geometry{Shape: articulated.Sphere, Radius: size[0]}
	case "capsule":
		g.Shape = articulated.Capsule
	case "cylinder":
		g.Shape = articulated.Cylinder
	case "ellipsoid":
		g = articulated.Geometry{Shape: articulated.Ellipsoid, Size: size.Mul(2)}
	case "box":
		g = articulated.Geometry{Shape: articulated.Box, Size: size.Mul(2)}
	}
	return g, pose
}

// paint reads a geom's colour: its own, unless it is the one that geoms without a colour have, or that of its material.
func (r *reader) paint(t thing, g *geom) {
	color := plain
	r.color(t, &color)
	if name, ok := t.text("material"); ok {
		if of := r.colors[name]; of == nil {
			r.Fail(t.Element, "material = %.60q: is no material", name)
		} else if color == plain {
			color = *of
		}
		g.Material.Name = name
	}
	g.Material.Color = &color
}

// weigh reads a geom's mass, and derives its moments of inertia.
func (r *reader) weigh(t thing, g *geom) {
	density := r.notNegative(t, "density", water)
	_, given := t.text("mass")
	mass := r.notNegative(t, "mass", 0)
	if g.Shape == articulated.Mesh {
		if g.mass = mass; !given {
			g.mass = density // of an unknown volume
		}
		return
	}
	volume, moments := solid(&g.Geometry)
	if !given {
		mass = density * volume
	}
	g.mass, g.moments = mass, moments.Mul(mass)
}

// solid returns the volume of a shape, and its moments of inertia about its centre per mass.
func solid(g *articulated.Geometry) (volume float64, moments mgl64.Vec3) {
	r, h := g.Radius, g.Length
	switch g.Shape {
	case articulated.Sphere:
		k := 2 * r * r / 5
		return 4 * math.Pi * r * r * r / 3, mgl64.Vec3{k, k, k}
	case articulated.Cylinder:
		k := (3*r*r + h*h) / 12
		return math.Pi * r * r * h, mgl64.Vec3{k, k, r * r / 2}
	case articulated.Capsule:
		ends := 4 * r / (4*r + 3*h) // share of the mass that is in the ends
		of := (1 - ends) * (3*r*r + h*h) / 12
		of += ends * (2*r*r/5 + h*(3*r+2*h)/8)
		return math.Pi * r * r * (h + 4*r/3), mgl64.Vec3{of, of, (1-ends)*r*r/2 + ends*2*r*r/5}
	}
	x, y, z := g.Size[0]*g.Size[0], g.Size[1]*g.Size[1], g.Size[2]*g.Size[2]
	volume, k := g.Size[0]*g.Size[1]*g.Size[2], 1.0/12
	if g.Shape == articulated.Ellipsoid {
		volume, k = volume*math.Pi/6, 1.0/20
	}
	return volume, mgl64.Vec3{y + z, x + z, x + y}.Mul(k)
}

// sum returns the mass of a body that its geoms give, or nil.
func (r *reader) sum(e *markup.Element, geoms []geom) *articulated.Inertial {
	i := &articulated.Inertial{Place: e.Place, PoseLC: spatial.Identity()}
	for k := range geoms {
		g := &geoms[k]
		if g.Shape == articulated.Mesh && g.mass > 0 {
			r.Fail(&markup.Element{Place: g.Place, Name: "geom"}, "the mesh gives its body mass, which is not computed for "+
				"meshes: give the body an <inertial>, or the geom mass = \"0\"")
		}
		i.Mass += g.mass
		i.PoseLC.Pos = i.PoseLC.Pos.Add(g.PoseLS.Pos.Mul(g.mass))
	}
	if !(i.Mass > 0) {
		return nil
	}
	i.PoseLC.Pos = i.PoseLC.Pos.Mul(1 / i.Mass)
	for k := range geoms {
		g := &geoms[k]
		turn, off := g.PoseLS.Rotation(), g.PoseLS.Pos.Sub(i.PoseLC.Pos)
		m := turn.Mul3(mgl64.Diag3(g.moments)).Mul3(turn.Transpose())
		i.IXX += m.At(0, 0) + g.mass*(off[1]*off[1]+off[2]*off[2])
		i.IYY += m.At(1, 1) + g.mass*(off[0]*off[0]+off[2]*off[2])
		i.IZZ += m.At(2, 2) + g.mass*(off[0]*off[0]+off[1]*off[1])
		i.IXY += m.At(0, 1) - g.mass*off[0]*off[1]
		i.IXZ += m.At(0, 2) - g.mass*off[0]*off[2]
		i.IYZ += m.At(1, 2) - g.mass*off[1]*off[2]
	}
	return i
}

// shapes gives a link what is visible of its geoms, and what collides. Translucent shapes over opaque ones, which show
// where a body collides, are not drawn.
func (r *reader) shapes(link *articulated.Link, geoms []geom) {
	opaque := false
	for i := range geoms {
		opaque = opaque || geoms[i].visible && geoms[i].Material.Color[3] == 1
	}
	for i := range geoms {
		g := &geoms[i]
		if g.collides {
			link.Collisions = append(link.Collisions, g.Collision)
		}
		if g.visible && g.collides && opaque && g.Material.Color[3] < 1 {
			r.robot.Skipped.Add("translucent <geom> over opaque ones: cameras do not see it", g.Place)
		} else if g.visible {
			link.Visuals = append(link.Visuals, g.Visual)
		}
	}
}
