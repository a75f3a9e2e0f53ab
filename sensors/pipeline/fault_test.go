//go:build cgo

package pipeline_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// breakable is a world of two turning robots with nearly all kinds of sensors, and small images.
func breakable(t *testing.T, level abstraction.Level, shared *omnipitch.Cache) simtest.Sim {
	t.Helper()
	w := tenRobots(t)
	w.Robots, w.Look = w.Robots[:2], worlds.LookPlain // for speed
	for i := range w.Robots {
		for _, kind := range []sensors.Kind{sensors.KinectKind, "laser", "compass", "sonar", "bumper"} {
			c := sensors.Config{Name: string(kind), Kind: kind, Rate: 30}
			c.Mount.Z = 0.4
			c.Complete()
			w.Robots[i].Sensors = append(w.Robots[i].Sensors, c)
		}
	}
	simtest.AtLevel(level)(w)
	simtest.EachSensor(func(c *sensors.Config) {
		if c.Image != nil {
			c.Image.Width, c.Image.Height = 48, 36
		}
	})(w)
	s := simtest.New(t, w, omnipitch.Options{NewRenderer: backend.RayCaster, Cache: shared})
	for _, r := range w.Robots {
		s.Must(&action.Drive{Robot: r.Name, Omega: 1.5})
	}
	return s
}

// summary is the summary of an observation.
type summary struct {
	level   abstraction.Level
	frame   uint64
	stamp   time.Duration
	content uint64 // hash of the whole content
	pix     []byte
	dark    bool // all images are black
	found   int  // at levels without images: number of true detections
	wrong   int  // at levels without images: number of false detections
	upper   bool // the level has no images
}

func summarise(o *sensors.Observation) summary {
	s := summary{level: o.Level, frame: o.Frame, stamp: o.Stamp, content: simtest.Content(o), dark: true,
		upper: o.Features != nil || o.Objects != nil}
	if o.Color != nil {
		s.pix = bytes.Clone(o.Color.Pix)
		s.dark = bytes.Count(s.pix, []byte{0}) == len(s.pix)
	}
	if o.Depth != nil {
		s.dark = s.dark && !slices.ContainsFunc(o.Depth.Z, func(z float32) bool { return z != 0 })
	}
	if o.Features != nil {
		for _, b := range o.Features.Obstacles {
			if b.Name != "" {
				s.found++
			}
		}
		s.wrong = len(o.Features.Balls) // the camera cannot see the ball
	}
	if o.Objects != nil {
		for _, d := range o.Objects.Detections {
			if d.Name != "" {
				s.found++
			} else {
				s.wrong++
			}
		}
	}
	return s
}

const (
	brokenAt = 200 * time.Millisecond
	healedAt = 400 * time.Millisecond
	watched  = 600 * time.Millisecond
)

// runBroken breaks all sensors of cyan1 that can have the fault, for a while. It returns the observations of all
// sensors.
func runBroken(t *testing.T, level abstraction.Level, fault sensors.Fault,
	shared *omnipitch.Cache) map[string][]summary {
	t.Helper()
	s := breakable(t, level, shared)
	defer s.Close()
	all := map[string][]summary{}
	s.OnAll(func(o *sensors.Observation) {
		name := o.Robot + "." + o.Sensor
		all[name] = append(all[name], summarise(o))
	})
	for s.Truth().Time < watched {
		next := s.Truth().Time + s.World().Time.Step // an action before a step applies to frames captured at its end
		for _, c := range s.World().Robots[0].Sensors {
			switch {
			case !slices.Contains(c.Kind.Faults(), fault):
			case next == brokenAt:
				s.Must(&action.BreakSensor{Robot: "cyan1", Sensor: c.Name, Fault: fault})
			case next == healedAt:
				s.Must(&action.HealSensor{Robot: "cyan1", Sensor: c.Name})
			}
		}
		s.Steps(1)
	}
	return all
}

// split returns the frames that were captured while the sensor was broken, and the other frames. It checks that frame
// numbers and stamps are consecutive.
func split(t *testing.T, all []summary) (broken, others []summary) {
	t.Helper()
	for i, f := range all {
		if i > 0 && !(f.stamp > all[i-1].stamp && f.frame > all[i-1].frame) {
			t.Errorf("frame %d of %v follows frame %d of %v", f.frame, f.stamp, all[i-1].frame, all[i-1].stamp)
		}
		if f.stamp >= brokenAt && f.stamp < healedAt {
			broken = append(broken, f)
		} else {
			others = append(others, f)
		}
	}
	return broken, others
}

// Each kind of sensor gets each of its faults at each level, from one frame to the next, and heals again. Everything
// else stays unchanged.
func TestBrokenSensors(t *testing.T) {
	var shared omnipitch.Cache
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Features,
		abstraction.Objects, abstraction.Truth} {
		intact := runBroken(t, level, "", &shared)
		for _, fault := range sensors.CameraKind.Faults() {
			for sensor, all := range runBroken(t, level, fault, &shared) {
				name := fmt.Sprintf("%s at %s, %s", sensor, level, fault)
				robot, kind, _ := strings.Cut(sensor, ".")
				if kind == "front" {
					kind = string(sensors.CameraKind)
				}
				if robot != "cyan1" || !slices.Contains(sensors.Kind(kind).Faults(), fault) {
					if !reflect.DeepEqual(all, intact[sensor]) {
						t.Errorf("%s: was not broken, and delivers something else", name)
					}
					continue
				}
				broken, rest := split(t, all)
				intactBroken, intactRest := split(t, intact[sensor])
				if len(intactBroken) < 5 || len(intactRest) < 10 {
					t.Fatalf("%s: an intact one has %d and %d frames", name, len(intactBroken), len(intactRest))
				}
				if !reflect.DeepEqual(rest, intactRest) {
					t.Errorf("%s: before and after the fault it differs from an intact one", name)
				}
				if fault != sensors.Off && len(broken) != len(intactBroken) {
					t.Errorf("%s: %d frames, of an intact one %d", name, len(broken), len(intactBroken))
					continue
				}
				judgeBroken(t, name, fault, broken, intactBroken)
			}
		}
	}
}

