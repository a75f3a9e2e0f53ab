package assess

import (
	"encoding/csv"
	"image"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// measuredPhotographs returns the statistics of photographs that another program has measured, by the names of files,
// and the names in order.
func measuredPhotographs(t testing.TB) (names []string, all map[string][7]float64) {
	file := must.Get(os.Open("testdata/photographs.csv"))(t)
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	all = map[string][7]float64{}
	for _, row := range must.Get(r.ReadAll())(t)[1:] {
		var v [7]float64
		for i := range v {
			v[i] = must.Get(strconv.ParseFloat(row[i+1], 64))(t)
		}
		names, all[row[0]] = append(names, row[0]), v
	}
	return names, all
}

func open(t testing.TB, path string) image.Image {
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	im, _, err := image.Decode(file)
	must.Do(t, err)
	return im
}

// Photographs have the statistics that another program has measured. Its definitions of carpet, noise and texture are
// not known exactly, which explains the differences.
func TestMeasureAgreesWithAnotherProgram(t *testing.T) {
	paths := must.Get(filepath.Glob("../../../docs/detector/photographs/*.jpg"))(t)
	if len(paths) < 30 {
		t.Fatalf("%d photographs, want at least 30", len(paths))
	}
	if testing.Short() {
		paths = paths[:8]
	}
	_, measured := measuredPhotographs(t)
	var got, want [7][]float64
	for _, path := range paths {
		w, ok := measured[filepath.Base(path)]
		if !ok {
			t.Fatalf("%s: is not in the table", path)
		}
		s := Measure(open(t, path))
		for i, g := range s.Values() {
			if !math.IsNaN(w[i]) { // the other program found too little carpet in some photographs
				got[i], want[i] = append(got[i], g), append(want[i], w[i])
			}
		}
	}
	// Decoders interpolate the colours of JPEG differently, which clipped pixels show most.
	for i, tolerance := range [7]float64{0.005, 0.15, 0.02, 0.01, 0.02, 0.2, 0.4} {
		if len(got[i]) < len(paths)-1 {
			t.Fatalf("%s: %d photographs, want at least %d", StatisticNames[i], len(got[i]), len(paths)-1)
		}
		mean := 0.0
		for k, g := range got[i] {
			off := math.Abs(math.Log(g / want[i][k]))
			mean += off / float64(len(got[i]))
			if !(off <= tolerance) {
				t.Errorf("photograph %d: %s is %v, want %v ± %v %%", k, StatisticNames[i], g, want[i][k], 100*tolerance)
			}
		}
		t.Logf("%s: off by %.1f %% in the mean, correlation %.4f", StatisticNames[i], 100*mean,
			stat.Correlation(got[i], want[i], nil))
	}
}
