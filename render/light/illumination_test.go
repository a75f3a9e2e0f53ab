package light

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func furnished() *render.Scene {
	s := &render.Scene{Floor: render.Floor{SizeX: 20, SizeY: 14}, Room: render.Room{Margin: 5, Height: 5,
		Wall: mgl32.Vec3{0.4, 0.4, 0.4}, Ceiling: mgl32.Vec3{0.6, 0.6, 0.6}, Floor: mgl32.Vec3{0.2, 0.2, 0.2}}}
	s.Light, s.Carpet = render.DefaultLighting().Light(), mgl32.Vec3{0.1, 0.3, 0.1}
	return s
}

// A point in a closed box sees patches all around. In a box with reflectance ρ whose faces all emit E, the radiance is
// E/(1 − ρ).
func TestClosedBox(t *testing.T) {
	s := furnished()
	in := Illuminate(s, &s.Shading)
	b := newBox(&in, &reflectances{half: mgl64.Vec2{s.Floor.SizeX / 2, s.Floor.SizeY / 2}})
	b.findFactors()
	n := len(b.patches)
	own := make([]mgl64.Vec3, n)
	for i := range b.patches {
		sum := 0.0
		for _, f := range b.factors[i*n : i*n+n] {
			sum += f
		}
		if !(math.Abs(sum-1) < 1e-9) {
			t.Fatalf("patches fill %[2]v of the hemisphere of patch %[1]d", i, sum)
		}
		b.patches[i].reflectance, own[i] = mgl64.Vec3{0.5, 0.7, 0}, mgl64.Vec3{1, 2, 3}
	}
	for i, got := range b.solve(own) {
		if want := (mgl64.Vec3{2, 2 / 0.3, 3}); !(got.Sub(want).Len() < 1e-6) {
			t.Fatalf("patch %d: radiance %v, want %v", i, got, want)
		}
	}
}

// The form factor of a rectangle equals the closed form for its four corners (Siegel and Howell, configuration B-4).
func TestRectangleFactor(t *testing.T) {
	x, y := 1.5/3, 0.5/3.0
	corner := (x/math.Sqrt(1+x*x)*math.Atan(y/math.Sqrt(1+x*x)) +
		y/math.Sqrt(1+y*y)*math.Atan(x/math.Sqrt(1+y*y))) / (2 * math.Pi)
	up := mgl64.Vec3{0, 0, 1}
	must.Near(t, "from its front", rectangleFactor(mgl64.Vec3{}, up, mgl64.Vec3{0, 0, 3}, mgl64.Vec3{1.5, 0, 0},
		mgl64.Vec3{0, -0.5, 0}), 4*corner, 1e-12)
	must.Equal(t, rectangleFactor(mgl64.Vec3{}, up, mgl64.Vec3{0, 0, 3}, mgl64.Vec3{1.5, 0, 0},
		mgl64.Vec3{0, 0.5, 0}), 0, "from its back")
}

// Lamps and windows are on the hall's faces for every direction of the lamps, and not too many. A bulb gives the light
// of its PointLamp.
func TestLampsLieInTheHall(t *testing.T) {
	for _, elevation := range []float64{0.35, 0.8, math.Pi / 2} {
		for azimuth := -3.0; azimuth < 3; azimuth += 1.5 {
			s := furnished()
			l := render.DefaultLighting()
			l.LampElevation, l.LampAzimuth = elevation, azimuth
			l.Spots = []render.Spot{{X: 2, Y: 1, Z: 6, Amount: 1, Temperature: render.White}}
			s.Light = l.Light()
			in := Illuminate(s, &s.Shading)
			if !(in.Height > 6) || len(in.Panels) == 0 || len(in.Panels) > 60 || len(in.Windows) == 0 ||
				len(in.Bulbs) != 1 {
				t.Fatalf("elevation %v, azimuth %v: %d panels, %d windows, %d bulbs below %v m", elevation, azimuth,
					len(in.Panels), len(in.Windows), len(in.Bulbs), in.Height)
			}
			for _, p := range append(in.Panels, in.Windows...) {
				for i, half := range []float64{in.HalfX, in.HalfY, in.Height} {
					if reach := math.Abs(p.CentreW[i]) + math.Abs(p.U[i]) + math.Abs(p.V[i]); !(reach <= half+1e-9) {
						t.Errorf("elevation %v, azimuth %v: a lamp reaches %v, the hall %v", elevation, azimuth, reach,
							half)
					}
				}
				if !(p.Radiance[0] > 0 && p.Radiance[0] < 1e4) {
					t.Errorf("radiance %v", p.Radiance)
				}
			}
			b := in.Bulbs[0]
			if got, want := b.Radiance[1]*b.Radius*b.Radius,
				float64(s.Light.Spots[0].Light[1]); !(math.Abs(got-want) < 1e-6*want) {
				t.Errorf("a spot's irradiance at 1 m is %v, want %v", got, want)
			}
		}
	}
}

// A result is computed once, also for concurrent calls, and again only after it was evicted.
func TestKnownKeepsWhatWasAskedForLast(t *testing.T) {
	k := cache[int]{most: 2}
	computed := map[content]int{}
	ask := func(of content) {
		if got := k.get(of, func() int { computed[of]++; return int(of) }); got != int(of) {
			t.Fatalf("%d of content %d", got, of)
		}
	}
	for _, of := range []content{1, 2, 1, 3, 1, 2} {
		ask(of)
	}
	if computed[1] != 1 || computed[2] != 2 || computed[3] != 1 || len(k.entries) != 2 {
		t.Errorf("computed %v times, %d kept", computed, len(k.entries))
	}
	var all sync.WaitGroup
	var times int
	for range 8 {
		all.Go(func() { k.get(7, func() int { times++; return 7 }) })
	}
	all.Wait()
	if times != 1 {
		t.Errorf("computed %d times at once", times)
	}
}

