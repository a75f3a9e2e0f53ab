//go:build cgo

package omnipitch

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// lit is a world with one robot of nubot-attack with small images, under a nearby lamp.
func lit(t *testing.T, level abstraction.Level) *worlds.World {
	t.Helper()
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	w.Events, w.Robots = nil, w.Robots[:1]
	w.Ball.X, w.Ball.Y = w.Robots[0].Pose.X+1.2, w.Robots[0].Pose.Y
	w.Robots[0].Pose.Heading = 0
	w.Light.Spots = []render.Spot{{Name: "lamp", X: 2, Y: 1, Z: 4, Amount: 0.6, Temperature: 3000}}
	for i := range w.Robots[0].Sensors {
		if c := &w.Robots[0].Sensors[i]; c.Image != nil {
			c.Image.Width, c.Image.Height, c.Level = 96, 96, level
		}
	}
	return w
}

// dusk are actions that change light and colours of lit in every property that actions can change.
var dusk = []action.Action{
	&action.SetLight{Lamp: new(0.3), LampTemperature: new(3500.0), LampAzimuth: new(1.5), LampElevation: new(0.7),
		Ambient: new(0.25), AmbientTemperature: new(9000.0)},
	&action.SetLamp{Name: "lamp", X: new(3.0), Y: new(-1.0), Z: new(5.0), Amount: new(0.4), Temperature: new(2500.0)},
	&action.SetBallColor{Color: "#e04010"},
	&action.SetCarpetColor{Color: "#30508a"},
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

// at returns events that do actions at a sim time.
func at(when time.Duration, actions ...action.Action) (events []worlds.Event) {
	for _, a := range actions {
		e := worlds.Event{At: when}
		switch a := a.(type) {
		case *action.SetLight:
			e.SetLight = a
		case *action.SetLamp:
			e.SetLamp = a
		case *action.SetBallColor:
			e.SetBallColor = a
		case *action.SetCarpetColor:
			e.SetCarpetColor = a
		}
		events = append(events, e)
	}
	return events
}

// watch runs a world and returns, by stamp, a hash of the images of two cameras, and the number of objects that they
// detect.
func watch(t *testing.T, w *worlds.World, opts Options, run time.Duration) (frames map[time.Duration]string,
	detected map[time.Duration]int) {
	t.Helper()
	sim, err := New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	frames, detected = map[time.Duration]string{}, map[time.Duration]int{}
	for _, sensor := range []string{"omni", "front"} {
		_, err := sim.Listen(w.Robots[0].Name, sensor, Listener{Observe: func(o *sensors.Observation) {
			h := fnv.New64a()
			switch {
			case o.Color != nil:
				h.Write(o.Color.Pix)
			case o.Features != nil:
				fmt.Fprintf(h, "%+v", *o.Features)
				detected[o.Stamp] += len(o.Features.Balls) + len(o.Features.Obstacles)
			default:
				fmt.Fprintf(h, "%+v", o.Objects.Detections)
				detected[o.Stamp] += len(o.Objects.Detections)
			}
			frames[o.Stamp] += fmt.Sprintf(" %s %x", o.Sensor, h.Sum64())
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sim.Run(context.Background(), Pace{For: run, Speed: timesync.Max}); err != nil {
		t.Fatal(err)
	}
	return frames, detected
}

// After the action, images equal those of a world that always had this light, bit for bit. Before it they differ.
func TestImagesShowTheLightOfTheirStamp(t *testing.T) {
	const change = 100 * time.Millisecond
	for name, renderer := range map[string]func(*render.Scene) (render.Renderer, error){"opengl": backend.OpenGL,
		"rays": backend.RayCaster} {
		t.Run(name, func(t *testing.T) {
			w := lit(t, abstraction.Raw)
			w.Events = at(change, dusk...)
			got, _ := watch(t, w, Options{NewRenderer: renderer}, 3*change)
			want, _ := watch(t, inDusk(lit(t, abstraction.Raw)), Options{NewRenderer: renderer}, 3*change)
			before, after := 0, 0
			for stamp, frame := range got {
				if same := frame == want[stamp]; same != (stamp >= change) {
					t.Errorf("%v: the images are those of dusk: %v", stamp, same)
				}
				if stamp < change {
					before++
				} else {
					after++
				}
			}
			if before < 2 || after < 3 {
				t.Errorf("%d frames before the change, %d after it", before, after)
			}
		})
	}
}

// Each frame's detections equal those in a world that always had this light.
func TestDetectionFollowsTheLight(t *testing.T) {
	const change = 500 * time.Millisecond
	for _, level := range []abstraction.Level{abstraction.Features, abstraction.Objects} {
		t.Run(string(level), func(t *testing.T) {
			run := func(w *worlds.World) (map[time.Duration]string, map[time.Duration]int) {
				return watch(t, w, Options{}, 3*time.Second)
			}
			w := lit(t, level)
			w.Events = at(0, dusk...)
			got, _ := run(w)
			want, wanted := run(inDusk(lit(t, level)))
			_, bright := run(lit(t, level))
			w = lit(t, level)
			w.Events = at(change, dusk...)
			_, later := run(w) // tracks have another past
			before, after, inBright := 0, 0, 0
			for stamp := range want {
				if got[stamp] != want[stamp] {
					t.Errorf("%v: got %s, want %s", stamp, got[stamp], want[stamp])
				}
				if stamp < change {
					before += later[stamp] - bright[stamp]
				} else {
					after += later[stamp] - wanted[stamp]
					inBright += bright[stamp] - wanted[stamp]
				}
			}
			if before != 0 || after != 0 || inBright < 10 {
				t.Errorf("%d detections more than in bright light before the change, %d more than in dusk after it; "+
					"bright light has %d more", before, after, inBright)
			}
		})
	}
}

// In a dark hall, nothing is detected after the only lamp is switched off or moved away.
func TestDetectionFollowsALamp(t *testing.T) {
	const change = time.Second
	for name, c := range map[string]struct {
		then  action.Action
		after bool
	}{
		"stays":  {&action.SetLamp{Name: "lamp", Temperature: new(5000.0)}, true},
		"off":    {&action.SetLamp{Name: "lamp", Amount: new(0.0)}, false},
		"moves":  {&action.SetLamp{Name: "lamp", X: new(40.0), Z: new(1.0)}, false},
		"fades":  {&action.SetLamp{Name: "lamp", Amount: new(0.0), Over: change}, false},
		"is lit": {&action.SetLight{Ambient: new(2.0)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := lit(t, abstraction.Objects)
			w.Light.Lamp, w.Light.Ambient = 0, 0
			w.Light.Spots[0] = render.Spot{Name: "lamp", X: w.Ball.X, Y: w.Ball.Y, Z: 5, Amount: 1.2,
				Temperature: render.White}
			w.Events = at(change, c.then)
			_, detected := watch(t, w, Options{}, 3*change)
			var before, after int
			for stamp, n := range detected {
				if stamp < change {
					before += n
				} else if stamp >= 2*change {
					after += n
				}
			}
			if before < 20 || (after > 0) != c.after {
				t.Errorf("%d objects before, %d after", before, after)
			}
		})
	}
}

// A restart restores the world's own light.
func TestAResetBringsTheLightBack(t *testing.T) {
	const change = 100 * time.Millisecond
	w := lit(t, abstraction.Raw)
	w.Events = at(change, dusk...)
	sim, err := New(w, Options{NewRenderer: backend.RayCaster})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	var twice [2][]uint64
	for i := range twice {
		for sim.Truth().Time < 2*change {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
			if at := sim.Truth().Time; at != change/2 && at != 2*change {
				continue
			}
			o, err := sim.Sensors().Capture("cyan1", "front", abstraction.Ideal)
			if err != nil {
				t.Fatal(err)
			}
			h := fnv.New64a()
			h.Write(o.Color.Pix)
			twice[i] = append(twice[i], h.Sum64())
			o.Release()
		}
		if err := sim.Restart(nil); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(twice[0]) != 2 || twice[0][0] == twice[0][1] || fmt.Sprint(twice[0]) != fmt.Sprint(twice[1]) {
		t.Errorf("the first run shows %x, the second %x: want the same, and light that changes", twice[0], twice[1])
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
		t.Run(event, func(t *testing.T) {
			w, err := worlds.Load("dark-hall")
			if err != nil {
				t.Fatal(err)
			}
			for i := range w.Events {
				if e := &w.Events[i]; e.Name == event { // the event happens, but hardly changes anything
					elevation := render.DefaultLighting().LampElevation
					e.SetLight, e.SetLamp = &action.SetLight{LampElevation: &elevation}, nil
				}
			}
			failed := unmet(t, w, Options{NewRenderer: backend.RayCaster})
			if got := namesOf(failed); !slices.Equal(got, want) {
				t.Errorf("without %s fail %v, want %v: %v", event, got, want, failed)
			}
		})
	}
}

// The world daylight detects light that changes at once, and a camera that does not adapt to it. TestShippedWorldsPass
// checks that the unchanged world passes.
func TestDaylightExpectsItsFades(t *testing.T) {
	w, err := worlds.Load("daylight")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Events {
		switch e := &w.Events[i]; e.Name {
		case "evening":
			e.SetLight.Over = 0
		case "evening_at_the_window":
			e.SetLamp.Over = 0
		}
	}
	front, _ := w.Sensor("cyan1", "front")
	front.AutoExposure = nil
	failed, want := unmet(t, w, Options{NewRenderer: backend.RayCaster}), []string{"evening_comes_in_stops",
		"the_camera_follows", "the_camera_follows_the_lamps"}
	if got := namesOf(failed); !slices.Equal(got, want) {
		t.Errorf("%v fail, want %v: %v", got, want, failed)
	}
}
