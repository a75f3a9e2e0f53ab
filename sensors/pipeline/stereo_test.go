//go:build cgo

package pipeline_test

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
)

// pairWorld returns the world stereo-pair with smaller images and ground truth.
func pairWorld(t *testing.T, change func(*sensors.Config)) *worlds.World {
	t.Helper()
	w := simtest.World(t, "stereo-pair")
	zed := simtest.Sensor(t, w, "cyan1", "zed")
	zed.Image.Width, zed.Image.Height, zed.Annotate = 336, 188, true
	if change != nil {
		change(zed)
	}
	return w
}

// Depths that are matched in rendered images agree with the ground truth, except near outlines and on soft shadows of
// the floor, to which the depth of bodies spreads. The ground truth leaves out nets, so only what is nearer than the
// goals is compared.
func TestMatchedDepthIsTrue(t *testing.T) {
	for _, c := range []struct {
		level       abstraction.Level
		given, good float64 // least shares of pixels with a depth, and of those whose disparity is right within 1 pixel
	}{{abstraction.Ideal, 0.2, 0.85}, {abstraction.Raw, 0.15, 0.8}} {
		const around, goals = 5, 8 // pixels, m
		sim := simtest.New(t, pairWorld(t, nil), omnipitch.Options{})
		camera := sim.Camera("cyan1", "zed")
		o := sim.Capture("cyan1", "zed", c.level)
		pair, lens := camera.Stereo(), camera.Model().(optics.Pinhole)
		truth := func(u, v int) float64 { // disparity
			ray := math.Hypot(1, math.Hypot((float64(u)-lens.CX)/lens.FX, (float64(v)-lens.CY)/lens.FY))
			return pair.Disparity(float64(o.Truth.Range[v*lens.Width+u]) / ray)
		}
		n, given, good := 0.0, 0, 0
		for v := around; v < lens.Height-around; v++ {
			for u := around; u < lens.Width-around; u++ {
				d, outline := truth(u, v), false
				for k := range 9 {
					near := truth(u+(k%3-1)*around, v+(k/3-1)*around)
					outline = outline || !(math.Abs(near-d) <= 2)
				}
				if outline || d < pair.Disparity(goals) {
					continue
				}
				n++
				if z := float64(o.Depth.Z[v*lens.Width+u]); z > 0 && !math.IsInf(z, 1) {
					given++
					if math.Abs(pair.Disparity(z)-d) <= 1 {
						good++
					}
				}
			}
		}
		t.Logf("%s: %.1f %% of pixels have depths, of which %.1f %% are right", c.level, 100*float64(given)/n,
			100*float64(good)/float64(given))
		if float64(given) < c.given*n || float64(good) < c.good*float64(given) {
			t.Errorf("%s: %d of %.0f pixels have depths, %d right ones: want %.0f %%, and %.0f %% of those", c.level,
				given, n, good, 100*c.given, 100*c.good)
		}
	}
}

// The right image is what a camera in the place of the right camera sees at the same instant, also while it moves.
func TestRightImage(t *testing.T) {
	shutter := &imaging.Shutter{Exposure: 20e6, Samples: 4}
	for _, level := range []abstraction.Level{abstraction.Ideal, abstraction.Raw} {
		w := pairWorld(t, func(c *sensors.Config) {
			c.Imager.FullWell, c.Imager.ReadNoise, c.Shutter = 1e6, 0, shutter
		})
		zed := simtest.Sensor(t, w, "cyan1", "zed")
		mono := *zed
		mono.Name, mono.Kind, mono.Stereo, mono.Annotate = "mono", sensors.CameraKind, nil, false
		mono.Mount.Y -= zed.Stereo.Baseline
		w.Robots[0].Sensors = append(w.Robots[0].Sensors, mono)
		sim := simtest.New(t, w, omnipitch.Options{})
		sim.Truth().Robots[0].TwistWBInW.Ang[2] = 1
		pair, alone := sim.Capture("cyan1", "zed", level).Right, sim.Capture("cyan1", "mono", level).Color
		if d := meanDifference(pair, alone); !(d <= 0.3) { // raw: shot noise of a million electrons
			t.Errorf("%s: the right image differs from the camera's by %.2f levels", level, d)
		}
		if d := meanDifference(pair, sim.Capture("cyan1", "zed", level).Color); !(d > 3) {
			t.Errorf("%s: the right image differs from the left by %.2f levels only", level, d)
		}
	}
}

func meanDifference(a, b *render.Image) (mean float64) {
	for i := range a.Pix {
		mean += math.Abs(float64(a.Pix[i])-float64(b.Pix[i])) / float64(len(a.Pix))
	}
	return mean
}

// The noise of both images is independent: with a baseline of nearly 0, the images differ by it alone.
func TestNoiseOfPair(t *testing.T) {
	w := pairWorld(t, func(c *sensors.Config) {
		c.Stereo.Baseline, c.Imager.ReadNoise, c.Imager.Vignetting = 1e-9, 100, 0
	})
	sim := simtest.New(t, w, omnipitch.Options{})
	ideal, raw := sim.Capture("cyan1", "zed", abstraction.Ideal), sim.Capture("cyan1", "zed", abstraction.Raw)
	var left, right, both float64
	for i := 1; i < len(raw.Color.Pix); i += 3 {
		l := float64(raw.Color.Pix[i]) - float64(ideal.Color.Pix[i])
		r := float64(raw.Right.Pix[i]) - float64(ideal.Right.Pix[i])
		if ideal.Color.Pix[i] < 60 || ideal.Color.Pix[i] > 160 {
			continue // dark or white
		}
		left, right, both = left+l*l, right+r*r, both+l*r
	}
	if c := both / math.Sqrt(left*right); !(math.Abs(c) < 0.2) || left == 0 {
		t.Errorf("correlation of the noise is %.3f", c)
	}
}

// Output does not depend on the number of threads.
func TestPairsRepeat(t *testing.T) {
	run := func(threads int) (output []string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		sim := simtest.New(t, pairWorld(t, nil), omnipitch.Options{})
		sim.On("cyan1", "zed", func(o *sensors.Observation) { output = append(output, simtest.Describe(o)) })
		sim.Steps(20)
		return output
	}
	want := run(1)
	if got := run(4); len(want) < 3 || !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}
