package raycast

import (
	"cmp"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// canvas draws views, one after the other. It reuses its memory.
type canvas struct {
	view   *render.View
	rays   *pixelRays
	model  *model
	lights *lights
	frames []rays.Frame

	rotWC   rays.Rotation
	originW rays.Vec
	shown   []viewObject
	nearby  [][]int32  // for each tile, the objects that its rays may meet, as indices in shown, nearest first
	absent  []bool     // for each body, whether it is left out; nil if no body is
	skip    [][]bool   // for each body, the parts that the view hides; nil if it hides none
	hits    []pixelHit // by pixel

	// poseBW of the bodies, if optical flow is requested, for which single precision is not enough
	inverse []spatial.Pose
	before  spatial.Pose // poseCW at the instant to which the optical flow refers
}

// pixelHit is the first intersection of a pixel's ray.
type pixelHit struct {
	m      rays.Intersection
	object int32 // index in shown; −1 if the ray meets no object
}

// viewObject is an object, or a piece of an object, in a view.
type viewObject struct {
	*object
	frame    *rays.Frame
	surfaces []rays.Surface
	skip     []bool // parts of the object's body that the view hides; nil if it hides none
	centreW  rays.Vec
	distance float32 // lower bound of the distance from the viewpoint, metres
}

// nearPlane is the smallest distance that is drawn, metres.
const nearPlane = 0.02

func (c *canvas) draw(v *render.View, e *pixelRays, m *model, l *lights, posesWB []spatial.Pose, frames []rays.Frame) {
	c.lights = l
	c.trace(v, e, m, frames)
	if v.Color != nil {
		rays.InParallel(len(e.cones), func(i int) { c.shadeTile(i) })
	}
	if v.Depth != nil {
		rays.InParallel(len(e.cones), func(i int) { c.fillDepth(i) })
	}
	if v.Truth != nil {
		if v.Before != nil {
			c.inverse = c.inverse[:0]
			for _, p := range posesWB {
				c.inverse = append(c.inverse, p.Inverse())
			}
			c.before = v.Before.PoseWC.Inverse()
		}
		rays.InParallel(len(e.cones), func(i int) { c.fillTruth(i) })
	}
}

// trace finds the hits of the rays through the centres of a view's pixels.
func (c *canvas) trace(v *render.View, e *pixelRays, m *model, frames []rays.Frame) {
	c.view, c.rays, c.model, c.frames = v, e, m, frames
	f := rays.NewFrame(v.PoseWC)
	c.rotWC, c.originW = f.Rot, f.Pos
	c.cull()
	if n := e.width * e.height; len(c.hits) < n {
		c.hits = make([]pixelHit, n)
	}
	rays.InParallel(len(e.cones), func(i int) { c.traceTile(i) })
}

// cull lists, for each tile, the objects that the tile may show.
func (c *canvas) cull() {
	c.hideParts()
	c.shown = c.shown[:0]
	for i := range c.model.objects {
		o := &c.model.objects[i]
		if c.absent != nil && c.absent[o.body] || c.frames[o.body].Absent {
			continue
		}
		to := c.frames[o.body].Place(o.centre).Sub(c.originW)
		if len(o.pieces) > 0 && to.Len() < 2*o.radius {
			for k := range o.pieces {
				c.addObject(&o.pieces[k])
			}
			continue
		}
		c.addObject(o)
	}
	slices.SortStableFunc(c.shown, func(a, b viewObject) int { return cmp.Compare(a.distance, b.distance) })
	if len(c.nearby) < len(c.rays.cones) {
		c.nearby = append(c.nearby, make([][]int32, len(c.rays.cones)-len(c.nearby))...)
	}
	for i := range c.nearby {
		c.nearby[i] = c.nearby[i][:0]
	}
	for i := range c.shown {
		s := &c.shown[i]
		centre := c.rotWC.Back(s.centreW.Sub(c.originW))
		for t := range c.rays.cones {
			if cone := &c.rays.cones[t]; !cone.empty && cone.intersect(centre, s.radius) {
				c.nearby[t] = append(c.nearby[t], int32(i))
			}
		}
	}
}

func (c *canvas) addObject(o *object) {
	if skip := c.skip[o.body]; o.part >= 0 && skip != nil && skip[o.part] {
		return
	}
	f := &c.frames[o.body]
	s := viewObject{object: o, frame: f, surfaces: c.model.bodies[o.body], skip: c.skip[o.body],
		centreW: f.Place(o.centre)}
	s.distance = s.centreW.Sub(c.originW).Len() - o.radius
	c.shown = append(c.shown, s)
}

// hideParts sets the parts that the view hides.
func (c *canvas) hideParts() {
	c.skip = c.skip[:0]
	for range c.model.bodies {
		c.skip = append(c.skip, nil)
	}
	for _, h := range c.view.Hidden {
		if h.Body < 0 || h.Body >= len(c.skip) {
			continue
		}
		names := c.model.partName[h.Body]
		if c.skip[h.Body] == nil {
			c.skip[h.Body] = make([]bool, len(names))
		}
		for k, name := range names {
			if name == h.Part {
				c.skip[h.Body][k] = true
			}
		}
	}
}

// ray returns the origin and the direction of a pixel's ray in W.
func (c *canvas) ray(i int) (o, d rays.Vec) {
	o = c.originW
	if c.rays.origin != nil {
		o = o.Add(c.rotWC.Apply(c.rays.origin[i]))
	}
	return o, c.rotWC.Apply(c.rays.dir[i])
}

// fan returns the differences between the directions of a pixel and of the next pixels, in W.
func (c *canvas) fan(i int) rays.Fan {
	f := c.rays.fan(i)
	return rays.Fan{DX: c.rotWC.Apply(f.DX), DY: c.rotWC.Apply(f.DY)}
}

// first returns the first hit of a ray among the objects with the given indices.
func (c *canvas) first(o, d rays.Vec, among []int32) pixelHit {
	s := pixelHit{rays.Intersection{T: rays.Never}, -1}
	var last *rays.Frame
	var oB, dB, inv rays.Vec
	for _, k := range among {
		obj := &c.shown[k]
		if obj.distance > s.m.T {
			break // all following objects are farther away, too
		}
		// The bounding sphere is tested first, because most rays miss most objects.
		to := obj.centreW.Sub(o)
		along := to.Dot(d)
		if along+obj.radius < nearPlane || to.Dot(to)-along*along > obj.radius*obj.radius {
			continue
		}
		before := s.m.T
		if obj.frame != last {
			last = obj.frame
			oB, dB = last.Rot.Back(o.Sub(last.Pos)), last.Rot.Back(d)
			inv = rays.V(1/dB.X, 1/dB.Y, 1/dB.Z)
		}
		obj.solid.First(oB, dB, inv, nearPlane, &s.m, obj.skip, obj.surfaces)
		if s.m.T < before {
			s.object = k
		}
	}
	return s
}

// traceTile finds the hits of a tile's pixels.
func (c *canvas) traceTile(tile int) {
	r := c.rays.tile(tile)
	objects := c.nearby[tile]
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			if len(objects) == 0 || c.rays.dir[i] == (rays.Vec{}) {
				c.hits[i] = pixelHit{rays.Intersection{T: rays.Never}, -1}
				continue
			}
			o, d := c.ray(i)
			c.hits[i] = c.first(o, d, objects)
		}
	}
}

