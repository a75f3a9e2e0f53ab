package raycast

import (
	"cmp"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// canvas draws views. It keeps its memory from view to view.
type canvas struct {
	view   *render.View
	eye    *eye
	model  *model
	lights *lights
	frames []frame

	rotWC  rotation
	eyeW   vec
	shown  []shown
	nearby [][]int32 // of each tile, what of shown its rays may meet, nearest first
	blind  []bool    // bodies that are not there; nil for none
	skip   [][]bool  // of each body, the parts that the view hides; nil for none
	sights []sight   // of each pixel

	inverse []spatial.Pose // poseBW of the bodies, when a flow is asked for; single precision would not do for it
	before  spatial.Pose   // poseCW of the instant that it counts from
}

// sight is what the middle of a pixel sees.
type sight struct {
	m      meeting
	object int32 // of what is shown; −1 for none
}

// shown is an object, or a piece of one, as a view shows it.
type shown struct {
	*object
	frame    *frame
	surfaces []surface
	skip     []bool // the parts of its body that the view hides; nil for none
	centreW  vec
	distance float32 // of its nearest point from the eye, at least
}

// from is how far, in metres, a surface must be to be seen, as behind a near plane.
const from = 0.02

func (c *canvas) draw(v *render.View, e *eye, m *model, l *lights, posesWB []spatial.Pose, frames []frame) {
	c.lights = l
	c.lookAt(v, e, m, frames)
	if v.Color != nil {
		inParallel(len(e.cones), func(i int) { c.paint(i) })
	}
	if v.Depth != nil {
		inParallel(len(e.cones), func(i int) { c.measure(i) })
	}
	if v.Truth != nil {
		if v.Before != nil {
			c.inverse = c.inverse[:0]
			for _, p := range posesWB {
				c.inverse = append(c.inverse, p.Inverse())
			}
			c.before = v.Before.PoseWC.Inverse()
		}
		inParallel(len(e.cones), func(i int) { c.tell(i) })
	}
}

// lookAt finds what the middles of a view's pixels see.
func (c *canvas) lookAt(v *render.View, e *eye, m *model, frames []frame) {
	c.view, c.eye, c.model, c.frames = v, e, m, frames
	f := newFrame(v.PoseWC)
	c.rotWC, c.eyeW = f.rot, f.pos
	c.cull()
	if n := e.width * e.height; len(c.sights) < n {
		c.sights = make([]sight, n)
	}
	inParallel(len(e.cones), func(i int) { c.look(i) })
}

// cull lists what each tile may show.
func (c *canvas) cull() {
	c.hide()
	c.shown = c.shown[:0]
	for i := range c.model.objects {
		o := &c.model.objects[i]
		if c.blind != nil && c.blind[o.body] {
			continue
		}
		to := c.frames[o.body].place(o.centre).sub(c.eyeW)
		if len(o.pieces) > 0 && to.len() < 2*o.radius {
			for k := range o.pieces {
				c.show(&o.pieces[k])
			}
			continue
		}
		c.show(o)
	}
	slices.SortStableFunc(c.shown, func(a, b shown) int { return cmp.Compare(a.distance, b.distance) })
	if len(c.nearby) < len(c.eye.cones) {
		c.nearby = append(c.nearby, make([][]int32, len(c.eye.cones)-len(c.nearby))...)
	}
	for i := range c.nearby {
		c.nearby[i] = c.nearby[i][:0]
	}
	for i := range c.shown {
		s := &c.shown[i]
		centre := c.rotWC.back(s.centreW.sub(c.eyeW))
		for t := range c.eye.cones {
			if cone := &c.eye.cones[t]; !cone.blind && cone.meets(centre, s.radius) {
				c.nearby[t] = append(c.nearby[t], int32(i))
			}
		}
	}
}

func (c *canvas) show(o *object) {
	if skip := c.skip[o.body]; o.part >= 0 && skip != nil && skip[o.part] {
		return
	}
	f := &c.frames[o.body]
	s := shown{object: o, frame: f, surfaces: c.model.bodies[o.body], skip: c.skip[o.body], centreW: f.place(o.centre)}
	s.distance = s.centreW.sub(c.eyeW).len() - o.radius
	c.shown = append(c.shown, s)
}

// hide lists the parts that the view hides.
func (c *canvas) hide() {
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

// ray returns a pixel's ray in the world.
func (c *canvas) ray(i int) (o, d vec) {
	o = c.eyeW
	if c.eye.origin != nil {
		o = o.add(c.rotWC.apply(c.eye.origin[i]))
	}
	return o, c.rotWC.apply(c.eye.dir[i])
}

// fan returns how a pixel's ray differs from its neighbours', in the world.
func (c *canvas) fan(i int) fan {
	f := c.eye.fan(i)
	return fan{c.rotWC.apply(f.dx), c.rotWC.apply(f.dy)}
}

// first returns what a ray meets first of what is shown.
func (c *canvas) first(o, d vec, among []int32) sight {
	s := sight{meeting{t: never}, -1}
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
		if along+obj.radius < from || to.dot(to)-along*along > obj.radius*obj.radius {
			continue
		}
		before := s.m.t
		if obj.frame != last {
			last = obj.frame
			oB, dB = last.rot.back(o.sub(last.pos)), last.rot.back(d)
			inv = vec{1 / dB.x, 1 / dB.y, 1 / dB.z}
		}
		obj.solid.first(oB, dB, inv, from, &s.m, obj.skip, obj.surfaces)
		if s.m.t < before {
			s.object = k
		}
	}
	return s
}

// look finds what the pixels of a tile see.
func (c *canvas) look(tile int) {
	r := c.eye.tile(tile)
	objects := c.nearby[tile]
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.eye.width + r.x0; i < y*c.eye.width+r.x1; i++ {
			if len(objects) == 0 || c.eye.dir[i] == (vec{}) {
				c.sights[i] = sight{meeting{t: never}, -1}
				continue
			}
			o, d := c.ray(i)
			c.sights[i] = c.first(o, d, objects)
		}
	}
}

