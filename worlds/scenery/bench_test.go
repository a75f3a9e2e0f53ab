//go:build cgo

package scenery_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// BenchmarkFrame draws, of one instant, what each camera sees alone, what all four see, and nothing: the shadows.
func BenchmarkFrame(b *testing.B) {
	scene, _ := attack()
	s := scenery.Build(scene, nil)
	benchmarkFrames(b, s, renderer(b, s))
}

// BenchmarkRays does the same without OpenGL.
func BenchmarkRays(b *testing.B) {
	scene, _ := attack()
	s := scenery.Build(scene, nil)
	benchmarkFrames(b, s, caster(b, s))
}

func benchmarkFrames(b *testing.B, s *scenery.Scenery, r render.Renderer) {
	_, now := attack()
	poses := s.Poses(now, nil)
	omni, front, left, right := cameras(now, 1)
	omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
	depth := left
	depth.Color = nil
	for _, c := range []struct {
		name  string
		views []render.View
	}{
		{"shadows", nil}, {"omni640", []render.View{omni}}, {"front640x480", []render.View{front}},
		{"kinect512x424", []render.View{left}}, {"depth512x424", []render.View{depth}},
		{"all4", []render.View{omni, front, left, right}},
	} {
		f := &render.Batch{PosesWB: poses, Views: c.views}
		benchmarkFrame(b, c.name, r, f)
	}
}

func benchmarkFrame(b *testing.B, name string, r render.Renderer, f *render.Batch) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := r.Render(f); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
	})
}
