package omnipitch

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/scenery"
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
	lookSave = flag.String("look.save", "", "folder for the images, and for maps of how far each is from the "+
		"reference: red where it is brighter, blue where it is darker, full at half of the mean")
	lookReference = flag.String("look.reference", "", "folder of the reference's images, which are drawn where it "+
		"lacks them: for work on the other renderers")
)

// lookers are the renderers that are compared with the reference in the natural appearance.
var lookers = []string{"raycast", "opengl", "tile"}

// lookWorld returns a world of six robots in random light, and actions that place robots and ball at random.
func lookWorld(t *testing.T, seed uint64) (*worlds.World, []action.Action) {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(7, seed))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rnd.Float64() }
	w.Look, w.Robots = worlds.LookNatural, w.Robots[1:7]
	l := &w.Light
	l.LampAzimuth, l.LampElevation, l.Lamp, l.LampTemperature = between(0, 2*math.Pi), between(0.9, 1.5),
		between(0.6, 1.2), between(3500, 6000)
	l.Ambient, l.AmbientTemperature = between(0.4, 1.2), between(5000, 9000)
	var put []action.Action
	for i := range w.Robots {
		r := &w.Robots[i]
		for j := range r.Sensors {
			if c := &r.Sensors[j]; c.Image != nil {
				c.Annotate = true
				c.Image.Width, c.Image.Height = *lookWidth, c.Image.Height**lookWidth/c.Image.Width
			}
		}
		put = append(put, &action.Place{Name: r.Name, X: between(-7, 7), Y: between(-5, 5),
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
func TestNaturalLookIsThatOfTheReference(t *testing.T) {
	for scene := range *lookScenes {
		w, put := lookWorld(t, uint64(scene))
		views := []string{"front", "omni"}
		draw := func(renderer string, samples int) (all []*sensors.Observation) {
			s, err := New(w, Options{Renderer: renderer, Tracing: render.Tracing{Samples: samples}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, a := range put {
				if err := s.Do(a); err != nil {
					t.Fatal(err)
				}
			}
			for _, sensor := range views {
				o, err := s.Sensors().Capture(w.Robots[0].Name, sensor, abstraction.Ideal)
				if err != nil {
					t.Fatal(err)
				}
				saveLook(t, scene, sensor, renderer, o.Color)
				all = append(all, o)
			}
			return all
		}
		trace := func(samples int) (all []*render.Image) {
			for _, sensor := range views {
				if im := keptReference(t, scene, sensor, samples); im != nil {
					all = append(all, im)
				}
			}
			if len(all) == len(views) {
				return all
			}
			all = nil
			for i, o := range draw(backend.Reference, samples) {
				keepReference(t, scene, views[i], samples, o.Color)
				all = append(all, o.Color)
			}
			return all
		}
		// Both images contain the first quarter of the samples: their difference is √3 times the noise of all samples.
		quarter, reference := trace(*lookSamples/4), trace(*lookSamples)
		drawn := map[string][]*sensors.Observation{}
		for _, name := range lookers {
			drawn[name] = draw(name, 0)
		}
		ball := render.LabelBody + uint16(ballBody(t, w))
		for i, sensor := range views {
			want := reference[i]
			noise, _ := apart(quarter[i], want)
			noise /= math.Sqrt(3)
			t.Logf("scene %d, %s: noise of the reference %.2f %% of the mean", scene, sensor, 100*noise)
			for _, name := range lookers {
				got := drawn[name][i]
				saveDifference(t, scene, sensor, name, got.Color, want)
				off, bias := apart(got.Color, want)
				// an estimate, which is exact for independent normal errors with mean 0
				without := math.Sqrt(max(off*off-noise*noise, 0))
				t.Logf("scene %d, %s, %s: mean absolute difference %.2f %% of the mean, about %.2f %% without the "+
					"reference's noise, bias %+.2f %%", scene, sensor, name, 100*off, 100*without, 100*bias)
				if !(off <= *lookLimits[sensor] && math.Abs(bias) <= 0.04) {
					t.Errorf("scene %d, %s, %s: linear luminance differs by %.1f %% of the mean, on the average by "+
						"%.1f %%", scene, sensor, name, 100*off, 100*bias)
				}
				for label, of := range map[uint16]string{render.LabelFloor: "carpet", render.LabelMark: "markings",
					ball: "ball"} {
					ax, ay, n := chromaticity(got.Color, got.Truth, label)
					bx, by, _ := chromaticity(want, got.Truth, label)
					if n < *lookWidth/4 {
						continue // hidden
					}
					far := max(math.Abs(ax-bx), math.Abs(ay-by))
					t.Logf("scene %d, %s, %s: %s: chromaticity (%.4f, %.4f), reference (%.4f, %.4f)", scene, sensor,
						name, of, ax, ay, bx, by)
					if !(far <= *lookChromaticity) {
						t.Errorf("scene %d, %s, %s: chromaticity of %s is off by %.4f", scene, sensor, name, of, far)
					}
				}
			}
		}
	}
}

// ballBody returns the index of the ball in the bodies of a world's scene.
func ballBody(t *testing.T, w *worlds.World) int {
	t.Helper()
	i := slices.IndexFunc(scenery.New(w, w.Model()).Scene.Bodies, func(b render.Body) bool { return b.Name == "ball" })
	if i < 0 {
		t.Fatal("no ball in the scene")
	}
	return i
}

// apart returns the mean absolute difference and the mean difference of two images' linear luminance, as fractions of
// the second image's mean.
func apart(a, b *render.Image) (off, bias float64) {
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

func saveLook(t *testing.T, scene int, sensor, name string, im *render.Image) {
	if *lookSave != "" {
		writeLook(t, filepath.Join(*lookSave, fmt.Sprintf("%d-%s-%s.png", scene, sensor, name)), im)
	}
}

// saveDifference saves an image of the difference of two images' luminance.
func saveDifference(t *testing.T, scene int, sensor, name string, got, want *render.Image) {
	if *lookSave == "" {
		return
	}
	x, y := luminances(got), luminances(want)
	mean := 0.0
	for _, l := range y {
		mean += l / float64(len(y))
	}
	to := render.NewImage(got.Width, got.Height)
	for i := range x {
		d := (x[i] - y[i]) / (mean / 2)
		paler := uint8(255 * (1 - min(math.Abs(d), 1)))
		to.Pix[3*i], to.Pix[3*i+1], to.Pix[3*i+2] = paler, paler, paler
		if d > 0 {
			to.Pix[3*i] = 255
		} else {
			to.Pix[3*i+2] = 255
		}
	}
	writeLook(t, filepath.Join(*lookSave, fmt.Sprintf("%d-%s-%s-off.png", scene, sensor, name)), to)
}

func referencePath(scene int, sensor string, samples int) string {
	return filepath.Join(*lookReference, fmt.Sprintf("%d-%s-%d-%d.png", scene, sensor, *lookWidth, samples))
}

func keepReference(t *testing.T, scene int, sensor string, samples int, im *render.Image) {
	if *lookReference != "" {
		writeLook(t, referencePath(scene, sensor, samples), im)
	}
}

// keptReference returns the saved reference image, or nil if there is none.
func keptReference(t *testing.T, scene int, sensor string, samples int) *render.Image {
	if *lookReference == "" {
		return nil
	}
	f, err := os.Open(referencePath(scene, sensor, samples))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	im := render.NewImage(p.Bounds().Dx(), p.Bounds().Dy())
	for i := range im.Width * im.Height {
		r, g, b, _ := p.At(i%im.Width, i/im.Width).RGBA()
		im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2] = uint8(r>>8), uint8(g>>8), uint8(b>>8)
	}
	return im
}

func writeLook(t *testing.T, path string, im *render.Image) {
	p := image.NewRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range im.Width * im.Height {
		p.Set(i%im.Width, i/im.Width, color.RGBA{im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2], 255})
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}
