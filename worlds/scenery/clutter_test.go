package scenery_test

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// busyHall returns the world busy-hall with another hall.
func busyHall(t *testing.T, change func(*worlds.Hall)) *scenery.Scenery {
	t.Helper()
	w := must.Get(worlds.Load("busy-hall"))(t)
	change(&w.Hall)
	must.Do(t, w.Validate())
	return scenery.New(w, w.Model())
}

// Clutter and bystanders are closed solids that stand on the floor, outside the lines and within the hall, away from
// the start of robots.
func TestClutterLiesOutsideTheLines(t *testing.T) {
	w := must.Get(worlds.Load("busy-hall"))(t)
	now := w.Model().Start()
	for seed := range uint64(4) {
		s := busyHall(t, func(h *worlds.Hall) { h.Seed, h.Clutter, h.Bystanders = seed, 1, 40 })
		poses := s.Poses(now, nil)
		count := map[string]int{}
		for b := range s.Scene.Bodies {
			body := &s.Scene.Bodies[b]
			if !strings.HasPrefix(body.Name, "hall.") {
				continue
			}
			if !body.Static {
				t.Errorf("seed %d: %s is not static", seed, body.Name)
			}
			count[strings.TrimRight(body.Name, "0123456789")] += len(body.Parts)
			for _, p := range body.Parts {
				mesh := &s.Scene.Meshes[p.Mesh]
				if volume, open := solid(mesh); !(volume > 0) || open != 0 {
					t.Fatalf("seed %d: %s: %q: volume %v m³ with %d open edges, want a closed solid", seed, body.Name,
						p.Name, volume, open)
				}
				for _, v := range mesh.Vertices {
					at := poses[b].Mul(p.PoseBP).Apply(spatial.Vec64(v.Pos))
					inside := math.Abs(at[0]) < w.Field.Length/2+0.05 && math.Abs(at[1]) < w.Field.Width/2+0.05
					beyond := math.Abs(at[0]) > w.Field.Length/2+w.Field.Border+5 ||
						math.Abs(at[1]) > w.Field.Width/2+w.Field.Border+5
					if inside || beyond || !(at[2] > -0.05) || !(at[2] < 2) {
						t.Fatalf("seed %d: %s: %q reaches %v", seed, body.Name, p.Name, at)
					}
					for i := range now.Robots {
						if off := now.Robots[i].PoseWB.Pos.Sub(at).Vec2().Len(); !(off > 0.5) {
							t.Fatalf("seed %d: %s lies %v m from %s", seed, body.Name, off, w.Robots[i].Name)
						}
					}
				}
			}
		}
		for _, name := range []string{"hall.bystander", "hall.cables", "hall.bags", "hall.boxes", "hall.tables"} {
			if count[name] < 5 {
				t.Errorf("seed %d: %d parts of %s, want more", seed, count[name], name)
			}
		}
	}
}

// The seed determines the hall, and a hall without clutter is unchanged.
func TestHallsAreDrawnBySeed(t *testing.T) {
	of := func(seed uint64) *render.Scene {
		return busyHall(t, func(h *worlds.Hall) { h.Seed = seed }).Scene
	}
	first, again, other := of(1), of(1), of(2)
	if !reflect.DeepEqual(first.Meshes, again.Meshes) || !reflect.DeepEqual(first.Materials, again.Materials) ||
		!bytes.Equal(first.Room.Picture.Pix, again.Room.Picture.Pix) {
		t.Error("a seed gives another hall the second time")
	}
	if reflect.DeepEqual(first.Meshes, other.Meshes) || bytes.Equal(first.Room.Picture.Pix, other.Room.Picture.Pix) {
		t.Error("another seed gives the same hall")
	}
	plain := func(h *worlds.Hall) { *h = worlds.Hall{Hall: render.DefaultHall(), Seed: 3} }
	for _, b := range busyHall(t, plain).Scene.Bodies {
		if strings.HasPrefix(b.Name, "hall.") {
			t.Errorf("%s in a plain hall", b.Name)
		}
	}
}

// Skins with a seed differ between numbers and teams; values that a skin gives are not drawn.
func TestSkinsAreDrawnBySeed(t *testing.T) {
	scene, _ := attack()
	looks := map[string]bool{}
	for number := 1; number <= 8; number++ {
		scene.Robots[0].Number = number
		s := scenery.Build(scene, []scenery.Appearance{{Skin: worlds.Skin{Seed: 9, Cover: "#123456"}}})
		look, cover := "", false
		want, _ := render.Color("#123456").Linear()
		for _, p := range s.Scene.Bodies[s.Robot(0)].Parts {
			m := &s.Scene.Materials[p.Material]
			if p.Name == "tower" {
				cover = m.Color == want
			}
			if p.Name == "hull" || p.Name == "stripe" {
				look += string(rune('a'+p.Material)) + p.Name
			}
		}
		if !cover {
			t.Errorf("number %d: its cover is not as the skin has it", number)
		}
		looks[look] = true
	}
	if len(looks) < 4 {
		t.Errorf("%d of 8 robots look different, want at least 4", len(looks))
	}
}
