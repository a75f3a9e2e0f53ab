package ball

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

const (
	// largest distance that the ball moves in a substep, relative to solids, as a fraction of its radius
	stride = 0.5
	// largest number of substeps of a step; a ball of 2 cm at 30 m/s in 20 ms reaches it, and so does a wedged ball
	maxPieces = 64
	slop      = 5e-4 // m: largest gap of a contact
	impact    = 0.1  // m/s: smallest closing speed of a bounce. Measured.
	// m/s: largest speed at which a ball leaves a solid that it overlaps. 0.3 is a guess: at a high speed no net
	// would stop the ball
	pushOut  = 0.3
	settle   = 0.2    // fraction of an overlap that is removed in a substep
	rubPiece = 1.5e-3 // s: longest substep under friction wheels, whose springs are stiff
	onFloor  = 1e-6   // m: largest gap of a ball that is on the floor
)

// Ball is the state of the ball and its parameters.
type Ball struct {
	Pos   mgl64.Vec3 // centre, W
	Rot   mgl64.Quat
	Twist spatial.Twist // in W

	radius, mass, inertia float64
	flight                physics.Flight
	gravity               float64
	carpet                physics.Contact
	rollingArm            float64 // lever of the rolling resistance: its torque per force on the floor, m
	contacts              []contact
	rest                  rest
}

// rest is a state of the ball that did not change in a step without solids.
type rest struct {
	pos   mgl64.Vec3
	rot   mgl64.Quat
	twist spatial.Twist
	dt    float64 // length of that step, s; 0 if there was no such step
}

// New returns a model's ball at rest on the centre spot.
func New(s *physics.Model) *Ball {
	b := &Ball{
		// a hollow sphere
		radius: s.Ball.Radius, mass: s.Ball.Mass, inertia: 2. / 3 * s.Ball.Mass * s.Ball.Radius * s.Ball.Radius,
		flight: s.Flight(), gravity: s.Config.Gravity, carpet: s.Config.Contacts.BallCarpet,
		contacts: make([]contact, 0, 16),
	}
	if b.gravity > 0 {
		// The torque on a rolling ball slows both its velocity and its spin: torque = decel·(m·r + I/r).
		b.rollingArm = s.Ball.RollingDecel * (b.mass*b.radius + b.inertia/b.radius) / (b.mass * b.gravity)
	}
	b.Put(mgl64.Vec3{0, 0, b.radius}, spatial.Twist{})
	return b
}

// Put sets the ball's centre and twist, and turns the ball to its initial orientation.
func (b *Ball) Put(posW mgl64.Vec3, twistInW spatial.Twist) {
	b.Pos, b.Rot, b.Twist = posW, mgl64.QuatIdent(), twistInW
}

// Exchange saves or restores the state between two steps.
func (b *Ball) Exchange(c *keyframe.Codec) {
	c.Pose(&b.Pos, &b.Rot)
	c.Value(&b.Twist)
	if c.Restoring() {
		b.rest = rest{}
	}
}

// Push adds an impulse through the centre, N s, and an angular impulse, N m s, both in W.
func (b *Ball) Push(impulseW, angularW mgl64.Vec3) {
	b.Twist.Lin = b.Twist.Lin.Add(impulseW.Mul(1 / b.mass))
	b.Twist.Ang = b.Twist.Ang.Add(angularW.Mul(1 / b.inertia))
}

// Step advances the ball by dt seconds. The solids have constant velocities. The argument rubs holds the friction
// wheels that press on the ball.
func (b *Ball) Step(dt float64, solids []*Solid, rubs []Rub) {
	alone := len(solids) == 0 && len(rubs) == 0
	before := rest{b.Pos, b.Rot, b.Twist, dt}
	if alone && before == b.rest {
		return // a step of the same length has already left this state unchanged
	}
	b.step(dt, solids, rubs)
	if alone && before == (rest{b.Pos, b.Rot, b.Twist, dt}) {
		b.rest = before
	}
}

