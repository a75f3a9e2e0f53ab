package spatial

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// UprightBox is a box whose sides are vertical, or the upright cylinder in such a box, in the world frame, metres.
type UprightBox struct {
	Centre  mgl64.Vec3
	Half    mgl64.Vec3 // half sizes along the box's own axes
	Heading float64    // of the box's x axis, rad
	Round   bool       // it is a cylinder; its radius is Half[0], which equals Half[1]
}

// Extent returns how far the box extends from its centre along the world's x and y axes, metres.
func (b *UprightBox) Extent() (x, y float64) {
	if b.Round {
		return b.Half[0], b.Half[1]
	}
	sin, cos := math.Sincos(b.Heading)
	sin, cos = math.Abs(sin), math.Abs(cos)
	return cos*b.Half[0] + sin*b.Half[1], sin*b.Half[0] + cos*b.Half[1]
}

// Nearest returns the point of the box's plan that is nearest to a point of the floor, metres.
func (b *UprightBox) Nearest(to mgl64.Vec2) mgl64.Vec2 {
	d := to.Sub(b.Centre.Vec2())
	if b.Round {
		return b.Centre.Vec2().Add(d.Mul(min(1, b.Half[0]/max(d.Len(), 1e-12))))
	}
	sin, cos := math.Sincos(b.Heading)
	x := mgl64.Clamp(cos*d[0]+sin*d[1], -b.Half[0], b.Half[0])
	y := mgl64.Clamp(-sin*d[0]+cos*d[1], -b.Half[1], b.Half[1])
	return mgl64.Vec2{b.Centre[0] + cos*x - sin*y, b.Centre[1] + sin*x + cos*y}
}

// Bottom and Top return the heights of the box's ends, metres.
func (b *UprightBox) Bottom() float64 { return b.Centre[2] - b.Half[2] }
func (b *UprightBox) Top() float64    { return b.Centre[2] + b.Half[2] }
