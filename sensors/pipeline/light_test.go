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
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// lit is a world with one robot of nubot-attack with small images, under a nearby lamp.
func lit(t *testing.T, level abstraction.Level, events ...action.Choice) *worlds.World {
	t.Helper()
	w := simtest.World(t, "nubot-attack")
	w.Events, w.Robots = nil, w.Robots[:1]
	for _, c := range events {
		w.Events = append(w.Events, worlds.Event{Choice: c})
	}
	w.Ball.X, w.Ball.Y = w.Robots[0].Pose.X+1.2, w.Robots[0].Pose.Y
	w.Robots[0].Pose.Heading = 0
	w.Light.Spots = []render.Spot{{Name: "lamp", X: 2, Y: 1, Z: 4, Amount: 0.6, Temperature: 3000}}
	simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Image.Width, c.Image.Height, c.Level = 96, 96, level
		}
	})(w)
	return w
}

// after delays all events of a world.
func after(delay time.Duration, w *worlds.World) *worlds.World {
	for i := range w.Events {
		w.Events[i].At += delay
	}
	return w
}

// dusk are actions that change light and colours of lit in every property that actions can change.
var dusk = []action.Choice{
	{SetLight: &action.SetLight{Lamp: new(0.3), LampTemperature: new(3500.0), LampAzimuth: new(1.5),
		LampElevation: new(0.7), Ambient: new(0.25), AmbientTemperature: new(9000.0)}},
	{SetLamp: &action.SetLamp{Name: "lamp", X: new(3.0), Y: new(-1.0), Z: new(5.0), Amount: new(0.4),
		Temperature: new(2500.0)}},
	{SetBallColor: &action.SetBallColor{Color: "#e04010"}},
	{SetCarpetColor: &action.SetCarpetColor{Color: "#30508a"}},
}

// inDusk gives a world the light and colours of dusk from the start.
func inDusk(w *worlds.World) *worlds.World {
	w.Light = render.Lighting{
		Lamp: 0.3, LampTemperature: 3500, LampAzimuth: 1.5, LampElevation: 0.7, Ambient: 0.25, AmbientTemperature: 9000,
		Shadows: true,
		Spots:   []render.Spot{{Name: "lamp", X: 3, Y: -1, Z: 5, Amount: 0.4, Temperature: 2500}},
	}
	w.Ball.Color, w.Hall.Carpet = "#e04010", "#30508a"
	return w
}

// watch runs a world and returns, by stamp, the contents of the frames of two cameras, and the number of objects that
// they detect.
func watch(t *testing.T, w *worlds.World, opts omnipitch.Options, run time.Duration) (frames map[time.Duration]uint64,
	detected map[time.Duration]int) {
	t.Helper()
	sim := simtest.New(t, w, opts)
	frames, detected = map[time.Duration]uint64{}, map[time.Duration]int{}
	for i, sensor := range []string{"omni", "front"} {
		sim.On(w.Robots[0].Name, sensor, func(o *sensors.Observation) {
			frames[o.Stamp] += simtest.Content(o) << i
			if o.Features != nil {
				detected[o.Stamp] += len(o.Features.Balls) + len(o.Features.Obstacles)
			}
			if o.Objects != nil {
				detected[o.Stamp] += len(o.Objects.Detections)
			}
		})
	}
	sim.RunFor(run)
	return frames, detected
}

// After the action, images equal those of a world that always had this light, bit for bit. Before it they differ.
func TestImagesShowTheLightOfTheirStamp(t *testing.T) {
	const change = 100 * time.Millisecond
	for _, renderer := range []string{"opengl", "raycast"} {
		opts := omnipitch.Options{Renderer: renderer}
		got, _ := watch(t, after(change, lit(t, abstraction.Raw, dusk...)), opts, 3*change)
		want, _ := watch(t, inDusk(lit(t, abstraction.Raw)), opts, 3*change)
		frames := map[bool]int{} // before and after the change
		for stamp, frame := range got {
			frames[stamp >= change]++
			if same := frame == want[stamp]; same != (stamp >= change) {
				t.Errorf("%s: %v: the images are those of dusk: %v, want %v", renderer, stamp, same, !same)
			}
		}
		if frames[false] < 2 || frames[true] < 3 {
			t.Errorf("%s: %d frames before the change, %d after it", renderer, frames[false], frames[true])
		}
	}
}

