package raycast

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// fillTruth computes a tile of the view's truth.
func (c *canvas) fillTruth(tile int) {
	r := c.rays.tile(tile)
	t := c.view.Truth
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			label, distance, normal := c.label(i)
			t.Labels[i], t.Range[i] = label, distance
			n := c.rotWC.back(normal)
			t.Normals[3*i], t.Normals[3*i+1], t.Normals[3*i+2] = n.x, n.y, n.z
			t.Flow[2*i], t.Flow[2*i+1] = 0, 0
			if c.view.Before != nil {
				t.Flow[2*i], t.Flow[2*i+1] = c.flow(i, label, distance)
			}
		}
	}
}

// label returns the label of a pixel's middle, its distance along the ray, metres, and the surface's normal in W.
func (c *canvas) label(i int) (label uint16, distance float32, normal vec) {
	if c.rays.dir[i] == (vec{}) {
		return render.LabelNothing, float32(math.Inf(1)), vec{}
	}
	o, d := c.ray(i)
	f := c.fan(i)
	if s := &c.hits[i]; s.object >= 0 {
		obj := &c.shown[s.object]
		surface := &obj.surfaces[s.m.source]
		w := 1 - s.m.u - s.m.v
		n := surface.normal[0].mul(w).add(surface.normal[1].mul(s.m.u)).add(surface.normal[2].mul(s.m.v))
		return render.LabelBody + uint16(obj.body), s.m.t, obj.frame.rot.apply(n).unit()
	}
	toWall, wall := c.model.room.toWall(o, d)
	if !(d.z < 0 && -o.z > d.z*toWall) {
		return render.LabelHall, toWall, wall
	}
	t := -o.z / d.z
	x, y := f.steps(d, vec{0, 0, 1}, t)
	if c.model.carpet.cover(o.x+d.x*t, o.y+d.y*t, &footprint{x.x, x.y, y.x, y.y}) > 0.5 {
		return render.LabelMark, t, vec{0, 0, 1}
	}
	return render.LabelFloor, t, vec{0, 0, 1}
}

// flow returns by how many pixels the point that a pixel shows has moved in the image.
func (c *canvas) flow(i int, label uint16, distance float32) (du, dv float32) {
	nan := float32(math.NaN())
	if label == render.LabelNothing || math.IsInf(float64(distance), 1) {
		return nan, nan
	}
	e, before := c.rays, c.view.Before
	dC := e.dir[i].mul(distance)
	if e.origin != nil {
		dC = dC.add(e.origin[i])
	}
	p := c.view.PoseWC.Apply(mgl64.Vec3{float64(dC.x), float64(dC.y), float64(dC.z)})
	if body := int(label) - int(render.LabelBody); body >= 0 {
		p = before.PosesWB[body].Apply(c.inverse[body].Apply(p))
	}
	u, v, ok := e.model.Project(c.before.Apply(p))
	if !ok {
		return nan, nan
	}
	return float32(float64(i%e.width) - u), float32(float64(i/e.width) - v)
}
