package ball

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

const dt = 0.005

func model() *physics.Model {
	return &physics.Model{Config: physics.DefaultConfig(), Ball: physics.DefaultBall()}
}

// energy returns the ball's energy, J.
func (b *Ball) energy() float64 {
	v, w := b.Twist.Lin, b.Twist.Ang
	return b.mass*v.Dot(v)/2 + b.inertia*w.Dot(w)/2 + b.mass*b.gravity*(b.Pos[2]-b.radius)
}

func drawVec(t *rapid.T, name string, limit float64) (v mgl64.Vec3) {
	for k := range v {
		v[k] = rapid.Float64Range(-limit, limit).Draw(t, name)
	}
	return v
}

// wall returns a static wall at x = 2, as thick as a board.
func wall(c physics.Contact) *Solid {
	return &Solid{ID: physics.Static, Contact: c, Pos: mgl64.Vec3{3, 0, 1}, Rot: mgl64.Ident3(),
		Half: mgl64.Vec3{1, 40, 40}}
}

// Among static bodies a ball gains no energy, does not sink in, and stays finite.
func TestABallAloneOnlyLosesEnergy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model()
		unit := rapid.Float64Range(0, 1)
		s.Config.Contacts.BallCarpet = physics.Contact{Friction: 2 * unit.Draw(t, "friction"), Restitution: unit.Draw(t,
			"restitution")}
		s.Ball.Magnus = unit.Draw(t, "magnus")
		b := New(s)
		b.Put(mgl64.Vec3{rapid.Float64Range(-5, 1.8).Draw(t, "x"), 0, b.radius + rapid.Float64Range(0, 2).Draw(t,
			"height")},
			spatial.Twist{Lin: drawVec(t, "velocity", 15), Ang: drawVec(t, "spin", 100)})
		w := wall(physics.Contact{Friction: 2 * unit.Draw(t, "wall friction"), Restitution: unit.Draw(t,
			"wall restitution")})
		before := b.energy()
		for range 200 {
			b.Step(dt, []*Solid{w}, nil)
			after := b.energy()
			// A step of flight is of second order in the air's forces: 1e-4 of the energy.
			if !(after <= before*(1+1e-4)+1e-9) {
				t.Fatalf("energy rose from %v to %v J", before, after)
			}
			before = after
			if !(b.Pos[2] >= b.radius-1e-9) || !(b.Pos[0] <= 2-b.radius+5e-3) && !(math.Abs(b.Pos[2]) >= 40) {
				t.Fatalf("the ball is at %v", b.Pos)
			}
		}
	})
}

// A ball that meets a free body conserves momentum with it: the body gains what the ball loses.
func TestImpulsesAreEqualAndOpposite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model()
		s.Config.Gravity, s.Config.AirDensity = 0, 0
		b := New(s)
		b.Put(mgl64.Vec3{0, 0, 1}, spatial.Twist{Lin: mgl64.Vec3{rapid.Float64Range(1, 15).Draw(t, "speed"), 0, 0},
			Ang: drawVec(t, "spin", 50)})
		robot := &Solid{Shape: Hull, Contact: physics.Contact{Friction: 0.4, Restitution: 0.5}, Rot: mgl64.Ident3(),
			MouthCos: 2, Radius: 0.25, Height: 2,
			Pos: mgl64.Vec3{0.5, rapid.Float64Range(-0.3, 0.3).Draw(t, "offset"), 0}, Lin: drawVec(t, "robot", 2),
			InvMass: 1. / 31}
		robot.Lin[2] = 0
		start := b.Twist.Lin
		var given mgl64.Vec3
		for range 20 {
			b.Step(dt, []*Solid{robot}, nil)
			given = given.Add(robot.Impulse)
			robot.Pos = robot.Pos.Add(robot.Lin.Mul(dt))
			robot.Lin = robot.Lin.Add(robot.Impulse.Mul(robot.InvMass))
		}
		lost := start.Sub(b.Twist.Lin).Mul(b.mass)
		if !(given.Sub(lost).Len() <= 1e-9) {
			t.Fatalf("given %v, lost %v", given, lost)
		}
	})
}

