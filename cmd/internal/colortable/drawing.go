// Package colortable makes an initial colour table for a camera's vision software. A Drawing renders the camera's raw
// images of a world with robots, obstacles and ball at many positions, in the world's light, and counts the colours of
// each class of objects. The counts are a calibration.ColorHistogram. A table is made from one histogram, possibly of
// several worlds, and tested with another. The ray caster renders the images on the calling goroutine, so a table is
// the same on every machine.
//
//	var learned, judged calibration.ColorHistogram
//	d, err := colortable.Open(world, "cyan1", "omni", status)
//	err = d.Count(ctx, colortable.Learned, &learned)
//	err = d.Count(ctx, colortable.Judged, &judged)
//	fmt.Println(judged.Judge(learned.Table(calibration.YUV)))
package colortable

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/render/labels"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
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
	d := &Drawing{sim: sim, robotName: robot, sensor: sensor, camera: camera, labeler: labeler,
		robot: slices.IndexFunc(sim.World().Robots, func(r worlds.Robot) bool { return r.Name == robot }),
		codes: codes(sim)}
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
		p := image.Color.Pix[3*i:]
		f(p[0], p[1], p[2], int(kind))
	}
	return nil
}

// nextFrame steps to the camera's next image. Its noise differs from that of the image before.
func (d *Drawing) nextFrame() error {
	period := time.Duration(float64(time.Second) / d.camera.Config().Rate)
	for end := d.sim.Truth().Time + period; d.sim.Truth().Time < end; {
		if err := d.sim.Step(); err != nil {
			return err
		}
	}
	return nil
}

// arrangement chooses positions of discs that do not overlap. Its random numbers are counter-based.
type arrangement struct {
	noise random.Source
	next  uint64
	taken []disc
}

type disc struct{ x, y, radius float64 }

// uniform returns a random number in [lo, hi).
func (a *arrangement) uniform(lo, hi float64) float64 {
	a.next++
	return lo + (hi-lo)*a.noise.Uniform(a.next)
}

// tries is the number of candidate positions. If all are occupied, the last candidate is accepted.
const tries = 200

// place returns a position, in m, for a disc of the given radius. It calls the function choose for candidates until a
// candidate is free, at most tries times.
func (a *arrangement) place(radius float64, choose func() (x, y float64)) (x, y float64) {
	const gap = 0.1 // least distance between two discs, m
	for range tries {
		x, y = choose()
		free := true
		for _, t := range a.taken {
			free = free && math.Hypot(x-t.x, y-t.y) >= radius+t.radius+gap
		}
		if free {
			break
		}
	}
	a.taken = append(a.taken, disc{x, y, radius})
	return x, y
}

// rearrange moves the camera's robot to a random position on the field. It moves the ball and every second one of the
// remaining bodies into the camera's view, and all other bodies to random positions. Then it steps to the camera's next
// image.
func (d *Drawing) rearrange(image uint64) error {
	w := d.sim.World()
	a := &arrangement{noise: random.New(w.Seed, d.robotName, d.sensor, image)}
	put := func(name string, radius float64, choose func() (x, y float64)) (action.Place, error) {
		p := action.Place{Name: name, Heading: a.uniform(-math.Pi, math.Pi)}
		p.X, p.Y = a.place(radius, choose)
		return p, d.sim.Do(&p)
	}
	anywhere := func() (x, y float64) {
		return a.uniform(-w.Field.Length/2, w.Field.Length/2), a.uniform(-w.Field.Width/2, w.Field.Width/2)
	}
	own, err := put(d.robotName, w.Robots[d.robot].Body.Radius, anywhere)
	if err != nil {
		return err
	}
	inView := func() (x, y float64) { return d.inView(a, own, w.Ball.Radius) }
	if _, err := put("ball", w.Ball.Radius, inView); err != nil {
		return err
	}
	others := 0
	other := func(name string, radius float64) error {
		others++
		choose := anywhere
		if others%2 == 1 {
			choose = inView
		}
		_, err := put(name, radius, choose)
		return err
	}
	for i := range w.Robots {
		if r := &w.Robots[i]; i != d.robot {
			if err := other(r.Name, r.Body.Radius); err != nil {
				return err
			}
		}
	}
	for _, o := range w.AllObstacles() {
		if err := other(o.Name, o.Hull.Radius()); err != nil {
			return err
		}
	}
	return d.nextFrame()
}

// inView returns a random position, in m, at most 5 m from own, the position of the camera's robot. The camera's image
// shows the point at the given height above the returned position, unless none of several candidates is in the image.
func (d *Drawing) inView(a *arrangement, own action.Place, height float64) (x, y float64) {
	const nearest, farthest = 0.3, 5 // m from the robot's centre
	sin, cos := math.Sincos(own.Heading)
	poseCB := d.camera.PoseBC().Inverse()
	for range tries {
		distance, bearing := a.uniform(nearest, farthest), a.uniform(-math.Pi, math.Pi)
		bx, by := distance*math.Cos(bearing), distance*math.Sin(bearing)
		x, y = own.X+bx*cos-by*sin, own.Y+bx*sin+by*cos
		if u, v, ok := d.camera.Model().Project(poseCB.Apply(mgl64.Vec3{bx, by, height})); ok &&
			optics.Inside(d.camera.Model(), u, v) {
			break
		}
	}
	return x, y
}
