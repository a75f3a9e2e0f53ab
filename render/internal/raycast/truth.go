package raycast

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// fillTruth computes a tile of the view's truth.
func (c *canvas) fillTruth(tile int) {
	r := c.rays.tile(tile)
	t := c.view.Truth
	for y := r.y0; y < r.y1; y++ {
		for i := y*c.rays.width + r.x0; i < y*c.rays.width+r.x1; i++ {
			label, distance, normal := c.label(i)
			t.Labels[i], t.Range[i] = label, distance
			n := c.rotWC.Back(normal)
			t.Normals[3*i], t.Normals[3*i+1], t.Normals[3*i+2] = n.X, n.Y, n.Z
			t.Flow[2*i], t.Flow[2*i+1] = 0, 0
			if c.view.Before != nil {
				t.Flow[2*i], t.Flow[2*i+1] = c.flow(i, label, distance)
			}
		}
	}
}

// label returns the label at a pixel's centre, its distance along the ray, metres, and the surface's normal in W.
func (c *canvas) label(i int) (label uint16, distance float32, normal rays.Vec) {
	if c.rays.dir[i] == (rays.Vec{}) {
		return render.LabelNothing, float32(math.Inf(1)), rays.Vec{}
	}
	o, d := c.ray(i)
	f := c.fan(i)
	if s := &c.hits[i]; s.object >= 0 {
		obj := &c.shown[s.object]
		surface := &obj.surfaces[s.m.Source]
		n := surface.Normal(&s.m)
		return render.LabelBody + uint16(obj.body), s.m.T, obj.frame.Rot.Apply(n).Unit()
	}
	toWall, wall := c.model.room.toWall(o, d)
	if !(d.Z < 0 && -o.Z > d.Z*toWall) {
		return render.LabelHall, toWall, wall
	}
	t := -o.Z / d.Z
	x, y := f.Steps(d, rays.V(0, 0, 1), t)
	if c.model.carpet.Cover(o.X+d.X*t, o.Y+d.Y*t, rays.NewFootprint(x, y)) > 0.5 {
		return render.LabelMark, t, rays.V(0, 0, 1)
	}
	return render.LabelFloor, t, rays.V(0, 0, 1)
}

// flow returns the displacement, pixels, of the surface point that a pixel shows.
func (c *canvas) flow(i int, label uint16, distance float32) (du, dv float32) {
	nan := float32(math.NaN())
	if label == render.LabelNothing || math.IsInf(float64(distance), 1) {
		return nan, nan
	}
	e, before := c.rays, c.view.Before
	dC := e.dir[i].Mul(distance)
	if e.origin != nil {
		dC = dC.Add(e.origin[i])
	}
	p := c.view.PoseWC.Apply(mgl64.Vec3{float64(dC.X), float64(dC.Y), float64(dC.Z)})
	if body := int(label) - int(render.LabelBody); body >= 0 {
		p = before.PosesWB[body].Apply(c.inverse[body].Apply(p))
	}
	u, v, ok := e.model.Project(c.before.Apply(p))
	if !ok {
		return nan, nan
	}
	return float32(float64(i%e.width) - u), float32(float64(i/e.width) - v)
}
