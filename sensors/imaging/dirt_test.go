package imaging

import (
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

func TestDirtStays(t *testing.T) {
	noise := random.New(5, "cyan1", "omni", 0)
	d := dirt(40, 6, 640, 480, noise)
	if !slices.Equal(d, dirt(40, 6, 640, 480, noise)) {
		t.Error("other dirt the second time")
	}
	if slices.Equal(d, dirt(40, 6, 640, 480, random.New(5, "cyan2", "omni", 0))) {
		t.Error("two robots have the same dirt")
	}
	stained := 0
	for i, share := range d {
		if share != 1 {
			stained++
		}
		if !(share >= 1-speckStrength-1e-6) || !(share <= 1) {
			t.Fatalf("pixel %d keeps %v of the light", i, share)
		}
	}
	if share := float64(stained) / float64(len(d)); len(d) != 640*480 || !(share >= 0.001) || !(share <= 0.1) {
		t.Errorf("%.2f %% of %d pixels are stained", 100*share, len(d))
	}
	if dirt(0, 0, 640, 480, noise) != nil {
		t.Error("a clean lens has stains")
	}
}
