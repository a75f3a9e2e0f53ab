package worlds

import (
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const (
	turned = "image: turned.pgm\nresolution: 0.5\norigin: [1, 2, 1.5707963267948966]\nnegate: 0\n" +
		"occupied_thresh: 0.65\nfree_thresh: 0.196\n"
	withMap = minimal + robot + "[map]\nfile = \"maps/turned.yaml\"\nheight_m = 3\nmaterial.color = \"#804020\"\n"
)

// TestMapBecomesWalls checks that the occupied cells of a map stand where its origin places them, that a bundle brings
// the map along, and that the effective file refers to it.
func TestMapBecomesWalls(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "maps/turned.yaml", turned)
	write(t, dir, "maps/turned.pgm", "P2 4 2 255 0 0 0 255 255 205 255 255") // 3 cells in the upper row
	w := must.Get(Load(write(t, dir, "w.toml", withMap)))(t)
	props := w.Model().Props
	wall := props[len(props)-1]
	if len(wall.Boxes) != 1 || wall.Form != physics.WallForm {
		t.Fatalf("got %+v, want a wall of one box", wall)
	}
	// in the map's frame from (0, 0.5) to (1.5, 1); turned by 90° and moved to (1, 2)
	b := wall.Boxes[0]
	x, y := b.Extent()
	got := []float64{b.Centre[0] - x, b.Centre[0] + x, b.Centre[1] - y, b.Centre[1] + y, b.Bottom(), b.Top()}
	for i, want := range []float64{0, 0.5, 2, 3.5, 0, 3} {
		if !(math.Abs(got[i]-want) < 1e-9) {
			t.Errorf("the wall spans %.6v, want 0 to 0.5, 2 to 3.5, 0 to 3", got)
			break
		}
	}
	want := "map maps/turned.yaml: 2 × 1 m, 4 × 2 cells; its occupied cells are walls of 1 box"
	if got := w.DescribeProps(); len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	text := string(must.Get(w.Effective())(t))
	if again := must.Get(Parse("again.toml", []byte(text)))(t); !reflect.DeepEqual(w.Pieces(), again.Pieces()) {
		t.Errorf("the effective file gives other walls: %s", text)
	}
	bundle := must.Get(w.Bundle(nil))(t)
	must.Do(t, os.RemoveAll(dir))
	again := must.Get(LoadBundle(bundle))(t)
	must.Equal(t, again.Pieces()[0].Boxes, w.Pieces()[0].Boxes, "boxes")
	if other := must.Get(again.Bundle(nil))(t); !reflect.DeepEqual(bundle, other) {
		t.Error("is another bundle the second time")
	}
	if drawn := must.Get(again.WithSeed(7))(t); !reflect.DeepEqual(again.Pieces(), drawn.Pieces()) {
		t.Error("another seed gives other walls")
	}
}

// TestMapErrors checks that errors in the files of a map also have their place in the world's file.
func TestMapErrors(t *testing.T) {
	for _, c := range []struct{ change, to, image, want string }{
		{"[map]\nfile = \"maps/turned.yaml\"", "[map]", "", "map: file: must be given"},
		{"turned.yaml", "turne.yaml", "", `map: file = "maps/turne.yaml": D/maps/turne.yaml: no such file or directory; did you ` +
			`mean turned.yaml?`},
		{"height_m = 3", "height_m = 0", "P2 1 1 1 0", "map: height_m = 0: must lie in [0.05, 20]"},
		{"", "", "P2 1 1 1", `map: file = "maps/turned.yaml": D/maps/turned.yaml:1:8: image = "turned.pgm": ends too early`},
	} {
		dir := t.TempDir()
		write(t, dir, "maps/turned.yaml", turned)
		write(t, dir, "maps/turned.pgm", c.image)
		_, err := Load(write(t, dir, "w.toml", strings.Replace(withMap, c.change, c.to, 1)))
		if got := strings.ReplaceAll(strings.Join(lines(err), "\n"), dir, "D"); !strings.Contains(got, c.want) {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