// shadeTile computes the colours of a tile.
func (c *canvas) shadeTile(tile int) {
	r := c.rays.tile(tile)
	pix := c.view.Color.Pix
	objects := c.nearby[tile]
	share := float32(c.view.Vignetting)
	above := rays.Vec{}
	for v := r.y0; v < r.y1; v++ {
		for u := r.x0; u < r.x1; u++ {
			x, y := u, v
			i := y*c.rays.width + x
			light := c.lights.tube
			if c.lights.natural != nil && c.rays.rim > 0 && c.rays.dir[i] == (rays.Vec{}) {
				i, x, y = c.inner(i, x, y)
			}
			if c.rays.dir[i] != (rays.Vec{}) {
				light = c.pixel(i, x, y, objects)
				light = light.Mul(1 + share*(c.rays.natural[i]-1))
			}
			if c.rays.rim > 0 {
				light = c.blendRim(light, u, v)
			}
			i = v*c.rays.width + u
			pix[3*i], pix[3*i+1], pix[3*i+2] = rays.Encode(light.X), rays.Encode(light.Y), rays.Encode(light.Z)
			above = above.Add(rays.V(max(light.X-1, 0), max(light.Y-1, 0), max(light.Z-1, 0)))
		}
	}
	if to := c.view.Color.Above; to != nil {
		above = above.Mul(1 / float32((r.x1-r.x0)*(r.y1-r.y0)))
		to[3*tile], to[3*tile+1], to[3*tile+2] = above.X, above.Y, above.Z
	}
}

