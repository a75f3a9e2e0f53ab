package gl_test

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Views with the same model share a cube: each image equals that of its view drawn alone.
func TestCubeMapsOfOneBatchKeepApart(t *testing.T) {
	r := renderer(t, withFloor(bare(ball(0.2)), 10, spatial.Mark{Kind: spatial.Segment, A: [2]float64{-5, 1},
		B: [2]float64{5, 1}, Width: 0.1}))
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{1, 0.5, 0.2})}
	view := func(x float64, face int) render.View {
		v := colorView(omni(), upward(mgl64.Vec3{x, 0, 0.8}))
		v.CubeFace = face
		return v
	}
	batch := []render.View{view(0, 64), view(2, 64), view(2, 96), view(-2, 0), view(0, 64)}
	draw(t, r, poses, batch...)
	for i, v := range batch {
		alone := v
		alone.Color = render.NewImage(v.Color.Width, v.Color.Height)
		draw(t, r, poses, alone)
		if !bytes.Equal(alone.Color.Pix, v.Color.Pix) {
			t.Errorf("view %d: other pixels when drawn alone", i)
		}
		if i > 0 && i < 4 && bytes.Equal(v.Color.Pix, batch[i-1].Color.Pix) {
			t.Errorf("views %d and %d: the same pixels", i-1, i)
		}
	}
}
