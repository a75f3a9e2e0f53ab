package render

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"
)

func TestColors(t *testing.T) {
	for text, want := range map[Color]mgl32.Vec3{
		"#000000": {0, 0, 0}, "#ffffff": {1, 1, 1}, "#ff8000": {1, 0.2158605, 0}, // IEC 61966-2-1
		"#FF8000": {1, 0.2158605, 0},
	} {
		got, err := text.Linear()
		if err != nil || !got.ApproxEqualThreshold(want, 1e-6) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "red", "#ff800", "#ff80000", "ff8000", "#ff80 0", "#-f8000", "#+f8000", "#0x8000",
		"#ff80ég"} {
		if err := new(Color).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is accepted as a colour", text)
		}
	}
}

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

func TestClipLine(t *testing.T) {
	for _, c := range []struct {
		a, b, wantA, wantB [2]float64
		left               bool
	}{
		{[2]float64{1, 1}, [2]float64{3, 2}, [2]float64{1, 1}, [2]float64{3, 2}, true},
		{[2]float64{-2, 2}, [2]float64{6, 2}, [2]float64{0, 2}, [2]float64{4, 2}, true},
		{[2]float64{2, 5}, [2]float64{2, -5}, [2]float64{2, 4}, [2]float64{2, 0}, true},
		{[2]float64{-1, 3}, [2]float64{3, -1}, [2]float64{0, 2}, [2]float64{2, 0}, true},
		{[2]float64{-3, 2}, [2]float64{2, -3}, [2]float64{}, [2]float64{}, false},
		{[2]float64{5, 0}, [2]float64{5, 4}, [2]float64{}, [2]float64{}, false},
		{[2]float64{2, 2}, [2]float64{2, 2}, [2]float64{2, 2}, [2]float64{2, 2}, true},
		{[2]float64{math.NaN(), 2}, [2]float64{2, 2}, [2]float64{}, [2]float64{}, false},
	} {
		a, b := c.a, c.b
		if left := ClipLine(&a, &b, [2]float64{}, [2]float64{4, 4}); left != c.left || left &&
			(a != c.wantA || b != c.wantB) {
			t.Errorf("%v to %v: %v, %v to %v, want %v, %v to %v", c.a, c.b, left, a, b, c.left, c.wantA, c.wantB)
		}
	}
}
