package light

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func even() (p [sources]profile) {
	for s := range p {
		for i := range p[s] {
			p[s][i] = 1
		}
	}
	return p
}

func treeOf(m render.Mesh) *rays.Tree {
	triangles, _ := rays.AddMesh(nil, nil, &m, spatial.Identity(), 0, 0)
	return rays.NewTree(triangles)
}

// A ball at a height h directly above a point blocks (r/h)² of a uniform sky. To the side, while all of it is above the
// horizon, the distance replaces h, times the cosine (Howell, configuration factor C-137).
func TestSkyBehindABall(t *testing.T) {
	p := even()
	s := newSky(&p)
	const r, h = 0.3, 0.6
	ball := shapes.Sphere(r, 3)
	for i := range ball.Vertices {
		ball.Vertices[i].Pos[2] += h
	}
	tree := treeOf(ball)
	for _, x := range []float64{0, 0.3, 0.8} {
		d := math.Hypot(x, h)
		want := h / d * r * r / (d * d)
		got := s.blockedBy(tree, x, 0, 0)
		for _, k := range []int{0, 3} {
			if !(math.Abs(float64(got[k])-want) < 0.025) {
				t.Errorf("%v m from the ball, %v of the light is blocked, want %v", x, got[k], want)
			}
		}
		if x > 0 && !(got[1] < 0) {
			t.Errorf("%v m from the ball, light from the other side is blocked: %v", x, got)
		}
	}
}

// stage is a hall with a box, a ball and a static post.
func stage() (*render.Scene, []spatial.Pose) {
	s := furnished()
	s.Materials = []render.Material{{Color: mgl32.Vec3{0.3, 0.3, 0.3}}}
	s.Meshes = []render.Mesh{shapes.Box(0.5, 0.3, 0.8), shapes.Sphere(0.11, 3), shapes.Box(0.1, 0.1, 1)}
	up := spatial.Translation(mgl64.Vec3{0, 0, 0.4})
	s.Bodies = []render.Body{
		{Name: "box", Parts: []render.Part{{Mesh: 0, PoseBP: up}}},
		{Name: "ball", Parts: []render.Part{{Mesh: 1, PoseBP: spatial.Identity()}}},
		{Name: "post", Static: true,
			Parts: []render.Part{{Mesh: 2, PoseBP: spatial.Translation(mgl64.Vec3{0, 0, 0.5})}}},
	}
	return s, []spatial.Pose{spatial.Translation(mgl64.Vec3{1, 1, 0}), spatial.Translation(mgl64.Vec3{-2, 0, 0.11}),
		spatial.Translation(mgl64.Vec3{4, -3, 0})}
}

// at returns the fractions of lamp and window light at the texel of a point.
func (m *ShadowMap) at(x, y float64) (lamps, windows float64) {
	i, j := int(x/m.Texel+float64(m.Width)/2), int(y/m.Texel+float64(m.Height)/2)
	k := 2 * (j*m.Width + i)
	return float64(m.Pix[k]) / 255, float64(m.Pix[k+1]) / 255
}

func TestBodiesTakeLightFromTheFloor(t *testing.T) {
	s, poses := stage()
	m := NewShadowMap(s, NewField(s, &s.Shading))
	m.Draw(poses)
	for _, c := range []struct {
		name     string
		x, y     float64
		from, to float64 // of both kinds of light
	}{
		{"far from all", -6, 4, 1, 1},
		{"under the box", 1, 1, 0, 0.02},
		{"at the box", 1.28, 1, 0.2, 0.75},
		{"a metre from the box", 2.2, 1, 0.9, 1},
		{"where the ball stands", -2, 0, 0, 0.2},
		{"beside the ball", -1.85, 0, 0.2, 0.85},
		{"at the post", 4.08, -3, 0.3, 0.8},
	} {
		lamps, windows := m.at(c.x, c.y)
		if !(lamps >= c.from && lamps <= c.to && windows >= c.from && windows <= c.to) {
			t.Errorf("%s: shares %.2f of the lamps' light and %.2f of the windows', want %v to %v", c.name, lamps,
				windows, c.from, c.to)
		}
	}
}

// A map that was drawn for other poses before equals a new one, and reports where it changed, also for a lifted ball, a
// fallen box, and NaN poses.
func TestSharesAreThoseOfTheInstant(t *testing.T) {
	sharesAreThoseOfTheInstant(t, nil)
}

