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
