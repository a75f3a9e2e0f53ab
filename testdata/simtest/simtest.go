// Package simtest makes and drives Sims in tests. Its functions fail the test instead of returning errors.
package simtest

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"reflect"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

// World loads a shipped world or a file, and applies the changes to it.
func World(t testing.TB, name string, changes ...func(*worlds.World)) *worlds.World {
	t.Helper()
	w, err := worlds.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range changes {
		change(w)
	}
	return w
}

// Parse returns the world that is described by the text of a file.
func Parse(t testing.TB, text string) *worlds.World {
	t.Helper()
	w, err := worlds.Parse("test.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return w
}

// EachSensor returns a function for World that calls change for each sensor of the world.
func EachSensor(change func(*sensors.Config)) func(*worlds.World) {
	return func(w *worlds.World) {
		for i := range w.Robots {
			for j := range w.Robots[i].Sensors {
				change(&w.Robots[i].Sensors[j])
			}
		}
	}
}

// AtLevel returns a function for World that gives the level to each sensor that supports it.
func AtLevel(level abstraction.Level) func(*worlds.World) {
	return EachSensor(func(c *sensors.Config) {
		if level.In(c.Kind.Levels()) {
			c.Level = level
		}
	})
}

// Sensor returns the configuration of a sensor of a world.
func Sensor(t testing.TB, w *worlds.World, robot, sensor string) *sensors.Config {
	t.Helper()
	c, ok := w.Sensor(robot, sensor)
	if !ok {
		t.Fatalf("there is no sensor %s.%s", robot, sensor)
	}
	return c
}

// Sim is a Sim of a test.
type Sim struct {
	*omnipitch.Sim
	t testing.TB
}

// New makes a Sim, which is closed at the end of the test.
func New(t testing.TB, w *worlds.World, opts omnipitch.Options) Sim {
	t.Helper()
	sim, err := omnipitch.New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	return Sim{sim, t}
}

// Steps takes n steps.
func (s Sim) Steps(n int) {
	s.t.Helper()
	for range n {
		if err := s.Step(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Until steps to the sim time end, and calls each of the functions after every step.
func (s Sim) Until(end time.Duration, after ...func()) {
	s.t.Helper()
	for s.Truth().Time < end {
		s.Steps(1)
		for _, f := range after {
			f()
		}
	}
}

// RunFor runs for d of sim time, as fast as possible.
func (s Sim) RunFor(d time.Duration) *omnipitch.Report {
	s.t.Helper()
	report, err := s.Run(s.t.Context(), omnipitch.Pace{For: d, Speed: timesync.Max})
	if err != nil {
		s.t.Fatal(err)
	}
	return report
}

// Must carries out actions, and fails the test if one of them fails.
func (s Sim) Must(actions ...action.Action) {
	s.t.Helper()
	if err := s.Do(actions...); err != nil {
		s.t.Fatal(err)
	}
}

// On calls a function with each observation of a sensor, until remove is called.
func (s Sim) On(robot, sensor string, observe func(*sensors.Observation)) (remove func()) {
	s.t.Helper()
	remove, err := s.Listen(robot, sensor, omnipitch.Listener{Observe: observe})
	if err != nil {
		s.t.Fatal(err)
	}
	return remove
}

// OnAll calls a function with each observation of all sensors.
func (s Sim) OnAll(observe func(*sensors.Observation)) {
	s.t.Helper()
	for _, r := range s.World().Robots {
		for _, c := range r.Sensors {
			s.On(r.Name, c.Name, observe)
		}
	}
}

// Capture returns an observation of a camera. The observation is never released, so the caller may keep it.
func (s Sim) Capture(robot, sensor string, level abstraction.Level) *sensors.Observation {
	s.t.Helper()
	o, err := s.Sensors().Capture(robot, sensor, level)
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}

// Camera returns a camera of a robot.
func (s Sim) Camera(robot, sensor string) *sensors.Camera {
	s.t.Helper()
	c, ok := s.Sensors().Camera(robot, sensor)
	if !ok {
		s.t.Fatalf("there is no camera %s.%s", robot, sensor)
	}
	return c
}

// Unmet runs a world until the end of its expectations, and returns the names of the expectations that were not met.
func Unmet(t testing.TB, w *worlds.World, opts omnipitch.Options) (failed []string) {
	t.Helper()
	s := New(t, w, opts)
	defer s.Close()
	for _, v := range s.RunFor(w.Test.For).Verdicts {
		if v.Outcome != expectation.Passed {
			failed = append(failed, v.Name)
			t.Logf("%s: %v", w.Name, v)
		}
	}
	return failed
}

// Describe returns a line that identifies an observation: where it comes from, and a hash of all bits of its content.
func Describe(o *sensors.Observation) string {
	return fmt.Sprintf("%s.%s frame %d of %v at %s: %x", o.Robot, o.Sensor, o.Frame, o.Stamp, o.Level, Content(o))
}

// Content returns a hash of all bits of an observation's content.
func Content(o *sensors.Observation) uint64 {
	h := fnv.New64a()
	if o.Color != nil {
		h.Write(o.Color.Pix)
	}
	if o.Right != nil {
		h.Write(o.Right.Pix)
	}
	for _, part := range []any{o.Features, o.Objects, o.Depth, o.Truth, o.Reading} {
		v := reflect.ValueOf(part)
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		switch p := part.(type) {
		case *render.Depth:
			if p != nil {
				binary.Write(h, binary.LittleEndian, p.Z)
			}
		case *render.Truth:
			if p != nil {
				binary.Write(h, binary.LittleEndian, p.Labels)
				binary.Write(h, binary.LittleEndian, p.Range)
				binary.Write(h, binary.LittleEndian, p.Flow)
			}
		default:
			fmt.Fprintf(h, "%+v", v)
		}
	}
	return h.Sum64()
}

// Grey makes a renderer in memory. Its images are grey, and everything is 2 m away.
func Grey(*render.Scene) (render.Renderer, error) { return grey{}, nil }

type grey struct{}

func (grey) Render(b *render.Batch) error {
	for i := range b.Views {
		if c := b.Views[i].Color; c != nil {
			for k := range c.Pix {
				c.Pix[k] = 128
			}
		}
		if d := b.Views[i].Depth; d != nil {
			for k := range d.Z {
				d.Z[k] = 2
			}
		}
	}
	return nil
}

func (grey) Close() {}
