package render

import (
	"math"
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

// Exchange passes the light and the colours to a codec. A restored Shading keeps its number of lamps and materials, and
// its setting of shadows.
func (s *Shading) Exchange(c *keyframe.Codec) {
	const far, bright = 1e4, 1e6 // metres; and limit of light, as a multiple of the sun's
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

// Ring returns the radiance of the bright ring at the edge of a mirror's image.
func (l *Light) Ring() mgl32.Vec3 { return l.Sky.Mul(0.10).Add(l.Lamp.Mul(0.02)) }

// Constants of shading that all renderers use. The values are guesses from photographs.
const (
	// RimShare is the width of the bright ring at the edge of a mirror's image, as a fraction of the image's radius.
	RimShare = 0.012
	// NetPitch is the distance between the threads of a net in both directions. NetThread is the thickness of the
	// threads. Both are in metres.
	NetPitch, NetThread = 0.08, 0.004
	// NearFloor is the height below which less ambient light arrives, metres.
	NearFloor = 0.25
	// ShadowTexels is the number of texels of shadow maps along the carpet's longer side. On a field of 18 m, a texel
	// is 3 cm wide.
	ShadowTexels = 768
	// ShadowMargin is how far shadow maps extend beyond the carpet, metres.
	ShadowMargin = 0.5
)

// Constants of the filter that softens shadows on the floor. Package gl has the same constants in its shaders.
const (
	// FloorStep is the height up to which bodies do not shade the floor, metres.
	FloorStep = 0.005
	// UnderShadow is the fraction of the ambient light that reaches a floor point whose surroundings are all in shadow.
	UnderShadow = 0.45
	// SofteningReach is the distance in texels up to which softening changes shadows: the largest offset of the
	// filter's taps plus one.
	SofteningReach = 7

	narrow = 1.6 // radius of the soft edge of the lamp's shadow, texels
	broad  = 6   // radius within which bodies occlude the ambient light, texels
)

// Tap is the weight of one texel in the filter that softens shadows. If the texel at the offset is in shadow, the
// filter removes the fraction Lamp of the lamp's light and the fraction Ambient·(1 − UnderShadow) of the ambient light.
type Tap struct {
	DX, DY        int // offset, texels
	Lamp, Ambient float32
}

// Softening returns the filter, row by row. It consists of eight taps on each of two circles and one tap in the centre.
// Each tap is distributed bilinearly over texels.
func Softening() []Tap {
	sum := map[[2]int]*Tap{}
	spread := func(x, y, lamp, ambient float64) {
		fx, fy := math.Floor(x), math.Floor(y)
		for i := range 4 {
			cx, cy := float64(i&1), float64(i>>1)
			w := (1 - math.Abs(x-fx-cx)) * (1 - math.Abs(y-fy-cy))
			key := [2]int{int(fx + cx), int(fy + cy)}
			if w == 0 {
				continue
			}
			if sum[key] == nil {
				sum[key] = &Tap{DX: key[0], DY: key[1]}
			}
			sum[key].Lamp += float32(w * lamp)
			sum[key].Ambient += float32(w * ambient)
		}
	}
	const ninth = 1.0 / 9
	for i := range 8 {
		s, c := math.Sincos(math.Pi/4*float64(i) + 0.3)
		spread(narrow*c, narrow*s, ninth, ninth*ninth)
		spread(broad*c, broad*s, 0, ninth)
	}
	spread(0, 0, ninth, ninth*ninth)
	var taps []Tap
	// in a fixed order, because sums of floats depend on the order
	for dy := -SofteningReach; dy <= SofteningReach; dy++ {
		for dx := -SofteningReach; dx <= SofteningReach; dx++ {
			if t := sum[[2]int{dx, dy}]; t != nil {
				taps = append(taps, *t)
			}
		}
	}
	return taps
}
