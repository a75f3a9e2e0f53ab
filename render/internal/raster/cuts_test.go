package raster

import (
	"reflect"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// A cached cut equals a new one. A part that differs in anything that a cut depends on does not use it.
func TestKeptCutsAreThoseThatAreMade(t *testing.T) {
	scene := func(size float64, color float32, eyes *render.CameraRegion) *render.Scene {
		s := &render.Scene{Meshes: []render.Mesh{shapes.Box(0.1, 0.1, 0.1), shapes.Box(size, 0.7, 0.9)},
			Shading: render.Shading{Materials: []render.Material{{}}}}
		s.Materials[0].Color[0] = color
		parts := []render.Part{{Mesh: 1, PoseBP: spatial.Planar(1, 2, 0.3)}, {Mesh: 0, PoseBP: spatial.Identity()},
			{Mesh: 1, PoseBP: spatial.Planar(4, 1, 0.3)}}
		s.Bodies = []render.Body{{Parts: parts, Cameras: eyes}}
		return s
	}
	near := render.NewCameraRegion(spatial.Identity(), mgl64.Vec3{-1, -1, 0}, mgl64.Vec3{1, 1, 2})
	far := render.NewCameraRegion(spatial.Identity(), mgl64.Vec3{30, -1, 0}, mgl64.Vec3{40, 1, 2})
	all := []*render.Scene{scene(1.2, 0.1, nil), scene(1.3, 0.1, nil), scene(1.2, 0.2, nil), scene(1.2, 0.1, near),
		scene(1.2, 0.1, far)}
	var first []*Geometry
	for _, s := range all {
		cuts = cutCache{}
		first = append(first, Bake(s))
	}
	cuts = cutCache{}
	for time := range 4 { // the first time two scenes share a part
		for i, s := range all {
			if got := Bake(s); !reflect.DeepEqual(got, first[i]) {
				t.Fatalf("scene %d is baked otherwise the time %d", i, time)
			}
		}
		if got := len(cuts.cuts); time == 0 && got > 1 || time > 0 && got < 2*3 {
			t.Errorf("the time %d: %d cuts are kept", time, got)
		}
	}
}

// The cache is bounded and drops the oldest cut.
func TestKeptCutsAreBounded(t *testing.T) {
	var k cutCache
	k.get(cutKey{})
	for i := range 10 {
		k.put(cutKey{content: uint64(i)}, &cut{vertices: make([]Vertex, mostOfAPart)})
		if k.vertices > mostKept || len(k.cuts) != len(k.order) {
			t.Fatalf("%d vertices, %d cuts, %d in order", k.vertices, len(k.cuts), len(k.order))
		}
	}
	if c, _ := k.get(cutKey{content: 9}); c == nil || k.cuts[cutKey{content: 0}] != nil {
		t.Error("the newest is forgotten, or the oldest is kept")
	}
}
