//go:build cgo

package omnipitch

import (
	"bytes"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// flickering makes a Sim of the world flicker without noise, with a given renderer.
func flickering(t *testing.T, renderer string, change func(*worlds.World)) *Sim {
	t.Helper()
	w, err := worlds.Load("flicker")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots[0].Sensors {
		if c := &w.Robots[0].Sensors[i]; c.Imager != nil {
			c.Imager.FullWell, c.Imager.ReadNoise = 1e6, 0
		}
	}
	if change != nil {
		change(w)
	}
	sim, err := New(w, Options{Renderer: renderer})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	return sim
}

// captured returns an image of a camera. The caller keeps it.
func captured(t *testing.T, sim *Sim, sensor string) *render.Image {
	t.Helper()
	o, err := sim.Sensors().Capture("cyan1", sensor, abstraction.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return o.Color
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
		sim, steady := flickering(t, renderer, nil),
			flickering(t, renderer, func(w *worlds.World) { w.Light.Flicker.Depth = 0 })
		day := flickering(t, renderer, func(w *worlds.World) { w.Light.Lamp = 0 })
		runFor(t, sim, 35*time.Millisecond)
		runFor(t, steady, 35*time.Millisecond)
		const rows, readout, exposure, stamp = 120, 0.030, 0.002, 0.035
		light := sim.World().Light.Light()
		floor := &sim.Sensors().Scenery().Scene.Floor
		share := light.LampShare(floor.SizeX, floor.SizeY)[1]
		if !(share > 0.5) {
			t.Fatalf("the lamps' share is %v", share)
		}
		im, without := captured(t, sim, "front"), captured(t, steady, "front")
		sinc := math.Sin(math.Pi*120*exposure) / (math.Pi * 120 * exposure)
		for row := range rows {
			middle := stamp + ((float64(row)+0.5)/rows-0.5)*readout
			want := 1 + share*-0.4*sinc*math.Cos(2*math.Pi*120*middle)
			if got := rowRatio(im, without, row); !scalar.EqualWithinAbs(got, want, 0.02) {
				t.Errorf("%s: row %d has %.4f of the light, want %.4f", renderer, row, got, want)
			}
		}
		if a, b := captured(t, sim, "steady"), captured(t, steady, "steady"); !near8(a, b, 1) {
			t.Errorf("%s: an exposure of a whole period has bands", renderer)
		}
		with := captured(t, day, "front")
		runFor(t, day, 35*time.Millisecond)
		if !near8(with, captured(t, day, "front"), 1) {
			t.Errorf("%s: daylight flickers", renderer)
		}
	}
}

// near8 reports whether no byte of two images differs by more than a limit.
func near8(a, b *render.Image, most int) bool {
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > most || d < -most {
			return false
		}
	}
	return true
}

// An image does not depend on whether earlier frames were drawn, and is the same after a restart.
func TestFlickerIsAFunctionOfTheStamp(t *testing.T) {
	sim := flickering(t, "tile", nil)
	var seen map[time.Duration][]byte
	listen := func(sim *Sim) {
		seen = map[time.Duration][]byte{}
		if _, err := sim.Listen("cyan1", "global",
			Listener{Observe: func(o *sensors.Observation) { seen[o.Stamp] = bytes.Clone(o.Color.Pix) }}); err != nil {
			t.Fatal(err)
		}
	}
	listen(sim)
	runFor(t, sim, 250*time.Millisecond)
	first := seen
	if err := sim.Restart(nil); err != nil {
		t.Fatal(err)
	}
	seen = map[time.Duration][]byte{}
	runFor(t, sim, 250*time.Millisecond)
	again := seen
	late := flickering(t, "tile", nil)
	runFor(t, late, 120*time.Millisecond)
	listen(late)
	runFor(t, late, 100*time.Millisecond)
	const at, next = 135 * time.Millisecond, 170 * time.Millisecond
	if first[at] == nil || !bytes.Equal(first[at], again[at]) || !bytes.Equal(first[at], seen[at]) {
		t.Error("the image at 135 ms depends on more than its time")
	}
	if bytes.Equal(first[at], first[next]) {
		t.Error("images at other times are alike")
	}
}
