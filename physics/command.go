package physics

import (
	"fmt"
	"math"
)

// Command is what a robot's software asks of its actuators in one step.
type Command struct {
	TwistB  PlanarTwist    // wanted body velocity
	Dribble bool           // whether to hold the ball when it is within reach
	Reach   Reach          // where the ball must be for Dribble to take it
	Kick    Kick           // kick of this step; the zero value is no kick
	Extend  ExtensionState // wanted state of the goalkeeper's extension
}

// PlanarTwist is a velocity over the floor, in the robot's own axes (x forward, y left).
type PlanarTwist struct {
	VX, VY float64 // m/s
	Omega  float64 // rad/s, anticlockwise
}

// KickMode is a kind of kick.
type KickMode uint8

const (
	NoKick   KickMode = iota
	FlatKick          // kick along the floor, at Kick.Speed
	LobKick           // through the air
)

// Kick shoots the ball if the robot holds it or it is within Reach. Otherwise the Kick does nothing.
type Kick struct {
	Mode KickMode
	// Speed is the wanted speed of the ball, m/s, or the input of the kicker's strength table. The robot's Kicker
	// limits it. A lob of speed 0 is aimed: it flies into the opponent's goal if the robot faces it (Model.Launch).
	Speed     float64
	Elevation float64 // elevation of a lob, radians, in [0, π/2); 0 means the kicker's LobAngle
	// Flight is the time, in seconds, after which an aimed lob would cross the goal line ahead if there were no air. It
	// determines the lob's elevation and speed. A Speed that is not 0 then limits the ball's horizontal speed. If
	// Flight is 0, the lob starts at Elevation.
	Flight   float64
	Absolute bool  // true: the kick's velocity replaces the ball's velocity; false: it is added to the ball's velocity
	Reach    Reach // where the robot can kick a ball that it does not hold; with the zero value it cannot
}

// Reach is where the ball must be for a robot to hold or kick it. With the zero value the robot decides: it holds a
// ball within reach of its Dribbler, and kicks the ball that it holds.
type Reach struct {
	Distance float64 `toml:"distance_m" required:"true" range:"(0, 2]" doc:"distance of the ball's centre from the robot's origin, on the floor"`
	Angle    float64 `toml:"angle_deg" range:"[0, 180]" doc:"largest bearing of the ball from the robot's front, to either side; 0 is any"`
}

// ExtensionState is the position of a goalkeeper's extension.
type ExtensionState uint8

const (
	NotExtended ExtensionState = iota
	ExtendLeft
	ExtendRight
	ExtendUp
)

// MaxPlausible is the largest magnitude of a number in a command. It is far above the speed of any robot. Sums of such
// numbers do not overflow.
const MaxPlausible = 1e4

// Validate returns an error that names a field if its number is not finite or its magnitude exceeds MaxPlausible, or if
// its mode does not exist.
func (c *Command) Validate() error {
	if !(plausible(c.TwistB.VX) && plausible(c.TwistB.VY) && plausible(c.TwistB.Omega) && plausible(c.Kick.Speed)) {
		return c.implausible()
	}
	if err := c.Reach.validate("reach"); err != nil {
		return err
	}
	if err := c.Kick.validate(); err != nil {
		return err
	}
	if c.Extend > ExtendUp {
		return fmt.Errorf("extend = %d: must be at most %d", c.Extend, ExtendUp)
	}
	return nil
}

// validate returns an error that names the first invalid number of the kick.
func (k *Kick) validate() error {
	switch {
	case k.Mode > LobKick:
		return fmt.Errorf("kick.mode = %d: must be at most %d", k.Mode, LobKick)
	case !(k.Elevation >= 0 && k.Elevation < math.Pi/2):
		return fmt.Errorf("kick.elevation = %v: must lie in [0, π/2)", k.Elevation)
	case !(k.Flight >= 0 && k.Flight <= maxFlight):
		return fmt.Errorf("kick.flight = %v: must lie in [0, %v]", k.Flight, maxFlight)
	}
	return k.Reach.validate("kick.reach")
}

// Limits of Kick.Flight and Reach.Distance. They are far above what any robot can do: a lob of 10 s rises 120 m.
const (
	maxFlight = 10.0 // s
	maxReach  = 2.0  // m
)

func (r *Reach) validate(name string) error {
	switch {
	case !(r.Distance >= 0 && r.Distance <= maxReach):
		return fmt.Errorf("%s.distance = %v: must lie in [0, %v]", name, r.Distance, maxReach)
	case !(r.Angle >= 0 && r.Angle <= math.Pi):
		return fmt.Errorf("%s.angle = %v: must lie in [0, π]", name, r.Angle)
	}
	return nil
}

// plausible reports whether x is finite and within ±MaxPlausible.
func plausible(x float64) bool { return math.Abs(x) <= MaxPlausible } // false for NaN

// implausible returns an error that names the first implausible number.
func (c *Command) implausible() error {
	for _, f := range [...]struct {
		name  string
		value float64
	}{
		{"twist.vx", c.TwistB.VX}, {"twist.vy", c.TwistB.VY}, {"twist.omega", c.TwistB.Omega},
		{"kick.speed", c.Kick.Speed},
	} {
		if !plausible(f.value) {
			return fmt.Errorf("%s = %v: must lie in [-%g, %g]", f.name, f.value, MaxPlausible, MaxPlausible)
		}
	}
	return nil
}