// judgeBroken compares the frames of a broken sensor with those of an intact one.
func judgeBroken(t *testing.T, name string, fault sensors.Fault, broken, intact []summary) {
	t.Helper()
	found, wrong, intactFound := 0, 0, 0
	contents := map[uint64]bool{}
	for i, f := range broken {
		found, wrong, intactFound = found+f.found, wrong+f.wrong, intactFound+intact[i].found
		contents[f.content] = true
		if f.frame != intact[i].frame || f.stamp != intact[i].stamp || f.level != intact[i].level {
			t.Errorf("%s: frame %d of %v at %s, want %d of %v at %s", name, f.frame, f.stamp, f.level, intact[i].frame,
				intact[i].stamp, intact[i].level)
		}
		if fault == sensors.Black && (!f.dark || f.found != 0 || f.wrong != 0) {
			t.Errorf("%s: frame %d shows something", name, f.frame)
		}
		if fault == sensors.Noisy && len(f.pix) > 0 &&
			!(roughness(f.pix) > 2*roughness(intact[i].pix) && roughness(f.pix) > 40) {
			t.Errorf("%s: neighbours differ by %.1f, in an intact image by %.1f", name, roughness(f.pix),
				roughness(intact[i].pix))
		}
	}
	switch fault {
	case sensors.Off:
		if len(broken) != 0 {
			t.Errorf("%s: %d frames, want none", name, len(broken))
		}
	case sensors.Frozen:
		if len(contents) != 1 || broken[0].content != intact[0].content {
			t.Errorf("%s: %d contents, the first one's: %v", name, len(contents),
				broken[0].content == intact[0].content)
		}
	case sensors.Noisy:
		// at levels without images some frames are empty
		if len(contents) < 2 || !broken[0].upper && len(contents) < len(broken) {
			t.Errorf("%s: %d contents of %d frames", name, len(contents), len(broken))
		}
		if intactFound > 0 && !(2*found < intactFound && wrong > 0) {
			t.Errorf("%s: %d true and %d false detections; an intact one: %d true", name, found, wrong, intactFound)
		}
	}
}

// roughness returns the mean difference of neighbouring pixels, 0 to 255.
func roughness(pix []byte) float64 {
	sum := 0.0
	for i := 3; i < len(pix); i++ {
		sum += math.Abs(float64(pix[i]) - float64(pix[i-3]))
	}
	return sum / float64(len(pix)-3)
}

// A frozen sensor repeats the content of the frame after the fault also for later listeners. At another level it
// repeats the first frame of that level.
func TestFrozenForLaterListeners(t *testing.T) {
	s, intact := breakable(t, abstraction.Objects, nil), breakable(t, abstraction.Objects, nil)
	var frozen uint64
	intact.On("cyan1", "front", func(o *sensors.Observation) {
		if frozen == 0 && o.Stamp >= brokenAt {
			frozen = simtest.Content(o)
		}
	})
	intact.Until(healedAt)
	s.Until(brokenAt - s.World().Time.Step)
	s.Must(&action.BreakSensor{Robot: "cyan1", Sensor: "front", Fault: sensors.Frozen})
	s.Until(healedAt)
	contents := map[abstraction.Level][]uint64{}
	s.On("cyan1", "front", func(o *sensors.Observation) {
		contents[o.Level] = append(contents[o.Level], simtest.Content(o))
	})
	for n, level := range []abstraction.Level{abstraction.Objects, abstraction.Raw, abstraction.Objects} {
		s.Must(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: level})
		clear(contents)
		s.Steps(80)
		all := contents[level]
		if len(all) < 5 || len(slices.Compact(slices.Clone(all))) != 1 || (all[0] == frozen) != (n == 0) {
			t.Errorf("%d at %s: contents %x, the first one after the fault: %x", n, level, all, frozen)
		}
	}
}

// Go and world files fail for the same faults that a kind of sensor cannot have.
func TestFaultsOfKinds(t *testing.T) {
	s := breakable(t, abstraction.Truth, nil)
	for _, c := range []struct{ sensor, fault, want string }{
		{"imu", "black", `cyan1.imu: fault = "black": must be one of [freeze noise off] for kind imu`},
		{"odometry", "noise", `cyan1.odometry: fault = "noise": must be one of [freeze off] for kind odometry`},
		{"front", "blurred", `fault = "blurred": must be one of freeze, black, noise, off`},
		{"back", "off", `sensor = "cyan1.back": there is no such sensor`},
	} {
		must.Fail(t, s.Do(&action.BreakSensor{Robot: "cyan1", Sensor: c.sensor, Fault: sensors.Fault(c.fault)}), c.want)
	}
}
