package omnipitch

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// What `make verify-look` makes larger.
var (
	lookScenes  = flag.Int("look.scenes", 1, "random scenes in which the natural look is compared with the reference")
	lookSamples = flag.Int("look.samples", 200, "paths for each pixel of the reference")
	lookWidth   = flag.Int("look.width", 40, "width of the images, pixels")
	lookLimits  = map[string]*float64{
		"front": flag.Float64("look.front", 0.08, "mean absolute difference of linear luminance that is allowed in front images, share of the mean, noise of the reference and all"),
		"omni":  flag.Float64("look.omni", 0.2, "the same in mirror images, of which small ones show windows at edges of pixels"),
	}
	lookSave = flag.String("look.save", "", "folder for the images")
)

// lookers draw the natural look; the reference is what they are compared with.
var lookers = []string{"raycast", "opengl", "tile"}

// lookWorld is a world of six robots in light that a seed draws, and where they and the ball are put.
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
	l.LampAzimuth, l.LampElevation, l.Lamp, l.LampTemperature = between(0, 2*math.Pi), between(0.9, 1.5), between(0.6, 1.2), between(3500, 6000)
	l.Ambient, l.AmbientTemperature = between(0.4, 1.2), between(5000, 9000)
	var put []action.Action
	for i := range w.Robots {
		r := &w.Robots[i]
		for j := range r.Sensors {
			if c := &r.Sensors[j]; c.Image != nil {
				c.Image.Width, c.Image.Height = *lookWidth, c.Image.Height**lookWidth/c.Image.Width
			}
		}
		put = append(put, &action.Place{Name: r.Name, X: between(-7, 7), Y: between(-5, 5), Heading: between(0, 2*math.Pi)})
	}
	first := put[0].(*action.Place)
	return w, append(put, &action.Place{Name: "ball", X: first.X + 1.2*math.Cos(first.Heading), Y: first.Y + 1.2*math.Sin(first.Heading)})
}

// The natural look is that of light as it is, in front and mirror images of scenes at random.
func TestNaturalLookIsThatOfTheReference(t *testing.T) {
	for scene := range *lookScenes {
		w, put := lookWorld(t, uint64(scene))
		draw := func(renderer, sensor string) *sensors.Observation {
			s, err := New(w, Options{Renderer: renderer, Tracing: render.Tracing{Samples: *lookSamples}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for _, a := range put {
				if err := s.Do(a); err != nil {
					t.Fatal(err)
				}
			}
			o, err := s.Capture(w.Robots[0].Name, sensor, abstraction.Ideal)
			if err != nil {
				t.Fatal(err)
			}
			saveLook(t, scene, sensor, renderer, o.Color)
			return o
		}
		for _, sensor := range []string{"front", "omni"} {
			want := draw(backend.Reference, sensor)
			for _, name := range lookers {
				got := draw(name, sensor)
				a, b := luminances(got.Color), luminances(want.Color)
				sum, mean, bias := 0.0, 0.0, 0.0
				for i := range a {
					sum, mean, bias = sum+math.Abs(a[i]-b[i]), mean+b[i], bias+a[i]-b[i]
				}
				t.Logf("scene %d, %s, %s: mean absolute difference %.2f %% of the mean, bias %+.2f %%", scene, sensor, name, 100*sum/mean, 100*bias/mean)
				if !(sum <= *lookLimits[sensor]*mean && math.Abs(bias) <= 0.04*mean) {
					t.Errorf("scene %d, %s, %s: linear luminance differs by %.1f %% of the mean, on the average by %.1f %%", scene, sensor, name, 100*sum/mean, 100*bias/mean)
				}
				got.Release()
			}
			want.Release()
		}
	}
}

// luminances returns those of an image, linear.
func luminances(im *render.Image) []float64 {
	out := make([]float64, len(im.Pix)/3)
	linear := func(b byte) float32 { return float32(render.Linear(float64(b) / 255)) }
	for i := range out {
		out[i] = render.Luminance([3]float32{linear(im.Pix[3*i]), linear(im.Pix[3*i+1]), linear(im.Pix[3*i+2])})
	}
	return out
}

func saveLook(t *testing.T, scene int, sensor, name string, im *render.Image) {
	if *lookSave == "" {
		return
	}
	p := image.NewRGBA(image.Rect(0, 0, im.Width, im.Height))
	for i := range im.Width * im.Height {
		p.Set(i%im.Width, i/im.Width, color.RGBA{im.Pix[3*i], im.Pix[3*i+1], im.Pix[3*i+2], 255})
	}
	f, err := os.Create(filepath.Join(*lookSave, fmt.Sprintf("%d-%s-%s.png", scene, sensor, name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}
