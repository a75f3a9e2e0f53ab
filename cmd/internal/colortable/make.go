package colortable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/labels"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// Images is a range of images of a Drawing. In image 0 everything is at its original position. In all other images,
// things are rearranged.
type Images struct{ First, N int }

// Learned are the images that a table is made from, Judged the images that it is tested with.
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

// dark is the reflectance below which a part of a robot or an obstacle counts as black. 0.1 is a guess: the rules ask
// for black robots, while aluminium and colour cards are far brighter.
const dark = 0.1

// codes returns the class of each part of each body of the scene.
func codes(sim *omnipitch.Sim) [][]int16 {
	s := sim.Sensors().Scenery()
	first, ball := s.Robot(0), s.Ball()
	all := make([][]int16, len(s.Scene.Bodies))
	for b := range all {
		body := &s.Scene.Bodies[b]
		all[b] = make([]int16, len(body.Parts))
		for p := range body.Parts {
			kind := calibration.UnknownColor
			switch {
			case b == ball:
				kind = calibration.BallColor
			case b >= first && b < ball && render.Luminance(s.Scene.Materials[body.Parts[p].Material].Color) < dark:
				kind = calibration.BlackColor
			}
			all[b][p] = int16(kind)
		}
	}
	return all
}

// kinds returns, for each pixel of the present image, its row in a Confusion. The result is valid until the next call.
func (d *Drawing) kinds() []int8 {
	at := sensors.Instant{Snapshot: d.sim.Truth(), Robot: d.robot}
	view := d.camera.View(abstraction.Raw, &at)
	if d.rays == nil {
		d.rays = optics.NewRayMap(view.Model)
		d.all = make([]int8, d.rays.Width*d.rays.Height)
	}
	d.posesWB = d.sim.Sensors().Scenery().Poses(d.sim.Truth(), d.posesWB)
	d.labeler.Labels(&view, d.posesWB, d.codes, nil, &d.picture)
	floor := &d.sim.Sensors().Scenery().Scene.Floor
	var parts sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for part := range n {
		parts.Go(func() {
			for i := part; i < len(d.all); i += n {
				var origin mgl64.Vec3 // origin of the ray, in the optical frame as dir is
				if d.rays.Origin != nil {
					origin = mgl64.Vec3(d.rays.Origin[3*i : 3*i+3])
				}
				switch dir, code := mgl64.Vec3(d.rays.Dir[3*i:3*i+3]), d.picture.Codes[i]; {
				case dir == mgl64.Vec3{}:
					d.all[i] = int8(calibration.Outside)
				case code != labels.None:
					d.all[i] = int8(code)
				default:
					d.all[i] = floorKind(floor, view.PoseWC.Apply(origin), view.PoseWC.Rotate(dir))
				}
			}
		})
	}
	parts.Wait()
	return d.all
}

// floorKind returns the class of the surface that a ray hits if it hits no body. The origin o and the direction dir of
// the ray are in the world frame.
func floorKind(f *render.Floor, o, dir mgl64.Vec3) int8 {
	if dir[2] >= 0 {
		return int8(calibration.UnknownColor)
	}
	p := o.Add(dir.Mul(-o[2] / dir[2]))
	if x, y := p[0], p[1]; !(max(x, -x) <= f.SizeX/2 && max(y, -y) <= f.SizeY/2) {
		return int8(calibration.UnknownColor)
	}
	for i := range f.Marks {
		if m := &f.Marks[i]; near(m, p[0], p[1]) && m.Distance(p[0], p[1]) <= m.Width/2 {
			return int8(calibration.Lines)
		}
	}
	return int8(calibration.GreenColor)
}

// near reports whether a point is in the bounding rectangle of a marking. For other points the distance from the
// marking need not be computed.
func near(m *spatial.Mark, x, y float64) bool {
	ax, ay, bx, by := m.A[0], m.A[1], m.A[0], m.A[1]
	if m.Kind == spatial.Segment {
		bx, by = m.B[0], m.B[1]
	}
	r := m.Radius + m.Width/2
	return x >= min(ax, bx)-r && x <= max(ax, bx)+r && y >= min(ay, by)-r && y <= max(ay, by)+r
}
