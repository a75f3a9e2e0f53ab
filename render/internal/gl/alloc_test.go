package gl_test

import (
	"math"
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
		Views: []render.View{k, colorView(omni(), upward(mgl64.Vec3{0, 0, 1})), cube, colorView(wideLens(100, 80),
			upward(mgl64.Vec3{0, 0, 1}))},
	}
	checkAllocatesNothing(t, func() {
		if err := r.Render(f); err != nil {
			t.Fatal(err)
		}
	})
}

// checkAllocatesNothing fails if each of several calls of frame allocates. A single one may: the runtime itself
// sometimes allocates when goroutines wait for each other on a busy machine.
func checkAllocatesNothing(t *testing.T, frame func()) {
	t.Helper()
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(3, frame))
	}
	if least > 0 {
		t.Errorf("a frame makes %v allocations", least)
	}
}
