package scenery_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// BenchmarkLight measures the cost of the natural look at the start of a world, and for each batch.
func BenchmarkLight(b *testing.B) {
	w := must.Get(worlds.Load("msl-match"))(b)
	w.Look = worlds.LookNatural
	model := w.Model()
	s := scenery.New(w, model)
	f := light.NewField(s.Scene, &s.Scene.Shading)
	m := light.NewShadowMap(s.Scene, f)
	poses := s.Poses(model.Start(), nil)
	b.Run("field", func(b *testing.B) {
		for b.Loop() {
			light.NewField(s.Scene, &s.Scene.Shading)
		}
	})
	b.Run("shapes", func(b *testing.B) {
		for b.Loop() {
			light.NewShadowMap(s.Scene, f)
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			light.NewShadowMap(s.Scene, f).Draw(poses)
		}
	})
	m.Draw(poses)
	b.Run("batch", func(b *testing.B) {
		for b.Loop() {
			m.Draw(poses)
		}
	})
}
