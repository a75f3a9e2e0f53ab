package assess

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/dataset"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

var photographFrames = flag.Int("photographs.frames", 0,
	"images of match-halls that are compared with photographs, at least 20; 0 for no comparison")

// drawnStatistics returns the statistics of images of the world match-halls, each of another hall.
func drawnStatistics(t *testing.T, frames int) (all [][7]float64) {
	w := must.Get(worlds.Load("match-halls"))(t)
	folder := t.TempDir()
	_, err := (&dataset.Config{
		World: w, Name: w.Name, Frames: frames, PerScene: 1, Split: [3]float64{1, 0, 0},
		Formats: []dataset.Format{dataset.YOLO}, Cameras: []string{"cyan1.front"}, Level: abstraction.Raw,
		Renderer: "tile", Jobs: 2, Version: "test", Status: func(string) {},
	}).Make(context.Background(), folder)
	must.Do(t, err)
	must.Do(t, filepath.WalkDir(filepath.Join(folder, "images"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".png" {
			s := Measure(open(t, path))
			all = append(all, s.Values())
		}
		return err
	}))
	if len(all) != frames {
		t.Fatalf("%d images, want %d", len(all), frames)
	}
	return all
}

// column returns a value of all images that have it, in ascending order.
func column(all [][7]float64, i int) (values []float64) {
	for _, v := range all {
		if !math.IsNaN(v[i]) {
			values = append(values, v[i])
		}
	}
	slices.Sort(values)
	return values
}

// Each median of the images of match-halls lies between the 10th and the 90th percentile of photographs. A classifier
// that has seen no photograph of the same day tells at most 70 % apart. Photographs of a day are much alike, and a
// classifier that has seen some of them tells more apart: that share is only printed.
func TestImagesAreLikePhotographs(t *testing.T) {
	if *photographFrames == 0 {
		t.Skip("takes minutes: make verify-reality")
	}
	names, measured := measuredPhotographs(t)
	var real [][7]float64
	for _, name := range names {
		real = append(real, measured[name])
	}
	drawn := drawnStatistics(t, *photographFrames)
	for i, name := range StatisticNames {
		r, d := column(real, i), column(drawn, i)
		if len(d) == 0 {
			t.Errorf("%s: no image has it", name)
			continue
		}
		at := func(q float64, sorted []float64) float64 { return stat.Quantile(q, stat.LinInterp, sorted, nil) }
		inside := 0
		for _, v := range d {
			if v >= at(0.1, r) && v <= at(0.9, r) {
				inside++
			}
		}
		middle, low, high := at(0.5, d), at(0.1, r), at(0.9, r)
		t.Logf("%s: photographs %.3g (%.3g to %.3g), images %.3g (%.3g to %.3g), %d %% of the images between the 10th "+
			"and 90th percentile", name, at(0.5, r), at(0.1, r), at(0.9, r), middle, at(0.1, d), at(0.9, d),
			100*inside/len(d))
		if !(middle >= low && middle <= high) {
			t.Errorf("%s: the median %v of the images is not between %v and %v", name, middle, low, high)
		}
	}
	var days, fifths []string
	for i, name := range names {
		day, _, _ := strings.Cut(name, "_")
		days, fifths = append(days, day), append(fifths, fmt.Sprint(i%5))
	}
	for i := range drawn {
		days, fifths = append(days, fmt.Sprint("image ", i)), append(fifths, fmt.Sprint(i%5))
	}
	apart := toldApart(real, drawn, days)
	t.Logf("told apart: %.0f %% by photographs of other days, %.0f %% by photographs of all days", 100*apart,
		100*toldApart(real, drawn, fifths))
	if !(apart <= 0.7) {
		t.Errorf("a classifier tells %.0f %% apart, want at most 70 %%", 100*apart)
	}
}

// toldApart returns how many images of two sets a classifier assigns to the right one, as the mean of the shares of
// both sets. It assigns an image to the set with more of its 5 nearest neighbours, weighted so that both sets count
// alike. Images of the same fold are no neighbours; folds lists those of a and then those of b. Values are divided by
// the standard deviation over both sets; one that is missing counts as the mean.
func toldApart(a, b [][7]float64, folds []string) float64 {
	points := slices.Concat(a, b)
	for i := range 7 {
		mean, deviation := stat.MeanStdDev(column(points, i), nil)
		for k := range points {
			if points[k][i] = (points[k][i] - mean) / deviation; math.IsNaN(points[k][i]) {
				points[k][i] = 0
			}
		}
	}
	sets := [2]float64{float64(len(a)), float64(len(b))}
	setOf := func(k int) int {
		if k < len(a) {
			return 0
		}
		return 1
	}
	var right [2]float64
	for k, p := range points {
		distance := func(j int) float64 {
			return floats.Distance(p[:], points[j][:], 2)
		}
		var near []int
		for j := range points {
			if folds[j] != folds[k] {
				near = append(near, j)
			}
		}
		slices.SortStableFunc(near, func(i, j int) int { return cmp.Compare(distance(i), distance(j)) })
		var votes [2]float64
		for _, j := range near[:5] {
			votes[setOf(j)] += 1 / sets[setOf(j)]
		}
		if own := setOf(k); votes[own] > votes[1-own] {
			right[own]++
		}
	}
	return (right[0]/sets[0] + right[1]/sets[1]) / 2
}

// Sets that are alike are not told apart, and others are.
func TestToldApart(t *testing.T) {
	set := func(seed, shift float64) (all [][7]float64) {
		for k := range 60 {
			var v [7]float64
			for i := range v {
				_, v[i] = math.Modf(math.Abs(math.Sin(seed+float64(100*k+i))) * 1e4) // uniform
			}
			v[3] += shift
			all = append(all, v)
		}
		return all
	}
	folds := make([]string, 120)
	for i := range folds {
		folds[i] = fmt.Sprint(i % 5)
	}
	must.Near(t, "alike", toldApart(set(1, 0), set(2, 0), folds), 0.5, 0.15)
	if got := toldApart(set(1, 0), set(2, 3), folds); !(got >= 0.95) {
		t.Errorf("different sets: %v, want at least 0.95", got)
	}
}