// Each frame's detections equal those in a world that always had this light.
func TestDetectionFollowsTheLight(t *testing.T) {
	const change, end = 500 * time.Millisecond, 3 * time.Second
	for _, level := range []abstraction.Level{abstraction.Features, abstraction.Objects} {
		var opts omnipitch.Options
		got, _ := watch(t, lit(t, level, dusk...), opts, end)
		want, wanted := watch(t, inDusk(lit(t, level)), opts, end)
		_, bright := watch(t, lit(t, level), opts, end)
		_, later := watch(t, after(change, lit(t, level, dusk...)), opts, end) // tracks have another past
		before, after, inBright := 0, 0, 0
		for stamp := range want {
			must.Equal(t, got[stamp], want[stamp], "%s: %v", level, stamp)
			if stamp < change {
				before += later[stamp] - bright[stamp]
			} else {
				after += later[stamp] - wanted[stamp]
				inBright += bright[stamp] - wanted[stamp]
			}
		}
		if before != 0 || after != 0 || inBright < 10 {
			t.Errorf("%s: %d detections more than in bright light before the change, %d more than in dusk after it; "+
				"bright light has %d more", level, before, after, inBright)
		}
	}
}

// In a dark hall, nothing is detected after the only lamp is switched off or moved away.
func TestDetectionFollowsALamp(t *testing.T) {
	const change = time.Second
	for name, c := range map[string]struct {
		then  action.Choice
		after bool
	}{
		"stays":  {action.Choice{SetLamp: &action.SetLamp{Name: "lamp", Temperature: new(5000.0)}}, true},
		"off":    {action.Choice{SetLamp: &action.SetLamp{Name: "lamp", Amount: new(0.0)}}, false},
		"moves":  {action.Choice{SetLamp: &action.SetLamp{Name: "lamp", X: new(40.0), Z: new(1.0)}}, false},
		"fades":  {action.Choice{SetLamp: &action.SetLamp{Name: "lamp", Amount: new(0.0), Over: change}}, false},
		"is lit": {action.Choice{SetLight: &action.SetLight{Ambient: new(2.0)}}, true},
	} {
		w := after(change, lit(t, abstraction.Objects, c.then))
		w.Light.Lamp, w.Light.Ambient = 0, 0
		w.Light.Spots[0] = render.Spot{Name: "lamp", X: w.Ball.X, Y: w.Ball.Y, Z: 5, Amount: 1.2,
			Temperature: render.White}
		_, detected := watch(t, w, omnipitch.Options{}, 3*change)
		var before, after int
		for stamp, n := range detected {
			if stamp < change {
				before += n
			} else if stamp >= 2*change {
				after += n
			}
		}
		if before < 20 || (after > 0) != c.after {
			t.Errorf("%s: %d objects before, %d after; want some after: %v", name, before, after, c.after)
		}
	}
}

// The world dark-hall detects each missing change of its light. TestShippedWorldsPass checks that the unchanged world
// passes.
func TestDarkHallExpectsItsLight(t *testing.T) {
	for event, want := range map[string][]string{
		"dimmed": {"dims"},
		"dusk":   {"fades"},
		// the lamp waits for the dark
		"blackout":  {"is_blind_in_the_dark", "images_are_black", "finds_the_ball_under_the_lamp"},
		"emergency": {"finds_the_ball_under_the_lamp"},
	} {
		w := simtest.World(t, "dark-hall")
		for i := range w.Events {
			if e := &w.Events[i]; e.Name == event { // the event happens, but hardly changes anything
				elevation := render.DefaultLighting().LampElevation
				e.SetLight, e.SetLamp = &action.SetLight{LampElevation: &elevation}, nil
			}
		}
		must.Equal(t, simtest.Unmet(t, w, omnipitch.Options{NewRenderer: backend.Tile}),
			want, "without %s: failed expectations", event)
	}
}

// The world daylight detects light that changes at once, and a camera that does not adapt to it. TestShippedWorldsPass
// checks that the unchanged world passes.
func TestDaylightExpectsItsFades(t *testing.T) {
	w := simtest.World(t, "daylight")
	for i := range w.Events {
		switch e := &w.Events[i]; e.Name {
		case "evening":
			e.SetLight.Over = 0
		case "evening_at_the_window":
			e.SetLamp.Over = 0
		}
	}
	simtest.Sensor(t, w, "cyan1", "front").AutoExposure = nil
	got, want := simtest.Unmet(t, w, omnipitch.Options{NewRenderer: backend.Tile}),
		[]string{"evening_comes_in_stops", "the_camera_follows", "the_camera_follows_the_lamps"}
	must.Equal(t, got, want, "failed expectations")
}

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
	must.Do(t, sim.Restart(nil))
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
