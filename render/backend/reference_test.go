package backend_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// `make verify-look` sets these to larger numbers.
var (
	lookScenes  = flag.Int("look.scenes", 1, "random scenes in which the natural look is compared with the reference")
	lookSamples = flag.Int("look.samples", 200, "paths for each pixel of the reference")
	lookWidth   = flag.Int("look.width", 40, "width of the images, pixels")
	lookLimits  = map[string]*float64{
		"front": flag.Float64("look.front", 0.08, "mean absolute difference of linear luminance that is allowed in "+
			"front images, share of the mean, noise of the reference and all"),
		"omni": flag.Float64("look.omni", 0.2, "the same in mirror images, of which small ones show windows at "+
			"edges of pixels"),
	}
	lookChromaticity = flag.Float64("look.chromaticity", 0.03, "how far the chromaticity of carpet, markings and "+
		"ball may be from the reference's, CIE 1931 x and y")
)

// lookWorld returns a world of six robots in random light, and actions that place robots and ball at random.
func lookWorld(t *testing.T, seed uint64) (*worlds.World, []action.Action) {
	t.Helper()
	w := simtest.World(t, "planar", simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Annotate = true
			c.Image.Width, c.Image.Height = *lookWidth, c.Image.Height**lookWidth/c.Image.Width
		}
	}))
	rnd := rand.New(rand.NewPCG(7, seed))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rnd.Float64() }
	w.Look, w.Robots = worlds.LookNatural, w.Robots[1:7]
	l := &w.Light
	l.LampAzimuth, l.LampElevation, l.Lamp, l.LampTemperature = between(0, 2*math.Pi), between(0.9, 1.5),
		between(0.6, 1.2), between(3500, 6000)
	l.Ambient, l.AmbientTemperature = between(0.4, 1.2), between(5000, 9000)
	var put []action.Action
	for i := range w.Robots {
		put = append(put, &action.Place{Name: w.Robots[i].Name, X: between(-7, 7), Y: between(-5, 5),
			Heading: between(0, 2*math.Pi)})
	}
	for range rnd.IntN(3) {
		l.Spots = append(l.Spots, render.Spot{X: between(-7, 7), Y: between(-5, 5), Z: between(3, 5),
			Amount: between(0.2, 0.6), Temperature: between(2700, 6500)})
	}
	w.Ball.Color = render.Color(fmt.Sprintf("#%02x%02x%02x", int(between(160, 240)), int(between(60, 200)),
		int(between(20, 60))))
	first := put[0].(*action.Place)
	return w, append(put, &action.Place{Name: "ball", X: first.X + 1.2*math.Cos(first.Heading),
		Y: first.Y + 1.2*math.Sin(first.Heading)})
}

// In random scenes, images of the natural appearance agree with path tracing, for front cameras and mirrors.
func TestNaturalLookAgreesWithTheReference(t *testing.T) {
	views := []string{"front", "omni"}
	for scene := range *lookScenes {
		w, put := lookWorld(t, uint64(scene))
		ball := uint16(0)
		draw := func(renderer string, samples int) (all []*sensors.Observation) {
			s := simtest.New(t, w, omnipitch.Options{Renderer: renderer, Tracing: render.Tracing{Samples: samples}})
			defer s.Close()
			s.Must(put...)
			ball = render.LabelBody + uint16(slices.IndexFunc(s.Sensors().Scenery().Scene.Bodies,
				func(b render.Body) bool { return b.Name == "ball" }))
			for _, sensor := range views {
				o := s.Capture(w.Robots[0].Name, sensor, abstraction.Ideal)
				save(t, fmt.Sprintf("%d-%s-%s", scene, sensor, renderer), o.Color)
				all = append(all, o)
			}
			return all
		}
		// Both images contain the first quarter of the samples: their difference is √3 times the noise of all samples.
		quarter, reference := draw(backend.Reference, *lookSamples/4), draw(backend.Reference, *lookSamples)
		for _, renderer := range []string{"raycast", "opengl", "tile"} {
			for i, got := range draw(renderer, 0) {
				what, want := fmt.Sprintf("scene %d, %s, %s", scene, views[i], renderer), reference[i].Color
				noise, _ := luminanceError(quarter[i].Color, want)
				noise /= math.Sqrt(3)
				off, bias := luminanceError(got.Color, want)
				// an estimate, which is exact for independent normal errors with mean 0
				without := math.Sqrt(max(off*off-noise*noise, 0))
				t.Logf("%s: mean absolute difference %.2f %% of the mean, about %.2f %% without the reference's noise "+
					"of %.2f %%, bias %+.2f %%", what, 100*off, 100*without, 100*noise, 100*bias)
				if !(off <= *lookLimits[views[i]] && math.Abs(bias) <= 0.04) {
					t.Errorf("%s: linear luminance differs by %.1f %% of the mean, on the average by %.1f %%; want at "+
						"most %.1f %% and 4 %%", what, 100*off, 100*bias, 100**lookLimits[views[i]])
				}
				for label, of := range map[uint16]string{render.LabelFloor: "carpet", render.LabelMark: "markings",
					ball: "ball"} {
					ax, ay, n := chromaticity(got.Color, got.Truth, label)
					bx, by, _ := chromaticity(want, got.Truth, label)
					if n < *lookWidth/4 {
						continue // hidden
					}
					t.Logf("%s: %s: chromaticity (%.4f, %.4f), reference (%.4f, %.4f)", what, of, ax, ay, bx, by)
					if far := max(math.Abs(ax-bx), math.Abs(ay-by)); !(far <= *lookChromaticity) {
						t.Errorf("%s: chromaticity of %s is off by %.4f, want at most %v", what, of, far,
							*lookChromaticity)
					}
				}
			}
		}
	}
}

// luminanceError returns the mean absolute difference and the mean difference of two images' linear luminance, as
// fractions of the second image's mean.
func luminanceError(a, b *render.Image) (off, bias float64) {
	x, y := luminances(a), luminances(b)
	mean := 0.0
	for i := range x {
		off, mean, bias = off+math.Abs(x[i]-y[i]), mean+y[i], bias+x[i]-y[i]
	}
	return off / mean, bias / mean
}

// chromaticity returns x and y (CIE 1931) of the mean light of all pixels with a label, and the number of these pixels.
// Source: IEC 61966-2-1.
func chromaticity(im *render.Image, truth *render.Truth, label uint16) (x, y float64, n int) {
	var rgb [3]float64
	for i, l := range truth.Labels {
		if l != label {
			continue
		}
		n++
		for c := range rgb {
			rgb[c] += render.Linear(float64(im.Pix[3*i+c]) / 255)
		}
	}
	bigX := 0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]
	bigY := 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
	bigZ := 0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]
	sum := bigX + bigY + bigZ
	return bigX / sum, bigY / sum, n
}

// luminances returns the linear luminances of an image's pixels.
func luminances(im *render.Image) []float64 {
	out := make([]float64, len(im.Pix)/3)
	linear := func(b byte) float32 { return float32(render.Linear(float64(b) / 255)) }
	for i := range out {
		out[i] = render.Luminance([3]float32{linear(im.Pix[3*i]), linear(im.Pix[3*i+1]), linear(im.Pix[3*i+2])})
	}
	return out
}
