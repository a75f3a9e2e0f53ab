package omnipitch

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// What `make verify-look` makes larger.
var (
	lookScenes  = flag.Int("look.scenes", 1, "random scenes in which the natural look is compared with the reference")
	lookSamples = flag.Int("look.samples", 64, "paths for each pixel of the reference")
	lookWidth   = flag.Int("look.width", 96, "of the images, pixels")
	lookSave    = flag.String("look.save", "", "folder for the images")
)

// luminances returns those of an image, linear.
func luminances(im *render.Image) []float64 {
	out := make([]float64, len(im.Pix)/3)
	for i := range out {
		out[i] = 0.2126*render.Linear(float64(im.Pix[3*i])/255) + 0.7152*render.Linear(float64(im.Pix[3*i+1])/255) + 0.0722*render.Linear(float64(im.Pix[3*i+2])/255)
	}
	return out
}

func lookWorld(t *testing.T, rnd *rand.Rand) *worlds.World {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	w.Look = worlds.LookNatural
	w.Robots = w.Robots[1:7]
	w.Light.LampAzimuth, w.Light.LampElevation = 2*math.Pi*rnd.Float64(), 0.9+0.6*rnd.Float64()
	w.Light.Lamp, w.Light.Ambient = 0.6+0.6*rnd.Float64(), 0.4+0.8*rnd.Float64()
	w.Light.LampTemperature, w.Light.AmbientTemperature = 3500+2500*rnd.Float64(), 5000+4000*rnd.Float64()
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				c.Image.Height = c.Image.Height * *lookWidth / c.Image.Width
				c.Image.Width = *lookWidth
			}
		}
	}
	return w
}

func TestNaturalLookIsThatOfTheReference(t *testing.T) {
	for scene := range *lookScenes {
		rnd := rand.New(rand.NewPCG(7, uint64(scene)))
		w := lookWorld(t, rnd)
		sims := map[string]*Sim{}
		for _, name := range []string{backend.Reference, "raycast"} {
			s, err := New(w, Options{Renderer: name, Tracing: render.Tracing{Samples: *lookSamples}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			sims[name] = s
		}
		var actions []action.Action
		for _, r := range w.Robots {
			actions = append(actions, &action.Place{Name: r.Name, X: 14 * (rnd.Float64() - 0.5), Y: 10 * (rnd.Float64() - 0.5), Heading: 2 * math.Pi * rnd.Float64()})
		}
		first := actions[0].(*action.Place)
		actions = append(actions, &action.Place{Name: "ball", X: first.X + 1.2*math.Cos(first.Heading), Y: first.Y + 1.2*math.Sin(first.Heading)})
		for _, s := range sims {
			for _, a := range actions {
				if err := s.Do(a); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, sensor := range []string{"front", "omni"} {
			want, err := sims[backend.Reference].Capture(w.Robots[0].Name, sensor, abstraction.Ideal)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"raycast"} {
				got, err := sims[name].Capture(w.Robots[0].Name, sensor, abstraction.Ideal)
				if err != nil {
					t.Fatal(err)
				}
				a, b := luminances(got.Color), luminances(want.Color)
				sum, mean, diff := 0.0, 0.0, 0.0
				for i := range a {
					sum, mean, diff = sum+math.Abs(a[i]-b[i]), mean+b[i], diff+a[i]-b[i]
				}
				t.Logf("scene %d, %s, %s: mean absolute difference %.2f %% of the mean, bias %.2f %%", scene, sensor, name, 100*sum/mean, 100*diff/mean)
				saveLook(t, scene, sensor, name, got.Color)
			}
			saveLook(t, scene, sensor, "reference", want.Color)
		}
	}
}
