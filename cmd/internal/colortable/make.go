package colortable

import (
	"context"
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Images are some of those that a Drawing can draw: image 0 has everything in its place, all others have it elsewhere.
type Images struct{ First, N int }

// What a table is made of, and what it is judged by.
var (
	Learned = Images{0, 16}
	Judged  = Images{16, 8}
)

// ErrUnseen is that a camera does not see what a table is made of.
var ErrUnseen = errors.New("does the camera look away from the field, or is it inside of the robot?")

// fewest is how many pixels of a class a table needs: as NuBot's front-vision node wants of a ball (ballfinder.cpp).
const fewest = 20

// Seen is what images of a camera show of colours: those that are learned from, and others to judge by.
type Seen struct {
	learned, judged calibration.ColorHistogram
	images          int // that are learned from
}

// See draws what a camera sees in some worlds. It reports what takes long to status, and fails when ctx ends.
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

// Learn returns what learn makes of the colours that a camera has seen, and what that calls the pixels of images that
// had no part in it. The same worlds give the same table. It fails with ErrUnseen where the images that it learns from
// show next to nothing of a class that is needed.
func Learn[T calibration.Classifier](s *Seen, learn func(*calibration.ColorHistogram) T,
	needed ...calibration.ColorClass) (table T, confusion *calibration.Confusion, err error) {
	if err := CheckSeen(&s.learned, s.images, needed...); err != nil {
		return table, nil, err
	}
	table = learn(&s.learned)
	return table, s.judged.Judge(table), nil
}

// Make is See, and Learn of that.
func Make[T calibration.Classifier](ctx context.Context, in []*worlds.World, robot, sensor string,
	learn func(*calibration.ColorHistogram) T, status func(text string), needed ...calibration.ColorClass) (table T,
	confusion *calibration.Confusion, err error) {
	seen, err := See(ctx, in, robot, sensor, status)
	if err != nil {
		return table, nil, err
	}
	return Learn(seen, learn, needed...)
}

// count adds the colours of a world's images to those that are learned from, and to those that a table is judged by.
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

// CheckSeen fails with ErrUnseen unless the colours of so many images have enough pixels of the classes that are
// needed.
func CheckSeen(learned *calibration.ColorHistogram, images int, needed ...calibration.ColorClass) error {
	for _, class := range needed {
		if n := learned.Pixels(int(class)); n < fewest {
			return fmt.Errorf("%d raw images show %d pixels of %s, and a colour table needs %d at least: %w", images, n,
				named[class], fewest, ErrUnseen)
		}
	}
	return nil
}

// named is what the classes that may be needed are.
var named = map[calibration.ColorClass]string{calibration.BallColor: "the ball", calibration.GreenColor: "the carpet",
	calibration.BlackColor: "anything black"}

// Space returns how the table of NuBot's node for such a camera orders its cells.
func Space(camera *sensors.Config) calibration.ColorSpace {
	if camera.Mirror != nil {
		return calibration.YUV
	}
	return calibration.BGR
}