// Each number on which a hall's light depends gives another hall; numbers that only scale the light do not.
func TestHallsAreToldApart(t *testing.T) {
	of := func(change func(s *render.Scene)) content {
		s := furnished()
		s.Light.Spots = []render.PointLamp{{PosW: mgl32.Vec3{1, 2, 3}, Light: mgl32.Vec3{5, 5, 5}}}
		change(s)
		_, in := illuminate(s, &s.Shading)
		return in.content
	}
	same := of(func(*render.Scene) {})
	var seen []content
	for name, change := range map[string]func(s *render.Scene){
		"length":   func(s *render.Scene) { s.Floor.SizeX++ },
		"width":    func(s *render.Scene) { s.Floor.SizeY++ },
		"margin":   func(s *render.Scene) { s.Room.Margin++ },
		"height":   func(s *render.Scene) { s.Room.Height++ },
		"wall":     func(s *render.Scene) { s.Room.Wall[1] += 0.1 },
		"ceiling":  func(s *render.Scene) { s.Room.Ceiling[2] += 0.1 },
		"floor":    func(s *render.Scene) { s.Room.Floor[0] += 0.1 },
		"carpet":   func(s *render.Scene) { s.Carpet[0] += 0.1 },
		"sheen":    func(s *render.Scene) { s.Floor.Sheen = 0.1 },
		"lamps":    func(s *render.Scene) { s.Light.DirectionW = mgl32.Vec3{0.6, 0, 0.8} },
		"spot":     func(s *render.Scene) { s.Light.Spots[0].PosW[0]++ },
		"more":     func(s *render.Scene) { s.Light.Spots = append(s.Light.Spots, s.Light.Spots[0]) },
		"no spots": func(s *render.Scene) { s.Light.Spots = nil },
	} {
		c := of(change)
		if c == same || slices.Contains(seen, c) {
			t.Errorf("%s: the same hall", name)
		}
		seen = append(seen, c)
	}
	if of(func(s *render.Scene) {
		s.Light.Lamp, s.Light.Sky, s.Light.Spots[0].Light = mgl32.Vec3{1, 2, 3}, mgl32.Vec3{}, mgl32.Vec3{9, 9, 9}
	}) != same {
		t.Error("brighter lamps make another hall")
	}
}

// The fit of sheen is within a hundredth of the integral, in uniform light, in light from lamps above, and from windows
// at the sides; in the dark it is zero. It rises towards grazing angles.
func TestSheenIsFitted(t *testing.T) {
	for name, radiance := range map[string]func(cos float64) float64{
		"even":    func(float64) float64 { return 1 },
		"above":   func(cos float64) float64 { return cos * cos },
		"windows": func(cos float64) float64 { return 0.3 + math.Exp(-20*(cos-0.3)*(cos-0.3)) },
	} {
		s, before := newSheen(1, radiance), math.Inf(1)
		for cos := 0.005; cos <= 1; cos += 0.005 {
			got, want := float64(s.At(float32(cos*cos))), sheenOf(cos, radiance)
			must.Near(t, fmt.Sprintf("%s, cosine %.3f", name, cos), got, want, 0.01)
			if !(want < before) || !(want > 0 && want < 0.7) {
				t.Errorf("%s, cosine %.3f: %.4f after %.4f", name, cos, want, before)
			}
			before = want
		}
	}
	if s := newSheen(1, func(float64) float64 { return 0 }); !(math.Abs(float64(s.At(0.01))) <= 1e-6) {
		t.Errorf("in the dark: %v", s)
	}
}

// Lamps of another size and pitch give the same light at the centre of the floor. They do not overlap, and a row has at
// most 30.
func TestSizeAndPitchOfLamps(t *testing.T) {
	for _, lamps := range []render.CeilingLamps{{}, {Size: [2]float64{0.2, 0.3}, Pitch: [2]float64{2, 3}},
		{Size: [2]float64{4, 4}, Pitch: [2]float64{1, 1}}, {Size: [2]float64{0.05, 4}, Pitch: [2]float64{20, 20}}} {
		s := furnished()
		s.Room.Height, s.Room.Lamps = 8, lamps
		in := Illuminate(s, &s.Shading)
		f := NewField(s, &s.Shading)
		_, light, _ := f.Toward(mgl64.Vec3{0, 0, 4}, mgl64.Vec3{0, 0, -1})
		for c, got := range light {
			if want := s.Light.Lamp[c]*s.Light.DirectionW[2] + s.Light.Sky[c]; !(math.Abs(float64(got/want)-1) < 0.02) {
				t.Errorf("%v: irradiance %v at the centre, want %v", lamps, got, want)
			}
		}
		for axis, r := range in.PanelRows {
			if r.N < 1 || r.N > 30 || !(2*r.Half <= r.Pitch || r.N == 1) {
				t.Errorf("%v: %d lamps along axis %d, each %v m long every %v m", lamps, r.N, axis, 2*r.Half, r.Pitch)
			}
		}
		must.Equal(t, len(in.Panels), in.PanelRows[0].N*in.PanelRows[1].N, "%v: panels", lamps)
	}
}
