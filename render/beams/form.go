package beams

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Form is the surface of a body, for sensors that measure only the distance. It does not change, so any goroutines may
// share it. All its arguments and results are in the body's frame.
type Form struct {
	tree         *rays.Tree
	centre, half mgl64.Vec3
}

// NewForm returns the surface of some parts of a body, without nets. It returns nil if there is no surface.
func NewForm(scene *render.Scene, parts []render.Part) *Form {
	var all []rays.Triangle
	for i := range parts {
		if p := &parts[i]; scene.Materials[p.Material].Pattern != render.Net {
			all = rays.AddTriangles(all, &scene.Meshes[p.Mesh], p.PoseBP)
		}
	}
	if len(all) == 0 {
		return nil
	}
	f := &Form{tree: rays.NewTree(all)}
	box := f.tree.Bounds()
	f.centre, f.half = box.Centre().In64(), box.Hi.Sub(box.Lo).Mul(0.5).In64()
	return f
}

// Box returns the centre of the smallest box along the body's axes that contains the surface, and half of its sides, m.
func (f *Form) Box() (centre, half mgl64.Vec3) { return f.centre, f.half }

// Cast returns the distance, in m, from a point along a unit vector to the front of the surface. It returns +Inf if
// that is not nearer than the distance far.
func (f *Form) Cast(from, along mgl64.Vec3, far float64) float64 {
	o, d := rays.Vec64(from), rays.Vec64(along)
	best := rays.Intersection{T: float32(min(far, float64(rays.Never))), Source: -1}
	f.tree.First(o, d, rays.V(1/d.X, 1/d.Y, 1/d.Z), 0, &best, nil, nil)
	if best.Source < 0 {
		return math.Inf(1)
	}
	return float64(best.T)
}
