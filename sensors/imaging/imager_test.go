package imaging

import (
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// What a lamp of 3000 K makes of white, a camera that is balanced to it shows as white.
func TestWhiteBalanceUndoesTheLight(t *testing.T) {
	imager := Imager{FullWell: 1e6, Exposure: 1, Gain: 1, WhiteBalance: 3000}
	chip := imager.Chip(16, 16, random.New(1, "r", "s", 0))
	lamp, white := render.BlackBody(3000), render.BlackBody(render.White)
	for c := range lamp {
		got, want := chip.Balance[c]*lamp[c]/white[c], chip.Balance[1]*lamp[1]/white[1]
		if !scalar.EqualWithinRel(got, want, 1e-12) {
			t.Errorf("white in channel %d is %v, in green %v", c, got, want)
		}
	}
	if chip.Balance[1] != 1 {
		t.Errorf("green is amplified by %v", chip.Balance[1])
	}
}

func TestImagesHaveTheirOwnNoise(t *testing.T) {
	source := random.New(1, "r", "s", 0)
	keys := map[uint64]bool{}
	for _, s := range []random.Source{source, source.Frame(1), random.New(1, "r", "t", 0), random.New(2, "r", "s", 0)} {
		keys[NoiseKey(s)] = true
	}
	if len(keys) != 4 || NoiseKey(source) != NoiseKey(random.New(1, "r", "s", 0)) {
		t.Errorf("keys of four images: %v", keys)
	}
}
