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
	roughness        float32  // square root of GGX's roughness, which the fit in layer expects
	metal            bool
	sharper          [2]float32 // the result of light.Sharper
	texture          *render.Texture
	reflectance      float32 // as render.Material.Reflectance
}

// object is the unit of culling: either a body, or a part of a large body.
type object struct {
	body   int
	part   int      // index of the part in the body; −1 for the whole body
	centre rays.Vec // centre of the bounding sphere, in the body's frame
	radius float32
	solid  *rays.Tree
	nets   *rays.Tree // nil if absent
	box    rays.Bounds
	static bool
	pieces []object // parts of the object, which replace it if the viewpoint is near
}

// model is a render.Scene prepared for ray casting.
type model struct {
	bodies    [][]rays.Surface // by body
	objects   []object
	materials []material
	partName  [][]string
	carpet    rays.Carpet
	room      room

	floor      *render.Floor
	carpetHalf [2]float32 // half sizes, metres
	// as render.Infrared, of the carpet, of the floor around it, and of the room's walls
	reflectances struct{ carpet, bare, wall float32 }
}

// wide is the largest radius of a body that is culled as a whole, metres.
const wide = 1

func newModel(s *render.Scene) *model {
	m := &model{bodies: make([][]rays.Surface, len(s.Bodies)), partName: make([][]string, len(s.Bodies)),
		carpet: rays.NewCarpet(s), room: newRoom(s)}
	if s.Natural && s.Room.Margin > 0 && s.Room.Height > 0 {
		m.carpet = rays.NewUsedCarpet(s)
	}
	m.floor, m.carpetHalf = &s.Floor, [2]float32{float32(s.Floor.SizeX / 2), float32(s.Floor.SizeY / 2)}
	m.reflectances.bare, m.reflectances.wall = render.Infrared(s.Room.Floor), render.Infrared(s.Room.Wall)
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
			rays.Vec32(x.F0), rays.Sqrt(x.Roughness), x.Metal, [2]float32{first, second}, x.Texture,
			x.Reflectance()}
	}
	m.carpet.Color = rays.Vec32(s.Carpet)
	m.reflectances.carpet = render.Infrared(m.floor.Reflectance(s.Carpet))
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
	// the triangles are copied, because each tree sorts its own
	o.solid = rays.NewTree(slices.Clone(solid))
	if len(nets) > 0 {
		o.nets = rays.NewTree(slices.Clone(nets))
	}
	return o
}

// hit is the intersection of a ray with a surface.
type hit struct {
	surface  *rays.Surface
	material *material
	frame    *rays.Frame
	body     int
	m        rays.Intersection
}

// radiance returns the light that a surface reflects along a ray from o with the unit direction d, in W. The argument f
// holds the differences from d to the directions of the next pixels.
func (g *lights) radiance(h *hit, o, d rays.Vec, f *rays.Fan) rays.Vec {
	if g.natural != nil {
		return g.natural.radiance(h, o, d, f)
	}
	s := h.surface
	n := h.frame.Rot.Apply(s.Normal(&h.m)).Unit()
	p := o.Add(d.Mul(h.m.T))
	mat := h.material
	color := h.color(d, f)
	// Less ambient light arrives near the floor.
	around := g.bounce.Mix(g.sky, 0.5+0.5*n.Z).Mul((atFloor + (1-atFloor)*rays.Clamp01(p.Z/render.NearFloor)) *
		(1 - mat.gloss))
	around = around.Add(g.pointLamps(p, n).Mul(1 - mat.gloss))
	toLamp := g.lamp.Mul(max(n.Dot(g.toLamp), 0))
	// Add the lamp's highlight, and the mirror image of the carpet below and of the hall above.
	facing := -n.Dot(d)
	r := d.Add(n.Mul(2 * facing))
	k := 1 - max(facing, 0)
	fresnel := mat.gloss + (1-mat.gloss)*0.25*mat.gloss*k*k*k*k*k
	around = color.Times(around)
	if fresnel > 0 {
		up := rays.Smoothstep(-0.05, 0.05, r.Z)
		around = around.Add(g.mirrorFloor.Mix(g.wall.Mix(g.background, rays.Clamp01(r.Z)), up).Mul(fresnel))
	}
	direct := color.Times(toLamp).Mul(1 - mat.gloss)
	if half := g.toLamp.Sub(d); fresnel > 0 {
		highlight := fresnel * rays.Pow(max(n.Dot(half.Unit()), 0), mat.shininess) * (mat.shininess + 8) / 25
		direct = direct.Add(toLamp.Mul(highlight))
	}
	if direct == (rays.Vec{}) {
		return around
	}
	return around.Add(direct.Mul(g.lampShare(p, n)))
}

