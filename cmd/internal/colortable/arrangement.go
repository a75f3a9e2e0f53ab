package colortable

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds/action"
)

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
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		if err := other(o.Name, math.Hypot(o.Hull.SizeX, o.Hull.SizeY)/2); err != nil {
			return err
		}
	}
	return d.nextFrame()
}

// inView returns a random position, in m, at most 5 m from the robot at own that has the camera. The camera's image
// shows the point at the given height above that position, unless none of several candidates is in the image.
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
