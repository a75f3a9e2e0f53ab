package render

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// Clone returns an independent copy.
func (s *Shading) Clone() *Shading {
	c := *s
	c.Light.Spots, c.Materials = slices.Clone(s.Light.Spots), slices.Clone(s.Materials)
	return &c
}

// Exchange passes the light and the colours to a codec. A restored Shading has the same number of lamps and materials
// as before, and the same shadows.
func (s *Shading) Exchange(c *keyframe.Codec) {
	const far, bright = 1e4, 1e6 // metres; times the sun's light
	l := &s.Light
	for _, light := range []*mgl32.Vec3{&l.Lamp, &l.Sky, &l.Bounce, &l.Background, &l.Wall, &l.Tube} {
		c.SinglesIn(light[:], 0, bright)
	}
	c.SinglesIn(l.DirectionW[:], -1.001, 1.001)
	for i := range l.Spots {
		c.SinglesIn(l.Spots[i].PosW[:], -far, far)
		c.SinglesIn(l.Spots[i].Light[:], 0, bright)
	}
	for i := range s.Materials {
		c.SinglesIn(s.Materials[i].Color[:], 0, 1)
	}
	c.SinglesIn(s.Carpet[:], 0, 1)
}

// Ring returns the radiance of the bright ring at a mirror's edge.
func (l *Light) Ring() mgl32.Vec3 { return l.Sky.Mul(0.10).Add(l.Lamp.Mul(0.02)) }

// Constants of shading that all renderers use. The values are guesses from photographs.
const (
	// RimShare is the width of the bright ring at a mirror's edge, as a fraction of its radius in the image.
	RimShare = 0.012
	// NetPitch is the distance between a net's threads in both directions, and NetThread their thickness, metres.
	NetPitch, NetThread = 0.08, 0.004
	// NearFloor is the height, metres, below which less ambient light arrives.
	NearFloor = 0.25
	// ShadowTexels is the number of texels of shadow maps along the carpet's longer side. On a field of 18 m, a texel
	// is 3 cm wide.
	ShadowTexels = 768
	// ShadowMargin is how far shadow maps extend beyond the carpet, metres.
	ShadowMargin = 0.5
)
