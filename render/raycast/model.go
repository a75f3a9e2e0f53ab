package raycast

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// surface is what shading needs to know of a triangle, in its body's frame.
type surface struct {
	normal   [3]vec // of its corners
	place    [3]vec // of its corners in the mesh's frame
	flat     vec    // its own normal, unit length
	toU, toV vec    // their dot products with a vector in its plane are the vector's coordinates along the first and second edge
	material *material
	part     int32 // of its body
}

// material is a render.Material, prepared for shading.
type material struct {
	color, color2    vec
	gloss, shininess float32
	pattern          render.Pattern
}

// object is the unit of culling: a body, or a part of a body that is larger than wide.
type object struct {
	body   int
	part   int // of the body; −1 for all
	centre vec // of the bounding sphere, in the body's frame
	radius float32
	solid  *tree
	nets   *tree // nil without
	box    bounds
	static bool
	pieces []object // its parts, for a viewpoint near it
}

// model is a render.Scene, prepared for rays.
type model struct {
	bodies    [][]surface // the surfaces of each body
	objects   []object
	materials []material
	partName  [][]string
	carpet    carpet
	room      room
}

// wide is the largest radius of a body that is culled as one, metres.
const wide = 1

func newModel(s *render.Scene) *model {
	m := &model{bodies: make([][]surface, len(s.Bodies)), partName: make([][]string, len(s.Bodies)), carpet: newCarpet(s), room: newRoom(s)}
	m.materials = make([]material, len(s.Materials))
	m.shade(&s.Shading)
	for i := range s.Bodies {
		body := &s.Bodies[i]
		box := nowhere
		var solids, nets [][]triangle // of each part
		for k := range body.Parts {
			p := &body.Parts[k]
			m.partName[i] = append(m.partName[i], p.Name)
			mat := &m.materials[p.Material]
			triangles := m.add(i, int32(k), &s.Meshes[p.Mesh], p.PoseBP, mat)
			for t := range triangles {
				box = box.join(triangles[t].box())
			}
			if mat.pattern == render.Net {
				solids, nets = append(solids, nil), append(nets, triangles)
			} else {
				solids, nets = append(solids, triangles), append(nets, nil)
			}
		}
		var pieces []object
		var solid, net []triangle
		for k := range solids {
			if len(solids[k])+len(nets[k]) > 0 {
				pieces = append(pieces, newObject(i, k, body.Static, solids[k], nets[k]))
			}
			solid, net = append(solid, solids[k]...), append(net, nets[k]...)
		}
		switch {
		case len(pieces) == 0:
		case box.hi.sub(box.lo).len()/2 > wide:
			m.objects = append(m.objects, pieces...)
		default:
			whole := newObject(i, -1, body.Static, solid, net)
			whole.pieces = pieces
			m.objects = append(m.objects, whole)
		}
	}
	return m
}

// shade takes over the colours of a shading.
func (m *model) shade(s *render.Shading) {
	for i, x := range s.Materials {
		m.materials[i] = material{vec32(x.Color), vec32(x.Color2), x.Gloss, x.Shininess, x.Pattern}
	}
	m.carpet.color = vec32(s.Carpet)
	m.room.wall, m.room.background = vec32(s.Light.Wall), vec32(s.Light.Background)
}

// add adds the surfaces of a part and returns its triangles.
func (m *model) add(body int, part int32, mesh *render.Mesh, poseBP spatial.Pose, mat *material) []triangle {
	f := newFrame(poseBP)
	count := len(mesh.Indices) / 3
	triangles := make([]triangle, 0, count)
	m.bodies[body] = slices.Grow(m.bodies[body], count)
	for t := 0; t < len(mesh.Indices); t += 3 {
		s := surface{material: mat, part: part}
		var corner [3]vec
		for c := range 3 {
			v := &mesh.Vertices[mesh.Indices[t+c]]
			s.place[c] = vec32(v.Pos)
			s.normal[c] = f.rot.apply(vec32(v.Normal))
			corner[c] = vec64(poseBP.Apply(spatial.Vec64(v.Pos)))
		}
		ab, ac := corner[1].sub(corner[0]), corner[2].sub(corner[0])
		if n := ab.cross(ac); n.len() > 0 {
			s.flat = n.unit()
			inv := 1 / n.dot(n)
			s.toU, s.toV = ac.cross(n).mul(inv), n.cross(ab).mul(inv)
		}
		triangles = append(triangles, triangle{corner[0], ab, ac, int32(len(m.bodies[body]))})
		m.bodies[body] = append(m.bodies[body], s)
	}
	return triangles
}

func newObject(body, part int, static bool, solid, nets []triangle) object {
	o := object{body: body, part: part, box: nowhere, static: static}
	for _, list := range [][]triangle{solid, nets} {
		for i := range list {
			o.box = o.box.join(list[i].box())
		}
	}
	o.centre = o.box.centre()
	for _, list := range [][]triangle{solid, nets} {
		for i := range list {
			for _, p := range list[i].corners() {
				o.radius = max(o.radius, p.sub(o.centre).len())
			}
		}
	}
	// Trees sort their triangles: each has its own.
	o.solid = newTree(slices.Clone(solid))
	if len(nets) > 0 {
		o.nets = newTree(slices.Clone(nets))
	}
	return o
}
