package light

import (
	"math"
	"testing"
)

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
			if !(math.Abs(got-want) <= 0.01) {
				t.Errorf("%s, cosine %.3f: %.4f, want %.4f", name, cos, got, want)
			}
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
