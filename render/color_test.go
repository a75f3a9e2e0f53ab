package render

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
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
