package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// Brightness is the light that arrives on the unshaded floor, relative to the light of the default Lighting.
type Brightness struct {
	Even  float64 // the light far from spots
	spots []brightSpot
}

// brightSpot is a lamp at height z and the light that it adds on the floor directly below.
type brightSpot struct{ x, y, z, amount float64 }

// Brightness returns the brightness under a Lighting. In a dark hall Even is tiny but never 0, since 0 means that the
// light is unknown.
func (l Lighting) Brightness() Brightness {
	even := func(l Lighting) float64 {
		light := l.Light()
		return Luminance(light.Lamp.Mul(light.DirectionW[2]).Add(light.Sky))
	}
	common := even(DefaultLighting())
	b := Brightness{Even: max(even(l)/common, math.SmallestNonzeroFloat64)}
	for _, s := range l.Spots {
		b.spots = append(b.spots, brightSpot{s.X, s.Y, s.Z,
			Luminance(tinted(commonLamp, s.Amount, s.Temperature)) / common})
	}
	return b
}

// Spots returns the light that spots add at a point of the floor, by the inverse-square and the cosine law.
func (b *Brightness) Spots(x, y float64) (sum float64) {
	for i := range b.spots {
		s := &b.spots[i]
		dx, dy := x-s.x, y-s.y
		cos := s.z / math.Sqrt(dx*dx+dy*dy+s.z*s.z)
		sum += s.amount * cos * cos * cos
	}
	return sum
}

// Luminance returns the luminance of a linear sRGB colour (IEC 61966-2-1).
func Luminance(c mgl32.Vec3) float64 {
	return 0.2126*float64(c[0]) + 0.7152*float64(c[1]) + 0.0722*float64(c[2])
}
