package calibration

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Tables cover the field and a metre around it in steps of a centimetre. They hold the distance to the nearest mark,
// although candidates are prefiltered, and derivatives point away from it.
func TestNuBotsTablesHoldTheField(t *testing.T) {
	const length, width, columns, rows = 6, 4, 801, 601
	marks := []spatial.Mark{
		{Kind: spatial.Segment, A: [2]float64{0, -2}, B: [2]float64{0, 2}},
		{Kind: spatial.Segment, A: [2]float64{-3, 1.5}, B: [2]float64{3, 1.5}},
		{Kind: spatial.Arc, A: [2]float64{-1, -1}, Radius: 0.75, Sweep: math.Pi / 2},
		{Kind: spatial.Spot, A: [2]float64{2, -1}, Radius: 0.1},
	}
	dir := t.TempDir()
	must.Do(t, WriteNuBot(new(Files), filepath.Join(dir, "3"), Ground{Width: 640, Height: 480, CenterColumn: 319.5,
		CenterRow: 239.5, A: 1, B: 0.005, MaxRadius: 200}, 50, marks, length, width))
	read := func(name string) func(i, j int) float64 {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(text) != 8*columns*rows {
			t.Fatalf("%s has %d bytes, want %d; %v", name, len(text), 8*columns*rows, err)
		}
		return func(i, j int) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(text[8*(j*columns+i):]))
		}
	}
	distance, dx, dy := read("errortable.bin"), read("Diff_X.bin"), read("Diff_Y.bin")
	for j := range rows {
		for i := range columns {
			x, y := float64(i-columns/2)/100, float64(j-rows/2)/100
			want := math.Inf(1)
			for k := range marks {
				want = math.Min(want, marks[k].Distance(x, y))
			}
			if !(math.Abs(distance(i, j)-100*want) <= 1e-9) {
				t.Fatalf("at (%v, %v) m: %v cm, want %v", x, y, distance(i, j), 100*want)
			}
		}
	}
	for _, c := range []struct{ x, y, dx, dy float64 }{{0.3, 0, 1, 0}, {-0.3, 0.5, -1, 0}, {2, 2, 0, 1},
		{2, 1, 0, -1}} {
		i, j := columns/2+int(100*c.x), rows/2+int(100*c.y)
		if !(math.Hypot(dx(i, j)-c.dx, dy(i, j)-c.dy) <= 1e-9) {
			t.Errorf("at (%v, %v) m the derivatives are (%v, %v), want (%v, %v)", c.x, c.y, dx(i, j), dy(i, j), c.dx,
				c.dy)
		}
	}
}

// Files reports a replaced file with different content, but not a new or an unchanged one.
func TestFilesKnowWhatTheyReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for _, c := range []struct {
		text string
		want []string
	}{{"one", nil}, {"one", nil}, {"two", []string{path}}} {
		var files Files
		err := files.Write(path, func(w io.Writer) error { _, err := fmt.Fprint(w, c.text); return err })
		if err != nil || !slices.Equal(files.Replaced, c.want) {
			t.Errorf("%s: %v, replaced %v, want %v", c.text, err, files.Replaced, c.want)
		}
	}
}
