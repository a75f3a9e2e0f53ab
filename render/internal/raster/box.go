package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Box is an axis-aligned box, metres.
type Box struct{ Lo, Hi mgl64.Vec3 }

func emptyBox() Box {
	inf := math.Inf(1)
	return Box{mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}}
}

func (b *Box) add(p mgl64.Vec3) {
	for i := range p {
		b.Lo[i], b.Hi[i] = math.Min(b.Lo[i], p[i]), math.Max(b.Hi[i], p[i])
	}
}

// Centre returns the centre of the box.
func (b *Box) Centre() mgl64.Vec3 { return b.Lo.Add(b.Hi).Mul(0.5) }

// SquareDistance returns the square of the distance of a point from the box, 0 inside.
func (b *Box) SquareDistance(p *mgl64.Vec3) (sum float64) {
	for i := range p {
		if d := b.Lo[i] - p[i]; d > 0 {
			sum += d * d
		} else if d := p[i] - b.Hi[i]; d > 0 {
			sum += d * d
		}
	}
	return sum
}

// Corner returns one of the eight corners: bit 0 of i chooses x, bit 1 y, bit 2 z.
func (b *Box) Corner(i int) mgl64.Vec3 {
	p := b.Lo
	for axis := range p {
		if i>>axis&1 == 1 {
			p[axis] = b.Hi[axis]
		}
	}
	return p
}
