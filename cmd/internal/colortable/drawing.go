package colortable

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/labels"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Drawing is one camera of a world, and what its pixels show.
type Drawing struct {
	sim               *omnipitch.Sim
	robotName, sensor string
	robot             int
	camera            *sensors.Camera
	status            func(text string)

	labeler *labels.Labeler
	codes   [][]int16 // kinds of the scene's parts
	rays    *optics.RayMap
	picture labels.Picture
	posesWB []spatial.Pose
	all     []int8
}

// Open begins to draw images of a world, without what happens in it. What takes long is reported to status.
func Open(w *worlds.World, robot, sensor string, status func(text string)) (*Drawing, error) {
	still := *w
	still.Events, still.Expect = nil, nil // what happens would move what is placed, and some is expected after it
	sim, err := omnipitch.New(&still, omnipitch.Options{NewRenderer: backend.RayCaster, Notify: status})
	if err != nil {
		return nil, err
	}
	d, err := newDrawing(sim, robot, sensor)
	if err != nil {
		sim.Close()
		return nil, err
	}
	d.status = status
	return d, nil
}

func newDrawing(sim *omnipitch.Sim, robot, sensor string) (*Drawing, error) {
	camera, ok := sim.Sensors().Camera(robot, sensor)
	if !ok {
		return nil, fmt.Errorf("%s.%s: is no camera", robot, sensor)
	}
	labeler, err := labels.New(sim.Sensors().Scenery().Scene)
	if err != nil {
		return nil, err
	}
	d := &Drawing{sim: sim, robotName: robot, sensor: sensor, robot: robotIndex(sim.World(), robot), camera: camera,
		labeler: labeler}
	d.codes = codes(sim)
	return d, nil
}

// Close ends it.
func (d *Drawing) Close() { d.sim.Close() }

// Count draws images and adds the colours of their pixels, by what these show, to h. In two worlds that differ by their
// light alone images of the same number show the same. It fails when ctx ends.
func (d *Drawing) Count(ctx context.Context, images Images, h *calibration.ColorHistogram) error {
	for i := range images.N {
		d.status(fmt.Sprintf("drawing image %d of %d for the colour table", i+1, images.N))
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted after %d of %d images", i, images.N)
		}
		if image := images.First + i; image > 0 {
			if err := d.rearrange(uint64(image)); err != nil {
				return err
			}
		}
		if err := d.pixels(h.Add); err != nil {
			return err
		}
	}
	return nil
}

// pixels calls f with the colour of every pixel of the present state's raw image and with the row of a Confusion that
// it belongs to.
func (d *Drawing) pixels(f func(r, g, b byte, kind int)) error {
	image, err := d.sim.Sensors().Capture(d.robotName, d.sensor, abstraction.Raw)
	if err != nil {
		return err
	}
	defer image.Release()
	for i, kind := range d.kinds() {
		if kind != nothing {
			p := image.Color.Pix[3*i:]
			f(p[0], p[1], p[2], int(kind))
		}
	}
	return nil
}

// nextFrame steps to where the camera takes another image, whose noise is another.
func (d *Drawing) nextFrame() error {
	period := time.Duration(float64(time.Second) / d.camera.Config().Rate)
	for end := d.sim.Truth().Time + period; d.sim.Truth().Time < end; {
		if err := d.sim.Step(); err != nil {
			return err
		}
	}
	return nil
}

// robotIndex returns which robot of the world has a name.
func robotIndex(w *worlds.World, name string) int {
	return slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == name })
}
