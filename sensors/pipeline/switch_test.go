//go:build cgo

package pipeline_test

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// tenRobots returns the world ten-robots at level objects with small images.
func tenRobots(t testing.TB) *worlds.World {
	return simtest.World(t, "ten-robots", simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Image.Width, c.Image.Height, c.Level = 64, 64, abstraction.Objects
		}
	}))
}

// An event and Do switch levels. Each frame has the content of its level.
func TestLevelsSwitchBetweenTwoFrames(t *testing.T) {
	w := simtest.World(t, "nubot-attack")
	w.Events = []worlds.Event{{At: 500 * time.Millisecond, Choice: action.Choice{
		SetLevel: &action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Objects}}}}
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	var levels []string
	sim.On("cyan1", "omni", func(o *sensors.Observation) {
		levels = append(levels, string(o.Level))
		if (o.Objects != nil) == (o.Color != nil) {
			t.Errorf("at %v both images and objects, or neither", o.Stamp)
		}
	})
	sim.Steps(150)
	sim.Must(&action.SetLevel{Robot: "cyan1", Sensor: "omni", Level: abstraction.Truth})
	sim.Steps(50)
	// Truth has no delay and overtakes the last objects, which vision delays by 63 ms.
	if got := strings.Join(slices.Compact(levels), " "); got != "raw objects truth objects truth" &&
		got != "raw objects truth" {
		t.Errorf("levels %s", got)
	}
	for _, wrong := range []action.SetLevel{{Robot: "cyan1", Sensor: "nose", Level: abstraction.Raw},
		{Robot: "cyan1", Sensor: "imu", Level: abstraction.Objects}} {
		if sim.Do(&wrong) == nil {
			t.Errorf("a wrong level was taken: %+v", wrong)
		}
	}
}

// All omni cameras have listeners, and cyan1's is switched to raw and back for every frame. Its frames arrive one by
// one, at the level at which they were captured. The other cameras' observations do not change by a byte.
func TestSwitchingAThousandTimes(t *testing.T) {
	const switches = 1000
	run := func(switching bool) uint64 {
		others := fnv.New64a()
		sim := simtest.New(t, tenRobots(t), omnipitch.Options{})
		defer sim.Close()
		wanted := map[uint64]abstraction.Level{}
		sim.Sensors().OnLevel(func(c omnipitch.LevelChange) {
			if c.Robot == "cyan1" && c.Sensor == "omni" {
				wanted[c.Frame] = c.Level
			}
		})
		next, level := uint64(0), abstraction.Level("")
		observe := func(o *sensors.Observation) {
			if o.Robot != "cyan1" {
				fmt.Fprintln(others, simtest.Describe(o))
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
			if o.Level != level || (o.Color != nil) != level.Rendered() || (o.Objects != nil) == level.Rendered() {
				t.Fatalf("frame %d is at %s, captured at %s; image: %v, objects: %v", o.Frame, o.Level, level,
					o.Color != nil, o.Objects != nil)
			}
		}
		for _, r := range sim.World().Robots {
			sim.On(r.Name, "omni", observe)
			sim.On(r.Name, "odometry", observe)
		}
		var warm, after runtime.MemStats
		omni := sim.Camera("cyan1", "omni")
		for k := range switches {
			for sim.Truth().Time < omni.Config().Due(uint64(k)) {
				sim.Steps(1)
			}
			if switching {
				sim.Must(&action.SetLevel{Robot: "cyan1", Sensor: "omni",
					Level: []abstraction.Level{abstraction.Raw, abstraction.Objects}[k%2]})
			}
			sim.Steps(1)
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
		return others.Sum64()
	}
	if alone, beside := run(false), run(true); alone != beside {
		t.Error("the others' observations changed")
	}
}

// Adding sensors to a robot does not change the observations of all other sensors by a byte.
func TestAddingSensorsChangesNoBytes(t *testing.T) {
	run := func(more ...sensors.Kind) (all []string) {
		w := tenRobots(t)
		for _, kind := range more {
			c := sensors.Config{Name: "new_" + string(kind), Kind: kind}
			c.Complete()
			w.Robots[0].Sensors = append([]sensors.Config{c}, w.Robots[0].Sensors...)
		}
		simtest.AtLevel(abstraction.Objects)(w)
		sim := simtest.New(t, w, omnipitch.Options{})
		sim.OnAll(func(o *sensors.Observation) {
			if !strings.HasPrefix(o.Sensor, "new_") {
				all = append(all, simtest.Describe(o))
			}
		})
		sim.Until(time.Second)
		return all
	}
	if without, with := run(), run("laser", "compass", "bumper", sensors.CameraKind, "imu"); len(without) < 100 ||
		!slices.Equal(without, with) {
		t.Errorf("new sensors changed what others deliver: %d observations, before %d", len(with), len(without))
	}
}

// Without a listener a sensor computes no observation, unless a later reading depends on it. A reading does not depend
// on whether earlier ones had a listener.
func TestSensorsWithoutListenersRest(t *testing.T) {
	run := func(from time.Duration) (frames map[string]uint64, last [2]uint64) {
		sim := simtest.New(t, simtest.World(t, "sensors", simtest.AtLevel(abstraction.Objects)), omnipitch.Options{})
		sim.Until(from)
		for i, name := range []string{"compass", "imu"} {
			sim.On("cyan1", name, func(o *sensors.Observation) { last[i] = simtest.Content(o) })
		}
		sim.Until(time.Second)
		frames = map[string]uint64{}
		for _, r := range sim.Sensors().Reports() {
			frames[r.Sensor] += r.Frames
		}
		return frames, last
	}
	early, a := run(0)
	late, b := run(500 * time.Millisecond)
	must.Equal(t, a, b, "compass and inertial unit, heard late")
	for _, name := range []string{"compass", "imu"} {
		if late[name] == 0 || late[name] > early[name]/2+1 {
			t.Errorf("%s sensed %d frames for a listener from the middle, %d for one from the start", name, late[name],
				early[name])
		}
	}
	for _, name := range []string{"laser", "arms", "bumper", "battery", "omni", "front"} {
		if early[name] != 0 || late[name] != 0 {
			t.Errorf("%s sensed %d and %d frames for nobody", name, early[name], late[name])
		}
	}
}
