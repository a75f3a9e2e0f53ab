package render

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

func TestEncodingIsSRGB(t *testing.T) {
	for i := range 1 << 20 {
		light := float32(i) / (1<<20 - 1)
		got, exact := Encode8(light), 255*Encoded(float64(light))
		if got != encode8(light) {
			t.Fatalf("light %v: %d by look-up, %d by formula", light, got, encode8(light))
		}
		if !scalar.EqualWithinAbs(float64(got), exact, 0.502) {
			t.Fatalf("light %v is %d, want %v", light, got, exact)
		}
	}
	for v, light := range decoded {
		if got := Encode8(light); int(got) != v {
			t.Errorf("%d becomes %d", v, got)
		}
	}
	// Near the start of a value, the formula's rounding may alternate.
	for i := range encodings {
		b := &encodings[i]
		next := math.Float32bits((b.below + b.above) / 2)
		for bits := next - 200; bits < next+200; bits++ {
			if light := math.Float32frombits(bits); light <= 1 && Encode8(light) != encode8(light) {
				t.Fatalf("light %v: %d by look-up, %d by formula", light, Encode8(light), encode8(light))
			}
		}
	}
}
