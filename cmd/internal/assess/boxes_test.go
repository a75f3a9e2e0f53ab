package assess

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Recall at a rate of false detections is the largest over all thresholds that keep the rate, when each threshold is
// judged from the beginning with the detections that reach it.
func TestJudgeBoxesAgreesWithEveryThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var all []Photograph
		var confidences []float64
		for range 1 + r.IntN(12) {
			p := Photograph{Name: "a_1", Width: 100, Height: 100}
			for range r.IntN(4) {
				p.Labels = append(p.Labels, Box{r.IntN(2), r.Float64() * 40, r.Float64() * 40, 30, 30, 1})
			}
			for range r.IntN(8) {
				b := Box{r.IntN(2), r.Float64() * 40, r.Float64() * 40, 30, 30, float64(r.IntN(12)) / 12}
				confidences = append(confidences, b.Confidence)
				p.Found = append(p.Found, b)
			}
			all = append(all, p)
		}
		result := JudgeBoxes(all, []string{"ball", "robot"}, BoxConfig{Overlap: 0.3, False: 0.3})
		for i := range result.Classes {
			c := &result.Classes[i]
			for k, rate := range falseRates {
				want := ratio(0, c.Labels)
				for _, threshold := range confidences {
					found, wrong := countAt(all, c.Class, threshold, 0.3)
					if float64(wrong) <= rate*float64(len(all)) && c.Labels > 0 {
						want = max(want, ratio(found, c.Labels))
					}
				}
				if got := c.Recalls[k]; got != want && (got.Known() || want.Known()) {
					t.Fatalf("round %d, %s with %g false: recall %v, want %v", round, c.Name, rate, got, want)
				}
			}
			if c.Threshold.Known() {
				found, wrong := countAt(all, c.Class, float64(c.Threshold), 0.3)
				if found != c.Found || wrong != c.False {
					t.Fatalf("round %d: %d found and %d false at the threshold, want %d and %d", round, c.Found, c.False,
						found, wrong)
				}
			}
			for _, parts := range [][]Part{c.Sizes, c.Series} {
				labels, found, wrong := 0, 0, 0
				for _, p := range parts {
					labels, found, wrong = labels+p.Labels, found+p.Found, wrong+p.False
				}
				if labels != c.Labels || found != c.Found || wrong != c.False {
					t.Fatalf("parts %+v do not sum to %+v", parts, c)
				}
			}
		}
	}
}

// countAt counts the found labels and the false detections of a class at a threshold.
func countAt(all []Photograph, class int, threshold, least float64) (found, wrong int) {
	for _, p := range all {
		free := map[int]bool{}
		for i, l := range p.Labels {
			free[i] = l.Class == class
		}
		for confidence := 12; confidence >= 0; confidence-- {
			for _, f := range p.Found {
				if f.Class != class || f.Confidence != float64(confidence)/12 || f.Confidence < threshold {
					continue
				}
				best, most := -1, 0.0
				for i := range p.Labels {
					if o := shared(f, p.Labels[i]); free[i] && o >= least && o >= most {
						best, most = i, o
					}
				}
				if best < 0 {
					wrong++
				} else {
					free[best] = false
					found++
				}
			}
		}
	}
	return found, wrong
}

// shared returns the intersection over union of two squares of 30 pixels.
func shared(a, b Box) float64 {
	s := max(0, 30-math.Abs(a.X-b.X)) * max(0, 30-math.Abs(a.Y-b.Y))
	return s / (1800 - s)
}

// folders writes an image of 200 by 100 pixels, its labels and its detections.
func folders(t testing.TB, labels, found string) (images, detections string) {
	dir := t.TempDir()
	images, detections = filepath.Join(dir, "images"), filepath.Join(dir, "found")
	must.Do(t, os.Mkdir(images, 0o755))
	must.Do(t, os.Mkdir(detections, 0o755))
	var data bytes.Buffer
	must.Do(t, png.Encode(&data, image.NewGray(image.Rect(0, 0, 200, 100))))
	must.Do(t, os.WriteFile(filepath.Join(images, "hall_1.png"), data.Bytes(), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(images, "classes.txt"), []byte("ball\nrobot\n"), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(images, "hall_1.txt"), []byte(labels), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(detections, "hall_1.txt"), []byte(found), 0o644))
	return images, detections
}

