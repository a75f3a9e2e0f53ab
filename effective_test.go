package omnipitch

import (
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// A world that ships goes as its effective file does, bit by bit.
func TestEffectiveWorldsGoAlike(t *testing.T) {
	hash := func(w *worlds.World) uint64 {
		sim, err := New(w, Options{NewRenderer: func(*render.Scene) (render.Renderer, error) { return &blank{}, nil }})
		if err != nil {
			t.Fatalf("%s: %v", w.Name, err)
		}
		defer sim.Close()
		steps(t, sim, 10)
		return sim.Truth().Hash()
	}
	for _, s := range worlds.Shipped() {
		if s.Kind != "world" {
			continue
		}
		w, err := worlds.Load(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := w.Effective()
		if err != nil {
			t.Fatal(err)
		}
		again, err := worlds.Parse("effective.toml", text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := hash(again), hash(w); got != want {
			t.Errorf("%s: state %x, effective %x", s.Name, want, got)
		}
	}
}