// color returns the reflectance at the hit, averaged over the pixel.
func (h *hit) color(d rays.Vec, f *rays.Fan) rays.Vec {
	switch h.material.pattern {
	case render.SoccerBall:
		return ballColor(h, d, f)
	case render.Textured:
		at, dx, dy := h.place(d, f)
		return rays.Textured(h.material.texture, at, dx, dy).Times(h.material.color2)
	case render.VertexColors:
		return h.surface.At(&h.m)
	}
	return h.material.color
}

// place returns a hit's position in the mesh's frame, or its texture coordinates. It also returns the steps from there
// to the hits of the next pixels.
func (h *hit) place(d rays.Vec, f *rays.Fan) (p, dx, dy rays.Vec) {
	s := h.surface
	x, y := f.Steps(d, h.frame.Rot.Apply(s.Flat), h.m.T)
	// Of the steps, only the lengths and the directions in the triangle's plane matter.
	return s.At(&h.m), s.IntoMesh(h.frame.Rot.Back(x)), s.IntoMesh(h.frame.Rot.Back(y))
}

// ballColor returns the colour of a ball's pattern, averaged over the pixel.
func ballColor(h *hit, d rays.Vec, f *rays.Fan) rays.Vec {
	at, dx, dy := h.place(d, f)
	edge := rays.Pentagon(at)
	w := max(rays.Abs(rays.Pentagon(at.Add(dx))-edge)+rays.Abs(rays.Pentagon(at.Add(dy))-edge), 1e-4)
	m := h.material
	return m.color2.Mix(m.color, rays.Clamp01(edge/w+0.5))
}

// room is a render.Room prepared for ray casting.
type room struct {
	half       [2]float32 // half sizes, metres
	height     float32
	solid      bool
	wall       rays.Vec
	background rays.Vec
	picture    *rays.Picture // picture on the walls; nil for plain walls
}

func newRoom(s *render.Scene) room {
	h := &s.Room
	out := room{
		half:   [2]float32{float32(s.Floor.SizeX/2 + h.Margin), float32(s.Floor.SizeY/2 + h.Margin)},
		height: float32(h.Height), solid: h.Solid,
	}
	out.picture = rays.NewPicture(h)
	return out
}

// toWall returns the distance along a ray to the wall that the ray meets, and the normal of the wall.
func (h *room) toWall(o, d rays.Vec) (t float32, normal rays.Vec) {
	x, y := wallAfter(o.X, d.X, h.half[0]), wallAfter(o.Y, d.Y, h.half[1])
	if x < y {
		return x, rays.V(-sign(d.X), 0, 0)
	}
	return y, rays.V(0, -sign(d.Y), 0)
}

// radianceAt returns the radiance of the wall or the ceiling that a ray meets, and the ray's distance to the wall.
func (h *room) radianceAt(o, d rays.Vec, f *rays.Fan) (radiance rays.Vec, toWall float32) {
	toWall, wall := h.toWall(o, d)
	height := float32(2)
	if h.height > 0 {
		height = (o.Z + d.Z*toWall) / h.height
	}
	if height >= 1 {
		return h.background, toWall
	}
	light := h.wall.Mul(0.75 + 0.5*height)
	if h.picture == nil || height < 0 {
		return light, toWall
	}
	p := o.Add(d.Mul(toWall))
	stepX, stepY := f.Steps(d, wall, toWall)
	return light.Times(h.picture.At(p, wall, height, stepX, stepY)).Mul(1 / pictureGain), toWall
}

// pictureGain is the reflectance that a wall with the radiance Light.Wall is assumed to have.
const pictureGain = 0.35

func sign(x float32) float32 {
	if x < 0 {
		return -1
	}
	return 1
}

// wallAfter returns the distance along a ray to a wall. There are two walls, at −half and half along an axis, and the
// ray approaches one of them. The arguments from and d are the coordinates of the ray's origin and of its direction
// along that axis. If the ray is parallel to both walls, wallAfter returns rays.Never.
func wallAfter(from, d, half float32) float32 {
	switch {
	case d > 0:
		return (half - from) / d
	case d < 0:
		return (-half - from) / d
	}
	return rays.Never
}
