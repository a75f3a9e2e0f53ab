package gl

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// What a scene is said to cost is what is baked of it.
func TestBodiesCostWhatIsBaked(t *testing.T) {
	s := &render.Scene{
		Meshes:  []render.Mesh{shapes.Box(3, 2, 1), shapes.Sphere(0.5, 2)},
		Shading: render.Shading{Materials: []render.Material{{}}},
	}
	parts := []render.Part{{Mesh: 0, PoseBP: spatial.Planar(4, 1, 0.3)}, {Mesh: 1, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 3})}}
	for name, eyes := range map[string]*render.CameraRegion{
		"anywhere":  nil,
		"somewhere": render.NewCameraRegion(spatial.Planar(1, 2, 3), mgl64.Vec3{-1, -1, 0}, mgl64.Vec3{1, 1, 2}),
	} {
		body := &render.Body{Parts: parts, Cameras: eyes}
		b := baker{users: make([][]run, len(s.Materials))}
		baked := b.body(s, body)
		cost := refine.CostOf(s, body, 1<<31)
		if len(b.indices) != 3*cost.Cut || cost.Parts != len(baked.parts) || cost.Triangles != len(s.Meshes[0].Indices)/3+len(s.Meshes[1].Indices)/3 {
			t.Errorf("%s: %d indices baked, said to cost %+v", name, len(b.indices), cost)
		}
		for _, p := range baked.parts {
			for i, l := range p.levels {
				if i > 0 && (l.edge > p.levels[i-1].edge || l.first != p.levels[i-1].first+p.levels[i-1].count) {
					t.Errorf("%s: levels %+v", name, p.levels)
				}
			}
		}
	}
}
