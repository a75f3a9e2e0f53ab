package raycast

import (
	"cmp"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// canvas draws one view after the other. It reuses its memory.
type canvas struct {
	view   *render.View
	rays   *pixelRays
	model  *model
	lights *lights
	frames []frame

	rotWC   rotation
	originW vec
	shown   []viewObject
	nearby  [][]int32  // of each tile, what of shown its rays may meet, nearest first
	absent  []bool     // bodies that are not there; nil for none
	skip    [][]bool   // of each body, the parts that the view hides; nil for none
	hits    []pixelHit // of each pixel

	inverse []spatial.Pose // poseBW of the bodies, when a flow is asked for; single precision would not do for it
	before  spatial.Pose   // poseCW of the instant that it counts from
}

// pixelHit is the first intersection of a pixel's ray.
type pixelHit struct {
	m      intersection
	object int32 // index in shown; −1 for none
}

// viewObject is an object, or a piece of one, in a view.
type viewObject struct {
	*object
	frame    *frame
	surfaces []surface
	skip     []bool // the parts of its body that the view hides; nil for none
	centreW  vec
	distance float32 // lower bound of the distance from the viewpoint, metres
}

// nearPlane is the smallest distance of what is drawn, metres.
const nearPlane = 0.02

func (c *canvas) draw(v *render.View, e *pixelRays, m *model, l *lights, posesWB []spatial.Pose, frames []frame) {
	c.lights = l
	c.trace(v, e, m, frames)
	if v.Color != nil {
		inParallel(len(e.cones), func(i int) { c.shadeTile(i) })
	}
	if v.Depth != nil {
		inParallel(len(e.cones), func(i int) { c.fillDepth(i) })
	}
	if v.Truth != nil {
		if v.Before != nil {
			c.inverse = c.inverse[:0]
			for _, p := range posesWB {
				c.inverse = append(c.inverse, p.Inverse())
			}
			c.before = v.Before.PoseWC.Inverse()
		}
		inParallel(len(e.cones), func(i int) { c.fillTruth(i) })
	}
}

// trace finds the hits of the rays through the middles of a view's pixels.
func (c *canvas) trace(v *render.View, e *pixelRays, m *model, frames []frame) {
	c.view, c.rays, c.model, c.frames = v, e, m, frames
	f := newFrame(v.PoseWC)
	c.rotWC, c.originW = f.rot, f.pos
	c.cull()
	if n := e.width * e.height; len(c.hits) < n {
		c.hits = make([]pixelHit, n)
	}
	inParallel(len(e.cones), func(i int) { c.traceTile(i) })
}

// cull lists the objects that each tile may show.
func (c *canvas) cull() {
	c.hideParts()
	c.shown = c.shown[:0]
	for i := range c.model.objects {
		o := &c.model.objects[i]
		if c.absent != nil && c.absent[o.body] {
			continue
		}
		to := c.frames[o.body].place(o.centre).sub(c.originW)
		if len(o.pieces) > 0 && to.len() < 2*o.radius {
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
		centre := c.rotWC.back(s.centreW.sub(c.originW))
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
	s := viewObject{object: o, frame: f, surfaces: c.model.bodies[o.body], skip: c.skip[o.body], centreW: f.place(o.centre)}
	s.distance = s.centreW.sub(c.originW).len() - o.radius
	c.shown = append(c.shown, s)
}

// hideParts lists the parts that the view hides.
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
func (c *canvas) ray(i int) (o, d vec) {
	o = c.originW
	if c.rays.origin != nil {
		o = o.add(c.rotWC.apply(c.rays.origin[i]))
	}
	return o, c.rotWC.apply(c.rays.dir[i])
}

// fan returns the differences of a pixel's direction from its neighbours', in W.
func (c *canvas) fan(i int) fan {
	f := c.rays.fan(i)
	return fan{c.rotWC.apply(f.dx), c.rotWC.apply(f.dy)}
}

// first returns the first hit of a ray among objects.
func (c *canvas) first(o, d vec, among []int32) pixelHit {
	s := pixelHit{intersection{t: never}, -1}
	var last *frame
	var oB, dB, inv vec
	for _, k := range among {
		obj := &c.shown[k]
		if obj.distance > s.m.t {
			break // and so are all the others
		}
		// The sphere first: most rays miss most objects.
		to := obj.centreW.sub(o)
		along := to.dot(d)
		if along+obj.radius < nearPlane || to.dot(to)-along*along > obj.radius*obj.radius {
			continue
		}
		before := s.m.t
		if obj.frame != last {
			last = obj.frame
			oB, dB = last.rot.back(o.sub(last.pos)), last.rot.back(d)
			inv = vec{1 / dB.x, 1 / dB.y, 1 / dB.z}
		}
		obj.solid.first(oB, dB, inv, nearPlane, &s.m, obj.skip, obj.surfaces)
		if s.m.t < before {
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
			if len(objects) == 0 || c.rays.dir[i] == (vec{}) {
				c.hits[i] = pixelHit{intersection{t: never}, -1}
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
	for y := r.y0; y < r.y1; y++ {
		for x := r.x0; x < r.x1; x++ {
			i := y*c.rays.width + x
			light := c.lights.tube
			if c.rays.dir[i] != (vec{}) {
				light = c.pixel(i, x, y, objects)
				light = light.mul(1 + share*(c.rays.natural[i]-1))
			}
			if c.rays.rim > 0 {
				light = c.blendRim(light, x, y)
			}
			pix[3*i], pix[3*i+1], pix[3*i+2] = encode(light.x), encode(light.y), encode(light.z)
		}
	}
}

// blendRim blends the mirror's edge, a thin ring, and the dark around it over a pixel.
func (c *canvas) blendRim(light vec, x, y int) vec {
	du, dv := float32(x)-c.rays.rimU, (float32(y)-c.rays.rimV)/c.rays.aspect
	r := sqrt(du*du + dv*dv)
	if r < c.rays.rim-0.5 {
		return light
	}
	ring := c.lights.sky.mul(0.10).add(c.lights.lamp.mul(0.02))
	light = light.mix(ring, clamp01(r-c.rays.rim+0.5))
	return light.mix(c.lights.tube, clamp01(r-c.rays.rim*(1+render.RimShare)+0.5))
}

// pixel returns the light of a pixel: that of its middle, or the mean of four samples if it shows more than one surface.
func (c *canvas) pixel(i, x, y int, objects []int32) vec {
	o, d := c.ray(i)
	f := c.fan(i)
	s := &c.hits[i]
	if len(objects) == 0 || !c.isBoundary(i, x, y) {
		if s.object < 0 {
			return c.blendNets(c.background(o, d, &f), o, d, s, &f, objects)
		}
		return c.blendNets(c.surface(o, d, s, &f), o, d, s, &f, objects)
	}
	var sum vec
	var behind vec // the background, once for the whole pixel
	known := false
	for _, sub := range c.samples(i, x, y) {
		var light vec
		if sub.object >= 0 {
			light = c.surface(o, sub.d, &sub.pixelHit, &f)
		} else {
			if !known {
				behind, known = c.background(o, d, &f), true
			}
			light = behind
		}
		sum = sum.add(c.blendNets(light, o, sub.d, &sub.pixelHit, &f, objects))
	}
	return sum.mul(0.25)
}

// sample is one of the four samples of a pixel, by its direction in W.
type sample struct {
	pixelHit
	d vec
}

// samples returns the hits of the four samples of a pixel.
func (c *canvas) samples(i, x, y int) (all [4]sample) {
	o, d := c.ray(i)
	f := c.fan(i)
	var buf [9]int32
	around := c.neighbours(i, x, y, buf[:0])
	// A grid turned by atan ½, as the four samples of graphics cards.
	for k, at := range [4][2]float32{{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}} {
		dir := d.add(f.dx.mul(at[0])).add(f.dy.mul(at[1])).unit()
		all[k] = sample{c.first(o, dir, around), dir}
	}
	return all
}

// neighbours appends the objects that a pixel and its neighbours show, nearest first.
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

// isBoundary tells whether one of a pixel's neighbours shows another surface.
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
	if a.object < 0 || a.m.source == b.m.source {
		return false
	}
	surfaces := c.shown[a.object].surfaces
	p, q := &surfaces[a.m.source], &surfaces[b.m.source]
	const crease = 0.8 // cosine
	return p.part != q.part || p.flat.dot(q.flat) < crease
}

func (c *canvas) surface(o, d vec, s *pixelHit, f *fan) vec {
	obj := &c.shown[s.object]
	h := hit{&obj.surfaces[s.m.source], obj.frame, s.m}
	return c.lights.radiance(&h, o, d, f)
}

// blendNets blends the nets in front of a hit over its light.
func (c *canvas) blendNets(light, o, d vec, s *pixelHit, f *fan, objects []int32) vec {
	for _, k := range objects {
		obj := &c.shown[k]
		if obj.nets == nil || obj.distance > s.m.t {
			continue
		}
		var buf [8]intersection
		for _, m := range obj.nets.all(obj.frame.rot.back(o.sub(obj.frame.pos)), obj.frame.rot.back(d), nearPlane, s.m.t, buf[:0]) {
			h := hit{&obj.surfaces[m.source], obj.frame, m}
			if obj.skip != nil && obj.skip[h.surface.part] {
				continue
			}
			if cover := netCover(&h, d, f); cover > 0 {
				light = light.mix(c.lights.radiance(&h, o, d, f), cover)
			}
		}
	}
	return light
}

// background returns the light of what is no body: carpet, bare floor, walls, ceiling.
func (c *canvas) background(o, d vec, f *fan) vec {
	carpet := &c.model.carpet
	light, toWall := c.model.room.at(o, d, f)
	if !(d.z < 0 && -o.z > d.z*toWall) {
		return light
	}
	t := -o.z / d.z
	x, y := f.steps(d, vec{0, 0, 1}, t)
	px, py := o.x+d.x*t, o.y+d.y*t
	return carpet.albedo(px, py, &footprint{x.x, x.y, y.x, y.y}).times(c.lights.onFloor(px, py))
}

// fillDepth computes a tile's depths. Nets and what is beyond the floor have none.
func (c *canvas) fillDepth(tile int) {
	r := c.rays.tile(tile)
	hall := c.model.room.half
	inf := float32(math.Inf(1))
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			t := c.hits[i].m.t
			o, d := c.ray(i)
			if floor := -o.z / d.z; d.z < 0 && floor < t && abs(o.x+d.x*floor) < hall[0] && abs(o.y+d.y*floor) < hall[1] {
				t = floor
			}
			if t == never || c.rays.dir[i] == (vec{}) {
				c.view.Depth.Z[i] = inf
				continue
			}
			z := t * c.rays.dir[i].z
			if c.rays.origin != nil {
				z += c.rays.origin[i].z
			}
			c.view.Depth.Z[i] = z
		}
	}
}

// encode converts linear light to sRGB.
func encode(light float32) uint8 { return render.Encode8(clamp01(light)) }
