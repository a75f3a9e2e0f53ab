package physics

import (
	"fmt"
	"math"
)

// Command is what a robot's software asks of its actuators in one step.
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

// KickMode is a kind of kick.
type KickMode uint8

const (
	NoKick   KickMode = iota
	FlatKick          // along the floor, at Kick.Speed
	LobKick           // through the air
)

// Kick shoots the ball that the robot holds; without the ball it does nothing.
type Kick struct {
	Mode KickMode
	// Speed of the ball, m/s, or the input of the kicker's strength table; limited by the robot's Kicker. A lob of speed 0
	// aims: it flies into the opponent's goal, if the robot heads for it (Model.Launch).
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

// maxPlausible bounds every number of a command: far above any robot's speed, and no sum of such numbers overflows.
const maxPlausible = 1e4

// Validate returns an error that names the field if a number is not finite or implausibly large, or a mode does not exist.
func (c *Command) Validate() error {
	if !(plausible(c.TwistB.VX) && plausible(c.TwistB.VY) && plausible(c.TwistB.Omega) && plausible(c.Kick.Speed)) {
		return c.implausible()
	}
	if c.Kick.Mode > LobKick {
		return fmt.Errorf("kick.mode = %d: must be at most %d", c.Kick.Mode, LobKick)
	}
	if c.Extend > ExtendUp {
		return fmt.Errorf("extend = %d: must be at most %d", c.Extend, ExtendUp)
	}
	return nil
}

// plausible tells whether a number is finite and within ±maxPlausible.
func plausible(x float64) bool { return math.Abs(x) <= maxPlausible } // NaN is not

// implausible returns an error that names the first implausible number.
func (c *Command) implausible() error {
	for _, f := range [...]struct {
		name  string
		value float64
	}{
		{"twist.vx", c.TwistB.VX}, {"twist.vy", c.TwistB.VY}, {"twist.omega", c.TwistB.Omega}, {"kick.speed", c.Kick.Speed},
	} {
		if !plausible(f.value) {
			return fmt.Errorf("%s = %v: must lie in [-%g, %g]", f.name, f.value, maxPlausible, maxPlausible)
		}
	}
	return nil
}