// darkness is the light where the optics see nothing.
var darkness = vec{render.TubeLight, render.TubeLight, render.TubeLight}

// paint colours a tile.
func (c *canvas) paint(tile int) {
	r := c.eye.tile(tile)
	pix := c.view.Color.Pix
	objects := c.nearby[tile]
	share := float32(c.view.Vignetting)
	for y := r.y0; y < r.y1; y++ {
		for x := r.x0; x < r.x1; x++ {
			i := y*c.eye.width + x
			light := darkness
			if c.eye.dir[i] != (vec{}) {
				light = c.pixel(i, x, y, objects)
				light = light.mul(1 + share*(c.eye.natural[i]-1))
			}
			if c.eye.rim > 0 {
				light = c.edge(light, x, y)
			}
			pix[3*i], pix[3*i+1], pix[3*i+2] = encode(light.x), encode(light.y), encode(light.z)
		}
	}
}

// edge blends into the mirror's edge, a thin ring, and the dark around it.
func (c *canvas) edge(light vec, x, y int) vec {
	du, dv := float32(x)-c.eye.rimU, (float32(y)-c.eye.rimV)/c.eye.aspect
	r := sqrt(du*du + dv*dv)
	if r < c.eye.rim-0.5 {
		return light
	}
	ring := c.lights.sky.mul(0.10).add(c.lights.lamp.mul(0.02))
	light = light.mix(ring, clamp01(r-c.eye.rim+0.5))
	return light.mix(darkness, clamp01(r-c.eye.rim*(1+render.RimShare)+0.5))
}

// pixel returns the light of a pixel: that of its middle, or the mean of four points where more than one thing is seen.
func (c *canvas) pixel(i, x, y int, objects []int32) vec {
	o, d := c.ray(i)
	f := c.fan(i)
	s := &c.sights[i]
	if len(objects) == 0 || !c.border(i, x, y) {
		if s.object < 0 {
			return c.through(c.beyond(o, d, &f), o, d, s, &f, objects)
		}
		return c.through(c.solid(o, d, s, &f), o, d, s, &f, objects)
	}
	var sum vec
	var behind vec // computed for the whole pixel, when it is seen
	known := false
	for _, sub := range c.samples(i, x, y) {
		var light vec
		if sub.object >= 0 {
			light = c.solid(o, sub.d, &sub.sight, &f)
		} else {
			if !known {
				behind, known = c.beyond(o, d, &f), true
			}
			light = behind
		}
		sum = sum.add(c.through(light, o, sub.d, &sub.sight, &f, objects))
	}
	return sum.mul(0.25)
}

