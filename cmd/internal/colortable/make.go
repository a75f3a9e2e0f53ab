package colortable

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Images is a range of images of a Drawing. In image 0 everything is at its original position, in all others
// rearranged.
type Images struct{ First, N int }

// The images that a table is made from, and those that it is tested with.
var (
	Learned = Images{0, 16}
	Judged  = Images{16, 8}
)

// ErrUnseen means that a camera's images show too few pixels of a needed class.
var ErrUnseen = errors.New("does the camera look away from the field, or is it inside of the robot?")

// fewest is the least number of pixels of each needed class per image. NuBot's front-vision node requires as many
// pixels of a ball (ballfinder.cpp).
const fewest = 20

// Seen contains histograms of a camera's images: for learning, and for testing.
type Seen struct {
	learned, judged calibration.ColorHistogram
	images          int // number of images for learning
}

// See renders a camera's images of the given worlds, and returns their histograms. It calls status with a text about
// each slow operation. It fails when ctx ends.
func See(ctx context.Context, in []*worlds.World, robot, sensor string, status func(text string)) (*Seen, error) {
	s := &Seen{images: len(in) * Learned.N}
	for i, w := range in {
		tell := status
		if len(in) > 1 {
			tell = func(text string) { status(fmt.Sprintf("world %d of %d: %s", i+1, len(in), text)) }
		}
		if err := count(ctx, w, robot, sensor, tell, &s.learned, &s.judged); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Learn makes a classifier by applying the function learn to the histogram for learning, and tests it with other
// images. The result is deterministic. Learn fails with ErrUnseen if the images show too little of a needed class.
func Learn[T calibration.Classifier](s *Seen, learn func(*calibration.ColorHistogram) T,
	needed ...calibration.ColorClass) (table T, confusion *calibration.Confusion, err error) {
	if err := CheckSeen(&s.learned, s.images, needed...); err != nil {
		return table, nil, err
	}
	table = learn(&s.learned)
	return table, s.judged.Judge(table), nil
}

// Make combines See and Learn.
func Make[T calibration.Classifier](ctx context.Context, in []*worlds.World, robot, sensor string,
	learn func(*calibration.ColorHistogram) T, status func(text string), needed ...calibration.ColorClass) (table T,
	confusion *calibration.Confusion, err error) {
	seen, err := See(ctx, in, robot, sensor, status)
	if err != nil {
		return table, nil, err
	}
	return Learn(seen, learn, needed...)
}

// count adds the colours of a world's images to the two histograms.
func count(ctx context.Context, w *worlds.World, robot, sensor string, status func(text string), learned,
	judged *calibration.ColorHistogram) error {
	d, err := Open(w, robot, sensor, status)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Count(ctx, Learned, learned); err != nil {
		return err
	}
	return d.Count(ctx, Judged, judged)
}

// CheckSeen fails with ErrUnseen unless the images contain enough pixels of the needed classes.
func CheckSeen(learned *calibration.ColorHistogram, images int, needed ...calibration.ColorClass) error {
	for _, class := range needed {
		if n := learned.Pixels(int(class)); n < fewest {
			return fmt.Errorf("%d raw images show %d pixels of %s, and a colour table needs %d at least: %w", images, n,
				named[class], fewest, ErrUnseen)
		}
	}
	return nil
}

// named contains descriptions of the classes that may be needed.
var named = map[calibration.ColorClass]string{calibration.BallColor: "the ball", calibration.GreenColor: "the carpet",
	calibration.BlackColor: "anything black"}

// Space returns the order of cells in the table of NuBot's node for a kind of camera.
func Space(camera *sensors.Config) calibration.ColorSpace {
	if camera.Mirror != nil {
		return calibration.YUV
	}
	return calibration.BGR
}