// Boxes are read in pixels, from beside the images or from the folder labels, and judged by class.
func TestPhotographsAreRead(t *testing.T) {
	images, detections := folders(t, "0 0.5 0.5 0.1 0.2\n\n1 0.25 0.5 0.1 0.8\n", "0 0.51 0.5 0.1 0.2 0.9\n")
	for range 2 {
		all, classes, err := ReadPhotographs(images, detections)
		must.Do(t, err)
		if len(all) != 1 || len(all[0].Labels) != 2 || len(all[0].Found) != 1 {
			t.Fatalf("photographs = %+v", all)
		}
		for i, want := range []float64{0, 90, 40, 20, 20, 1} {
			l := all[0].Labels[0]
			must.Near(t, "label", []float64{float64(l.Class), l.X, l.Y, l.Width, l.Height, l.Confidence}[i], want, 1e-9)
		}
		r := JudgeBoxes(all, classes, BoxConfig{Overlap: 0.5, False: 0.1})
		if r.Classes[0].Name != "ball" || r.Classes[0].Found != 1 || r.Classes[1].Found != 0 ||
			r.Classes[1].Labels != 1 {
			t.Fatalf("classes = %+v", r.Classes)
		}
		if text, err := r.Missed(Least{"robot", 0.5}); text == "" || err != nil {
			t.Errorf("a missed robot: %q, %v", text, err)
		}
		if text, err := r.Missed(Least{"ball", 1}); text != "" || err != nil {
			t.Errorf("a found ball: %q, %v", text, err)
		}
		if _, err := r.Missed(Least{"goal", 1}); err == nil {
			t.Error("a class that does not exist: no error")
		}
		var page, samples bytes.Buffer
		must.Do(t, r.WritePage(&page))
		must.Do(t, r.WriteCSV(&samples))
		if !strings.Contains(page.String(), "missed robot") || strings.Count(samples.String(), "\n") != 3 {
			t.Errorf("page or samples lack the miss:\n%s", samples.String())
		}
		labels := filepath.Join(filepath.Dir(images), "labels")
		if _, err := os.Stat(labels); err != nil {
			must.Do(t, os.Mkdir(labels, 0o755))
			must.Do(t, os.Rename(filepath.Join(images, "hall_1.txt"), filepath.Join(labels, "hall_1.txt")))
		}
	}
}

// A line that is wrong is an error with its place.
func TestWrongBoxes(t *testing.T) {
	for _, c := range []struct{ labels, found, want string }{
		{"0 0.5 0.5 0.1", "", "hall_1.txt:1: has 4 numbers: must be class x y width height"},
		{"", "\n0 0.5 0.5 0.1 0.1", "hall_1.txt:2: has 5 numbers: must be class x y width height confidence"},
		{"ball 0.5 0.5 0.1 0.1", "", "class = ball: must be a whole number of at least 0"},
		{"-1 0.5 0.5 0.1 0.1", "", "class = -1: must be a whole number of at least 0"},
		{"0 nan 0.5 0.1 0.1", "", "x = nan: must be a number in [-1, 2]"},
		{"0 0.5 0.5 -0.1 0.1", "", "width = -0.1: must be a number in [0, 2]"},
		{"", "0 0.5 0.5 0.1 0.1 1.5", "confidence = 1.5: must be a number in [0, 1]"},
	} {
		images, detections := folders(t, c.labels, c.found)
		if _, _, err := ReadPhotographs(images, detections); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q, %q: error %v, want %s", c.labels, c.found, err, c.want)
		}
	}
	images, detections := folders(t, "", "")
	must.Do(t, os.WriteFile(filepath.Join(detections, "other.txt"), nil, 0o644))
	if _, _, err := ReadPhotographs(images, detections); err == nil || !strings.Contains(err.Error(),
		"other.txt: "+images+" has no image of this name") {
		t.Errorf("detections without an image: %v", err)
	}
	must.Do(t, os.Remove(filepath.Join(images, "hall_1.txt")))
	if _, _, err := ReadPhotographs(images, images); err == nil || !strings.Contains(err.Error(), "has no labels") {
		t.Errorf("an image without labels: %v", err)
	}
}

// No text makes the reader panic or return numbers that are not finite.
func FuzzBoxes(f *testing.F) {
	f.Add("0 0.5 0.5 0.1 0.2 0.9")
	f.Add("3 1e308 -0.5 nan 0x1p-3 inf")
	p := Photograph{Width: 608, Height: 800}
	f.Fuzz(func(t *testing.T, line string) {
		b, err := p.box(strings.Fields(line), true)
		if err != nil {
			return
		}
		for _, x := range []float64{b.X, b.Y, b.Width, b.Height, b.Confidence} {
			if !(math.Abs(x) <= 1e5) {
				t.Fatalf("%q: box %+v", line, b)
			}
		}
		if o := b.overlap(&b); !(o >= 0 && o <= 1+1e-9) {
			t.Fatalf("%q: overlap with itself = %v", line, o)
		}
	})
}

// The detector of docs/detector.md, which rendered images alone have trained, finds as many balls and obstacles in
// photographs as the page says. docs/detector/found is what it finds.
func TestDetectorOnPhotographs(t *testing.T) {
	all, classes, err := ReadPhotographs("../../../docs/detector/photographs", "../../../docs/detector/found")
	must.Do(t, err)
	r := JudgeBoxes(all, classes, BoxConfig{Overlap: 0.5, False: 0.1})
	if len(all) != 31 {
		t.Fatalf("%d photographs, want 31", len(all))
	}
	for i, want := range []ClassResult{{Name: "ball", Labels: 26, Found: 14, False: 3},
		{Name: "obstacle", Labels: 65, Found: 38, False: 3}} {
		if c := &r.Classes[i]; c.Name != want.Name || c.Labels != want.Labels || c.Found != want.Found ||
			c.False != want.False {
			t.Errorf("%s: %d of %d found, %d false; want %s: %d of %d found, %d false", c.Name, c.Found, c.Labels,
				c.False, want.Name, want.Found, want.Labels, want.False)
		}
	}
}