// sample is what one of the four points of a pixel sees, in a direction of the world.
type sample struct {
	sight
	d vec
}

// samples returns what four points of a pixel see.
func (c *canvas) samples(i, x, y int) (all [4]sample) {
	o, d := c.ray(i)
	f := c.fan(i)
	var buf [9]int32
	around := c.around(i, x, y, buf[:0])
	// A grid turned by atan ½, as the four samples of graphics cards.
	for k, at := range [4][2]float32{{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}} {
		dir := d.add(f.dx.mul(at[0])).add(f.dy.mul(at[1])).unit()
		all[k] = sample{c.first(o, dir, around), dir}
	}
	return all
}

// around appends what a pixel and its neighbours see, nearest first.
func (c *canvas) around(i, x, y int, list []int32) []int32 {
	for v := max(y-1, 0); v <= min(y+1, c.eye.height-1); v++ {
		for u := max(x-1, 0); u <= min(x+1, c.eye.width-1); u++ {
			if k := c.sights[v*c.eye.width+u].object; k >= 0 && !slices.Contains(list, k) {
				list = append(list, k)
			}
		}
	}
	slices.Sort(list)
	return list
}

// border tells whether one of a pixel's neighbours sees something else.
func (c *canvas) border(i, x, y int) bool {
	w := c.eye.width
	return x > 0 && c.differ(i, i-1) || x+1 < w && c.differ(i, i+1) ||
		y > 0 && c.differ(i, i-w) || y+1 < c.eye.height && c.differ(i, i+w)
}

func (c *canvas) differ(i, j int) bool {
	a, b := &c.sights[i], &c.sights[j]
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

func (c *canvas) solid(o, d vec, s *sight, f *fan) vec {
	obj := &c.shown[s.object]
	h := hit{&obj.surfaces[s.m.source], obj.frame, s.m}
	return c.lights.radiance(&h, o, d, f)
}

// through returns light seen through the nets before it.
func (c *canvas) through(light, o, d vec, s *sight, f *fan, objects []int32) vec {
	for _, k := range objects {
		obj := &c.shown[k]
		if obj.nets == nil || obj.distance > s.m.t {
			continue
		}
		var buf [8]meeting
		for _, m := range obj.nets.all(obj.frame.rot.back(o.sub(obj.frame.pos)), obj.frame.rot.back(d), from, s.m.t, buf[:0]) {
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

// beyond returns the light of what is no body: carpet, bare floor, walls, ceiling.
func (c *canvas) beyond(o, d vec, f *fan) vec {
	carpet := &c.model.carpet
	light, toWall := c.model.hall.at(o, d, f)
	if !(d.z < 0 && -o.z > d.z*toWall) {
		return light
	}
	t := -o.z / d.z
	x, y := f.steps(d, vec{0, 0, 1}, t)
	px, py := o.x+d.x*t, o.y+d.y*t
	return carpet.albedo(px, py, &footprint{x.x, x.y, y.x, y.y}).times(c.lights.onFloor(px, py))
}

// measure fills a tile's distances. Nets are not measured, nor is anything beyond the floor.
func (c *canvas) measure(tile int) {
	r := c.eye.tile(tile)
	hall := c.model.hall.half
	inf := float32(math.Inf(1))
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.eye.width + r.x0; i < y*c.eye.width+r.x1; i++ {
			t := c.sights[i].m.t
			o, d := c.ray(i)
			if floor := -o.z / d.z; d.z < 0 && floor < t && abs(o.x+d.x*floor) < hall[0] && abs(o.y+d.y*floor) < hall[1] {
				t = floor
			}
			if t == never || c.eye.dir[i] == (vec{}) {
				c.view.Depth.Z[i] = inf
				continue
			}
			z := t * c.eye.dir[i].z
			if c.eye.origin != nil {
				z += c.eye.origin[i].z
			}
			c.view.Depth.Z[i] = z
		}
	}
}

// encode turns linear light into sRGB.
func encode(light float32) uint8 {
	return srgb[int(clamp01(light)*float32(len(srgb)-1)+0.5)]
}

var srgb = func() (table [1 << 14]uint8) {
	for i := range table {
		table[i] = uint8(math.Round(255 * render.Encoded(float64(i)/float64(len(table)-1))))
	}
	return table
}()
