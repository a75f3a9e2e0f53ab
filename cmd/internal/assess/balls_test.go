package assess

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/dataset"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// ballNumbers are the names of the values of measuredBalls.
var ballNumbers = [4]string{"larger side of the box, px", "red, of green", "blue, of green",
	"luminance, of the carpet's"}

// measuredBalls returns numbers of the balls in images with labels in YOLO's format, whose class 0 is the ball. Colours
// are the means, in linear light, of the inner half of the box, and of the carpet in the lower part of the image.
func measuredBalls(t *testing.T, images []string) (all [4][]float64) {
	for _, path := range images {
		label := strings.Replace(strings.TrimSuffix(path, filepath.Ext(path)), "/images/", "/labels/", 1) + ".txt"
		file := must.Get(os.Open(label))(t)
		var pixels image.Image
		for lines := bufio.NewScanner(file); lines.Scan(); {
			var class int
			var x, y, w, h float64
			must.Get(fmt.Sscan(lines.Text(), &class, &x, &y, &w, &h))(t)
			if class != 0 {
				continue
			}
			if pixels == nil {
				pixels = open(t, path)
			}
			size := pixels.Bounds().Size()
			x, w = x*float64(size.X), w*float64(size.X)
			y, h = y*float64(size.Y), h*float64(size.Y)
			if max(w, h) < 8 {
				continue // a few pixels beside a robot: they have no colour of their own
			}
			var ball, carpet [4]float64 // red, green, blue, number of pixels
			for v := range size.Y {
				for u := range size.X {
					r16, g16, b16, _ := pixels.At(u, v).RGBA()
					c := [3]float64{float64(r16 >> 8), float64(g16 >> 8), float64(b16 >> 8)}
					far := math.Hypot((float64(u)-x)/w, (float64(v)-y)/h) // in boxes
					into := &carpet
					switch {
					case far < 0.25:
						into = &ball
					case far < 0.7 || v < size.Y*6/10 || !isCarpet(c[0], c[1], c[2]):
						continue
					}
					for k := range c {
						into[k] += render.Linear(c[k] / 255)
					}
					into[3]++
				}
			}
			bright := func(c [4]float64) float64 { return (0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]) / c[3] }
			light := bright(ball) / bright(carpet)
			for i, n := range [4]float64{max(w, h), ball[0] / ball[1], ball[2] / ball[1], light} {
				if !math.IsNaN(n) { // an image may show no carpet
					all[i] = append(all[i], n)
				}
			}
		}
		must.Do(t, file.Close())
	}
	return all
}

// The balls for which a detector is trained have sizes and colours of the photographs' balls: each median lies between
// the photographs' 10th and 90th percentile.
func TestBallsAreLikePhotographs(t *testing.T) {
	if *photographFrames == 0 {
		t.Skip("takes minutes: make verify-reality")
	}
	const detector = "../../../docs/detector/"
	real := measuredBalls(t, must.Get(filepath.Glob(detector+"photographs/*.jpg"))(t))
	if len(real[0]) != 26 {
		t.Fatalf("%d balls in the photographs, want 26", len(real[0]))
	}
	w := must.Get(worlds.Load(detector + "photographs-halls.toml"))(t)
	folder := t.TempDir()
	_, err := (&dataset.Config{
		World: w, Name: w.Name, Frames: *photographFrames, PerScene: 4, Split: [3]float64{1, 0, 0},
		Formats: []dataset.Format{dataset.YOLO}, Cameras: []string{"cyan1.front"}, Level: abstraction.Raw,
		Renderer: "tile", Jobs: 2, Version: "test", Status: func(string) {},
	}).Make(context.Background(), folder)
	must.Do(t, err)
	drawn := measuredBalls(t, must.Get(filepath.Glob(folder+"/images/train/*.png"))(t))
	t.Logf("%d photographs have 26 balls, %d images %d", 31, *photographFrames, len(drawn[0]))
	for i, name := range ballNumbers {
		at := func(q float64, all []float64) float64 {
			slices.Sort(all)
			return stat.Quantile(q, stat.LinInterp, all, nil)
		}
		if len(drawn[i]) < 10 {
			t.Fatalf("%s: only %d balls", name, len(drawn[i]))
		}
		low, high, middle := at(0.1, real[i]), at(0.9, real[i]), at(0.5, drawn[i])
		t.Logf("%s: photographs %.3g (%.3g to %.3g), images %.3g (%.3g to %.3g)", name, at(0.5, real[i]), low, high,
			middle, at(0.1, drawn[i]), at(0.9, drawn[i]))
		if !(middle >= low && middle <= high) {
			t.Errorf("%s: the median %v of the images is not between %v and %v", name, middle, low, high)
		}
	}
}
