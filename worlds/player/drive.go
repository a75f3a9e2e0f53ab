package player

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Drive makes a robot drive at one velocity for a given time, and ignore obstructions.
type Drive struct {
	Twist physics.PlanarTwist
	For   time.Duration
}

func (*Drive) Validate(string, World) error { return nil }

// Start returns a player that ends when the given time has passed.
func (d *Drive) Start(*physics.Model, int) Player { return &drive{Drive: *d, until: -1} }

type drive struct {
	Drive
	until time.Duration // sim time at which the player ends; −1 before the first step
}

func (d *drive) Command(now *physics.Snapshot, c *physics.Command) bool {
	if d.until < 0 {
		d.until = now.Time + d.For
	}
	if now.Time >= d.until {
		return false
	}
	c.TwistB = d.Twist
	return true
}

func (d *drive) Exchange(c *keyframe.Codec) { c.Duration(&d.until) }
