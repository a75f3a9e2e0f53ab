package imaging

import (
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

func TestDirtStaysAndDims(t *testing.T) {
	noise := random.New(5, "cyan1", "omni", 0)
	d := newDirt(40, 6, 640, 480, noise)
	if !reflect.DeepEqual(d, newDirt(40, 6, 640, 480, noise)) {
		t.Error("other dirt the second time")
	}
	if reflect.DeepEqual(d, newDirt(40, 6, 640, 480, random.New(5, "cyan2", "omni", 0))) {
		t.Error("two robots have the same dirt")
	}
	if share := float64(len(d)) / (640 * 480); !(share >= 0.001) || !(share <= 0.1) {
		t.Errorf("%.2f %% of the picture are stained", 100*share)
	}
	im := render.NewImage(640, 480)
	for i := range im.Pix {
		im.Pix[i] = 200
	}
	d.apply(im)
	stained := map[int]float64{}
	for _, s := range d {
		stained[int(s.pixel)] = float64(s.share)
	}
	for i := range 640 * 480 {
		share, ok := stained[i]
		if !ok {
			share = 1
		}
		// A grey value is known to half of one.
		want := 255 * render.Encoded(render.Linear(200.0/255)*share)
		if got := float64(im.Pix[3*i+1]); !scalar.EqualWithinAbs(got, want, 0.6) || !(share >= 1-speckStrength-1e-6) {
			t.Fatalf("pixel %d, which keeps %.2f of the light, is %v, want %.1f", i, share, got, want)
		}
	}
	if newDirt(0, 0, 640, 480, noise) != nil {
		t.Error("a clean lens has stains")
	}
}
