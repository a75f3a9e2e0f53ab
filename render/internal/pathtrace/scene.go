package pathtrace

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// scene is a render.Scene at one instant with one shading, prepared for path tracing. Coordinates are in W. Rays meet
// bodies only from outside, and the hall only from inside.
type scene struct {
	surfaces   []rays.Surface
	tree       *rays.Tree
	materials  []material
	carpet     *rays.Carpet
	sheen      float32       // as render.Floor.Sheen
	pile       *albedos      // for the carpet's sheen; nil if it has none
	picture    *rays.Picture // nil for plain walls
	half       [2]float32    // half sizes of the hall, or of the carpet if there is no hall, metres
	height     float32       // height of the hall; 0 if there is no hall
	wall       rays.Vec      // reflectances
	ceiling    rays.Vec
	background rays.Vec // radiance along rays that meet nothing
	lamps      []lamp
	faces      [5][]int32 // indices of rectangular lamps, by the face of the hall's box that contains them
	bulbs      []int32    // indices of spheres that rays can meet
}

// Faces of the hall's box.
const (
	faceLeft, faceRight = 0, 1 // at −x and +x
	faceCeiling         = 4
)

// place adds the triangles of all bodies at their poses. The function hidden reports which parts of a body to leave
// out. It may be nil.
func place(s *render.Scene, posesWB []spatial.Pose, hidden func(body int, part string) bool) (*rays.Tree,
	[]rays.Surface) {
	var triangles []rays.Triangle
	var surfaces []rays.Surface
	for i := range s.Bodies {
		for k := range s.Bodies[i].Parts {
			p := &s.Bodies[i].Parts[k]
			if !posesWB[i].Absent() && (hidden == nil || !hidden(i, p.Name)) {
				triangles, surfaces = rays.AddMesh(triangles, surfaces, &s.Meshes[p.Mesh], posesWB[i].Mul(p.PoseBP),
					p.Material, int32(k))
			}
		}
	}
	return rays.NewTree(triangles), surfaces
}

// light sets up the hall and its lamps.
func (t *scene) light(s *render.Scene, in *light.Illumination, with *render.Shading) {
	t.half = [2]float32{float32(in.HalfX), float32(in.HalfY)}
	t.height, t.background = float32(in.Height), rays.Vec32(with.Light.Background)
	if t.height == 0 {
		t.half = [2]float32{float32(s.Floor.SizeX / 2), float32(s.Floor.SizeY / 2)}
	}
	t.wall, t.ceiling = rays.Vec32(s.Room.Wall), rays.Vec32(s.Room.Ceiling)
	t.lamps, t.bulbs = nil, nil
	for _, group := range [][]light.Panel{in.Panels, in.Windows} {
		for i := range group {
			t.addPanel(newPanel(&group[i]))
		}
	}
	for i := range in.Bulbs {
		l := newBulb(&in.Bulbs[i], in)
		if l.power <= 0 {
			continue
		}
		if !l.beyond {
			t.bulbs = append(t.bulbs, int32(len(t.lamps)))
		}
		t.lamps = append(t.lamps, l)
	}
}

// addPanel adds a rectangular lamp to the list of its face.
func (t *scene) addPanel(l lamp) {
	if !(l.power > 0) {
		return
	}
	face := faceCeiling
	for i, n := range [4]rays.Vec{rays.V(1, 0, 0), rays.V(-1, 0, 0), rays.V(0, 1, 0), rays.V(0, -1, 0)} {
		if l.normal.Dot(n) > 0.5 {
			face = i
		}
	}
	t.faces[face] = append(t.faces[face], int32(len(t.lamps)))
	t.lamps = append(t.lamps, l)
}

// point describes the end of a ray.
type point struct {
	distance float32 // distance along the ray; rays.Never if it meets nothing
	p        rays.Vec
	flat     rays.Vec // geometric normal of the surface
	normal   rays.Vec // shading normal
	lamp     int32    // index of the lamp that the ray meets; −1 for none
	black    bool     // whether the point is on a bulb, which reflects nothing
	matter   matter
}

// nearest is the smallest distance of intersections along paths, metres. It is not 0, because the rays start on
// surfaces.
const nearest = 1e-4

// follow returns the first surface that a ray meets among the triangles of a tree and in the hall.
func (t *scene) follow(o, d rays.Vec, from float32, tree *rays.Tree, surfaces []rays.Surface) (x point) {
	x.lamp, x.distance = -1, rays.Never
	m, hit := t.triangle(o, d, from, rays.Never, tree, surfaces)
	bulb, at := t.bulb(o, d, m.T)
	if bulb >= 0 {
		x.lamp, x.distance, x.black = bulb, at, true
		return x
	}
	if t.hall(&x, o, d, m.T) {
		return x
	}
	if !hit {
		return x
	}
	s := &surfaces[m.Source]
	x.distance, x.p, x.flat = m.T, o.Add(d.Mul(m.T)), s.Flat
	x.normal = s.Normal(&m).Unit()
	if !(x.normal.Dot(d) < -1e-3) { // seen from behind, or NaN
		x.normal = x.flat
	}
	mat := &t.materials[s.Material]
	x.matter = matter{mat.color, mat.f0, mat.roughness, mat.albedos}
	switch {
	case mat.metal:
		x.matter.color = rays.Vec{}
	case mat.pattern == render.SoccerBall && rays.Pentagon(s.At(&m)) < 0:
		x.matter.color = mat.color2
	case mat.pattern == render.Textured:
		x.matter.color = rays.Textured(mat.texture, s.At(&m), rays.Vec{}, rays.Vec{}).Times(mat.color2)
	case mat.pattern == render.VertexColors:
		x.matter.color = s.At(&m)
	}
	return x
}

