//go:build cgo

package scenery_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// BenchmarkFrame renders the view of each camera alone at one instant, of all four, and of none (the shadows).
func BenchmarkFrame(b *testing.B) {
	scene, _ := attack()
	s := scenery.Build(scene, nil)
	benchmarkFrames(b, s, renderer(b, s))
}

// BenchmarkBusyHall renders one robot's cameras with the tile renderer, in a hall with people and clutter, and in the
// same hall without.
func BenchmarkBusyHall(b *testing.B) {
	w := must.Get(worlds.Load("busy-hall"))(b)
	benchmark := func(name string, change func(*worlds.World)) {
		now := w.Model().Start()
		change(w)
		s := scenery.New(w, w.Model())
		now.Obstacles = now.Obstacles[:len(w.Obstacles)]
		r := must.Get(backend.Tile(s.Scene))(b)
		defer r.Close()
		omni, front, _, _ := cameras(now, 1)
		omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
		benchmarkFrame(b, name+"/omni640", r, &render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{omni}})
		benchmarkFrame(b, name+"/front640x480", r, &render.Batch{PosesWB: s.Poses(now, nil),
			Views: []render.View{front}})
	}
	benchmark("all", func(*worlds.World) {})
	benchmark("without_clutter", func(w *worlds.World) { w.Hall.Clutter = 0 })
	benchmark("without_bystanders", func(w *worlds.World) { w.Hall.Bystanders = 0 })
	benchmark("without_people", func(w *worlds.World) { w.Obstacles = w.Obstacles[:2] })
	benchmark("without_skins_and_balls", func(w *worlds.World) {
		w.Hall.Balls = nil
		for i := range w.Robots {
			w.Robots[i].Skin = worlds.Skin{}
		}
	})
	benchmark("without_spectators", func(w *worlds.World) { w.Hall.Spectators = false })
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
			must.Do(b, r.Render(f))
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/frame")
	})
}
