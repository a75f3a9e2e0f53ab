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

// Drawing renders images of one camera of a world, and classifies their pixels.
type Drawing struct {
	sim               *omnipitch.Sim
	robotName, sensor string
	robot             int
	camera            *sensors.Camera
	status            func(text string)

	labeler *labels.Labeler
	codes   [][]int16 // classes of the scene's parts
	rays    *optics.RayMap
	picture labels.Picture
	posesWB []spatial.Pose
	all     []int8
}

// Open prepares to render images of a world. The world's events do not happen. Open calls status with a text about each
// slow operation.
func Open(w *worlds.World, robot, sensor string, status func(text string)) (*Drawing, error) {
	still := *w
	still.Events, still.Expect = nil, nil // events would move placed bodies, and expectations may refer to events
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
		return nil, fmt.Errorf("%s.%s: is not a camera", robot, sensor)
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

// Close closes the simulation.
func (d *Drawing) Close() { d.sim.Close() }

// Count renders images and adds the colours of their pixels to h, by class. In two worlds that differ only in light,
// images with the same index show the same scene. Count fails when ctx ends.
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

// pixels calls f with the colour of every pixel of the present state's raw image, and its row in a Confusion.
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

// nextFrame steps to the camera's next image, whose noise differs from that of the last one.
func (d *Drawing) nextFrame() error {
	period := time.Duration(float64(time.Second) / d.camera.Config().Rate)
	for end := d.sim.Truth().Time + period; d.sim.Truth().Time < end; {
		if err := d.sim.Step(); err != nil {
			return err
		}
	}
	return nil
}

// robotIndex returns the index of the robot with a name.
func robotIndex(w *worlds.World, name string) int {
	return slices.IndexFunc(w.Robots, func(r worlds.Robot) bool { return r.Name == name })
}