// triangle returns the first triangle that a ray meets in a range of distances. Rays pass through the holes of nets.
func (t *scene) triangle(o, d rays.Vec, from, to float32, tree *rays.Tree,
	surfaces []rays.Surface) (m rays.Intersection, hit bool) {
	inv := rays.V(1/d.X, 1/d.Y, 1/d.Z)
	for {
		m = rays.Intersection{T: to, Source: -1}
		if len(surfaces) > 0 {
			tree.First(o, d, inv, from, &m, nil, surfaces)
		}
		if m.Source < 0 {
			return m, false
		}
		s := &surfaces[m.Source]
		if t.materials[s.Material].pattern != render.Net || s.NetCover(s.At(&m), rays.Vec{}, rays.Vec{}) > 0.5 {
			return m, true
		}
		from = m.T
	}
}

// bulb returns the index of the nearest bulb that a ray meets within a distance, and the distance at which the ray
// meets it. The index is −1 if there is no such bulb.
func (t *scene) bulb(o, d rays.Vec, to float32) (which int32, at float32) {
	which, at = -1, to
	for _, i := range t.bulbs {
		if far, ok := t.lamps[i].meet(o, d); ok && far < at {
			which, at = i, far
		}
	}
	return which, at
}

// hall sets x to the point where a ray leaves the hall's box, or meets the carpet if there is no hall. It returns false
// if that point is not within the given distance.
func (t *scene) hall(x *point, o, d rays.Vec, to float32) bool {
	floor := rays.Never
	if d.Z < 0 {
		floor = -o.Z / d.Z
	}
	if t.height == 0 {
		if px, py := o.X+d.X*floor, o.Y+d.Y*floor; floor >= to || floor < 0 || rays.Abs(px) > t.half[0] ||
			rays.Abs(py) > t.half[1] {
			return false
		}
		t.onFloor(x, o, d, floor)
		return true
	}
	across := func(from, d, half float32) float32 {
		switch {
		case d > 0:
			return (half - from) / d
		case d < 0:
			return (-half - from) / d
		}
		return rays.Never
	}
	wallX, wallY, top := across(o.X, d.X, t.half[0]), across(o.Y, d.Y, t.half[1]), rays.Never
	if d.Z > 0 {
		top = (t.height - o.Z) / d.Z
	}
	at := min(floor, wallX, wallY, top)
	if at >= to {
		return false
	}
	at = max(at, 0)
	if floor <= at {
		t.onFloor(x, o, d, at)
		return true
	}
	x.distance, x.p = at, o.Add(d.Mul(at))
	face := faceCeiling
	switch {
	case top <= at:
		x.p.Z = t.height
		x.flat, x.matter.color = rays.V(0, 0, -1), t.ceiling
	case wallX <= at:
		face, x.flat, x.p.X = faceLeft, rays.V(1, 0, 0), -t.half[0]
		if d.X > 0 {
			face, x.flat, x.p.X = faceRight, rays.V(-1, 0, 0), t.half[0]
		}
		x.matter.color = t.onWall(x)
	default:
		face, x.flat, x.p.Y = 2, rays.V(0, 1, 0), -t.half[1]
		if d.Y > 0 {
			face, x.flat, x.p.Y = 3, rays.V(0, -1, 0), t.half[1]
		}
		x.matter.color = t.onWall(x)
	}
	x.normal = x.flat
	for _, i := range t.faces[face] {
		if t.lamps[i].holds(x.p) {
			x.lamp = i
			break
		}
	}
	return true
}

func (t *scene) onFloor(x *point, o, d rays.Vec, at float32) {
	x.distance, x.p = at, rays.V(o.X+d.X*at, o.Y+d.Y*at, 0)
	x.flat = rays.V(0, 0, 1)
	x.normal = x.flat
	var sheen float32
	x.matter.color, sheen = t.carpet.Matter(x.p.X, x.p.Y, &rays.Footprint{})
	if sheen *= t.sheen; sheen > 0 {
		x.matter.f0, x.matter.albedos = one.Mul(sheen), t.pile
	}
}

// onWall returns the reflectance of a point of a wall.
func (t *scene) onWall(x *point) rays.Vec {
	if t.picture == nil {
		return t.wall
	}
	return t.picture.At(x.p, x.flat, x.p.Z/t.height, rays.Vec{}, rays.Vec{})
}

// open reports whether nothing blocks the way from the point p to a lamp. The argument which is the lamp's index, dir
// the direction of the lamp, and distance its distance.
func (t *scene) open(p, dir rays.Vec, distance float32, which int32) bool {
	to := distance - nearest
	if _, hit := t.triangle(p, dir, 0, to, t.tree, t.surfaces); hit {
		return false
	}
	for _, i := range t.bulbs {
		if i == which {
			continue
		}
		if far, ok := t.lamps[i].meet(p, dir); ok && far < to {
			return false
		}
	}
	return true
}