func (b *Ball) step(dt float64, solids []*Solid, rubs []Rub) {
	fastest := 0.0
	for _, s := range solids {
		s.prepare()
		fastest = max(fastest, s.Lin.Len()+math.Abs(s.Ang[2])*s.reach)
	}
	for i := range rubs {
		rubs[i].Impulse = mgl64.Vec3{}
	}
	t := 0.0
	for n := 0; t < dt; n++ {
		b.gather(solids, t)
		b.bounce(t)
		h := dt - t
		if len(rubs) > 0 {
			h = min(h, rubPiece)
		}
		if n < maxPieces {
			if speed := b.Twist.Lin.Len() + b.gravity*h + fastest; speed*h > stride*b.radius {
				h = stride * b.radius / speed
			}
			h = b.untilLanding(h)
			h = b.untilHit(solids, t, h)
		}
		if dt-t-h < 1e-9 {
			h = dt - t
		}
		b.advance(h, t, rubs)
		t += h
	}
}

// lies reports whether the ball touches the floor.
func (b *Ball) lies() bool { return b.Pos[2]-b.radius <= onFloor }

// untilLanding returns the time until a flying ball lands, in seconds. The result is at most h.
func (b *Ball) untilLanding(h float64) float64 {
	up, rise := b.Pos[2]-b.radius, b.Twist.Lin[2]
	if b.lies() && rise <= 0 {
		return h
	}
	// solves up + rise·t + a·t²/2 = 0 for the later root
	a := b.flight.Accel(b.Twist.Lin, b.Twist.Ang)[2]
	root := rise*rise - 2*a*max(0, up)
	if a >= 0 || root < 0 {
		return h
	}
	t := (-rise - math.Sqrt(root)) / a
	if t > 0 && t < h {
		return t
	}
	return h
}

// untilHit returns the time until the ball first hits a solid, in seconds. The result is at most h. The step has lasted
// t seconds so far.
func (b *Ball) untilHit(solids []*Solid, t, h float64) float64 {
	if len(solids) == 0 {
		return h
	}
	pos, v := b.flight.Fly(b.Pos, b.Twist.Lin, b.Twist.Ang, h)
	if b.lies() {
		pos = b.Pos.Add(b.Twist.Lin.Mul(h))
		v[2] = max(0, v[2])
		pos[2] = max(pos[2], b.radius)
	}
	first := h
	for _, s := range solids {
		if !s.near(pos, b.radius, 0, t+h) || b.touches(s) {
			continue
		}
		hit, ok := s.overlap(pos, b.radius, 0, t+h)
		if !ok {
			continue
		}
		closing := -v.Sub(s.velocity(pos.Sub(hit.normal.Mul(b.radius)), t+h)).Dot(hit.normal)
		if closing > impact/2 {
			first = min(first, max(0, h-hit.depth/closing))
		}
	}
	return first
}

func (b *Ball) touches(s *Solid) bool {
	for i := range b.contacts {
		if b.contacts[i].solid == s {
			return true
		}
	}
	return false
}

// advance moves the ball by h seconds with its current contacts.
func (b *Ball) advance(h, t float64, rubs []Rub) {
	if h <= 0 {
		return
	}
	v0 := b.Twist.Lin
	middle := v0.Add(b.flight.Accel(v0, b.Twist.Ang).Mul(h / 2))
	b.Twist.Lin = v0.Add(b.flight.Accel(middle, b.Twist.Ang).Mul(h))
	press := b.mass * b.gravity
	for i := range rubs {
		press += b.push(&rubs[i], h, t)
	}
	if b.lies() && v0[2] <= impact/2 {
		b.resistRolling(press * h)
	}
	b.solve(h, t, rubs)
	b.Pos = b.Pos.Add(v0.Add(b.Twist.Lin).Mul(h / 2))
	b.Rot = spatial.Pose{Rot: b.Rot}.Drifted(spatial.Twist{Ang: b.Twist.Ang}, h).Rot.Normalize()
	if b.Pos[2] < b.radius+onFloor/2 {
		b.Pos[2] = b.radius
	}
}

// resistRolling slows the spin by the rolling resistance under a normal impulse. Friction then slows the velocity.
func (b *Ball) resistRolling(press float64) {
	most := b.rollingArm * press / b.inertia
	w := &b.Twist.Ang
	if rate := math.Hypot(w[0], w[1]); rate > most {
		w[0] -= most * w[0] / rate
		w[1] -= most * w[1] / rate
	} else {
		w[0], w[1] = 0, 0
	}
	w[2] -= mgl64.Clamp(w[2], -most, most)
}
