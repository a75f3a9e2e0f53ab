package scenery_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

func TestBodiesFollowTheSnapshot(t *testing.T) {
	scene, now := attack()
	s := scenery.Build(scene, nil)
	poses := s.Poses(now, nil)
	if len(poses) != len(s.Scene.Bodies) {
		t.Fatalf("%d poses for %d bodies", len(poses), len(s.Scene.Bodies))
	}
	for _, c := range []struct {
		body int
		name string
		pose spatial.Pose
	}{
		{s.Field(), "field", spatial.Identity()},
		{s.Robot(1), "magenta1", now.Robots[1].PoseWB},
		{s.Obstacle(0), "obstacle1", now.Obstacles[0].PoseWO},
		{s.Ball(), "ball", spatial.Pose{Pos: now.Ball.PosW, Rot: now.Ball.RotW}},
	} {
		if got := s.Scene.Bodies[c.body].Name; got != c.name || poses[c.body] != c.pose {
			t.Errorf("body %d is %q at %v, want %q at %v", c.body, got, poses[c.body], c.name, c.pose)
		}
	}
}

// The visible parts of a robot are within its collision hull, except for cameras, which are where their configuration
// says.
func TestRobotsFitTheirHulls(t *testing.T) {
	t.Run("plain", func(t *testing.T) { fitTheirHulls(t, worlds.Skin{}, 2000) })
	t.Run("painted", func(t *testing.T) { fitTheirHulls(t, worlds.Skin{Stripes: 3, Plates: true}, 2500) })
}

func fitTheirHulls(t *testing.T, skin worlds.Skin, most int) {
	scene, _ := attack()
	for i := range scene.Robots {
		scene.Robots[i].Number = 483
	}
	s := scenery.Build(scene, []scenery.Appearance{{OmniFocusZ: 0.78, Mirror: scenery.DefaultMirror(), Skin: skin},
		{Keeper: true, Skin: skin}})
	for i, r := range scene.Robots {
		triangles := 0
		for _, p := range s.Scene.Bodies[s.Robot(i)].Parts {
			mesh := &s.Scene.Meshes[p.Mesh]
			triangles += len(mesh.Indices) / 3
			for _, v := range mesh.Vertices {
				at := p.PoseBP.Apply(mgl64.Vec3{float64(v.Pos[0]), float64(v.Pos[1]), float64(v.Pos[2])})
				if !(math.Hypot(at[0], at[1]) <= r.Body.Radius+1e-6) || !(at[2] >= -1e-6) ||
					!(at[2] <= r.Body.Height+1e-6) {
					t.Errorf("%s: part %q reaches %v", r.Name, p.Name, at)
					break
				}
			}
		}
		if triangles > most {
			t.Errorf("%s: %d triangles: too many to draw ten of them", r.Name, triangles)
		}
		t.Logf("%s: %d triangles", r.Name, triangles)
	}
}

// The visible mirror is the one of the camera model: its tip is ℓ/(1+e) below the focus.
func TestMirrorHangsAtItsFocus(t *testing.T) {
	scene, _ := attack()
	mirror := scenery.DefaultMirror()
	appearance := scenery.Appearance{OmniFocusZ: 0.75, Mirror: mirror}
	s := scenery.Build(scene, []scenery.Appearance{appearance})
	low, wide := math.Inf(1), 0.0
	for _, p := range s.Scene.Bodies[s.Robot(0)].Parts {
		if p.Name != scenery.Mirror {
			continue
		}
		for _, v := range s.Scene.Meshes[p.Mesh].Vertices {
			low, wide = math.Min(low, float64(v.Pos[2])),
				math.Max(wide, math.Hypot(float64(v.Pos[0]), float64(v.Pos[1])))
		}
	}
	tip, _ := mirror.MirrorPoint(mgl64.Vec3{0, 0, -1})
	must.Near(t, "mirror's tip at z", low, 0.75+tip[2], 1e-6)
	if !(wide >= mirror.RimRadius) {
		t.Errorf("mirror is %v wide, want %v at least", wide, mirror.RimRadius)
	}
}

func TestBoardsHangWhereTheyArePut(t *testing.T) {
	scene, now := attack()
	here, there := spatial.Translation(mgl64.Vec3{1, 2, 3}), spatial.Translation(mgl64.Vec3{4, 5, 6})
	s := scenery.Build(scene, nil, scenery.Board{Name: "board1", Columns: 9, Rows: 7, Square: 0.1, PoseWB: here})
	last := len(s.Scene.Bodies) - 1
	if got := s.Scene.Bodies[last].Name; got != "board1" {
		t.Fatalf("the last body is %q, want board1", got)
	}
	for i, want := range []int{99 - 32, 32} { // of 9 × 7 squares and a border
		if got := len(s.Scene.Meshes[s.Scene.Bodies[last].Parts[i].Mesh].Indices) / 36; got != want {
			t.Errorf("%d %s, want %d", got, s.Scene.Bodies[last].Parts[i].Name, want)
		}
	}
	must.Equal(t, s.Poses(now, nil)[last], here, "hangs at")
	s.Hang(0, there)
	must.Equal(t, s.Poses(now, nil)[last], there, "hangs at")
}
