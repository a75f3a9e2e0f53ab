//go:build cgo

package omnipitch

import (
	"context"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// faulty returns nubot-attack with all faults of images and depth images.
func faulty(t *testing.T) *worlds.World {
	t.Helper()
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	front, _ := w.Sensor("cyan1", "front")
	front.Shutter = &imaging.Shutter{Exposure: 5 * time.Millisecond, Readout: 20 * time.Millisecond, Samples: 3}
	front.Focus = &imaging.Focus{Distance: 1, FocalLength: 0.006, FNumber: 2, Samples: 3}
	front.Imager.Bayer, front.Imager.Chromatic, front.Imager.Dust = true, 1, 20
	front.Imager.Glare, front.Imager.Sharpening, front.Imager.JPEGQuality = 0.1, 1, 70
	omni, _ := w.Sensor("cyan1", "omni")
	omni.Imager.Scratches, omni.Annotate = 5, true
	omni.Imager.DSNU, omni.Imager.PRNU, omni.Imager.Columns, omni.Imager.HotPixels = 20, 0.01, 10, 1e-4
	return w
}

// pictures runs a world for a while with a turning robot. It returns a hash of each image of each camera.
func pictures(t *testing.T, w *worlds.World, hooks ...func(*Options)) map[string]uint64 {
	t.Helper()
	var opts Options
	for _, hook := range hooks {
		hook(&opts)
	}
	sim, err := New(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	hashes := map[string]uint64{}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			robot, sensor := w.Robots[i].Name, w.Robots[i].Sensors[j].Name
			if _, ok := sim.Sensors().Camera(robot, sensor); !ok {
				continue
			}
			_, err := sim.Listen(robot, sensor, Listener{Observe: func(o *sensors.Observation) {
				h := fnv.New64a()
				if o.Color != nil {
					h.Write(o.Color.Pix)
				}
				if o.Depth != nil {
					fmt.Fprint(h, o.Depth.Z)
				}
				if o.Truth != nil {
					fmt.Fprint(h, o.Truth.Labels, o.Truth.Range[:1000], o.Truth.Flow[:1000])
				}
				hashes[fmt.Sprintf("%s.%s.%d", robot, sensor, o.Frame)] = h.Sum64()
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := sim.Do(&action.Drive{Robot: "cyan1", VX: 1, Omega: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Run(context.Background(), Pace{For: 170 * time.Millisecond, Speed: timesync.Max}); err != nil {
		t.Fatal(err)
	}
	return hashes
}

// The same seed gives the same bytes, independent of the number of processors and of the other sensors.
func TestPicturesRepeat(t *testing.T) {
	want := pictures(t, faulty(t))
	if len(want) < 12 {
		t.Fatalf("only %d frames", len(want))
	}
	compare := func(what string, got map[string]uint64, only string) {
		n := 0
		for frame, h := range got {
			if only != "" && frame[:len(only)] != only {
				continue
			}
			n++
			if h != want[frame] {
				t.Errorf("%s: %s has other bytes", what, frame)
			}
		}
		if n == 0 {
			t.Errorf("%s: no frames", what)
		}
	}
	compare("again", pictures(t, faulty(t)), "")
	before := runtime.GOMAXPROCS(1)
	alone := pictures(t, faulty(t))
	runtime.GOMAXPROCS(before)
	compare("on one processor", alone, "")
	w := faulty(t)
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[j]; s.Name != "front" && s.Level.In(s.Kind.Levels()) {
				s.Level = abstraction.Truth
			}
		}
	}
	compare("beside sensors at truth", pictures(t, w), "cyan1.front.")
	w = faulty(t)
	w.Seed++
	for frame, h := range pictures(t, w) {
		if h == want[frame] {
			t.Errorf("%s has the same bytes with another seed", frame)
		}
	}
}

// Hot pixels are at the same places in each frame, after a reset, and in another run with the same seed. With another
// seed they are elsewhere.
func TestHotPixelsStayInTheirPlaces(t *testing.T) {
	run := func(seed uint64) (frames [][]int) {
		w, err := worlds.Load("nubot-attack")
		if err != nil {
			t.Fatal(err)
		}
		w.Seed = seed
		front, _ := w.Sensor("cyan1", "front")
		// Hot pixels are saturated, and all others are dark.
		front.Imager.HotPixels, front.Imager.HotCurrent, front.Imager.Exposure = 0.0005, 1e6, 0.01
		sim, err := New(w, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer sim.Close()
		capture := func() {
			o, err := sim.Sensors().Capture("cyan1", "front", abstraction.Raw)
			if err != nil {
				t.Fatal(err)
			}
			defer o.Release()
			var bright []int
			for i, b := range o.Color.Pix {
				if b > 200 {
					bright = append(bright, i)
				}
			}
			frames = append(frames, bright)
		}
		capture()
		for range 50 {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
		capture()
		if err := sim.Restart(nil); err != nil {
			t.Fatal(err)
		}
		capture()
		return frames
	}
	one := run(5)
	if n := len(one[0]); n < 300 || n > 620 { // 461 expected
		t.Errorf("%d readings are hot", n)
	}
	for i, frame := range append(one[1:], run(5)...) {
		if !slices.Equal(frame, one[0]) {
			t.Errorf("hot pixels move in frame %d", i)
		}
	}
	if slices.Equal(run(6)[0], one[0]) {
		t.Error("two seeds have the same hot pixels")
	}
}
