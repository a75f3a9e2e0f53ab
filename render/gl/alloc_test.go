package gl_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

func TestFramesAllocateNothing(t *testing.T) {
	r := renderer(t, withFloor(bare(ball(0.2), ball(0.3)), 10))
	k := colorView(kinect(), forward(mgl64.Vec3{0, 0, 1}, 0, 0, 0))
	k.Depth = render.NewDepth(k.Color.Width, k.Color.Height)
	cube := colorView(omni(), upward(mgl64.Vec3{0, 0, 1}))
	cube.CubeFace = 64
	f := &render.Batch{
		PosesWB: []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 1}), spatial.Translation(mgl64.Vec3{2, 1, 1})},
		Views:   []render.View{k, colorView(omni(), upward(mgl64.Vec3{0, 0, 1})), cube, colorView(wideLens(100, 80), upward(mgl64.Vec3{0, 0, 1}))},
	}
	if n := testing.AllocsPerRun(5, func() {
		if err := r.Render(f); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("a frame makes %v allocations", n)
	}
}
