//go:build cgo

package omnipitch

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// small returns the world ten-robots with small images.
func small(t testing.TB) *worlds.World {
	t.Helper()
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Image != nil {
				c.Image.Width, c.Image.Height = 64, 64
				c.Level = abstraction.Objects
			}
		}
	}
	return w
}

// All omni cameras have listeners, and cyan1's is switched to raw and back for every frame. Its frames arrive one by
// one, at the level at which they were captured. The other cameras' observations do not change by a byte.
func TestSwitchingAThousandTimes(t *testing.T) {
	const switches = 1000
	run := func(switching bool) (others uint64) {
		sim, err := New(small(t), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		wanted := map[uint64]abstraction.Level{}
		sim.Sensors().OnLevel(func(c LevelChange) {
			if c.Robot == "cyan1" && c.Sensor == "omni" {
				wanted[c.Frame] = c.Level
			}
		})
		sum := fnv.New64a()
		next, level := uint64(0), abstraction.Level("")
		for _, r := range sim.World().Robots {
			for _, sensor := range []string{"omni", "odometry"} {
				_, err := sim.Listen(r.Name, sensor, Listener{Observe: func(o *sensors.Observation) {
					if o.Robot != "cyan1" {
						fmt.Fprint(sum, o.Robot, o.Sensor, o.Level, o.Frame, o.Stamp)
						if o.Objects != nil {
							fmt.Fprint(sum, o.Objects.Detections, o.Objects.Self)
						} else {
							fmt.Fprint(sum, *o.Reading.(*sensors.OdometryReading))
						}
						return
					}
					if o.Sensor != "omni" {
						return
					}
					if o.Frame != next {
						t.Fatalf("frame %d came when %d was due", o.Frame, next)
					}
					next++
					if l, ok := wanted[o.Frame]; ok {
						level = l
					}
					if o.Level != level || (o.Color != nil) != level.Rendered() ||
						(o.Objects != nil) == level.Rendered() {
						t.Fatalf("frame %d is at %s, captured at %s; picture: %v, objects: %v", o.Frame, o.Level, level,
							o.Color != nil, o.Objects != nil)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		var warm, after runtime.MemStats
		omni, _ := sim.Sensors().Camera("cyan1", "omni")
		for k := 0; k < switches; {
			if switching && sim.truth.Time >= omni.Config().Due(uint64(k)) {
				if err := sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "omni",
					Level: []abstraction.Level{abstraction.Raw, abstraction.Objects}[k%2]}); err != nil {
					t.Fatal(err)
				}
			}
			if sim.truth.Time >= omni.Config().Due(uint64(k)) {
				k++
			}
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
			if k == switches/2 {
				runtime.GC()
				runtime.ReadMemStats(&warm)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(warm.HeapAlloc); grown > 1<<20 {
			t.Errorf("%d bytes more after another %d switches", grown, switches/2)
		}
		if switching && (len(wanted) < switches-2 || next < switches-5) {
			t.Errorf("%d switches, %d frames", len(wanted), next)
		}
		return sum.Sum64()
	}
	if alone, beside := run(false), run(true); alone != beside {
		t.Error("the others' observations changed")
	}
}

// Adding sensors to a robot does not change the observations of all other sensors by a byte.
func TestAddingSensorsChangesNoBytes(t *testing.T) {
	run := func(more bool) uint64 {
		w := small(t)
		if more {
			for _, kind := range []sensors.Kind{"laser", "compass", "bumper", sensors.CameraKind, "imu"} {
				c := sensors.Config{Name: "new_" + string(kind), Kind: kind}
				c.Complete()
				if abstraction.Objects.In(kind.Levels()) {
					c.Level = abstraction.Objects
				}
				w.Robots[0].Sensors = append([]sensors.Config{c}, w.Robots[0].Sensors...)
			}
		}
		sim, err := New(w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		sum := fnv.New64a()
		for _, r := range w.Robots {
			for _, c := range r.Sensors {
				counted := len(c.Name) < 4 || c.Name[:4] != "new_"
				_, err := sim.Listen(r.Name, c.Name, Listener{Observe: func(o *sensors.Observation) {
					if !counted {
						return
					}
					fmt.Fprint(sum, o.Robot, o.Sensor, o.Level, o.Frame, o.Stamp)
					switch {
					case o.Objects != nil:
						fmt.Fprint(sum, o.Objects.Detections, o.Objects.Self)
					case o.Reading != nil:
						fmt.Fprint(sum, reflect.ValueOf(o.Reading).Elem())
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for sim.Truth().Time < time.Second {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
		return sum.Sum64()
	}
	if without, with := run(false), run(true); without != with {
		t.Error("new sensors changed what others deliver")
	}
}

// Without a listener a sensor computes no observation, unless a later reading depends on it. A reading does not depend
// on whether earlier ones had a listener.
func TestUnheardSensorsRest(t *testing.T) {
	type reading struct {
		heading float64
		imu     sensors.IMUReading
	}
	run := func(early bool) (frames map[string]uint64, last reading) {
		w, err := worlds.Load("sensors")
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Robots {
			for j := range w.Robots[i].Sensors {
				if c := &w.Robots[i].Sensors[j]; abstraction.Objects.In(c.Kind.Levels()) {
					c.Level = abstraction.Objects
				}
			}
		}
		sim, err := New(w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		listen := func() {
			for name, read := range map[string]func(*sensors.Observation){
				"compass": func(o *sensors.Observation) {
					last.heading = float64(
						o.Reading.(*sensors.CompassReading).Heading)
				},
				"imu": func(o *sensors.Observation) { last.imu = *o.Reading.(*sensors.IMUReading) },
			} {
				if _, err := sim.Listen("cyan1", name, Listener{Observe: read}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if early {
			listen()
		}
		for sim.Truth().Time < time.Second {
			if sim.Truth().Time == 500*time.Millisecond && !early {
				listen()
			}
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
		frames = map[string]uint64{}
		for _, r := range sim.pipeline.Reports(sim.Truth().Time) {
			frames[r.Sensor] += r.Frames
		}
		return frames, last
	}
	early, a := run(true)
	late, b := run(false)
	if a != b {
		t.Errorf("compass and inertial unit read %+v, heard from the start %+v", b, a)
	}
	for _, name := range []string{"compass", "imu"} {
		if late[name] == 0 || late[name] > early[name]/2+1 {
			t.Errorf("%s sensed %d frames for one who listened half of the time, %d for one who always did", name,
				late[name], early[name])
		}
	}
	for _, name := range []string{"laser", "arms", "bumper", "battery", "omni", "front"} {
		if early[name] != 0 || late[name] != 0 {
			t.Errorf("%s sensed %d and %d frames for nobody", name, early[name], late[name])
		}
	}
}
