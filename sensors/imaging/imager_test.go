package imaging

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// A camera balanced to a lamp of 3000 K shows white as white.
func TestWhiteBalanceUndoesTheLight(t *testing.T) {
	imager := Imager{FullWell: 1e6, Exposure: 1, Gain: 1, WhiteBalance: 3000}
	chip := imager.Chip(16, 16, nil, random.New(1, "r", "s", 0))
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

// Differences between pixels depend on the camera's seed, not on the frame.
func TestPixelsDifferForGood(t *testing.T) {
	i := Imager{PRNU: 0.01, HotPixels: 1e-4, HotCurrent: 2000, Temperature: 20}
	of := func(s random.Source) render.FixedPattern { return i.Chip(16, 16, nil, s).Fixed }
	one := of(random.New(1, "r", "s", 0))
	if one != of(random.New(1, "r", "s", 9)) || !one.On() {
		t.Errorf("another frame has other pixels than %+v", one)
	}
	if one.Key == of(random.New(1, "r", "t", 0)).Key || one.Key == of(random.New(2, "r", "s", 0)).Key {
		t.Error("two cameras have the same pixels")
	}
	i = Imager{HotCurrent: 2000, Temperature: 20}
	if f := of(random.New(1, "r", "s", 0)); f.On() {
		t.Errorf("of a perfect chip pixels differ: %+v", f)
	}
}

// A hot pixel collects charge while the shutter is open, and twice as much with every 8 K.
func TestHotPixelsCollectForAsLongAsTheShutterIsOpen(t *testing.T) {
	for _, c := range []struct {
		shutter     *Shutter
		temperature float64
		want        float64
	}{{nil, 20, 20}, {&Shutter{}, 20, 20}, {&Shutter{Exposure: 40 * time.Millisecond}, 20, 80}, {nil, 36, 80},
		{&Shutter{Exposure: 5 * time.Millisecond}, 12, 5}} {
		i := Imager{HotPixels: 1e-4, HotCurrent: 2000, Temperature: c.temperature}
		if got := i.Chip(16, 16, c.shutter, random.New(1, "r", "s", 0)).Fixed.HotSignal; !scalar.EqualWithinRel(got,
			c.want, 1e-12) {
			t.Errorf("%+v at %v °C: %v e, want %v", c.shutter, c.temperature, got, c.want)
		}
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

// A chip has no column faults by default.
func TestColumnsOfAChip(t *testing.T) {
	var i Imager
	i.SetDefaults()
	if c := i.Chip(16, 16, nil, random.New(1, "r", "s", 0)); c.Spill != 0 || c.Smear != 0 {
		t.Errorf("by default charge spills, %v, or smears, %v", c.Spill, c.Smear)
	}
	i.Blooming, i.Smear = 0.25, 0.001
	if c := i.Chip(16, 16, nil, random.New(1, "r", "s", 0)); c.Spill != 0.25 || c.Smear != 0.001 {
		t.Errorf("%v spills and %v smears, want 0.25 and 0.001", c.Spill, c.Smear)
	}
}
