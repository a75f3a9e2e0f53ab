package raycast

import (
	"slices"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

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
	around := c.neighbours(x, y, buf[:0])
	// The samples form a grid that is rotated by atan ½, like the four samples of graphics cards.
	for k, at := range [4][2]float32{{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}} {
		dir := d.Add(f.DX.Mul(at[0])).Add(f.DY.Mul(at[1])).Unit()
		all[k] = sample{c.first(o, dir, around), dir}
	}
	return all
}

// neighbours appends the objects that a pixel and its neighbouring pixels show, nearest first.
func (c *canvas) neighbours(x, y int, list []int32) []int32 {
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
