package tile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// crowded is a field with a wall, and with moving balls, boxes, posts and a net.
func crowded() *render.Scene {
	s := &render.Scene{
		Floor: render.Floor{SizeX: 20, SizeY: 13},
		Shading: render.Shading{
			Materials: []render.Material{{Color: mgl32.Vec3{1, 1, 1}}, {Color: mgl32.Vec3{1, 1, 1},
				Pattern: render.Net}},
			Light: render.DefaultLighting().Light(),
		},
		Meshes: []render.Mesh{shapes.Box(0.2, 12, 1), shapes.Sphere(0.4, 4), shapes.BevelledBox(0.5, 0.5, 0.8, 0.05),
			shapes.Cylinder(0.06, 5, 12), shapes.Box(2, 0.02, 1)},
	}
	for i := range s.Meshes {
		body := render.Body{Parts: []render.Part{{Mesh: i, PoseBP: spatial.Identity()}}, Static: i == 0}
		if i == 4 {
			body.Parts[0].Material = 1
		}
		s.Bodies = append(s.Bodies, body)
		if i > 0 {
			s.Bodies = append(s.Bodies, body) // twice, so that bodies share baked parts
		}
	}
	return s
}

// scattered returns poses for the bodies of crowded: on the floor and in it, in the air, upside down, at the map's
// edges and beyond.
func scattered(rnd *rand.Rand, n int) []spatial.Pose {
	poses := []spatial.Pose{spatial.Translation(mgl64.Vec3{-9, 0, 0.5})}
	for len(poses) < n {
		at := mgl64.Vec3{22 * (rnd.Float64() - 0.5), 15 * (rnd.Float64() - 0.5), 1.5 * rnd.Float64()}
		poses = append(poses, spatial.RPY(at, 6*rnd.Float64(), 6*rnd.Float64(), 6*rnd.Float64()))
	}
	return poses
}

// shade draws the shadows of a scene's bodies.
func shade(t *testing.T, r *Renderer, with *render.Shading, posesWB []spatial.Pose) {
	t.Helper()
	view := render.View{Color: render.NewImage(8, 8), Model: optics.Pinhole{Width: 8, Height: 8, FX: 8, FY: 8, CX: 4,
		CY: 4}, PoseWC: spatial.Identity()}
	must.Do(t, r.Render(&render.Batch{PosesWB: posesWB, Shading: with, Views: []render.View{view}}))
}

// maps returns the heights, and the fractions of light of both kinds, of each texel.
func (m *shadows) maps() (heights, light []uint16) {
	stride := int(m.kernel.stride)
	for y := range m.Height {
		for x := range m.Width {
			heights, light = append(heights, uint16(m.heights[y*stride+x])), append(light, uint16(m.light[y*stride+x]))
		}
	}
	return heights, light
}

// Heights equal those of a simple computation, and light equals that of the filter.
func TestShadowsAreThoseOfPlainComputations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s := crowded()
	r, filter := rendererOf(t, s, 0, 2), render.Softening()
	for range 3 {
		poses := scattered(rnd, len(s.Bodies))
		shade(t, r, nil, poses)
		m := r.scene.shadows
		heights, light := m.maps()
		want := plainHeights(m, r.scene.geometry, poses)
		covered, off, most := 0, 0, 0.0
		for i, h := range heights {
			if want[i] > 0 {
				covered++
			}
			d := math.Abs(float64(h)/math.MaxUint16*raster.LightHeight - want[i])
			if !(d <= 5e-4) { // at steep sides, which OpenGL moves by up to 1/512 of a texel
				off++
			}
			most = math.Max(most, d)
		}
		if covered < 3000 || !(float64(off) <= 0.01*float64(covered)) {
			t.Errorf("of %d covered texels %d have other heights, by up to %g m", covered, off, most)
		}
		for i, got := range light {
			lamp, sky := plainLight(m, filter, heights, i%m.Width, i/m.Width)
			if d := [2]float64{float64(got&255) - 255*lamp, float64(got>>8) - 255*sky}; !(math.Abs(d[0]) <= 0.53 &&
				math.Abs(d[1]) <= 0.53) {
				t.Fatalf("light of texel (%d, %d) is %d, %d of 255, want %g, %g", i%m.Width, i/m.Width, got&255, got>>8,
					255*lamp, 255*sky)
			}
		}
	}
}

// plainHeights returns up to which heights bodies block the lamp's rays, metres.
func plainHeights(m *shadows, g *raster.Geometry, posesWB []spatial.Pose) []float64 {
	heights := make([]float64, m.Width*m.Height)
	for i := range g.Bodies {
		for k := range g.Bodies[i].Parts {
			p := &g.Bodies[i].Parts[k]
			if p.Pattern == render.Net {
				continue
			}
			l := &p.Levels[0]
			for at := l.First; at < l.First+l.Count; at += 3 {
				var c [3]mgl64.Vec3 // x and y in texels
				for j := range c {
					q := posesWB[i].Apply(spatial.Vec64(g.Vertices[g.Indices[int(at)+j]].Pos))
					x := (q[0]-q[2]*m.Slope[0])*float64(m.Place[0]) + float64(m.Place[2])
					y := (q[1]-q[2]*m.Slope[1])*float64(m.Place[1]) + float64(m.Place[3])
					c[j] = mgl64.Vec3{math.Round(256*x*float64(m.Width)) / 256,
						math.Round(256*y*float64(m.Height)) / 256, q[2]}
				}
				plainTriangle(heights, m.Width, m.Height, c)
			}
		}
	}
	return heights
}