// The same holds with the shadows of bulbs, one of which is lower than the bodies' tops, and one outside of the hall.
func TestShadowsOfSpotsAreThoseOfTheInstant(t *testing.T) {
	white := mgl32.Vec3{1, 1, 1}
	sharesAreThoseOfTheInstant(t, []render.PointLamp{
		{PosW: mgl32.Vec3{2, -2, 3}, Light: white}, {PosW: mgl32.Vec3{-1, 2.3, 0.4}, Light: white},
		{PosW: mgl32.Vec3{40, 30, 8}, Light: white.Mul(900)},
	})
}

func sharesAreThoseOfTheInstant(t *testing.T, spots []render.PointLamp) {
	t.Helper()
	s, poses := stage()
	s.Light.Spots = spots
	for i := range s.Bodies[:2] { // separate materials
		for k := range s.Bodies[i].Parts {
			part := &s.Bodies[i].Parts[k]
			s.Materials = append(s.Materials, s.Materials[part.Material])
			part.Material = len(s.Materials) - 1
		}
	}
	f := NewField(s, &s.Shading)
	used := NewShadowMap(s, f)
	used.Draw(poses)
	turned := mgl64.QuatRotate(math.Pi/2, mgl64.Vec3{0, 1, 0})
	for _, next := range []struct{ box, ball spatial.Pose }{
		{spatial.Pose{Pos: mgl64.Vec3{-1, 2, 0}, Rot: mgl64.QuatRotate(0.7, mgl64.Vec3{0, 0, 1})},
			spatial.Translation(mgl64.Vec3{-1.5, 2, 0.11})},
		{spatial.Pose{Pos: mgl64.Vec3{-1, 2, 0.25}, Rot: turned}, spatial.Translation(mgl64.Vec3{8, 6, 1.3})},
		{spatial.Pose{Pos: mgl64.Vec3{math.NaN(), 2, 0}, Rot: mgl64.QuatIdent()},
			spatial.Translation(mgl64.Vec3{math.Inf(1), 0, 0.11})},
		{spatial.Translation(mgl64.Vec3{9, 7, 0}), spatial.Translation(mgl64.Vec3{200, -300, 0.11})},
	} {
		poses[0], poses[1] = next.box, next.ball
		before := bytes.Clone(used.Pix)
		used.Draw(poses)
		fresh := NewShadowMap(s, f)
		fresh.Draw(poses)
		if !bytes.Equal(used.Pix, fresh.Pix) {
			t.Errorf("%v: the map is another one than that of a new one", next)
		}
		for _, r := range used.Changed {
			for y := r.Y0; y < r.Y1; y++ {
				copy(before[2*(y*used.Width+r.X0):2*(y*used.Width+r.X1)], used.Pix[2*(y*used.Width+r.X0):])
			}
		}
		if !bytes.Equal(before, used.Pix) {
			t.Errorf("%v: texels have changed outside of Changed", next)
		}
	}
	// Paint moving bodies, and dim lamps.
	painted := s.Shading
	painted.Materials = slices.Clone(s.Materials)
	for _, body := range s.Bodies[:2] {
		for _, part := range body.Parts {
			painted.Materials[part.Material].Color = mgl32.Vec3{0.9, 0.5, 0.1}
		}
	}
	painted.Light.Lamp, painted.Light.Sky = painted.Light.Lamp.Mul(0.3), painted.Light.Sky.Mul(1.5)
	poses[0], poses[1] = spatial.Translation(mgl64.Vec3{1, -1, 0}), spatial.Translation(mgl64.Vec3{-0.5, 1, 0.11})
	other := used.Shade(&painted)
	other.Draw(poses)
	fresh := NewShadowMap(s, NewField(s, &painted))
	fresh.Draw(poses)
	if !bytes.Equal(other.Pix, fresh.Pix) {
		t.Error("painted: the map is another one than that of a new one")
	}
	if other != used {
		t.Error("painting what moves made another map")
	}
	if n := testing.AllocsPerRun(5, func() { used.Draw(poses) }); n > 0 {
		t.Errorf("drawing makes %v allocations", n)
	}
}

