package worlds

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The shipped banner faces x, with its image upright: for a viewer in front of it, the first column of the image is on
// the left, where y is least, and the first row is on top.
func TestBannerIsUpright(t *testing.T) {
	const width, height, low, depth = 3.2, 0.8, 0.27, 0.03 // m; it hangs above the floor, because light falls off near it
	g := must.Get(new(models.Library).Load("props/banner.glb", 1))(t)
	face := g.Materials[g.Parts[0].Material]
	if face.Pattern != render.Textured {
		t.Fatalf("its face is %+v, want a texture", face)
	}
	if im := face.Texture.Levels[0]; im.Width != 1024 || im.Height != 256 {
		t.Errorf("its image has %d × %d pixels, want 1024 × 256", im.Width, im.Height)
	}
	if n := len(g.Meshes[0].Vertices); n < 27 {
		t.Errorf("its face has %d vertices, want at least those of 8 × 2 squares, because light is computed at corners", n)
	}
	for i, v := range g.Meshes[0].Vertices {
		u := g.Meshes[0].UV[i]
		want := mgl32.Vec3{depth / 2, width * (u[0] - 0.5), low + height*(1-u[1])}
		if !(v.Pos.Sub(want).Len() < 1e-5) || v.Normal != (mgl32.Vec3{1, 0, 0}) {
			t.Fatalf("vertex %d at %v, its normal %v; want %v", i, v.Pos, v.Normal, want)
		}
	}
}
