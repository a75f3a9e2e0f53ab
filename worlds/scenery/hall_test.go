//go:build cgo

package scenery_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/light"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// practiceHall has another value than the default for every key of the hall's geometry.
func practiceHall(h *worlds.Hall) {
	h.Walls, h.Height, h.Margin, h.Beams = render.BoardWalls, 7, 3, 4
	h.WallColor, h.CeilingColor = "#808284", "#202224"
	h.LampSize, h.LampPitch = [2]float64{0.4, 0.3}, [2]float64{3, 5}
	h.Bystanders, h.Clutter = 10, 0.5
}

// All three renderers draw the same hall, including its ceiling.
func TestRenderersAgreeInHalls(t *testing.T) {
	s := busyHall(t, practiceHall)
	w := must.Get(worlds.Load("busy-hall"))(t)
	poses := s.Poses(w.Model().Start(), nil)
	wide := must.Get(optics.NewKannalaBrandt(optics.Pinhole{Width: 304, Height: 400, FX: 173, FY: 173, CX: 146,
		CY: 198}, -0.078, 0.117, -0.103, 0.027))(t)
	pose := spatial.Planar(-3, 1, 0.4)
	pose.Pos[2] = 0.9
	shot := func(r render.Renderer) render.View {
		v := view(wide, pose.Mul(spatial.BodyToOptical()))
		v.Depth = nil
		must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: []render.View{v}}))
		return v
	}
	tiles := must.Get(backend.Tile(s.Scene))(t)
	defer tiles.Close()
	want := shot(caster(t, s))
	for name, r := range map[string]render.Renderer{"OpenGL": renderer(t, s), "tiles": tiles} {
		inside, all, share := difference(shot(r).Color, want.Color)
		t.Logf("%s: mean difference %.2f/255 away from edges (%.0f %% of the picture), %.2f everywhere", name, inside,
			100*share, all)
		if !(inside <= 2) || !(share > 0.2) {
			t.Errorf("%s: mean difference %.2f/255 in %.0f %% of the picture, want at most 2 in more than 20 %%", name,
				inside, 100*share)
		}
	}
}

// Walls, lamps and beams are where the keys say. Nothing is behind the walls.
func TestHallHasItsDimensions(t *testing.T) {
	s := busyHall(t, practiceHall)
	f := &s.Scene.Floor
	in := light.Illuminate(s.Scene, &s.Scene.Shading)
	if in.HalfX != f.SizeX/2+3 || in.HalfY != f.SizeY/2+3 || in.Height != 7 {
		t.Errorf("half of the hall is %v × %v m, its height %v m", in.HalfX, in.HalfY, in.Height)
	}
	for axis, want := range [2]float64{0.2, 0.15} {
		if got := in.PanelRows[axis].Half; got != want {
			t.Errorf("half of a lamp's length along axis %d is %v m, want %v", axis, got, want)
		}
	}
	poses := s.Poses(must.Get(worlds.Load("busy-hall"))(t).Model().Start(), nil)
	beams := 0
	for b := range s.Scene.Bodies {
		for _, p := range s.Scene.Bodies[b].Parts {
			if p.Name == "beam" {
				beams++
			}
			for _, v := range s.Scene.Meshes[p.Mesh].Vertices {
				at := poses[b].Mul(p.PoseBP).Apply(spatial.Vec64(v.Pos))
				if !(math.Abs(at[0]) < in.HalfX+1e-4 && math.Abs(at[1]) < in.HalfY+1e-4 && at[2] < 7+1e-4) {
					t.Fatalf("%s: %s is at %v, behind the wall or the ceiling", s.Scene.Bodies[b].Name, p.Name, at)
				}
			}
		}
	}
	if beams == 0 || beams%4 != 0 {
		t.Errorf("%d pieces of 4 beams", beams)
	}
}

// Beams block no light of the floor: with them, it is the same.
func TestBeamsCastNoShadowOnTheFloor(t *testing.T) {
	var maps [2][]byte
	for i, n := range [2]int{0, 6} {
		s := busyHall(t, func(h *worlds.Hall) { h.Beams = n })
		m := light.NewShadowMap(s.Scene, light.NewField(s.Scene, &s.Scene.Shading))
		m.Draw(s.Poses(must.Get(worlds.Load("busy-hall"))(t).Model().Start(), nil))
		maps[i] = m.Pix
	}
	if len(maps[0]) == 0 || !bytes.Equal(maps[0], maps[1]) {
		t.Error("beams changed the light on the floor")
	}
}

// The seed determines the walls' image, and each kind of walls has its own.
func TestWallsAreOfTheirKindAndSeed(t *testing.T) {
	image := func(kind render.Walls, seed uint64) []byte {
		s := busyHall(t, func(h *worlds.Hall) { h.Walls, h.Seed, h.Spectators = kind, seed, false })
		if s.Scene.Room.Picture == nil {
			return nil
		}
		return s.Scene.Room.Picture.Pix
	}
	if image(render.PlainWalls, 1) != nil {
		t.Error("plain walls have an image")
	}
	boards, panels := image(render.BoardWalls, 1), image(render.PanelWalls, 1)
	if len(boards) == 0 || bytes.Equal(boards, panels) || bytes.Equal(boards, image(render.BoardWalls, 2)) ||
		!bytes.Equal(boards, image(render.BoardWalls, 1)) {
		t.Error("the image on the walls does not depend on the kind and on the seed alone")
	}
}

// Text on a wall reads from left to right, as seen from inside: most of a "L" is at its left.
func TestTextOnWallsIsNotMirrored(t *testing.T) {
	im := scenery.TextOnWall("L", 6)
	r := &render.Scene{Room: render.Room{Margin: 6, Height: 6, Picture: im, PictureWidth: 24},
		Floor:   render.Floor{SizeX: 12, SizeY: 12},
		Shading: render.Shading{Light: render.DefaultLighting().Light()}}
	rays := must.Get(backend.RayCaster(r))(t)
	defer rays.Close()
	ink := [2]int{}
	for turn := range 4 { // the image does not reach around the corners, so the letter may be on any wall
		v := view(optics.Pinhole{Width: 320, Height: 240, FX: 160, FY: 160, CX: 159.5, CY: 119.5},
			spatial.Planar(0, 0, float64(turn)*math.Pi/2).Mul(spatial.Translation(mgl64.Vec3{0, 0, 3})).
				Mul(spatial.BodyToOptical()))
		v.Depth = nil
		must.Do(t, rays.Render(&render.Batch{Views: []render.View{v}}))
		left, right := 320, -1
		var columns [320]int
		for y := range 160 {
			for x := range 320 {
				if v.Color.Pix[3*(y*320+x)] < 40 {
					columns[x]++
					left, right = min(left, x), max(right, x)
				}
			}
		}
		if right < 0 || left == 0 || right == 319 {
			continue
		}
		for x := left; x <= right; x++ {
			if 2*x < left+right {
				ink[0] += columns[x]
			} else {
				ink[1] += columns[x]
			}
		}
	}
	if !(ink[0] > 2*ink[1]) || ink[1] == 0 {
		t.Errorf("%d dark pixels in the left half of the letter and %d in the right half", ink[0], ink[1])
	}
}