// inner takes the index and the position of a pixel beyond a mirror's edge. It returns the index and the position of
// the neighbour towards the image's centre, whose light bleeds into the pixel. Windows are so bright that a pixel is
// not dark even if only a small part of it shows a window.
func (c *canvas) inner(i, x, y int) (int, int, int) {
	du, dv := float32(x)-c.rays.rimU, float32(y)-c.rays.rimV
	if rays.Abs(du) > rays.Abs(dv) {
		return i - int(sign(du)), x - int(sign(du)), y
	}
	return i - int(sign(dv))*c.rays.width, x, y - int(sign(dv))
}

// blendRim blends two things over a pixel: the thin ring at the mirror's edge, and the dark area outside of the ring.
func (c *canvas) blendRim(light rays.Vec, x, y int) rays.Vec {
	du, dv := float32(x)-c.rays.rimU, (float32(y)-c.rays.rimV)/c.rays.aspect
	r := rays.Sqrt(du*du + dv*dv)
	if r < c.rays.rim-0.5 {
		return light
	}
	light = light.Mix(c.lights.ring, rays.Clamp01(r-c.rays.rim+0.5))
	return light.Mix(c.lights.tube, rays.Clamp01(r-c.rays.rim*(1+render.RimShare)+0.5))
}

// pixel returns the light of a pixel: the light at its centre, or the mean of four samples if the pixel shows more than
// one surface.
func (c *canvas) pixel(i, x, y int, objects []int32) rays.Vec {
	o, d := c.ray(i)
	f := c.fan(i)
	s := &c.hits[i]
	if len(objects) == 0 || !c.isBoundary(i, x, y) {
		if s.object < 0 {
			return c.blendNets(c.background(o, d, &f), o, d, s, &f, objects)
		}
		return c.blendNets(c.surface(o, d, s, &f), o, d, s, &f, objects)
	}
	var sum rays.Vec
	var behind rays.Vec // light of the background; computed once for the whole pixel
	known := false
	for _, sub := range c.samples(i, x, y) {
		var light rays.Vec
		if sub.object >= 0 {
			light = c.surface(o, sub.d, &sub.pixelHit, &f)
		} else {
			if !known {
				behind, known = c.background(o, d, &f), true
			}
			light = behind
		}
		sum = sum.Add(c.blendNets(light, o, sub.d, &sub.pixelHit, &f, objects))
	}
	return sum.Mul(0.25)
}

// sample is one of the four samples of a pixel: its hit, and its direction in W.
type sample struct {
	pixelHit
	d rays.Vec
}

// samples returns the hits of the four samples of a pixel.
func (c *canvas) samples(i, x, y int) (all [4]sample) {
	o, d := c.ray(i)
	f := c.fan(i)
	var buf [9]int32
	around := c.neighbours(i, x, y, buf[:0])
	// The samples form a grid that is rotated by atan ½, like the four samples of graphics cards.
	for k, at := range [4][2]float32{{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}} {
		dir := d.Add(f.DX.Mul(at[0])).Add(f.DY.Mul(at[1])).Unit()
		all[k] = sample{c.first(o, dir, around), dir}
	}
	return all
}

