//go:build cgo

package pipeline_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// meanLight returns the mean linear luminance of an image over the pixels to which the optics map a direction.
func meanLight(camera *sensors.Camera, im *render.Image) float64 {
	sum, n := 0.0, 0
	for i := range im.Width * im.Height {
		if _, ok := camera.Model().Unproject(float64(i%im.Width), float64(i/im.Width)); !ok {
			continue
		}
		n++
		p := im.Pix[3*i : 3*i+3]
		sum += render.Luminance(mgl32.Vec3{render.Decode8(p[0]), render.Decode8(p[1]), render.Decode8(p[2])})
	}
	return sum / float64(n)
}

// controlled gives a camera an exposure control without lag, and no other faults.
func controlled(c *sensors.Config) {
	if c.Image == nil {
		return
	}
	c.Level, c.Image.Width, c.Image.Height = abstraction.Raw, c.Image.Width/4, c.Image.Height/4
	c.Imager.FullWell, c.Imager.ReadNoise, c.Imager.Vignetting = 1e6, 0, 0
	c.AutoExposure = &imaging.AutoExposure{Target: 0.15, Delay: 1, MinExposure: 0.01, MaxExposure: 64, MaxGain: 1}
}

// Metering of the scene's description agrees with the image: its mean is the target, in any light and at any pose of
// the camera.
func TestAutoExposureMetersTheImage(t *testing.T) {
	for _, name := range []string{"nubot-attack", "simatch", "spectators", "plain-light", "worn-hall"} {
		w := simtest.World(t, name)
		lights := []render.Lighting{{Lamp: 0.3, LampTemperature: 3000, LampElevation: 0.5, Ambient: 0.1,
			AmbientTemperature: 8000, Spots: w.Light.Spots}}
		if name == "nubot-attack" {
			lights, w.Robots = append(lights, w.Light), w.Robots[:2]
		} else {
			w.Robots = w.Robots[:1] // the other robots have the same cameras
		}
		simtest.EachSensor(controlled)(w)
		for _, light := range lights {
			w.Light = light
			sim := simtest.New(t, w, omnipitch.Options{})
			sim.RunFor(10 * time.Millisecond)
			for _, r := range w.Robots {
				for _, s := range r.Sensors {
					if s.Image == nil {
						continue
					}
					got := meanLight(sim.Camera(r.Name, s.Name), sim.Capture(r.Name, s.Name, abstraction.Raw).Color)
					if off := math.Abs(math.Log2(got / 0.15)); !(off <= 0.35) {
						t.Errorf("%s: %s.%s: lamp %v: the image's mean is %.3f, want 0.15", name, r.Name, s.Name,
							light.Lamp, got)
					}
				}
			}
			sim.Close()
		}
	}
}

// TestAutoExposureLagsBehindEvening compares the control's error with a closed form, while light falls by r stops per
// second. The control is a first-order lag that moves by the share a of the remaining way in each of f frames per
// second, with d frames of delay. Its error settles to L = r/f·(1/a + d − 1) stops. After n frames it is L·(1 −
// (1−a)^n), except for the part of the ramp that the first frame has seen.
func TestAutoExposureLagsBehindEvening(t *testing.T) {
	w := simtest.World(t, "nubot-attack")
	front := simtest.Sensor(t, w, "cyan1", "front")
	front.Level, front.Image.Width, front.Image.Height = abstraction.Raw, 32, 24
	auto := imaging.AutoExposure{Target: 0.18, Settle: 400 * time.Millisecond, Delay: 3, MinExposure: 0.01,
		MaxExposure: 64, MaxGain: 64}
	front.AutoExposure = &auto
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	type setting struct{ at, stops float64 }
	var all []setting // of each frame: its stamp in s, its amplification in stops
	sim.On("cyan1", "front", func(o *sensors.Observation) {
		all = append(all, setting{o.Stamp.Seconds(), math.Log2(o.Settings.Amplification())})
	})
	sim.RunFor(time.Second)
	const stops, over = 6, 8.0
	begin, before := sim.Truth().Time.Seconds(), len(all)
	dusk := func(from float64) *float64 { return new(from * math.Exp2(-stops)) }
	sim.Must(&action.SetLight{Lamp: dusk(w.Light.Lamp), Ambient: dusk(w.Light.Ambient), Over: over * time.Second})
	sim.RunFor(7 * time.Second)
	settled, rate := all[before-1].stops, stops/over
	f := front.Rate
	keep := math.Exp(-1 / (f * auto.Settle.Seconds()))
	final := rate / f * (1/(1-keep) + float64(auto.Delay) - 1)
	tolerance := rate * 2 * w.Time.Step.Seconds() // the order of light, frames and actions within steps
	first := before                               // index of the first frame with less light
	for ; first < len(all) && !(all[first].at > begin); first++ {
	}
	first += auto.Delay // index of the first frame with an exposure that depends on it
	if len(all) < first+100 {
		t.Fatalf("%d frames, %d of them before the evening", len(all), before)
	}
	start := final - rate*(all[first-1].at-begin) // difference to the final error at the frame before
	for n, s := range all[first:] {
		got, want := rate*(s.at-begin)-(s.stops-settled), final-start*math.Pow(keep, float64(n+1))
		if !(math.Abs(got-want) <= tolerance) {
			t.Fatalf("%v s after its begin the control is %v stops behind, want %v", s.at-begin, got, want)
		}
	}
}

// A late listener receives the same images as one from the start.
func TestAutoExposureWithoutListeners(t *testing.T) {
	image := func(from time.Duration) (last uint64) {
		sim := simtest.New(t, simtest.World(t, "auto-exposure"), omnipitch.Options{})
		sim.Must(&action.SetLight{Lamp: new(0.1), Ambient: new(0.4), LampTemperature: new(2500.0)})
		sim.Until(from)
		sim.On("cyan1", "front", func(o *sensors.Observation) { last = simtest.Content(o) })
		sim.Until(800 * time.Millisecond)
		return last
	}
	if early, late := image(0), image(600*time.Millisecond); early != late || early == 0 {
		t.Errorf("the last image is %x for a late listener, %x for one from the start", late, early)
	}
}

// The world auto-exposure detects a camera without exposure control, and one that is too slow.
func TestAutoExposureWorldExpectsAControl(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*sensors.Config)
		want   []string
	}{
		"as it ships": {func(*sensors.Config) {}, nil},
		"none": {func(c *sensors.Config) { c.AutoExposure = nil }, []string{"recovers_from_dusk", "dazzled",
			"recovers_from_the_flash"}},
		"slow": {func(c *sensors.Config) { c.AutoExposure.Settle = 4 * time.Second },
			[]string{"recovers_from_dusk", "recovers_from_the_flash"}},
	} {
		w := simtest.World(t, "auto-exposure")
		front := simtest.Sensor(t, w, "cyan1", "front")
		front.Image.Width, front.Image.Height = 64, 48
		x.change(front)
		if got := simtest.Unmet(t, w, omnipitch.Options{}); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v fail, want %v", name, got, x.want)
		}
	}
}
