//go:build cgo

package pipeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// flickering makes a Sim of the world flicker without noise, with a given renderer.
func flickering(t *testing.T, renderer string, changes ...func(*worlds.World)) simtest.Sim {
	t.Helper()
	w := simtest.World(t, "flicker", simtest.EachSensor(func(c *sensors.Config) {
		if c.Imager != nil {
			c.Imager.FullWell, c.Imager.ReadNoise = 1e6, 0
		}
	}))
	for _, change := range changes {
		change(w)
	}
	return simtest.New(t, w, omnipitch.Options{Renderer: renderer})
}

// rowRatio returns the ratio of the green light of a row in two images, as a mean over the pixels that are not nearly
// white in the second.
func rowRatio(im, by *render.Image, row int) float64 {
	sum, all := 0.0, 0.0
	for i := row * im.Width; i < (row+1)*im.Width; i++ {
		if b := by.Pix[3*i+1]; b < 160 {
			sum, all = sum+float64(render.Decode8(im.Pix[3*i+1])), all+float64(render.Decode8(b))
		}
	}
	return sum / all
}

// With every renderer, the bands in images of a rolling shutter follow the closed form of rows, the lamps' share of the
// light and the stamp. Daylight has no bands.
func TestBandsOfLampsThatFlicker(t *testing.T) {
	for _, renderer := range []string{"tile", "raycast"} {
		const rows, readout, exposure, stamp = 120, 0.030, 0.002, 35 * time.Millisecond
		sim := flickering(t, renderer)
		steady := flickering(t, renderer, func(w *worlds.World) { w.Light.Flicker.Depth = 0 })
		day := flickering(t, renderer, func(w *worlds.World) { w.Light.Lamp = 0 })
		image := func(s simtest.Sim, sensor string) *render.Image {
			return s.Capture("cyan1", sensor, abstraction.Raw).Color
		}
		first := image(day, "front")
		for _, s := range []simtest.Sim{sim, steady, day} {
			s.RunFor(stamp)
		}
		light := sim.World().Light.Light()
		floor := &sim.Sensors().Scenery().Scene.Floor
		share := light.LampShare(floor.SizeX, floor.SizeY)[1]
		if !(share > 0.5) {
			t.Fatalf("the lamps' share is %v", share)
		}
		im, without := image(sim, "front"), image(steady, "front")
		sinc := math.Sin(math.Pi*120*exposure) / (math.Pi * 120 * exposure)
		for row := range rows {
			middle := stamp.Seconds() + ((float64(row)+0.5)/rows-0.5)*readout
			want := 1 + share*-0.4*sinc*math.Cos(2*math.Pi*120*middle)
			must.Near(t, fmt.Sprintf("%s: light of row %d", renderer, row), rowRatio(im, without, row), want, 0.02)
		}
		if !within(image(sim, "steady"), image(steady, "steady"), 1) {
			t.Errorf("%s: an exposure of a whole period has bands", renderer)
		}
		if !within(first, image(day, "front"), 1) {
			t.Errorf("%s: daylight flickers", renderer)
		}
	}
}

// within reports whether no byte of two images differs by more than a limit.
func within(a, b *render.Image, most int) bool {
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > most || d < -most {
			return false
		}
	}
	return true
}

// An image does not depend on whether earlier frames were drawn, and is the same after a restart.
func TestFlickerIsAFunctionOfTheStamp(t *testing.T) {
	watch := func(sim simtest.Sim) map[time.Duration]uint64 {
		seen := map[time.Duration]uint64{}
		defer sim.On("cyan1", "global", func(o *sensors.Observation) { seen[o.Stamp] = simtest.Content(o) })()
		sim.RunFor(250 * time.Millisecond)
		return seen
	}
	sim, late := flickering(t, "tile"), flickering(t, "tile")
	first := watch(sim)
	if err := sim.Restart(nil); err != nil {
		t.Fatal(err)
	}
	again := watch(sim)
	late.RunFor(120 * time.Millisecond)
	after := watch(late)
	const at, next = 135 * time.Millisecond, 170 * time.Millisecond
	if first[at] == 0 || first[at] != again[at] || first[at] != after[at] {
		t.Errorf("the image at 135 ms is %x, after a restart %x, for a late listener %x", first[at], again[at],
			after[at])
	}
	if first[at] == first[next] {
		t.Error("images at other times are alike")
	}
}
