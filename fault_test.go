package omnipitch

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// breakable is a world of two robots with nearly all kinds of sensors, and small images.
func breakable(t *testing.T, level abstraction.Level, shared *Cache) *Sim {
	t.Helper()
	w := small(t)
	w.Robots = w.Robots[:2]
	for i := range w.Robots {
		r := &w.Robots[i]
		for _, kind := range []sensors.Kind{sensors.KinectKind, "laser", "compass", "sonar", "bumper"} {
			c := sensors.Config{Name: string(kind), Kind: kind, Rate: 30}
			c.Mount.Z = 0.4
			c.Complete()
			r.Sensors = append(r.Sensors, c)
		}
		for j := range r.Sensors {
			c := &r.Sensors[j]
			if c.Image != nil {
				c.Image.Width, c.Image.Height = 48, 36
			}
			if level.In(c.Kind.Levels()) {
				c.Level = level
			}
		}
	}
	s, err := New(w, Options{NewRenderer: backend.RayCaster, Cache: shared})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for _, r := range w.Robots {
		if err := s.Do(&action.Drive{Robot: r.Name, Omega: 1.5}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// seen is the summary of an observation.
type seen struct {
	level   abstraction.Level
	frame   uint64
	stamp   time.Duration
	content string // the whole content
	pix     []byte
	dark    bool // all images are black
	found   int  // at levels without images: number of true detections
	wrong   int  // at levels without images: number of false detections
	upper   bool // the level has no images
}

func look(o *sensors.Observation) seen {
	s := seen{level: o.Level, frame: o.Frame, stamp: o.Stamp, dark: true, upper: o.Features != nil || o.Objects != nil}
	var all strings.Builder
	if o.Color != nil {
		s.pix = bytes.Clone(o.Color.Pix)
		s.dark = bytes.Count(s.pix, []byte{0}) == len(s.pix)
		fmt.Fprint(&all, s.pix)
	}
	if o.Depth != nil {
		for _, z := range o.Depth.Z {
			s.dark = s.dark && z == 0
		}
		fmt.Fprint(&all, o.Depth.Z)
	}
	if o.Features != nil {
		for _, b := range o.Features.Obstacles {
			if b.Name != "" {
				s.found++
			}
		}
		s.wrong = len(o.Features.Balls) // the camera cannot see the ball
		fmt.Fprintf(&all, "%+v", *o.Features)
	}
	if o.Objects != nil {
		for _, d := range o.Objects.Detections {
			if d.Name != "" {
				s.found++
			} else {
				s.wrong++
			}
		}
		fmt.Fprintf(&all, "%+v", *o.Objects)
	}
	if o.Reading != nil {
		fmt.Fprintf(&all, "%+v", reflect.ValueOf(o.Reading).Elem())
	}
	s.content = all.String()
	return s
}

// record appends the observations of a sensor to a list.
func record(t *testing.T, s *Sim, robot, sensor string) *[]seen {
	t.Helper()
	list := new([]seen)
	if _, err := s.Listen(robot, sensor,
		Listener{Observe: func(o *sensors.Observation) { *list = append(*list, look(o)) }}); err != nil {
		t.Fatal(err)
	}
	return list
}

const (
	brokenAt = 200 * time.Millisecond
	healedAt = 400 * time.Millisecond
	watched  = 600 * time.Millisecond
)

// runBroken breaks all sensors of cyan1 that can have the fault, for a while. It returns the observations of cyan1 and
// cyan2.
func runBroken(t *testing.T, level abstraction.Level, fault sensors.Fault, shared *Cache) map[string]*[]seen {
	t.Helper()
	s := breakable(t, level, shared)
	all := map[string]*[]seen{}
	for _, r := range s.World().Robots {
		for _, c := range r.Sensors {
			all[r.Name+"."+c.Name] = record(t, s, r.Name, c.Name)
		}
	}
	do := func(what func(sensor string) action.Action) {
		for _, c := range s.World().Robots[0].Sensors {
			if !slices.Contains(c.Kind.Faults(), fault) {
				continue
			}
			if err := s.Do(what(c.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for s.Truth().Time < watched {
		switch s.Truth().Time +
			s.World().Time.Step { // an action before a step applies to frames captured at its end
		case brokenAt:
			do(func(sensor string) action.Action {
				return &action.BreakSensor{Robot: "cyan1", Sensor: sensor, Fault: fault}
			})
		case healedAt:
			do(func(sensor string) action.Action { return &action.HealSensor{Robot: "cyan1", Sensor: sensor} })
		}
		steps(t, s, 1)
	}
	return all
}

// split returns the frames that were captured while the sensor was broken, and the other frames. It checks that frame
// numbers and stamps are consecutive.
func split(t *testing.T, all []seen) (broken, others []seen) {
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
	var shared Cache
	for _, level := range []abstraction.Level{abstraction.Raw, abstraction.Ideal, abstraction.Features,
		abstraction.Objects, abstraction.Truth} {
		whole := runBroken(t, level, "", &shared)
		for _, fault := range sensors.CameraKind.Faults() {
			for sensor, all := range runBroken(t, level, fault, &shared) {
				name := fmt.Sprintf("%s at %s, %s", sensor, level, fault)
				robot, kind, _ := strings.Cut(sensor, ".")
				if kind == "front" {
					kind = string(sensors.CameraKind)
				}
				if robot != "cyan1" || !slices.Contains(sensors.Kind(kind).Faults(), fault) {
					if !reflect.DeepEqual(*all, *whole[sensor]) {
						t.Errorf("%s: was not broken, and delivers something else", name)
					}
					continue
				}
				broken, rest := split(t, *all)
				wholeBroken, wholeRest := split(t, *whole[sensor])
				if len(wholeBroken) < 5 || len(wholeRest) < 10 {
					t.Fatalf("%s: a whole one has %d and %d frames", name, len(wholeBroken), len(wholeRest))
				}
				if !reflect.DeepEqual(rest, wholeRest) {
					t.Errorf("%s: what it delivers before and after is not what a whole one does", name)
				}
				if fault != sensors.Off && len(broken) != len(wholeBroken) {
					t.Errorf("%s: %d frames, of a whole one %d", name, len(broken), len(wholeBroken))
					continue
				}
				judgeBroken(t, name, fault, broken, wholeBroken)
			}
		}
	}
}

// judgeBroken compares the frames of a broken sensor with those of an intact one.
func judgeBroken(t *testing.T, name string, fault sensors.Fault, broken, whole []seen) {
	t.Helper()
	found, wrong, wholeFound := 0, 0, 0
	contents := map[string]bool{}
	for i, f := range broken {
		found, wrong, wholeFound = found+f.found, wrong+f.wrong, wholeFound+whole[i].found
		contents[f.content] = true
		if f.frame != whole[i].frame || f.stamp != whole[i].stamp || f.level != whole[i].level {
			t.Errorf("%s: frame %d of %v at %s, want %d of %v at %s", name, f.frame, f.stamp, f.level, whole[i].frame,
				whole[i].stamp, whole[i].level)
		}
	}
	switch fault {
	case sensors.Off:
		if len(broken) != 0 {
			t.Errorf("%s: %d frames", name, len(broken))
		}
	case sensors.Frozen:
		if len(contents) != 1 || broken[0].content != whole[0].content {
			t.Errorf("%s: %d contents, the first one's: %v", name, len(contents), broken[0].content == whole[0].content)
		}
	case sensors.Black:
		for _, f := range broken {
			if !f.dark || f.found != 0 || f.wrong != 0 {
				t.Errorf("%s: frame %d shows something", name, f.frame)
			}
		}
	case sensors.Noisy:
		// at levels without images some frames are empty
		if len(contents) < 2 || !broken[0].upper && len(contents) < len(broken) {
			t.Errorf("%s: %d contents of %d frames", name, len(contents), len(broken))
		}
		if wholeFound > 0 && !(2*found < wholeFound && wrong > 0) {
			t.Errorf("%s: %d true and %d false detections; a whole one: %d true", name, found, wrong, wholeFound)
		}
		for i, f := range broken {
			if len(f.pix) > 0 && !(roughness(f.pix) > 2*roughness(whole[i].pix) && roughness(f.pix) > 40) {
				t.Errorf("%s: neighbours differ by %.1f, in a whole image by %.1f", name, roughness(f.pix),
					roughness(whole[i].pix))
			}
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
func TestFrozenForWhoListensLater(t *testing.T) {
	s := breakable(t, abstraction.Objects, nil)
	whole := breakable(t, abstraction.Objects, nil)
	expected := record(t, whole, "cyan1", "front")
	for i := 0; s.Truth().Time < healedAt; i++ {
		if s.Truth().Time+s.World().Time.Step == brokenAt {
			if err := s.Do(&action.BreakSensor{Robot: "cyan1", Sensor: "front", Fault: sensors.Frozen}); err != nil {
				t.Fatal(err)
			}
		}
		steps(t, s, 1)
		steps(t, whole, 1)
	}
	frozen, _ := split(t, *expected)
	late := record(t, s, "cyan1", "front")
	for n, level := range []abstraction.Level{abstraction.Objects, abstraction.Raw, abstraction.Objects} {
		if err := s.Do(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: level}); err != nil {
			t.Fatal(err)
		}
		before := len(*late)
		steps(t, s, 80)
		frames, contents := 0, map[string]bool{}
		for _, f := range (*late)[before:] {
			if f.level == level {
				frames++
				contents[f.content] = true
			}
		}
		if frames < 5 || len(contents) != 1 || contents[frozen[0].content] != (n == 0) {
			t.Errorf("%d at %s: %d contents in %d frames, that of the frame at %v among them: %v", n, level,
				len(contents), frames, frozen[0].stamp, contents[frozen[0].content])
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
		err := s.Do(&action.BreakSensor{Robot: "cyan1", Sensor: c.sensor, Fault: sensors.Fault(c.fault)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, want %s", c.fault, c.sensor, err, c.want)
		}
	}
}
