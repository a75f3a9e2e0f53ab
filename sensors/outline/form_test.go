package outline

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// A surface with a waist is cut at the heights of its corners into pieces that contain all of them.
func TestAWaistIsCut(t *testing.T) {
	mesh := shapes.Lathe([]mgl64.Vec2{{0.05, 0}, {0.05, 0.012}, {0.03, 0.018}, {0.03, 0.12}, {0.021, 0.124},
		{0.021, 0.14}}, 14)
	scene := &render.Scene{Meshes: []render.Mesh{mesh}}
	pieces := convexPieces(triangles(scene, &render.Part{PoseBP: spatial.Identity()}, spatial.Identity()))
	if len(pieces) != 5 {
		t.Fatalf("%d pieces, want 5", len(pieces))
	}
	for i, want := range []int{28, 28, 28, 28, 28} {
		n := 0
		for _, p := range pieces[i] {
			if p.Vec2().Len() > 1e-9 { // not on the axis
				n++
			}
		}
		if n < want {
			t.Errorf("piece %d has %d corners, want at least %d", i, n, want)
		}
	}
}
