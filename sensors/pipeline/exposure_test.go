//go:build cgo

package pipeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

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
