package raycast

import (
	"slices"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// material is a render.Material prepared for shading.
type material struct {
	color, color2    rays.Vec
	gloss, shininess float32
	pattern          render.Pattern
	f0               rays.Vec // for natural light
	roughness        float32  // square root of GGX's, as the fit in layer expects
	metal            bool
	sharper          [2]float32 // the result of light.Sharper
	texture          *render.Texture
}

// object is the unit of culling: a body, or a part of a large body.
type object struct {
	body   int
	part   int      // index in the body; −1 for the whole body
	centre rays.Vec // of the bounding sphere, in the body's frame
	radius float32
	solid  *rays.Tree
	nets   *rays.Tree // nil if absent
	box    rays.Bounds
	static bool
	pieces []object // its parts, for viewpoints near it
}

// model is a render.Scene prepared for ray casting.
type model struct {
	bodies    [][]rays.Surface // by body
	objects   []object
	materials []material
	partName  [][]string
	carpet    rays.Carpet
	room      room
}

// wide is the largest radius, metres, of a body that is culled as a whole.
const wide = 1

func newModel(s *render.Scene) *model {
	m := &model{bodies: make([][]rays.Surface, len(s.Bodies)), partName: make([][]string, len(s.Bodies)),
		carpet: rays.NewCarpet(s), room: newRoom(s)}
	if s.Natural && s.Room.Margin > 0 && s.Room.Height > 0 {
		m.carpet = rays.NewUsedCarpet(s)
	}
	m.materials = make([]material, len(s.Materials))
	m.shade(&s.Shading)
	for i := range s.Bodies {
		body := &s.Bodies[i]
		box := rays.Nowhere
		var solids, nets [][]rays.Triangle // by part
		for k := range body.Parts {
			p := &body.Parts[k]
			m.partName[i] = append(m.partName[i], p.Name)
			net := s.Materials[p.Material].Pattern == render.Net
			var triangles []rays.Triangle
			triangles, m.bodies[i] = rays.AddMesh(nil, m.bodies[i], &s.Meshes[p.Mesh], p.PoseBP, p.Material, int32(k))
			for t := range triangles {
				box = box.Join(triangles[t].Box())
			}
			if net {
				solids, nets = append(solids, nil), append(nets, triangles)
			} else {
				solids, nets = append(solids, triangles), append(nets, nil)
			}
		}
		var pieces []object
		var solid, net []rays.Triangle
		for k := range solids {
			if len(solids[k])+len(nets[k]) > 0 {
				pieces = append(pieces, newObject(i, k, body.Static, solids[k], nets[k]))
			}
			solid, net = append(solid, solids[k]...), append(net, nets[k]...)
		}
		switch {
		case len(pieces) == 0:
		case box.Hi.Sub(box.Lo).Len()/2 > wide:
			m.objects = append(m.objects, pieces...)
		default:
			whole := newObject(i, -1, body.Static, solid, net)
			whole.pieces = pieces
			m.objects = append(m.objects, whole)
		}
	}
	return m
}

// shade sets the colours of a shading.
func (m *model) shade(s *render.Shading) {
	for i, x := range s.Materials {
		first, second := light.Sharper(float64(x.Roughness))
		m.materials[i] = material{rays.Vec32(x.Color), rays.Vec32(x.Color2), x.Gloss, x.Shininess, x.Pattern,
			rays.Vec32(x.F0), rays.Sqrt(x.Roughness), x.Metal,
			[2]float32{first, second}, x.Texture}
	}
	m.carpet.Color = rays.Vec32(s.Carpet)
	m.room.wall, m.room.background = rays.Vec32(s.Light.Wall), rays.Vec32(s.Light.Background)
}

func newObject(body, part int, static bool, solid, nets []rays.Triangle) object {
	o := object{body: body, part: part, box: rays.Nowhere, static: static}
	for _, list := range [][]rays.Triangle{solid, nets} {
		for i := range list {
			o.box = o.box.Join(list[i].Box())
		}
	}
	o.centre = o.box.Centre()
	for _, list := range [][]rays.Triangle{solid, nets} {
		for i := range list {
			for _, p := range list[i].Corners() {
				o.radius = max(o.radius, p.Sub(o.centre).Len())
			}
		}
	}
	// Each tree needs its own triangles, since it sorts them.
	o.solid = rays.NewTree(slices.Clone(solid))
	if len(nets) > 0 {
		o.nets = rays.NewTree(slices.Clone(nets))
	}
	return o
}
