package gl_test

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// A frame of more views than are drawn at once shows in each what that view alone shows.
func TestManyViewsAreDrawnAsAlone(t *testing.T) {
	r := renderer(t, withFloor(bare(shapes.Box(0.4, 0.4, 0.4)), 8))
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{2, 0, 0.2})}
	small := optics.PinholeFromFOV(32, 24, 1)
	from := func(i int) render.View {
		return colorView(small, forward(mgl64.Vec3{0, 0, 0.5}, 0, 0.2, 0.02*float64(i)-0.7))
	}
	var all []render.View
	for i := range 70 {
		all = append(all, from(i))
	}
	draw(t, r, poses, all...)
	differ := 0
	for i := range all {
		alone := from(i)
		draw(t, r, poses, alone)
		if !bytes.Equal(alone.Color.Pix, all[i].Color.Pix) {
			t.Errorf("view %d differs from what it shows alone", i)
		}
		if i > 0 && !bytes.Equal(all[i].Color.Pix, all[i-1].Color.Pix) {
			differ++
		}
	}
	if differ < 60 {
		t.Errorf("only %d of 69 views differ from the one before", differ)
	}
}
