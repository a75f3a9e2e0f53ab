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
	for i := range encodings {
		at := encodings[i].next
		for _, light := range []float32{math.Nextafter32(at, 0), at, math.Nextafter32(at, 1)} {
			if light <= 1 && Encode8(light) != encode8(light) {
				t.Errorf("light %v: %d by look-up, %d by formula", light, Encode8(light), encode8(light))
			}
		}
	}
}
