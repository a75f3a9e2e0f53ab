package scenery_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// Robots that look alike share their parts and the parts hidden from their cameras. A robot that differs in anything
// has its own, and looks as it would alone.
func TestRobotsThatLookAlikeShareTheirParts(t *testing.T) {
	scene, _ := attack()
	first := scene.Robots[0]
	differing := map[string]func(*physics.Robot){
		"number": func(r *physics.Robot) { r.Number++ }, "team": func(r *physics.Robot) { r.Team = physics.Magenta },
		"arms": func(r *physics.Robot) { r.Dribbler = nil }, "height": func(r *physics.Robot) { r.Body.Height *= 1.1 },
		"wheels": func(r *physics.Robot) { r.Drive.WheelAngles = r.Drive.WheelAngles[:3] },
		"keeper": func(r *physics.Robot) { r.Kicker = nil },
	}
	scene.Robots = nil
	add := func(name string, change func(*physics.Robot)) {
		r := first
		r.Name = name
		if change != nil {
			change(&r)
		}
		scene.Robots = append(scene.Robots, r)
	}
	const alike = 200
	for i := range alike {
		add(fmt.Sprintf("alike%d", i), nil)
	}
	for name, change := range differing {
		add(name, change)
	}
	s := scenery.Build(scene, nil)
	parts := func(s *scenery.Scenery, i int) (mesh []int) {
		for _, p := range s.Scene.Bodies[s.Robot(i)].Parts {
			mesh = append(mesh, p.Mesh)
		}
		return mesh
	}
	eye := mgl64.Vec3{0, 0, 0.78}
	for i, r := range scene.Robots {
		shares := reflect.DeepEqual(parts(s, i), parts(s, 0))
		must.Equal(t, shares, i < alike, "%s shares its parts with the first", r.Name)
		alone := *scene
		alone.Robots = scene.Robots[i : i+1]
		if i > 0 && i < alike-1 {
			continue
		}
		own := scenery.Build(&alone, nil)
		got, want := s.HiddenFrom(i, eye, scenery.Mirror), own.HiddenFrom(0, eye, scenery.Mirror)
		if len(got) != len(want) || len(got) == 0 {
			t.Fatalf("%s: %d parts are hidden, alone %d", r.Name, len(got), len(want))
		}
		for k := range got {
			if got[k].Part != want[k].Part || got[k].Body != s.Robot(i) {
				t.Errorf("%s: hidden %v, alone %v", r.Name, got[k], want[k])
			}
		}
		have, single := s.Scene.Bodies[s.Robot(i)].Parts, own.Scene.Bodies[own.Robot(0)].Parts
		for k := range single {
			a, b := have[k], single[k]
			if a.Name != b.Name || a.Material != b.Material || a.PoseBP != b.PoseBP ||
				!reflect.DeepEqual(s.Scene.Meshes[a.Mesh], own.Scene.Meshes[b.Mesh]) {
				t.Fatalf("%s: part %d %q differs from what it is alone", r.Name, k, b.Name)
			}
		}
	}
}
