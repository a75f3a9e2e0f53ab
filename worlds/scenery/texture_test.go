//go:build cgo

package scenery_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/scenery"
)

// poster returns a square of 2 m that faces −x and stands on y, with a number of images across: stripes and rings on
// grey, with corners of four colours. It is a grid, because light is computed at corners.
func poster(wrap render.Wrap, images float32) *render.Group {
	const side, cells = 200, 16 // pixels, not a power of two; squares of the grid
	im := render.NewImage(side, side)
	for i := range side * side {
		x, y := (float64(i%side)+0.5)/side, (float64(i/side)+0.5)/side
		c := [3]byte{110, 110, 110}
		switch {
		case math.Abs(x-0.5) > 0.4 && math.Abs(y-0.5) > 0.4:
			c = [4][3]byte{{220, 30, 30}, {30, 200, 30}, {30, 30, 220}, {220, 220, 30}}[int(x+0.5)+2*int(y+0.5)]
		case math.Hypot(x-0.5, y-0.5) < 0.3:
			if math.Mod(math.Hypot(x-0.5, y-0.5), 0.05) < 0.025 {
				c = [3]byte{20, 20, 20}
			}
		case math.Mod(x, 0.04) < 0.02:
			c = [3]byte{200, 200, 200}
		}
		copy(im.Pix[3*i:], c[:])
	}
	t := render.NewTexture(im, [2]render.Wrap{wrap, wrap})
	var mesh render.Mesh
	for i := range (cells + 1) * (cells + 1) {
		u, v := float32(i%(cells+1))/cells, float32(i/(cells+1))/cells // from the left and top, seen from −x
		mesh.Vertices = append(mesh.Vertices, render.Vertex{Pos: mgl32.Vec3{0, 1 - 2*u, 2 - 2*v},
			Normal: mgl32.Vec3{-1, 0, 0}})
		mesh.UV = append(mesh.UV, mgl32.Vec2{images * u, images * v})
	}
	for i := range uint32(cells * cells) {
		a := i/cells*(cells+1) + i%cells
		b, c, d := a+1, a+cells+1, a+cells+2
		mesh.Indices = append(mesh.Indices, a, c, d, a, d, b)
	}
	return &render.Group{
		Meshes: []render.Mesh{mesh},
		Materials: []render.Material{{Color: t.Mean, Color2: mgl32.Vec3{1, 1, 1}, Pattern: render.Textured,
			Texture: t}},
		Parts: []render.Part{{PoseBP: spatial.Identity()}},
	}
}

// tinted is a poster whose image is multiplied by a colour.
func tinted(g *render.Group) *render.Group {
	m := &g.Materials[0]
	m.Color2 = mgl32.Vec3{0.9, 0.5, 0.2}
	for i := range m.Color {
		m.Color[i] *= m.Color2[i]
	}
	return g
}

// painted is a poster with colours of vertices instead of an image: red across, green downwards, and some blue.
func painted(g *render.Group) *render.Group {
	m := &g.Meshes[0]
	for _, uv := range m.UV {
		m.Colors = append(m.Colors, mgl32.Vec3{0.9 * uv[0], 0.9 * uv[1], 0.4 - 0.3*uv[0]})
	}
	m.UV = nil
	g.Materials[0] = render.Material{Color: mgl32.Vec3{0.45, 0.45, 0.25}, Pattern: render.VertexColors}
	return g
}

