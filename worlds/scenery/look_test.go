package scenery_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Robots of every shipped look are closed solids of the size that the league's rules allow, about as high as wide times
// 1.6, and each seed draws others.
func TestShippedLooks(t *testing.T) {
	looks := 0
	for _, f := range worlds.Shipped() {
		if f.Kind != "look" {
			continue
		}
		looks++
		if f.About == "" {
			t.Errorf("%s: has no about", f.Name)
		}
		heights := map[float64]bool{}
		for seed := range 20 {
			w := must.Get(worlds.Parse("w.toml", fmt.Appendf(nil, "name = \"w\"\nseed = %d\nfield = \"msl-18x12\"\n"+
				"[[robot]]\nname = \"r\"\nmodel = \"nubot\"\nnumber = 4\nskin = { look = %q, seed = %d }\n", seed, f.Name,
				seed%2)))(t)
			model := w.Model()
			s := scenery.New(w, model)
			low, high, wide := math.Inf(1), 0.0, 0.0
			for _, p := range s.Scene.Bodies[s.Robot(0)].Parts {
				mesh := &s.Scene.Meshes[p.Mesh]
				if volume, open := solid(mesh); !(volume > 0) || open != 0 {
					t.Fatalf("%s: %q: volume %v m³ with %d open edges, want a closed solid", f.Name, p.Name, volume, open)
				}
				for _, v := range mesh.Vertices {
					at := p.PoseBP.Apply(spatial.Vec64(v.Pos))
					low, high = min(low, at[2]), max(high, at[2])
					wide = max(wide, math.Hypot(at[0], at[1]))
				}
			}
			if !(low >= 0 && low < 0.05) || !(0.55 < high && high <= 0.8) || !(0.2 < wide && wide < 0.3) {
				t.Errorf("%s: seed %d: from %v m to %v m, with a radius of %v m", f.Name, seed, low, high, wide)
			}
			eye := mgl64.Vec3{0, 0, 0.78}
			hidden := s.HiddenFrom(0, eye, scenery.Mirror)
			for _, p := range s.Scene.Bodies[s.Robot(0)].Parts {
				isHidden := slices.Contains(hidden, render.Hidden{Body: s.Robot(0), Part: p.Name})
				for _, v := range s.Scene.Meshes[p.Mesh].Vertices {
					if !isHidden && !(p.PoseBP.Apply(spatial.Vec64(v.Pos)).Sub(eye).Len() >= 0.1) {
						t.Fatalf("%s: %q is within 10 cm of the mirror's focus, and not hidden", f.Name, p.Name)
					}
				}
			}
			if got := s.Bodies(render.Brightness{Even: 1}).Shaped; len(got) != 1 || got[0] != 0 {
				t.Errorf("%s: shaped robots %v, want [0]", f.Name, got)
			}
			heights[high] = true
		}
		if len(heights) < 5 {
			t.Errorf("%s: 20 seeds give %d heights", f.Name, len(heights))
		}
	}
	if looks == 0 {
		t.Error("no look ships")
	}
}

// The same world has the same scene when another one with the same Cache has been built before.
func TestLooksFromTheCache(t *testing.T) {
	w := must.Get(worlds.Load("match-halls"))(t)
	cache := new(scenery.Cache)
	first, again := cache.New(w, w.Model()), cache.New(w, w.Model())
	if !slices.Equal(first.Scene.Materials, again.Scene.Materials) {
		t.Fatalf("%d materials, first %d", len(again.Scene.Materials), len(first.Scene.Materials))
	}
	for i := range w.Robots {
		a, b := first.Scene.Bodies[first.Robot(i)].Parts, again.Scene.Bodies[again.Robot(i)].Parts
		if !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %d parts, first %d, or other ones", w.Robots[i].Name, len(b), len(a))
		}
	}
}
