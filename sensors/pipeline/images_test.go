//go:build cgo

package pipeline_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// faulty returns nubot-attack with all faults of images and depth images.
func faulty(t *testing.T) *worlds.World {
	t.Helper()
	w := simtest.World(t, "nubot-attack")
	front, omni := simtest.Sensor(t, w, "cyan1", "front"), simtest.Sensor(t, w, "cyan1", "omni")
	front.Shutter = &imaging.Shutter{Exposure: 5 * time.Millisecond, Readout: 20 * time.Millisecond, Samples: 3}
	front.Focus = &imaging.Focus{Distance: 1, FocalLength: 0.006, FNumber: 2, Samples: 3}
	front.Imager.Bayer, front.Imager.Chromatic, front.Imager.Dust = true, 1, 20
	front.Imager.Glare, front.Imager.Sharpening, front.Imager.JPEGQuality = 0.1, 1, 70
	omni.Imager.Scratches, omni.Annotate = 5, true
	omni.Imager.DSNU, omni.Imager.PRNU, omni.Imager.Columns, omni.Imager.HotPixels = 20, 0.01, 10, 1e-4
	return w
}

// images runs a world for a while with a turning robot. It returns the contents of all cameras' images by their names.
func images(t *testing.T, w *worlds.World, opts omnipitch.Options) map[string]uint64 {
	t.Helper()
	sim := simtest.New(t, w, opts)
	defer sim.Close()
	contents := map[string]uint64{}
	sim.OnAll(func(o *sensors.Observation) {
		if o.Reading == nil {
			name, _, _ := strings.Cut(simtest.Describe(o), " of ")
			contents[name] = simtest.Content(o)
		}
	})
	sim.Must(&action.Drive{Robot: "cyan1", VX: 1, Omega: 2})
	sim.RunFor(170 * time.Millisecond)
	return contents
}

// The same seed gives the same bytes, independent of the number of processors and of the other sensors.
func TestImagesRepeat(t *testing.T) {
	want := images(t, faulty(t), omnipitch.Options{})
	if len(want) < 12 {
		t.Fatalf("only %d frames", len(want))
	}
	before := runtime.GOMAXPROCS(1)
	alone := images(t, faulty(t), omnipitch.Options{})
	runtime.GOMAXPROCS(before)
	onlyFront := faulty(t)
	simtest.EachSensor(func(s *sensors.Config) {
		if s.Name != "front" && s.Level.In(s.Kind.Levels()) {
			s.Level = abstraction.Truth
		}
	})(onlyFront)
	otherSeed := faulty(t)
	otherSeed.Seed++
	for what, c := range map[string]struct {
		got   map[string]uint64
		of    string // prefix of the names of the frames that are compared
		equal bool
	}{
		"again":             {images(t, faulty(t), omnipitch.Options{}), "", true},
		"on one processor":  {alone, "", true},
		"beside truth":      {images(t, onlyFront, omnipitch.Options{}), "cyan1.front ", true},
		"with another seed": {images(t, otherSeed, omnipitch.Options{}), "", false},
	} {
		n := 0
		for frame, content := range c.got {
			if !strings.HasPrefix(frame, c.of) {
				continue
			}
			n++
			if (content == want[frame]) != c.equal {
				t.Errorf("%s: %s has the same bytes: %v, want %v", what, frame, !c.equal, c.equal)
			}
		}
		if n < 4 {
			t.Errorf("%s: %d frames", what, n)
		}
	}
}

// Hot pixels are at the same places in each frame, after a reset, and in another run with the same seed. With another
// seed they are elsewhere.
func TestHotPixelsStayInTheirPlaces(t *testing.T) {
	run := func(seed uint64) (frames [][]int) {
		w := simtest.World(t, "nubot-attack")
		w.Seed = seed
		front := simtest.Sensor(t, w, "cyan1", "front")
		// Hot pixels are saturated, and all others are dark.
		front.Imager.HotPixels, front.Imager.HotCurrent, front.Imager.Exposure = 0.0005, 1e6, 0.01
		sim := simtest.New(t, w, omnipitch.Options{})
		capture := func() {
			var bright []int
			for i, b := range sim.Capture("cyan1", "front", abstraction.Raw).Color.Pix {
				if b > 200 {
					bright = append(bright, i)
				}
			}
			frames = append(frames, bright)
		}
		capture()
		sim.Steps(50)
		capture()
		must.Do(t, sim.Restart(nil))
		capture()
		return frames
	}
	one := run(5)
	if n := len(one[0]); n < 300 || n > 620 { // 461 expected
		t.Errorf("%d readings are hot, want about 461", n)
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