// In uniform light the radiance of a matt poster is its image. The reference, which averages many points in a pixel, is
// the oracle for renderers that use mip levels.
func TestTexturesAreWhatPathsFind(t *testing.T) {
	for _, c := range []struct {
		name       string
		group      *render.Group
		away, turn float64 // metres, rad
	}{
		{"near", poster(render.Repeat, 1), 0.9, 0},
		{"far", poster(render.Repeat, 1), 9, 0},
		{"aslant", poster(render.Repeat, 1), 3, 1.25},
		{"repeated", poster(render.Repeat, 5), 3, 0.5},
		{"mirrored", poster(render.MirroredRepeat, 3), 3, 0.5},
		{"clamped", poster(render.ClampToEdge, 1.5), 0.9, 0},
		{"tinted", tinted(poster(render.Repeat, 1)), 0.9, 0.5},
		{"painted", painted(poster(render.Repeat, 1)), 0.9, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &render.Scene{Shading: render.Shading{Light: render.Light{Background: mgl32.Vec3{1, 1, 1},
				Sky: mgl32.Vec3{1, 1, 1}, Bounce: mgl32.Vec3{1, 1, 1}, DirectionW: mgl32.Vec3{0, 0, 1}}}}
			s.Add("poster", c.group)
			must.Do(t, s.Validate())
			poses := []spatial.Pose{spatial.RPY(mgl64.Vec3{c.away, 0, 1}, 0, 0, c.turn)}
			const cols, rows = 64, 48
			model := optics.PinholeFromFOV(cols, rows, 1)
			pose := spatial.Translation(mgl64.Vec3{0, 0, 2}).Mul(spatial.BodyToOptical())
			path := must.Get(backend.PathTracer(render.Tracing{Samples: 100})(s))(t)
			defer path.Close()
			v := view(model, pose)
			v.Color, v.Radiance = nil, render.NewRadiance(cols, rows)
			must.Do(t, path.Render(&render.Batch{PosesWB: poses, Views: []render.View{v}}))
			want := v.Radiance.Light
			for name, r := range textureRenderers(t, s) {
				v := view(model, pose)
				must.Do(t, r.Render(&render.Batch{PosesWB: poses, Views: []render.View{v}}))
				bias, sum, n := 0.0, 0.0, 0
				for y := range rows {
					for x := range cols {
						i := 3 * (y*cols + x)
						// Ignore the white surroundings of the poster.
						if around := func(at int) bool { return want[at] > 0.95 }; x == 0 || y == 0 || x == cols-1 ||
							y == rows-1 || around(i) || around(i-3) || around(i+3) || around(i-3*cols) ||
							around(i+3*cols) {
							continue
						}
						for k := range 3 {
							d := render.Linear(float64(v.Color.Pix[i+k])/255) - float64(want[i+k])
							bias, sum, n = bias+d, sum+math.Abs(d), n+1
						}
					}
				}
				bias, sum = bias/float64(n), sum/float64(n)
				t.Logf("%s: %d numbers, off by %+.4f in the mean, by %.4f each", name, n, bias, sum)
				// Bilinear filtering in two levels blurs: rings and stripes are as wide as a pixel here.
				if !(math.Abs(bias) <= 0.005) || !(sum <= 0.04) || n < 300 {
					t.Errorf("%s: %d numbers are off by %+.4f of white in the mean, want at most 0.005, and by %.4f "+
						"each, want at most 0.04", name, n, bias, sum)
				}
			}
		})
	}
}

func textureRenderers(t *testing.T, s *render.Scene) map[string]render.Renderer {
	t.Helper()
	rays := must.Get(backend.RayCaster(s))(t)
	t.Cleanup(rays.Close)
	opengl := must.Get(backend.NewOpenGL(s))(t)
	t.Cleanup(opengl.Close)
	tiles := must.Get(backend.Tile(s))(t)
	t.Cleanup(tiles.Close)
	return map[string]render.Renderer{"rays": rays, "OpenGL": opengl, "tiles": tiles}
}

