package planar

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Exchange implements play.Bodies.
func (b *bodies) Exchange(c *keyframe.Codec) error {
	for i := range b.all {
		p := &b.all[i]
		for _, x := range []*float64{&p.x, &p.y, &p.heading, &p.vx, &p.vy, &p.omega, &p.cos, &p.sin} {
			c.FloatIn(x, -math.MaxFloat64, math.MaxFloat64)
		}
	}
	return c.Err()
}
