package colortable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/worlds"
)

const (
	counted = 16 // images that the table is made of, the first of them with everything in its place
	tested  = 8  // others that it is tested on
)

// ErrUnseen is that a camera does not see what a table is made of.
var ErrUnseen = errors.New("does the camera look away from the field, or is it inside of the robot?")

// fewest is how many pixels of a class a table needs: as NuBot's front-vision node wants of a ball (ballfinder.cpp).
const fewest = 20

// Classifier says what colours are.
type Classifier interface {
	Class(r, g, b byte) calibration.ColorClass
}

// Make returns what learn makes of the colours that a camera sees, in the cells of space, and what that calls the pixels of images that had no part
// in it. The same world gives the same table. It reports what takes long to status, and fails when ctx ends, or with ErrUnseen where the images that it
// learns from show next to nothing of a class that is needed.
func Make[T Classifier](ctx context.Context, w *worlds.World, robot, sensor string, space calibration.ColorSpace, learn func(*calibration.ColorCounts) T, status func(text string), needed ...calibration.ColorClass) (table T, confusion *calibration.Confusion, err error) {
	still := *w
	still.Events = nil // they would move what is placed
	sim, err := omnipitch.New(&still, omnipitch.Options{NewRenderer: backend.RayCaster, Notify: status})
	if err != nil {
		return table, nil, err
	}
	defer sim.Close()
	d, err := newDrawing(sim, robot, sensor)
	if err != nil {
		return table, nil, err
	}
	counts := calibration.NewColorCounts(space)
	confusion = new(calibration.Confusion)
	for i := range counted + tested {
		status(fmt.Sprintf("drawing image %d of %d for the colour table", i+1, counted+tested))
		if ctx.Err() != nil {
			return table, nil, fmt.Errorf("interrupted after %d of %d images", i, counted+tested)
		}
		learning := i < counted
		if i == counted {
			for _, class := range needed {
				if n := counts.Pixels(class); n < fewest {
					return table, nil, fmt.Errorf("%d raw images show %d pixels of %s, and a colour table needs %d at least: %w", counted, n, named[class], fewest, ErrUnseen)
				}
			}
			table = learn(counts)
		}
		if i > 0 {
			if err := d.rearrange(uint64(i)); err != nil {
				return table, nil, err
			}
		}
		err := d.pixels(func(r, g, b byte, kind int) {
			class := calibration.ColorClass(kind)
			if kind == calibration.Lines {
				class = calibration.UnknownColor
			}
			if learning {
				counts.Add(r, g, b, class)
			} else {
				confusion[kind][table.Class(r, g, b)]++
			}
		})
		if err != nil {
			return table, nil, err
		}
	}
	return table, confusion, nil
}

// named is what the classes that may be needed are.
var named = map[calibration.ColorClass]string{calibration.BallColor: "the ball", calibration.GreenColor: "the carpet", calibration.BlackColor: "anything black"}

// pixels calls f with the colour of every pixel of the present state's raw image and with the row of a Confusion that it belongs to.
func (d *drawing) pixels(f func(r, g, b byte, kind int)) error {
	image, err := d.sim.Capture(d.robotName, d.sensor, abstraction.Raw)
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
func (d *drawing) nextFrame() error {
	period := time.Duration(float64(time.Second) / d.camera.Config().Rate)
	for end := d.sim.Time() + period; d.sim.Time() < end; {
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
