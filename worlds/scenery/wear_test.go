package scenery

import (
	"bytes"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// The seed determines the wear of a floor: more wear takes more light, new lines are left alone, and a new floor has no
// traces.
func TestFloorsAreWornBySeed(t *testing.T) {
	w := must.Get(worlds.Load("nubot-attack"))(t)
	field := &w.Field.Field
	used := func(h worlds.Hall) *render.Traces {
		f := render.Floor{SizeX: field.Length + 2*field.Border, SizeY: field.Width + 2*field.Border,
			Marks: field.Marks()}
		addWear(&f, field, &h)
		return f.Traces
	}
	hall := func(seed uint64, wear, lines float64) worlds.Hall {
		return worlds.Hall{Hall: render.Hall{Wear: wear, LineWear: lines}, Seed: seed}
	}
	if used(hall(1, 0, 0)) != nil {
		t.Error("a new floor has traces")
	}
	one, again, other := used(hall(1, 0.5, 0.8)), used(hall(1, 0.5, 0.8)), used(hall(2, 0.5, 0.8))
	if !bytes.Equal(one.Pix, again.Pix) {
		t.Error("the same seed makes other traces")
	}
	if bytes.Equal(one.Pix, other.Pix) {
		t.Error("another seed makes the same traces")
	}
	little, much := used(hall(1, 0.2, 0)), used(hall(1, 0.9, 0))
	if a, b := little.MeanKept(), much.MeanKept(); !(b < a-0.02 && a < 0.995 && b > 0.5) {
		t.Errorf("wear of 0.2 and 0.9 leaves %.3f and %.3f of the light", a, b)
	}
	torn := 0
	for i := 0; i < len(one.Pix); i += 4 {
		if little.Pix[i+render.There] != 255 || little.Pix[i+render.Clean] != 255 || little.Pix[i+render.Shift] != 128 {
			t.Fatal("lines as new have traces")
		}
		if one.Pix[i+render.There] < 128 {
			torn++
		}
	}
	if share := float64(torn) / (render.TraceTexels * render.TraceTexels); !(share > 1e-4 && share < 0.02) {
		t.Errorf("tape is torn off on %.5f of the floor", share)
	}
}
