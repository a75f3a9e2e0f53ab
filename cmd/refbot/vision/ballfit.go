package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Scale of the robust weight of an edge by Geman and McClure, as in package locate. The scale is looseRadii times the
// ball's angular radius, but at least a number of pixels.
const (
	looseRadii  = 0.1
	loosePixels = 0.7
)

// outlineSteps is the number of iterations of the fit. The last iteration moves the ball by less than a millimetre.
const outlineSteps = 8

// heightInfo is the inverse variance of the height of a ball on the floor, in 1/m². It corresponds to a standard
// deviation of 1 mm.
const heightInfo = 1e6

// outlineFit is the result of a fit.
type outlineFit struct {
	pos     mgl64.Vec3 // centre in the robot's frame, m
	support float64    // fraction of the spokes whose edges lie on the outline
	info    mgl64.Mat3 // inverse of the covariance of pos, for an error of a third of a pixel at each edge
}

// fit moves the centre of a sphere so that its outline passes through the edges. The outline of a sphere with radius r
// at c is where the angle between the ray and c is asin(r/|c|). The height is known to a millimetre. The fit starts at
// the position from, and pixel is the angular size of a pixel, in rad. ok is false if the edges do not determine the
// centre.
func (f *BallFinder) fit(from mgl64.Vec3, pixel float64) (s outlineFit, ok bool) {
	s.pos = from
	for range outlineSteps {
		c := s.pos.Sub(f.view.Pos)
		distance := c.Len()
		if !(distance > 1.1*BallRadius) {
			return s, false
		}
		toward, alpha := c.Mul(1/distance), math.Asin(BallRadius/distance)
		loose := max(looseRadii*alpha, loosePixels*pixel)
		grow := toward.Mul(BallRadius / (distance * distance * math.Cos(alpha))) // derivative of −alpha by c
		var h mgl64.Mat3
		var g mgl64.Vec3
		s.support = 0
		sigma := pixel / 3
		for i := range f.edges {
			e := &f.edges[i]
			cos := e.ray.Dot(toward)
			aside := e.ray.Sub(toward.Mul(cos))
			sin := aside.Len()
			if sin < 1e-9 {
				continue
			}
			err := math.Atan2(sin, cos) - alpha
			j := aside.Mul(-1 / (distance * sin)).Add(grow)
			q := loose * loose / (loose*loose + err*err)
			w := e.weight * q * q
			s.support += w / spokes
			w /= sigma * sigma
			g = g.Add(j.Mul(w * err))
			h = h.Add(j.OuterProd3(j).Mul(w))
		}
		h[8] += heightInfo
		g[2] += heightInfo * (s.pos[2] - BallRadius)
		if det := h.Det(); !(math.Abs(det) > 1e-6) {
			return s, false
		}
		move := h.Inv().Mul3x1(g)
		if n := move.Len(); n > 0.5 {
			move = move.Mul(0.5 / n)
		}
		s.pos, s.info = s.pos.Sub(move), h
	}
	return s, !math.IsNaN(s.pos.Len())
}