// With lamps and shadows, in both looks, through lenses and mirrors, renderers agree on textures.
func TestTexturesAgree(t *testing.T) {
	for _, look := range []string{"plain", "natural"} {
		t.Run(look, func(t *testing.T) {
			scene, now := attack()
			s := scenery.Build(scene, nil)
			s.Scene.Natural = look == "natural"
			eye := now.Robots[0].PoseWB
			poses := s.Poses(now, nil)
			s.Scene.Add("ahead", poster(render.Repeat, 1))
			s.Scene.Add("on the left", poster(render.MirroredRepeat, 3))
			s.Scene.Add("on the right", painted(poster(render.Repeat, 1)))
			poses = append(poses, eye.Mul(spatial.RPY(mgl64.Vec3{2.5, -1, 0}, 0, 0, -0.9)),
				eye.Mul(spatial.RPY(mgl64.Vec3{1, 2, 0}, 0, 0, 1)), eye.Mul(spatial.RPY(mgl64.Vec3{1, -2.5, 0}, 0, 0,
					-1.2)))
			views := func() []render.View {
				omni, front, _, _ := cameras(now, 0.5)
				omni.Hidden = s.HiddenFrom(0, mgl64.Vec3{0, 0, 0.78}, scenery.Mirror)
				return []render.View{omni, front}
			}
			all := textureRenderers(t, s.Scene)
			want := views()
			must.Do(t, all["rays"].Render(&render.Batch{PosesWB: poses, Views: want}))
			drawn := map[string][]render.View{}
			for _, name := range []string{"OpenGL", "tiles"} {
				drawn[name] = views()
				must.Do(t, all[name].Render(&render.Batch{PosesWB: poses, Views: drawn[name]}))
				for i, camera := range []string{"omni", "front"} {
					inside, mean, _ := difference(drawn[name][i].Color, want[i].Color)
					t.Logf("%s, %s: %.2f/255 away from edges, %.2f everywhere", name, camera, inside, mean)
					if !(inside <= 0.3) || !(mean <= 0.7) {
						t.Errorf("%s, %s: differs from the ray caster's by %.2f/255 away from edges, want at most "+
							"0.3, and by %.2f everywhere, want at most 0.7", name, camera, inside, mean)
					}
				}
			}
			for i, camera := range []string{"omni", "front"} {
				far, pix := 0, drawn["tiles"][i].Color.Pix
				for k, b := range drawn["OpenGL"][i].Color.Pix {
					if d := int(b) - int(pix[k]); d > 8 || d < -8 {
						far++
					}
				}
				if share := float64(far) / float64(len(pix)); !(share <= 0.001) {
					t.Errorf("%s: %.2f %% of OpenGL's and the tile renderer's bytes differ by more than 8, want at "+
						"most 0.1 %%", camera, 100*share)
				}
			}
		})
	}
}

// In natural light the cords of a net are about twice as bright as the wall behind them. The share that the cords cover
// and their brightness follow from the differences between images with the net, with a black net, and without.
func TestNetsStandOutFromTheWall(t *testing.T) {
	// seen returns the mean luminance of the wall seen through a goal.
	seen := func(natural bool, color render.Color, without bool) float64 {
		scene, now := attack()
		s := scenery.Build(scene, nil)
		s.Furnish(worlds.Hall{Hall: render.Hall{Net: color}})
		s.Scene.Natural = natural
		x := scene.Field.Length / 2
		v := view(optics.PinholeFromFOV(320, 60, 0.18), spatial.RPY(mgl64.Vec3{x - 6, 0, 0.7}, 0, 0,
			0).Mul(spatial.BodyToOptical()))
		for i := range now.Robots { // move the robots out of the way
			now.Robots[i].PoseWB = spatial.Planar(-5, float64(i), 0)
		}
		if without {
			v.Hidden = []render.Hidden{{Body: s.Field(), Part: "net"}}
		}
		must.Do(t, caster(t, s).Render(&render.Batch{PosesWB: s.Poses(now, nil), Views: []render.View{v}}))
		sum := 0.0
		for i, b := range v.Color.Pix {
			sum += [3]float64{0.2126, 0.7152, 0.0722}[i%3] * float64(render.Decode8(b))
		}
		return sum / 320 / 60
	}
	for _, natural := range []bool{true, false} {
		wall, white, black := seen(natural, "", true), seen(natural, "", false), seen(natural, "#000000", false)
		cover, ratio := (wall-black)/wall, 1+(white-wall)/(wall-black)
		t.Logf("natural %v: cords cover %.3f and are %.2f times as bright as the wall, of %.3f", natural, cover, ratio,
			wall)
		if !(cover > 0.07 && cover < 0.12) { // 1 − (1 − 4/80)² = 0.0975
			t.Errorf("cords cover %.3f of the wall, want 0.0975", cover)
		}
		if natural && !(ratio > 1.7) {
			t.Errorf("cords are %.2f times as bright as the wall, want 1.7 at least", ratio)
		}
	}
}