// neighbours appends the objects that a pixel and its neighbouring pixels show, nearest first.
func (c *canvas) neighbours(i, x, y int, list []int32) []int32 {
	for v := max(y-1, 0); v <= min(y+1, c.rays.height-1); v++ {
		for u := max(x-1, 0); u <= min(x+1, c.rays.width-1); u++ {
			if k := c.hits[v*c.rays.width+u].object; k >= 0 && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	slices.Sort(list)
	return list
}

// isBoundary reports whether one of a pixel's neighbours shows another surface.
func (c *canvas) isBoundary(i, x, y int) bool {
	w := c.rays.width
	return x > 0 && c.differ(i, i-1) || x+1 < w && c.differ(i, i+1) ||
		y > 0 && c.differ(i, i-w) || y+1 < c.rays.height && c.differ(i, i+w)
}

func (c *canvas) differ(i, j int) bool {
	a, b := &c.hits[i], &c.hits[j]
	if a.object != b.object {
		return true
	}
	if a.object < 0 || a.m.Source == b.m.Source {
		return false
	}
	surfaces := c.shown[a.object].surfaces
	p, q := &surfaces[a.m.Source], &surfaces[b.m.Source]
	const crease = 0.8 // cosine
	return p.Part != q.Part || p.Flat.Dot(q.Flat) < crease
}

func (c *canvas) surface(o, d rays.Vec, s *pixelHit, f *rays.Fan) rays.Vec {
	obj := &c.shown[s.object]
	h := c.hit(obj, s.m)
	return c.lights.radiance(&h, o, d, f)
}

// hit returns the intersection of a ray with an object in the form that shading needs.
func (c *canvas) hit(o *viewObject, m rays.Intersection) hit {
	s := &o.surfaces[m.Source]
	return hit{s, &c.model.materials[s.Material], o.frame, o.body, m}
}

// blendNets blends the nets in front of a hit over the light of the hit.
func (c *canvas) blendNets(light, o, d rays.Vec, s *pixelHit, f *rays.Fan, objects []int32) rays.Vec {
	for _, k := range objects {
		obj := &c.shown[k]
		if obj.nets == nil || obj.distance > s.m.T {
			continue
		}
		var buf [8]rays.Intersection
		for _, m := range obj.nets.All(obj.frame.Rot.Back(o.Sub(obj.frame.Pos)), obj.frame.Rot.Back(d), nearPlane,
			s.m.T, buf[:0]) {
			h := c.hit(obj, m)
			if obj.skip != nil && obj.skip[h.surface.Part] {
				continue
			}
			if cover := h.surface.NetCover(h.place(d, f)); cover > 0 {
				light = light.Mix(c.lights.radiance(&h, o, d, f), cover)
			}
		}
	}
	return light
}

// background returns the light along a ray that meets no body: that of carpet, bare floor, walls or ceiling.
func (c *canvas) background(o, d rays.Vec, f *rays.Fan) rays.Vec {
	carpet := &c.model.carpet
	var light rays.Vec
	var toWall float32
	natural := c.lights.natural
	if natural != nil {
		light, toWall = natural.radianceAt(o, d, f)
	} else {
		light, toWall = c.model.room.radianceAt(o, d, f)
	}
	if !(d.Z < 0 && -o.Z > d.Z*toWall) {
		return light
	}
	t := -o.Z / d.Z
	x, y := f.Steps(d, rays.V(0, 0, 1), t)
	px, py := o.X+d.X*t, o.Y+d.Y*t
	albedo, sheen := carpet.Matter(px, py, rays.NewFootprint(x, y))
	if natural != nil {
		return natural.onCarpet(albedo, sheen, -d.Z).Times(natural.onFloor(px, py))
	}
	return albedo.Times(c.lights.onFloor(px, py))
}

// fillDepth computes a tile's depths, and the reflectances of what its pixels show. Nets have no depth. The ceiling has
// none either, nor have walls of a room that is not solid.
func (c *canvas) fillDepth(tile int) {
	r := c.rays.tile(tile)
	room := &c.model.room
	hall, carpet := room.half, c.model.carpetHalf
	inf := float32(math.Inf(1))
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			t := c.hits[i].m.T
			o, d := c.ray(i)
			reflectance := float32(0)
			if s := &c.hits[i]; s.object >= 0 {
				reflectance = c.model.materials[c.shown[s.object].surfaces[s.m.Source].Material].reflectance
			}
			if floor := -o.Z / d.Z; d.Z < 0 && floor < t && rays.Abs(o.X+d.X*floor) < hall[0] &&
				rays.Abs(o.Y+d.Y*floor) < hall[1] {
				t, reflectance = floor, c.model.reflectances.bare
				if rays.Abs(o.X+d.X*floor) < carpet[0] && rays.Abs(o.Y+d.Y*floor) < carpet[1] {
					reflectance = c.model.reflectances.carpet
				}
			}
			if wall, _ := room.toWall(o, d); room.solid && wall < t && o.Z+d.Z*wall < room.height {
				t, reflectance = wall, c.model.reflectances.wall
			}
			if c.view.Depth.Reflectance != nil {
				c.view.Depth.Reflectance[i] = reflectance
			}
			if t == rays.Never || c.rays.dir[i] == (rays.Vec{}) {
				c.view.Depth.Z[i] = inf
				continue
			}
			z := t * c.rays.dir[i].Z
			if c.rays.origin != nil {
				z += c.rays.origin[i].Z
			}
			c.view.Depth.Z[i] = z
		}
	}
}