func plainTriangle(heights []float64, width, height int, c [3]mgl64.Vec3) {
	cross := func(p, q mgl64.Vec3, x, y float64) float64 { return (q[0]-p[0])*(y-p[1]) - (q[1]-p[1])*(x-p[0]) }
	area := cross(c[0], c[1], c[2][0], c[2][1])
	if !(area > 0) {
		return
	}
	for y := max(0, int(min(c[0][1], c[1][1], c[2][1]))); y <= min(height-1, int(max(c[0][1], c[1][1], c[2][1]))); y++ {
		for x := max(0, int(min(c[0][0], c[1][0], c[2][0]))); x <= min(width-1,
			int(max(c[0][0], c[1][0], c[2][0]))); x++ {
			px, py := float64(x)+0.5, float64(y)+0.5
			w := mgl64.Vec3{cross(c[1], c[2], px, py), cross(c[2], c[0], px, py), cross(c[0], c[1], px, py)}
			if w[0] < 0 || w[1] < 0 || w[2] < 0 {
				continue
			}
			if h := w.Dot(mgl64.Vec3{c[0][2], c[1][2], c[2][2]}) / area; h <= raster.LightHeight {
				heights[y*width+x] = math.Max(heights[y*width+x], h)
			}
		}
	}
}

// plainLight returns the fractions of the lamp's and of the ambient light that reach a texel.
func plainLight(m *shadows, filter []render.Tap, heights []uint16, x, y int) (lamp, sky float64) {
	lamp, sky = 1, 1
	for _, t := range filter {
		at := min(max(y+t.DY, 0), m.Height-1)*m.Width + min(max(x+t.DX, 0), m.Width-1)
		if float64(heights[at])/math.MaxUint16*raster.LightHeight > render.FloorStep {
			lamp -= float64(t.Lamp)
			sky -= float64(t.Ambient) * (1 - render.UnderShadow)
		}
	}
	return lamp, sky
}

// A scene without shadows is fully lit.
func TestShadowlessScenesAreLit(t *testing.T) {
	s := crowded()
	s.Light.Shadowless = true
	r := rendererOf(t, s, 0, 2)
	shade(t, r, nil, scattered(rand.New(rand.NewPCG(7, 8)), len(s.Bodies)))
	heights, light := r.scene.shadows.maps()
	for i := range heights {
		if heights[i] != 0 || light[i] != math.MaxUint16 {
			t.Fatalf("texel %d has height %d and light %#x", i, heights[i], light[i])
		}
	}
}

// inHall is a few bodies in natural light.
func inHall() *render.Scene {
	s := crowded()
	s.Natural, s.Floor.SizeX, s.Floor.SizeY = true, 12, 9
	s.Room = render.Room{Margin: 2, Height: 4, Floor: mgl32.Vec3{0.3, 0.3, 0.3}, Wall: mgl32.Vec3{0.5, 0.4, 0.3},
		Ceiling: mgl32.Vec3{0.8, 0.8, 0.8}}
	use(&s.Floor)
	s.Bodies = nil
	s.Materials = append(s.Materials,
		render.Material{Color: mgl32.Vec3{1, 1, 1}, Pattern: render.SoccerBall, F0: mgl32.Vec3{0.04, 0.04, 0.04},
			Roughness: 0.3}, render.Material{F0: mgl32.Vec3{0.9, 0.6, 0.2}, Roughness: 0.1, Metal: true},
	)
	for i, part := range []render.Part{{Mesh: 2}, {Mesh: 1, Material: 2}, {Mesh: 2, Material: 3}, {Mesh: 3},
		{Mesh: 4, Material: 1}} {
		part.PoseBP = spatial.Identity()
		s.Bodies = append(s.Bodies, render.Body{Parts: []render.Part{part}, Static: i == 0})
	}
	return s
}

// use adds traces of use to a floor, and rolls of carpet with sheen.
func use(f *render.Floor) {
	f.Sheen, f.Seams, f.Traces = 0.6, render.Seams{Pitch: 1.5, Dark: 0.5}, render.NewTraces(f)
	for i := range f.Traces.Pix {
		x, y := i/4%render.TraceTexels, i/4/render.TraceTexels
		f.Traces.Pix[i] = byte(180 + 75*math.Sin(float64(x)*0.06+float64(i%4))*math.Cos(float64(y)*0.05))
	}
}

// Natural light does not depend on the instruction set and the number of workers. Frames of it allocate nothing.
func TestNaturalLight(t *testing.T) {
	r := newRandom(12)
	s := inHall()
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(12)
	with := rendererOf(t, s, 0, 2)
	all := drawn(t, with, poses, views)
	for i, k := range supportedKernels()[1:] {
		off, n := 0, 0
		for v, got := range drawn(t, rendererOf(t, s, i+1, 3), poses, views) {
			if nameOf(k) != "base" && !same(&got, &all[v]) {
				t.Errorf("view %d, a %T: %s and 3 workers draw other bytes", v, got.Model, nameOf(k))
			}
			for at, x := range all[v].Color.Pix {
				n++
				if y := got.Color.Pix[at]; max(x, y)-min(x, y) > 1 {
					off++
				}
			}
		}
		if !(float64(off) <= 0.001*float64(n)) {
			t.Errorf("%s: %d of %d bytes differ by more than 1", nameOf(k), off, n)
		}
	}
	checkAllocatesNothing(t, with, poses, views, len(views))
}

// Without a hall there is no natural light.
func TestNaturalLightNeedsAHall(t *testing.T) {
	r := newRandom(13)
	s := crowded()
	poses, views := scattered(r.Rand, len(s.Bodies)), r.views(2)
	want := drawn(t, rendererOf(t, s, 0, 1), poses, views)
	s.Natural = true
	for k, got := range drawn(t, rendererOf(t, s, 0, 1), poses, views) {
		if !same(&got, &want[k]) {
			t.Errorf("view %d: not the bytes of plain light", k)
		}
	}
}
