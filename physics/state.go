package physics

import "github.com/omnipitch/omnipitch/physics/keyframe"

// Keeper is an Engine whose exact state can be saved and restored.
type Keeper interface {
	Engine
	// Exchange saves or restores the state between two steps. An engine of the same model that restores the state
	// continues with the same bits. Exchange fails for a model that does not allow this: one with a drive at level
	// rollers. If it fails to restore a state, the engine is unusable.
	Exchange(c *keyframe.Codec) error
}

// Exchange saves or restores how long the robot has been stuck.
func (t *StuckTimer) Exchange(c *keyframe.Codec) { c.Float(&t.seconds) }

// Exchange saves or restores who holds the ball and who may take it.
func (p *Possession) Exchange(c *keyframe.Codec) {
	c.Index(&p.holder, -1, len(p.freeAt))
	for i := range p.freeAt {
		c.Int64(&p.freeAt[i])
	}
}

// Exchange saves or restores the contacts that may still become events.
func (d *EventDetector) Exchange(c *keyframe.Codec) {
	keyframe.Slice(c, &d.pairs, func(p *pair, c *keyframe.Codec) {
		c.Value(&p.a)
		c.Value(&p.b)
		for _, x := range []*float64{&p.pressing, &p.apart, &p.unpressed} {
			c.Float(x)
		}
		c.Bools(&p.pushing, &p.seen)
		c.Value(&p.last)
	})
}