// Light that was mixed again equals that of a new field; moving a lamp requires a new field.
func TestFieldFollowsItsShading(t *testing.T) {
	s := furnished()
	l := render.DefaultLighting()
	l.Spots = []render.Spot{{X: 2, Y: 1, Z: 4, Amount: 1, Temperature: 3000}}
	s.Light = l.Light()
	f := NewField(s, &s.Shading)
	brighter, moved := s.Shading, s.Shading
	l.Lamp, l.Ambient, l.AmbientTemperature, l.Spots[0].Amount = 0.3, 2, 9000, 3
	brighter.Light = l.Light()
	l.LampAzimuth += 1
	moved.Light = l.Light()
	for _, c := range []struct {
		with       *render.Shading
		recomputed bool
	}{{&brighter, false}, {&moved, true}, {&s.Shading, true}} {
		must.Equal(t, f.Shade(c.with), c.recomputed, "recomputed")
		want := NewField(s, c.with)
		for source := range f.Floor.Of {
			for i, light := range f.Floor.Of[source] {
				if w := want.Floor.Of[source][i]; !(light.Sub(w).Len() <= 1e-5*w.Len()) {
					t.Fatalf("source %v, node %d: %v, want %v", source, i, light, w)
				}
			}
		}
		p := mgl64.Vec3{1, 2, 0.4}
		a, b := f.Probe(p), want.Probe(p)
		if up := (mgl32.Vec3{0, 0, 1}); !(a.Irradiance(up).Sub(b.Irradiance(up)).Len() < 1e-4) {
			t.Errorf("a probe gives %v, want %v", a.Irradiance(up), b.Irradiance(up))
		}
	}
}

// The light that a probe gives an upward-facing surface near the floor equals the floor's within 7 %; the error of nine
// terms is up to 9 %.
func TestProbesAgreeWithTheFloor(t *testing.T) {
	s := furnished()
	f := NewField(s, &s.Shading)
	for _, node := range [][2]int{{f.Floor.Cols / 2, f.Floor.Rows / 2}, {5, 5}, {f.Floor.Cols - 4, 8}} {
		p, _ := f.node(0, node[0], node[1])
		k := node[1]*f.Floor.Cols + node[0]
		want := f.Floor.Of[Lamps][k].Add(f.Floor.Of[Windows][k])
		probe := f.Probe(p)
		if got := probe.Irradiance(mgl32.Vec3{0, 0, 1}); !(got.Sub(want).Len() < 0.07*want.Len()) {
			t.Errorf("at %v: %v, the floor gets %v", p, got, want)
		}
	}
}

// A free-standing box is open; the inside of a cup is mostly closed, and the top of its rim open.
func TestOpenness(t *testing.T) {
	s, _ := stage()
	wall := shapes.Box(0.02, 0.4, 0.8)
	s.Meshes = append(s.Meshes, wall)
	s.Bodies = append(s.Bodies, render.Body{Name: "walls", Parts: []render.Part{
		{Mesh: 3, PoseBP: spatial.Translation(mgl64.Vec3{-0.05, 0, 0.4})},
		{Mesh: 3, PoseBP: spatial.Translation(mgl64.Vec3{0.05, 0, 0.4})},
	}})
	all := Openness(s)
	if got := all[0][0].Share(mgl32.Vec3{1, 0, 0}); !(got > 0.99) {
		t.Errorf("a box is open by %v", got)
	}
	left := all[3][0]
	inside, outside := left.Share(mgl32.Vec3{1, 0, 0}), left.Share(mgl32.Vec3{-1, 0, 0})
	if !(inside < 0.35 && outside > 0.9) {
		t.Errorf("a wall 8 cm from another one is open by %v to it and by %v from it", inside, outside)
	}
}

// Mirror reflection returns the light from its direction. Light that varies with bands of order 0, 1 and 2 is returned
// unchanged, except for the window and the lobe, which each weaken a band by a known factor. A lobe of a quarter keeps
// exp(−1/16) of the first band.
func TestMirroredLightIsThatOfItsDirection(t *testing.T) {
	const n = 20000
	radiance := func(d mgl64.Vec3, keep1, keep2 float64) float64 {
		return 1 + keep1*(0.3*d[0]-0.2*d[1]+0.1*d[2]) +
			keep2*(0.2*d[0]*d[1]+0.15*d[1]*d[2]-0.1*d[0]*d[2]+0.25*(3*d[2]*d[2]-1)+0.1*(d[0]*d[0]-d[1]*d[1]))
	}
	var p Probe
	for _, d := range sphere(n) {
		l := radiance(d, 1, 1)
		p.add(d, mgl64.Vec3{l, l, l}, 4*math.Pi/n)
	}
	for _, roughness := range []float64{0, 0.25, 0.5} {
		lobe := roughness * roughness
		first, second := Sharper(roughness)
		for _, d := range sphere(50) {
			want := radiance(d, 0.8270*math.Exp(-lobe), 0.4135*math.Exp(-4*lobe))
			got := p.Mirrored(mgl32.Vec3{float32(d[0]), float32(d[1]), float32(d[2])}, 1, first, second)
			if !(math.Abs(float64(got[1])-want) < 2e-3) {
				t.Errorf("roughness %v: %v from %v, want %v", roughness, got[1], d, want)
			}
		}
	}
}
