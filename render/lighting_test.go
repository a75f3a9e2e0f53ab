package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"
)

// The oracle is the Planckian locus as tabulated by the CIE (1931 observer): illuminant A and round temperatures.
func TestBlackBodiesLieOnThePlanckianLocus(t *testing.T) {
	for _, c := range []struct{ kelvin, x, y float64 }{
		{2856, 0.4476, 0.4074}, {4000, 0.3805, 0.3768}, {5500, 0.3325, 0.3411}, {6500, 0.3135, 0.3237},
		{10000, 0.2807, 0.2884},
	} {
		rgb := BlackBody(c.kelvin)
		// IEC 61966-2-1, from linear sRGB to XYZ.
		x := 0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]
		y := 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
		z := 0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]
		if sum := x + y + z; !scalar.EqualWithinAbs(x/sum, c.x, 0.001) || !scalar.EqualWithinAbs(y/sum, c.y, 0.001) {
			t.Errorf("%v K: chromaticity (%.4f, %.4f), want (%.4f, %.4f)", c.kelvin, x/sum, y/sum, c.x, c.y)
		}
		if !scalar.EqualWithinAbs(y, 1, 0.001) {
			t.Errorf("%v K: luminance %v, want 1", c.kelvin, y)
		}
	}
}

// Brightness equals the luminance that a Scene's light gives the floor.
func TestBrightness(t *testing.T) {
	if b := DefaultLighting().Brightness(); b.Even != 1 || b.Spots(1, 2) != 0 {
		t.Errorf("a common hall has the brightness %+v, want 1", b)
	}
	if b := (Lighting{}).Brightness(); !(b.Even > 0 && b.Even < 1e-100) {
		t.Errorf("a dark hall has the brightness %+v, want next to none", b)
	}
	l := Lighting{Lamp: 0.4, LampTemperature: 3000, LampElevation: 0.9, Ambient: 0.2, AmbientTemperature: 9000,
		Spots: []Spot{
			{X: 1, Y: -2, Z: 3, Amount: 0.7, Temperature: 2500}, {X: -4, Y: 3, Z: 6, Amount: 1.5, Temperature: 6500},
		}}
	common, light, b := DefaultLighting().Light(), l.Light(), l.Brightness()
	onFloor := func(l *Light) float64 { return Luminance(l.Sky) + Luminance(l.Lamp)*float64(l.DirectionW[2]) }
	if want := onFloor(&light) / onFloor(&common); !scalar.EqualWithinRel(b.Even, want, 1e-6) {
		t.Errorf("far from spots: %v, want %v", b.Even, want)
	}
	for _, p := range []mgl32.Vec3{{1, -2, 0}, {0, 0, 0}, {-5, 4, 0}, {30, 0, 0}} {
		want := 0.0
		for _, s := range light.Spots {
			to := s.PosW.Sub(p)
			want += Luminance(s.Light) * float64(to.Normalize()[2]/to.Dot(to)) / onFloor(&common)
		}
		if got := b.Spots(float64(p[0]), float64(p[1])); !scalar.EqualWithinRel(got, want, 1e-5) {
			t.Errorf("at %v: spots add %v, want %v", p, got, want)
		}
	}
}

func TestLightingScales(t *testing.T) {
	l := DefaultLighting()
	base := l.Light()
	l.Lamp, l.Ambient = 0.5, 2
	got := l.Light()
	for i := range 3 {
		if !(math.Abs(float64(got.Lamp[i]-0.5*base.Lamp[i])) <= 1e-6) ||
			!(math.Abs(float64(got.Sky[i]-2*base.Sky[i])) <= 1e-6) {
			t.Errorf("channel %d: lamp %v and sky %v, want 0.5 of %v and 2 of %v", i, got.Lamp[i], got.Sky[i],
				base.Lamp[i], base.Sky[i])
		}
	}
	if n := base.DirectionW.Len(); !scalar.EqualWithinAbs(float64(n), 1, 1e-6) {
		t.Errorf("the lamp's direction has length %v", n)
	}
}
