//go:build cgo

package pipeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/sensors/imaging"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A robot turns at omega in front of a dark box. The box's left edge is vertical, at corner, in front of a bright wall.
// The front camera is horizontal and has no faults except those of the test.
const omega = 2.0 // rad/s

// corner is a point of the edge in W. The box has a bevel of 15 mm, so its side begins behind its front.
var corner = mgl64.Vec3{2.75 + 0.015, 0.25, 0.7}

// boxImage returns an image of the front camera while the robot turns. change modifies the camera first.
func boxImage(t *testing.T, omega float64, change func(*sensors.Config)) *render.Image {
	t.Helper()
	w := simtest.World(t, "nubot-attack")
	w.Look = worlds.LookPlain // here both sides of the edge are uniform
	w.Robots[0].Pose = worlds.Pose{}
	w.Obstacles[0].Pose = worlds.Pose{X: 3}
	w.Obstacles[0].Hull.Height = 1.5
	w.Obstacles[1].Pose = worlds.Pose{X: -5}
	front := simtest.Sensor(t, w, "cyan1", "front")
	front.Mount = sensors.Mount{X: 0.26, Z: 0.5}
	front.Imager.FullWell, front.Imager.ReadNoise, front.Imager.Vignetting = 1e6, 0, 0
	change(front)
	sim := simtest.New(t, w, omnipitch.Options{})
	sim.Truth().Robots[0].TwistWBInW.Ang = mgl64.Vec3{0, 0, omega}
	return sim.Capture("cyan1", "front", abstraction.Raw).Color
}

func withShutter(shutter imaging.Shutter) func(*sensors.Config) {
	return func(c *sensors.Config) { c.Shutter = &shutter }
}

// edgeAt returns the closed form of the box edge's column at a time, in the row at the camera's height.
func edgeAt(t float64) float64 {
	const f = 532.5694 // pixels: focal length for 640 pixels and 62°
	cameraW := spatial.Planar(0, 0, omega*t).Mul(spatial.Translation(mgl64.Vec3{0.26, 0, 0.5}))
	p := cameraW.Inverse().Apply(corner)
	return 319.5 - f*p[1]/p[0]
}

// crossing returns the column at which a row has crossed a share of the step from the wall's light to the box's.
func crossing(t *testing.T, im *render.Image, row int, share float64) float64 {
	t.Helper()
	light := func(u int) float64 { return render.Linear(float64(im.Pix[3*(row*im.Width+u)+1]) / 255) }
	mid := int(edgeAt(0))
	wall, box := light(mid-60), light(mid+60)
	if !(wall >= 4*box) {
		t.Fatalf("row %d: wall %.3f, box %.3f: there is no edge", row, wall, box)
	}
	level := wall + share*(box-wall)
	for u := mid - 60; u < mid+60; u++ {
		if a, b := light(u), light(u+1); a >= level && b < level {
			return float64(u) + (a-level)/(a-b)
		}
	}
	t.Fatalf("row %d: no edge", row)
	return 0
}

// rampWidth returns the width of the edge from 10 % to 90 %, in pixels.
func rampWidth(t *testing.T, im *render.Image) float64 {
	t.Helper()
	return crossing(t, im, 150, 0.9) - crossing(t, im, 150, 0.1)
}

// Each row of a rolling shutter shows the edge where the closed form has it at the middle of the row's exposure.
func TestRollingShutterSkews(t *testing.T) {
	const readout = 100 * time.Millisecond
	im := boxImage(t, omega, withShutter(imaging.Shutter{Readout: readout, Exposure: 5 * time.Millisecond,
		Samples: 64}))
	for row := 60; row <= 220; row += 40 {
		at := ((float64(row)+0.5)/480 - 0.5) * readout.Seconds()
		// the exposure samples are 1.7 px apart, so the ramp has steps
		must.Near(t, fmt.Sprintf("edge in row %d, px", row), crossing(t, im, row, 0.5), edgeAt(at), 0.6)
	}
	if skew := crossing(t, im, 220, 0.5) - crossing(t, im, 60, 0.5); !(skew >= 30) {
		t.Errorf("skew of %.1f px in 160 rows, want about 40", skew)
	}
}

