package physics

import (
	"fmt"
	"math"
)

// Command is what one robot asks of its actuators during one step.
type Command struct {
	TwistB  PlanarTwist    // wanted body velocity
	Dribble bool           // hold the ball when it is within reach
	Kick    Kick           // at most one per step; the zero value is none
	Extend  ExtensionState // of the goalkeeper's extension
}

// PlanarTwist is a velocity over the floor, in the robot's own axes (x forward, y left).
type PlanarTwist struct {
	VX, VY float64 // m/s
	Omega  float64 // rad/s, anticlockwise
}

// KickMode says which way the ball leaves the robot.
type KickMode uint8

const (
	NoKick   KickMode = iota
	FlatKick          // along the floor, at Kick.Speed
	LobKick           // through the air
)

// Kick is a request to shoot a ball that the robot holds; without the ball it does nothing.
type Kick struct {
	Mode KickMode
	// Speed of the ball in m/s, or what the kicker's strength table starts from; limited by the robot's Kicker. For a
	// lob, 0 asks the engine to aim: the flight that enters the opponent's goal, if the robot heads for it.
	Speed float64
}

// ExtensionState is where a goalkeeper's extension is.
type ExtensionState uint8

const (
	NotExtended ExtensionState = iota
	ExtendLeft
	ExtendRight
	ExtendUp
)

// maxAsked bounds every number of a command: no robot is a thousandth as fast, and no sum of such numbers overflows.
const maxAsked = 1e4

// Validate refuses numbers that are not finite, or so large that nobody can mean them; it names the field.
func (c *Command) Validate() error {
	if !(asked(c.TwistB.VX) && asked(c.TwistB.VY) && asked(c.TwistB.Omega) && asked(c.Kick.Speed)) {
		return c.unasked()
	}
	if c.Kick.Mode > LobKick {
		return fmt.Errorf("kick.mode = %d: must be at most %d", c.Kick.Mode, LobKick)
	}
	if c.Extend > ExtendUp {
		return fmt.Errorf("extend = %d: must be at most %d", c.Extend, ExtendUp)
	}
	return nil
}

// asked tells whether somebody can mean a number.
func asked(x float64) bool { return math.Abs(x) <= maxAsked } // NaN is not

// unasked names the number that nobody can mean.
func (c *Command) unasked() error {
	for _, f := range [...]struct {
		name  string
		value float64
	}{
		{"twist.vx", c.TwistB.VX}, {"twist.vy", c.TwistB.VY}, {"twist.omega", c.TwistB.Omega}, {"kick.speed", c.Kick.Speed},
	} {
		if !asked(f.value) {
			return fmt.Errorf("%s = %v: must lie in [-%g, %g]", f.name, f.value, maxAsked, maxAsked)
		}
	}
	return nil
}
