//go:build cgo

package scenery_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// The oracle is the ray caster. What is drawn directly and by way of a cube map differs from it, at most, by what docs/cameras.md says of
// faces of each size: lines and edges blur, the more the smaller the faces.
func TestCubeMapsErrAsDocumented(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	poses := s.Poses(now, nil)
	omni, _, _, _ := cameras(now, 1)
	omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
	want := omni
	want.Color = render.NewImage(640, 640)
	if err := caster(t, s).Render(&render.Batch{PosesWB: poses, Views: []render.View{want}}); err != nil {
		t.Fatal(err)
	}
	r := renderer(t, s)
	for _, c := range []struct {
		face      int
		mean, p99 float64 // of the bytes' errors, 0 to 255
	}{
		{0, 0.4, 7}, {256, 1.8, 38}, {576, 1, 20}, {1024, 0.8, 17},
	} {
		view := omni
		view.CubeFace = c.face
		if err := r.Render(&render.Batch{PosesWB: poses, Views: []render.View{view}}); err != nil {
			t.Fatal(err)
		}
		mean, p99, worst := byteErrors(view.Color, want.Color)
		t.Logf("faces of %d: mean %.2f, p99 %v, worst %v", c.face, mean, p99, worst)
		if !(mean <= c.mean) || !(p99 <= c.p99) {
			t.Errorf("faces of %d: mean error %.2f, p99 %v: want at most %v, %v", c.face, mean, p99, c.mean, c.p99)
		}
		if c.face > 0 && !(mean > 0.5) {
			t.Errorf("faces of %d: mean error %.2f: no cube map was drawn", c.face, mean)
		}
	}
}

// byteErrors returns the mean, the 99th percentile and the largest of the differences of two images' bytes.
func byteErrors(a, b *render.Image) (mean, p99, worst float64) {
	var counts [256]int
	for i := range a.Pix {
		d := math.Abs(float64(a.Pix[i]) - float64(b.Pix[i]))
		mean += d / float64(len(a.Pix))
		counts[int(d)]++
	}
	below := 0
	for d, n := range counts {
		if below < len(a.Pix)*99/100 {
			p99 = float64(d)
		}
		if n > 0 {
			worst = float64(d)
		}
		below += n
	}
	return mean, p99, worst
}
