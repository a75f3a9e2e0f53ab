package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// drawBall draws the contour of a ball: the circle in which lines of sight touch it.
func (p *pen) drawBall(c *Camera, b *body) {
	d2 := b.toC.LenSqr()
	r2 := b.Radius * b.Radius
	p.begin(c.height, false)
	if d2 <= r2 {
		return
	}
	pixels := b.perRad * b.Radius / math.Sqrt(d2)
	sides := 16
	for sides < 64 && pixels*(1-math.Cos(math.Pi/float64(sides))) > bend/4 {
		sides *= 2
	}
	middle, radius := b.toC.Mul(1-r2/d2), b.Radius*math.Sqrt(1-r2/d2)
	across := b.toC.Cross(mgl64.Vec3{0, 0, 1})
	if across.LenSqr() < 1e-6*d2 {
		across = b.toC.Cross(mgl64.Vec3{1, 0, 0})
	}
	across = across.Normalize().Mul(radius)
	up := b.toC.Mul(1 / math.Sqrt(d2)).Cross(across)
	p.points, p.at = grown(p.points, sides), grown(p.at, sides)
	for i := range p.points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		p.at[i] = middle.Add(across.Mul(cos)).Add(up.Mul(sin))
		p.points[i].at = &p.at[i]
		c.project(&p.points[i])
		p.meet(&p.points[i])
	}
	for i := range p.points {
		p.edge(c, &p.points[i], &p.points[(i+1)%sides])
	}
}