// The closed form of a bounce with dry friction: the floor changes the horizontal velocity by at most μ(1+e)·vz, and
// never beyond rolling.
func TestBounceWithSpin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := model()
		s.Config.AirDensity = 0
		b := New(s)
		c := b.carpet
		v := drawVec(t, "velocity", 8)
		v[2] = -rapid.Float64Range(1, 8).Draw(t, "down")
		w := drawVec(t, "spin", 60)
		b.Put(mgl64.Vec3{0, 0, b.radius}, spatial.Twist{Lin: v, Ang: w})
		b.gather(nil, 0)
		b.bounce(0)
		slip := mgl64.Vec3{v[0] - w[1]*b.radius, v[1] + w[0]*b.radius, 0}
		most := c.Friction * (1 + c.Restitution) * -v[2]
		change := slip.Mul(-1 / 2.5) // for a hollow ball, until it rolls
		if l := change.Len(); l > most {
			change = change.Mul(most / l)
		}
		want := mgl64.Vec3{v[0] + change[0], v[1] + change[1], -c.Restitution * v[2]}
		if !(b.Twist.Lin.Sub(want).Len() <= 1e-9) {
			t.Fatalf("%v, want %v", b.Twist.Lin, want)
		}
	})
}

// Side spin bends the flight: with w about z, a = m·w×v turns the velocity at the rate m·|w|.
func TestMagnusBendsTheFlight(t *testing.T) {
	s := model()
	s.Config.Gravity, s.Ball.Drag, s.Ball.Magnus = 0, 0, 1
	b := New(s)
	const spin = 40.0
	b.Put(mgl64.Vec3{0, 0, 5}, spatial.Twist{Lin: mgl64.Vec3{10, 0, 0}, Ang: mgl64.Vec3{0, 0, spin}})
	for range 200 {
		b.Step(dt, nil, nil)
	}
	rate := 1.2 * math.Pi * math.Pow(s.Ball.Radius, 3) * spin / (2 * s.Ball.Mass)
	if got := math.Atan2(b.Twist.Lin[1], b.Twist.Lin[0]); !scalar.EqualWithinAbs(got, rate, 1e-3*rate) {
		t.Errorf("turned by %v rad in a second, want %v", got, rate)
	}
	must.Near(t, "speed", b.Twist.Lin.Len(), 10, 1e-3)
}

// With drag alone, 1/v grows by k·t.
func TestDragFollowsItsClosedForm(t *testing.T) {
	s := model()
	s.Config.Gravity = 0
	b := New(s)
	b.Put(mgl64.Vec3{0, 0, 5}, spatial.Twist{Lin: mgl64.Vec3{12, 0, 0}})
	for range 200 {
		b.Step(dt, nil, nil)
	}
	k := 1.2 * math.Pi * s.Ball.Radius * s.Ball.Radius * s.Ball.Drag / (2 * s.Ball.Mass)
	if want := 12 / (1 + k*12); !scalar.EqualWithinAbs(b.Twist.Lin[0], want, 1e-4*want) {
		t.Errorf("%v m/s after a second, want %v", b.Twist.Lin[0], want)
	}
}

// Two heavy bodies that close in on a ball stop each other through it at once.
func TestWedgedBallStopsWhatWedgesIt(t *testing.T) {
	b := New(model())
	b.Put(mgl64.Vec3{0, 0, b.radius}, spatial.Twist{})
	side := func(x, v float64) *Solid {
		return &Solid{Contact: physics.Contact{Friction: 0.2}, Rot: mgl64.Ident3(), Half: mgl64.Vec3{0.25, 1, 1},
			Pos: mgl64.Vec3{x, 0, 1}, Lin: mgl64.Vec3{v, 0, 0}, InvMass: 1. / 31}
	}
	left, right := side(-0.36, 1), side(0.36, -1)
	b.Step(dt, []*Solid{left, right}, nil)
	for _, s := range []*Solid{left, right} {
		if v := s.Lin[0] + s.Impulse[0]*s.InvMass; !(math.Abs(v) <= 1e-6) {
			t.Errorf("still comes at %v m/s", v)
		}
	}
	if !(b.Twist.Lin.Len() <= 1e-6) {
		t.Errorf("the ball flies off at %v", b.Twist.Lin)
	}
}

// A ball at rest does nothing until something touches it, and then behaves like any other.
func TestRestingBallWakesUp(t *testing.T) {
	b := New(model())
	for range 500 {
		b.Step(dt, nil, nil)
	}
	if b.rest.dt == 0 {
		t.Fatal("a ball alone never came to rest")
	}
	at := b.Pos
	b.Step(dt, nil, nil)
	if b.Pos != at {
		t.Errorf("a resting ball moved by %v", b.Pos.Sub(at))
	}
	other := New(model())
	for _, b := range []*Ball{b, other} {
		b.Put(mgl64.Vec3{1, 2, b.radius}, spatial.Twist{Lin: mgl64.Vec3{3, 0, 0}})
		b.Step(dt, nil, nil)
	}
	if b.Pos != other.Pos || b.Twist != other.Twist || !(b.Pos[0] > 1) {
		t.Errorf("woken up: %v, %v; never asleep: %v, %v", b.Pos, b.Twist, other.Pos, other.Twist)
	}
}
