package scenery_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// builds returns the kinds of robots that can be on the field.
func builds() map[string]scenery.Appearance {
	mirror := scenery.DefaultMirror()
	painted := worlds.Skin{Cover: "#c03030", Stripes: 3, Plates: true}
	return map[string]scenery.Appearance{
		"player":                {OmniFocusZ: 0.78, Mirror: mirror},
		"player without mirror": {},
		"player with camera": {OmniFocusZ: 0.78, Mirror: mirror,
			Cameras: []spatial.Pose{mount(0.26, 0, 0.5, 0.26, 0)}},
		"painted player": {OmniFocusZ: 0.78, Mirror: mirror, Skin: painted},
		"painted keeper": {Keeper: true, Skin: painted},
		"keeper":         {Keeper: true},
		"keeper with cameras": {Keeper: true, Cameras: []spatial.Pose{mount(0.1, 0.12, 0.6, 0.2, 0.5),
			mount(0.1, -0.12, 0.6, 0.2, -0.5)}},
	}
}

// Every part has a material, and is a closed solid that faces outwards, so that the renderer may leave out back faces.
func TestPartsAreSolids(t *testing.T) {
	for name, appearance := range builds() {
		t.Run(name, func(t *testing.T) {
			scene, _ := attack()
			s := scenery.Build(scene, []scenery.Appearance{appearance, appearance}).Scene
			parts := 0
			for _, b := range s.Bodies {
				for i, p := range b.Parts {
					parts++
					if p.Material < 0 || p.Material >= len(s.Materials) || p.Mesh < 0 || p.Mesh >= len(s.Meshes) {
						t.Fatalf("%s: part %d %q: mesh %d of %d, material %d of %d", b.Name, i, p.Name, p.Mesh,
							len(s.Meshes), p.Material, len(s.Materials))
					}
					volume, open := solid(&s.Meshes[p.Mesh])
					if !(volume > 0) || open != 0 {
						t.Errorf("%s: part %d %q: volume %v m³ with %d open edges, want a closed solid", b.Name, i,
							p.Name, volume, open)
					}
				}
			}
			if parts < 20 {
				t.Errorf("only %d parts", parts)
			}
		})
	}
}

// People are closed solids that stand on the floor, walking or not, with the stated height.
func TestPeopleAreSolids(t *testing.T) {
	w := must.Get(worlds.Load("busy-hall"))(t)
	model := w.Model()
	s := scenery.New(w, model)
	now := model.Start()
	now.Obstacles[2].TwistWOInW.Lin[0] = 1.2
	for i := range 8 {
		now.Obstacles[2].PoseWO.Pos[0] = 0.2 * float64(i)
		poses := s.Poses(now, nil)
		if len(poses) != len(s.Scene.Bodies) {
			t.Fatalf("%d poses for %d bodies", len(poses), len(s.Scene.Bodies))
		}
		low, high := map[string]float64{}, map[string]float64{}
		for b, body := range s.Scene.Bodies {
			name, _, _ := strings.Cut(body.Name, ".")
			if name != "referee" && !strings.HasPrefix(name, "handler") {
				continue
			}
			for _, p := range body.Parts {
				mesh := &s.Scene.Meshes[p.Mesh]
				if volume, open := solid(mesh); !(volume > 0) || open != 0 {
					t.Errorf("%s: %q: volume %v m³ with %d open edges, want a closed solid", body.Name, p.Name, volume,
						open)
				}
				for _, v := range mesh.Vertices {
					z := poses[b].Mul(p.PoseBP).Apply(spatial.Vec64(v.Pos))[2]
					low[name], high[name] = min(low[name], z), max(high[name], z)
				}
			}
		}
		if len(low) != 4 {
			t.Fatalf("%d people, want 4", len(low))
		}
		for name := range low {
			if !(low[name] > -0.1) || !(low[name] < 0.03) || !(math.Abs(high[name]-1.75) < 0.1) {
				t.Errorf("%s reaches from %v m to %v m", name, low[name], high[name])
			}
		}
	}
}

// solid returns the volume inside a mesh and the number of edges that do not meet exactly one opposite edge.
func solid(m *render.Mesh) (volume float64, open int) {
	edges := map[[2]mgl32.Vec3][2]int{}
	count := func(a, b mgl32.Vec3, way int) {
		e := edges[[2]mgl32.Vec3{a, b}]
		e[way]++
		edges[[2]mgl32.Vec3{a, b}] = e
	}
	for i := 0; i < len(m.Indices); i += 3 {
		var p [3]mgl32.Vec3
		for k := range p {
			p[k] = m.Vertices[m.Indices[i+k]].Pos
		}
		for k := range p {
			count(p[k], p[(k+1)%3], 0)
			count(p[(k+1)%3], p[k], 1)
		}
		volume += float64(p[0].Sub(m.Vertices[0].Pos).Dot(p[1].Sub(m.Vertices[0].Pos).Cross(
			p[2].Sub(m.Vertices[0].Pos)))) / 6
	}
	for _, e := range edges {
		if e != [2]int{1, 1} {
			open++
		}
	}
	return volume, open
}

// The mirror and its holder exist only with a mirror camera, and a card has the team's colour on each side.
func TestBuildsDiffer(t *testing.T) {
	scene, _ := attack()
	for name, appearance := range builds() {
		s := scenery.Build(scene, []scenery.Appearance{appearance, appearance})
		for i := range scene.Robots {
			count := map[string]int{}
			for _, p := range s.Scene.Bodies[s.Robot(i)].Parts {
				count[p.Name]++
			}
			if got, want := count[scenery.Mirror] > 0, appearance.OmniFocusZ > 0; got != want {
				t.Errorf("%s: has a mirror: %v, want %v", name, got, want)
			}
			if count["card"] != 4 {
				t.Errorf("%s: %d cards, want 4", name, count["card"])
			}
			if got := count["frame"] > 0; got != appearance.Keeper {
				t.Errorf("%s: has a keeper's frame: %v, want %v", name, got, appearance.Keeper)
			}
		}
	}
}

func TestPosesReuseMemory(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	into := s.Poses(now, nil)
	if n := testing.AllocsPerRun(10, func() { into = s.Poses(now, into) }); n > 0 {
		t.Errorf("%v allocations for a snapshot", n)
	}
}
