package condition

import (
	"fmt"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// body is the ball, a robot, an obstacle, or a body that stands still. Its pointers point to the body's pose and motion
// in the present state.
type body struct {
	id   physics.BodyID // Static for a body that stands still
	name string
	prop *physics.Prop // a body that stands still, else nil
	posW *mgl64.Vec3   // the ball's centre, or the point on the floor below any other body
	velW *mgl64.Vec3   // velocity of that point, m/s
	angW *mgl64.Vec3   // angular velocity, rad/s
	rotW *mgl64.Quat
}

// findBody returns the body with a name that can move.
func findBody(s State, name string) (body, error) {
	id, err := s.Model().FindBody(name)
	if err != nil {
		return body{}, err
	}
	return bodyOf(s, id), nil
}

func bodyOf(s State, id physics.BodyID) body {
	truth, b := s.Truth(), body{id: id, name: s.Model().BodyName(id)}
	switch n := len(truth.Robots); {
	case int(id) < n:
		r := &truth.Robots[id]
		b.posW, b.rotW, b.velW, b.angW = &r.PoseWB.Pos, &r.PoseWB.Rot, &r.TwistWBInW.Lin, &r.TwistWBInW.Ang
	case id == truth.BallID():
		b.posW, b.rotW, b.velW, b.angW = &truth.Ball.PosW, &truth.Ball.RotW, &truth.Ball.TwistInW.Lin,
			&truth.Ball.TwistInW.Ang
	default:
		o := &truth.Obstacles[int(id)-n]
		b.posW, b.rotW, b.velW, b.angW = &o.PoseWO.Pos, &o.PoseWO.Rot, &o.TwistWOInW.Lin, &o.TwistWOInW.Ang
	}
	return b
}

// BodyPose is the pose of a body in W, in the present state: that of its frame, which is on the floor for robots and
// obstacles, and at the centre for the ball.
type BodyPose struct {
	Pos *mgl64.Vec3
	Rot *mgl64.Quat
}

// FindBodyPose returns the pose of the ball, a robot or an obstacle. It fails if there is no such body.
func FindBodyPose(s State, name string) (BodyPose, error) {
	b, err := findBody(s, name)
	return BodyPose{b.posW, b.rotW}, err
}

// Rotate returns a vector, given in the axes of the body, in the axes of W.
func (b BodyPose) Rotate(v mgl64.Vec3) mgl64.Vec3 { return b.Rot.Rotate(v) }

// poseW returns the pose of the body's frame, which is on the floor for robots and obstacles, and at the centre for the
// ball.
func (b *body) poseW() spatial.Pose { return spatial.Pose{Pos: *b.posW, Rot: *b.rotW} }

// up returns the point at a given height above the body's origin, along the body's own z axis.
func (b *body) up(height float64) mgl64.Vec3 {
	if height == 0 {
		return *b.posW
	}
	q := b.rotW // the body's z axis, in W
	return b.posW.Add(mgl64.Vec3{2 * (q.V[0]*q.V[2] + q.W*q.V[1]), 2 * (q.V[1]*q.V[2] - q.W*q.V[0]),
		1 - 2*(q.V[0]*q.V[0]+q.V[1]*q.V[1])}.Mul(height))
}

// describe returns a text that says where the body is.
func (b *body) describe() string {
	p := b.posW
	return fmt.Sprintf("%s at (%.2f, %.2f, %.2f) m", b.name, p[0], p[1], p[2])
}

// place is a pose over the floor, in m and rad. heading is NaN if the place has no heading.
type place struct{ x, y, heading float64 }

// place returns a body's place in W. If turned is true, it returns the place in the frame that results from turning W
// by 180°. The ball has no heading.
func (b *body) place(turned bool) place {
	p := place{b.posW[0], b.posW[1], math.NaN()}
	if b.name != "ball" {
		p.heading = b.poseW().Heading()
	}
	if turned {
		p.x, p.y, p.heading = -p.x, -p.y, p.heading+math.Pi
	}
	return p
}

// trackTime is how long the places of a body are kept. The value is a guess: vision software needs less time to report
// a body's place.
const trackTime = 2 * time.Second

// maxTrack is the largest number of places that a track keeps. It limits the memory of worlds with tiny steps.
const maxTrack = 1 << 14

// track is a ring buffer of a body's recent places.
type track struct {
	times  []time.Duration
	places []place
	next   int // index at which the next place is written
	n      int
}

func newTrack(step time.Duration) *track {
	size := min(int(trackTime/step)+2, maxTrack)
	return &track{times: make([]time.Duration, size), places: make([]place, size)}
}

func (t *track) add(now time.Duration, p place) {
	t.times[t.next], t.places[t.next] = now, p
	t.next = (t.next + 1) % len(t.times)
	t.n = min(t.n+1, len(t.times))
}

// placeAt returns the body's place at the sim time stamp, interpolated linearly between two states. The bool result is
// false if this time is before or after the recorded places.
func (t *track) placeAt(stamp time.Duration) (place, bool) {
	later := -1
	for i := range t.n {
		k := (t.next - 1 - i + len(t.times)) % len(t.times)
		switch {
		case t.times[k] == stamp:
			return t.places[k], true
		case t.times[k] > stamp:
			later = k
			continue
		case later < 0:
			return place{}, false
		}
		a, b := t.places[k], t.places[later]
		f := float64(stamp-t.times[k]) / float64(t.times[later]-t.times[k])
		return place{a.x + f*(b.x-a.x), a.y + f*(b.y-a.y), a.heading + f*math.Remainder(b.heading-a.heading,
			2*math.Pi)}, true
	}
	return place{}, false
}

func (t *track) Exchange(c *keyframe.Codec) {
	size := len(t.times)
	n := c.Count(t.n)
	c.Check(n <= size, "has %d places of a body, of %d at most", n, size)
	if c.Err() != nil {
		return
	}
	first := 0
	if c.Restoring() {
		t.n, t.next = n, n%size
	} else {
		first = (t.next - n + size) % size
	}
	for i := range n {
		k := (first + i) % size
		c.Duration(&t.times[k])
		for _, x := range []*float64{&t.places[k].x, &t.places[k].y, &t.places[k].heading} {
			c.Float(x)
		}
	}
}
