package articulated

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// oneMesh gives a cube of 2 m around the origin for every name.
func oneMesh(string) (*render.Group, error) {
	return &render.Group{Meshes: []render.Mesh{shapes.Box(2, 2, 2)}, Materials: make([]render.Material, 1),
		Parts: []render.Part{{PoseBP: spatial.Identity()}}}, nil
}

// TestReach checks extents of shapes at random poses against points of their surfaces.
func TestReach(t *testing.T) {
	pose := spatial.RPY(mgl64.Vec3{0.3, -0.2, 0.5}, 0.4, -1, 2)
	dir := mgl64.Vec3{0.2, -0.5, 0.7}.Normalize()
	group, scale := must.Get(oneMesh(""))(t), mgl64.Vec3{1, 2, -3}
	for _, c := range []struct {
		geometry Geometry
		mesh     render.Mesh
		within   float64
	}{
		{Geometry{Shape: Box, Size: mgl64.Vec3{0.2, 0.4, 0.6}}, shapes.Box(0.2, 0.4, 0.6), 1e-6},
		{Geometry{Shape: Cylinder, Radius: 0.3, Length: 0.8}, shapes.Cylinder(0.3, 0.8, 1000), 1e-3},
		{Geometry{Shape: Sphere, Radius: 0.3}, shapes.Sphere(0.3, 5), 1e-3},
		{Geometry{Shape: Mesh, Scale: scale}, scaled(group.Meshes[0], spatial.Identity(), scale), 1e-6},
	} {
		p := placed{Collision: &Collision{Geometry: c.geometry}, poseRS: pose}
		if c.geometry.Shape == Mesh {
			p.corners = must.Get(new(Robot).corners(p.Collision, pose, oneMesh))(t)
		}
		along, away := math.Inf(-1), 0.0
		for _, v := range c.mesh.Vertices {
			at := pose.Apply(spatial.Vec64(v.Pos))
			along, away = max(along, at.Dot(dir)), max(away, at.Cross(dir).Len())
		}
		must.Near(t, fmt.Sprintf("%s: support", c.geometry.Shape), p.support(dir), along, c.within)
		must.Near(t, fmt.Sprintf("%s: reach", c.geometry.Shape), p.reach(mgl64.Vec3{}, dir), away, c.within)
	}
}
