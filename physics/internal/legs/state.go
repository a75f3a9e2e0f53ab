package legs

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Mode is what the legs do.
type Mode uint8

const (
	Standing Mode = iota // both feet are on the floor, side by side
	Starting             // the trunk begins to sway
	Walking              // feet step in turn
	Stopping             // the trunk ceases to sway
)

// State is where a robot is in its gait. Frames are those of the package.
type State struct {
	Mode Mode
	// Phase is the progress of a double step, in [0, 2π). The left foot supports in (0, π), and the right one after π.
	// The trunk sways to the left by the sine of the phase, about.
	Phase float64
	// Twist is the present velocity of R, in its own axes.
	Twist physics.PlanarTwist
	// Feet are the places of the left and the right sole in R, without the height of a step.
	Feet [2]Foot
	// From is where the foot that swings has left the floor, in R at that time.
	From Foot
	// Still counts the steps that began without velocity, up to 2: then the feet are side by side.
	Still int64
	// Balance is what the stabiliser knows and does.
	Balance Balance
}

// Foot is the place of a sole on the floor: its middle and its heading.
type Foot struct{ X, Y, Yaw float64 }

// Standing returns the state of a robot that stands in the posture of its walk.
func (g *Gait) Standing() (s State) {
	for side := range s.Feet {
		s.Feet[side] = g.neutral(side, physics.PlanarTwist{})
	}
	return s
}

// Advance moves on by a step of dt seconds, with a wanted velocity over the floor, which it limits to what the walk
// can do. A robot that stands begins to walk if the wanted velocity is not 0. It ends to walk when its velocity is 0
// and its feet are side by side.
func (g *Gait) Advance(s *State, wanted physics.PlanarTwist, dt float64) {
	if s.Mode == Standing {
		if wanted == (physics.PlanarTwist{}) {
			return
		}
		s.Mode, s.Phase = Starting, 0
	}
	if s.Mode != Walking {
		wanted = physics.PlanarTwist{}
	}
	s.Twist = g.next(s.Twist, wanted, dt)
	before := s.Phase
	s.Phase += 2 * math.Pi * g.walk.Frequency * dt
	for side := range s.Feet {
		g.moveFoot(s, side, before, dt)
	}
	if s.Phase < 2*math.Pi {
		return
	}
	s.Phase -= 2 * math.Pi
	switch s.Mode {
	case Starting:
		s.Mode, s.Still = Walking, 0
	case Stopping:
		*s = State{Feet: s.Feet, Balance: s.Balance}
	case Walking:
		if s.Still >= 2 && s.Twist == (physics.PlanarTwist{}) && wanted == (physics.PlanarTwist{}) {
			s.Mode = Stopping
		}
	}
}

// next returns the velocity after a step, within the limits of velocity and acceleration.
func (g *Gait) next(now, wanted physics.PlanarTwist, dt float64) physics.PlanarTwist {
	d := &g.drive
	limit := func(a, most float64) float64 { // 0: no own limit
		if most == 0 {
			return d.MaxSpeed
		}
		return min(a, most)
	}
	back, aside := limit(d.MaxSpeed, g.walk.MaxBackward), limit(d.MaxSpeed, g.walk.MaxSideways)
	ahead := d.MaxSpeed
	if wanted.VX < 0 {
		ahead = back
	}
	turn := d.MaxOmega
	// legs reach only so far: the shares of the limits add up to at most 1
	if share := math.Hypot(wanted.VX/ahead, wanted.VY/aside) + math.Abs(wanted.Omega)/turn; share > 1 {
		wanted = physics.PlanarTwist{VX: wanted.VX / share, VY: wanted.VY / share, Omega: wanted.Omega / share}
	}
	dvx, dvy := wanted.VX-now.VX, wanted.VY-now.VY
	if most, by := d.MaxAccel*dt, math.Hypot(dvx, dvy); by > most {
		dvx, dvy = dvx*most/by, dvy*most/by
	}
	return physics.PlanarTwist{VX: now.VX + dvx, VY: now.VY + dvy,
		Omega: now.Omega + mgl64.Clamp(wanted.Omega-now.Omega, -d.MaxAlpha*dt, d.MaxAlpha*dt)}
}

// moveFoot moves a foot for a step: backward in R while it supports, otherwise along its swing.
func (g *Gait) moveFoot(s *State, side int, before, dt float64) {
	foot := &s.Feet[side]
	was, is := g.swing(side, before), g.swing(side, s.Phase)
	if s.Mode != Walking || is <= 0 || is >= 1 && was >= 1 {
		foot.drift(s.Twist, dt)
		return
	}
	if was <= 0 {
		s.From = *foot
		s.Still = min(s.Still+1, 2)
	}
	if s.Twist != (physics.PlanarTwist{}) {
		s.Still = 0
	}
	u, seconds := min(is, 1), g.swingTime()
	to := g.landing(s, side, seconds*(1-u))
	u3 := u * u * u
	share, first, last := u3*(10-15*u+6*u*u), u-u3*(6-8*u+3*u*u), -u3*(4-7*u+3*u*u)
	at := func(from, to, v0, v1 float64) float64 {
		return from + (to-from)*share - seconds*(v0*first+v1*last)
	}
	t := &s.Twist
	*foot = Foot{
		X:   at(s.From.X, to.X, t.VX-t.Omega*s.From.Y, t.VX-t.Omega*to.Y),
		Y:   at(s.From.Y, to.Y, t.VY+t.Omega*s.From.X, t.VY+t.Omega*to.X),
		Yaw: at(s.From.Yaw, to.Yaw, t.Omega, t.Omega),
	}
}

// drift moves a place on the floor as R sees it.
func (f *Foot) drift(t physics.PlanarTwist, dt float64) {
	sin, cos := math.Sincos(-t.Omega * dt)
	x, y := f.X-t.VX*dt, f.Y-t.VY*dt
	f.X, f.Y, f.Yaw = cos*x-sin*y, sin*x+cos*y, f.Yaw-t.Omega*dt
}

// far bounds the restored numbers of a state.
const far = 1e6

// Exchange saves or restores the state.
func (s *State) Exchange(c *keyframe.Codec) {
	mode := int64(s.Mode)
	c.Int64(&mode)
	c.Check(mode >= 0 && mode <= int64(Stopping), "a gait has mode %d", mode)
	s.Mode = Mode(mode)
	c.FloatIn(&s.Phase, 0, 2*math.Pi)
	for _, x := range []*float64{&s.Twist.VX, &s.Twist.VY, &s.Twist.Omega} {
		c.FloatIn(x, -far, far)
	}
	for _, f := range []*Foot{&s.Feet[0], &s.Feet[1], &s.From} {
		for _, x := range []*float64{&f.X, &f.Y, &f.Yaw} {
			c.FloatIn(x, -far, far)
		}
	}
	c.Int64(&s.Still)
	s.Balance.exchange(c)
}