// During an exposure the edge moves between two columns that the closed form gives. In linear light the ramp between
// them is straight.
func TestMotionBlurIsAsLongAsTheSweep(t *testing.T) {
	const exposure = 30 * time.Millisecond
	im := boxImage(t, omega, withShutter(imaging.Shutter{Exposure: exposure, Samples: 32}))
	from, to := edgeAt(-exposure.Seconds()/2), edgeAt(exposure.Seconds()/2)
	// two edges one pixel wide, and samples 1.2 px apart
	must.Near(t, "blur from 10 % to 90 %, px", rampWidth(t, im), 0.8*(to-from), 0.7)
	// the stamp is mid-exposure
	must.Near(t, "middle of the blur, px", crossing(t, im, 150, 0.5), edgeAt(0), 0.5)
}

// The edge of a box beyond the focus is blurred by the circle of confusion, which is A·f·|z − s|/(z·s) pixels wide. For
// a uniform disc, the light across an edge rises from 10 % to 90 % within 0.687 of the disc's width.
func TestDefocusIsAsWideAsTheCircleOfConfusion(t *testing.T) {
	const f, aperture = 532.5694, 0.012 / 1.4
	z := corner[0] - 0.26
	own := rampWidth(t, boxImage(t, 0, func(*sensors.Config) {})) // width of the edge in the sharp image
	for _, s := range []float64{0.5, 0.8, z} {
		im := boxImage(t, 0, func(c *sensors.Config) {
			c.Focus = &imaging.Focus{Distance: s, FocalLength: 0.012, FNumber: 1.4, Samples: 48}
		})
		want := math.Hypot(0.687*aperture*f*math.Abs(z-s)/(z*s), own)
		must.Near(t, fmt.Sprintf("blur from 10 %% to 90 %% with the focus at %v m, px", s), rampWidth(t, im), want, 0.5)
	}
}

// meanLight returns the mean linear luminance of an image over the pixels to which the optics map a direction.
func meanLight(camera *sensors.Camera, im *render.Image) float64 {
	sum, n := 0.0, 0
	for i := range im.Width * im.Height {
		if _, ok := camera.Model().Unproject(float64(i%im.Width), float64(i/im.Width)); !ok {
			continue
		}
		n++
		p := im.Pix[3*i : 3*i+3]
		sum += render.Luminance(mgl32.Vec3{render.Decode8(p[0]), render.Decode8(p[1]), render.Decode8(p[2])})
	}
	return sum / float64(n)
}

// controlled gives a camera an exposure control without lag, and no other faults.
func controlled(c *sensors.Config) {
	if c.Image == nil {
		return
	}
	c.Level, c.Image.Width, c.Image.Height = abstraction.Raw, c.Image.Width/4, c.Image.Height/4
	c.Imager.FullWell, c.Imager.ReadNoise, c.Imager.Vignetting = 1e6, 0, 0
	c.AutoExposure = &imaging.AutoExposure{Target: 0.15, Delay: 1, MinExposure: 0.01, MaxExposure: 64, MaxGain: 1}
}

// Metering of the scene's description agrees with the image: its mean is the target, in any light and at any pose of
// the camera.
func TestAutoExposureMetersTheImage(t *testing.T) {
	for _, name := range []string{"nubot-attack", "simatch", "spectators", "plain-light", "worn-hall"} {
		if !*long && (name == "simatch" || name == "spectators") {
			continue
		}
		w := simtest.World(t, name)
		lights := []render.Lighting{{Lamp: 0.3, LampTemperature: 3000, LampElevation: 0.5, Ambient: 0.1,
			AmbientTemperature: 8000, Spots: w.Light.Spots}}
		if name == "nubot-attack" {
			lights, w.Robots = append(lights, w.Light), w.Robots[:2]
		} else {
			w.Robots = w.Robots[:1] // the other robots have the same cameras
		}
		simtest.EachSensor(controlled)(w)
		for _, light := range lights {
			w.Light = light
			sim := simtest.New(t, w, omnipitch.Options{})
			sim.RunFor(10 * time.Millisecond)
			for _, r := range w.Robots {
				for _, s := range r.Sensors {
					if s.Image == nil {
						continue
					}
					got := meanLight(sim.Camera(r.Name, s.Name), sim.Capture(r.Name, s.Name, abstraction.Raw).Color)
					if off := math.Abs(math.Log2(got / 0.15)); !(off <= 0.35) {
						t.Errorf("%s: %s.%s: lamp %v: the image's mean is %.3f, want 0.15", name, r.Name, s.Name,
							light.Lamp, got)
					}
				}
			}
			sim.Close()
		}
	}
}

// TestAutoExposureLagsBehindEvening compares the control's error with a closed form, while light falls by r stops per
// second. The control is a first-order lag that moves by the share a of the remaining way in each of f frames per
// second, with d frames of delay. Its error settles to L = r/f·(1/a + d − 1) stops. After n frames it is L·(1 −
// (1−a)^n), except for the part of the ramp that the first frame has seen.
func TestAutoExposureLagsBehindEvening(t *testing.T) {
	w := simtest.World(t, "nubot-attack")
	front := simtest.Sensor(t, w, "cyan1", "front")
	front.Level, front.Image.Width, front.Image.Height = abstraction.Raw, 32, 24
	auto := imaging.AutoExposure{Target: 0.18, Settle: 400 * time.Millisecond, Delay: 3, MinExposure: 0.01,
		MaxExposure: 64, MaxGain: 64}
	front.AutoExposure = &auto
	sim := simtest.New(t, w, omnipitch.Options{NewRenderer: simtest.Grey})
	type setting struct{ at, stops float64 }
	var all []setting // of each frame: its stamp in s, its amplification in stops
	sim.On("cyan1", "front", func(o *sensors.Observation) {
		all = append(all, setting{o.Stamp.Seconds(), math.Log2(o.Settings.Amplification())})
	})
	sim.RunFor(time.Second)
	const stops, over = 6, 8.0
	begin, before := sim.Truth().Time.Seconds(), len(all)
	dusk := func(from float64) *float64 { return new(from * math.Exp2(-stops)) }
	sim.Must(&action.SetLight{Lamp: dusk(w.Light.Lamp), Ambient: dusk(w.Light.Ambient), Over: over * time.Second})
	sim.RunFor(7 * time.Second)
	settled, rate := all[before-1].stops, stops/over
	f := front.Rate
	keep := math.Exp(-1 / (f * auto.Settle.Seconds()))
	final := rate / f * (1/(1-keep) + float64(auto.Delay) - 1)
	tolerance := rate * 2 * w.Time.Step.Seconds() // the order of light, frames and actions within steps
	first := before                               // index of the first frame with less light
	for ; first < len(all) && !(all[first].at > begin); first++ {
	}
	first += auto.Delay // index of the first frame with an exposure that depends on it
	if len(all) < first+100 {
		t.Fatalf("%d frames, %d of them before the evening", len(all), before)
	}
	start := final - rate*(all[first-1].at-begin) // difference to the final error at the frame before
	for n, s := range all[first:] {
		got, want := rate*(s.at-begin)-(s.stops-settled), final-start*math.Pow(keep, float64(n+1))
		if !(math.Abs(got-want) <= tolerance) {
			t.Fatalf("%v s after its begin the control is %v stops behind, want %v", s.at-begin, got, want)
		}
	}
}

// A late listener receives the same images as one from the start.
func TestAutoExposureWithoutListeners(t *testing.T) {
	image := func(from time.Duration) (last uint64) {
		sim := simtest.New(t, simtest.World(t, "auto-exposure"), omnipitch.Options{})
		sim.Must(&action.SetLight{Lamp: new(0.1), Ambient: new(0.4), LampTemperature: new(2500.0)})
		sim.Until(from)
		sim.On("cyan1", "front", func(o *sensors.Observation) { last = simtest.Content(o) })
		sim.Until(800 * time.Millisecond)
		return last
	}
	if early, late := image(0), image(600*time.Millisecond); early != late || early == 0 {
		t.Errorf("the last image is %x for a late listener, %x for one from the start", late, early)
	}
}

// The world auto-exposure detects a camera without exposure control, and one that is too slow.
func TestAutoExposureWorldExpectsAControl(t *testing.T) {
	for name, x := range map[string]struct {
		change func(*sensors.Config)
		want   []string
	}{
		"as it ships": {func(*sensors.Config) {}, nil},
		"none": {func(c *sensors.Config) { c.AutoExposure = nil }, []string{"recovers_from_dusk", "dazzled",
			"recovers_from_the_flash"}},
		"slow": {func(c *sensors.Config) { c.AutoExposure.Settle = 4 * time.Second },
			[]string{"recovers_from_dusk", "recovers_from_the_flash"}},
	} {
		w := simtest.World(t, "auto-exposure")
		front := simtest.Sensor(t, w, "cyan1", "front")
		front.Image.Width, front.Image.Height = 64, 48
		x.change(front)
		must.Equal(t, simtest.Unmet(t, w, omnipitch.Options{}), x.want, "%s: failed expectations", name)
	}
}
