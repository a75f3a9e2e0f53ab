package render

import "math"

// Constants of the filter that softens shadows on the floor. Package gl has the same constants in its shaders.
const (
	// FloorStep is the height, metres, below which bodies do not shade the floor.
	FloorStep = 0.005
	// UnderShadow is the fraction of the ambient light that reaches a floor point whose surroundings are all in shadow.
	UnderShadow = 0.45
	// SofteningReach is the radius within which shadows are softened, texels: the filter's widest tap plus one.
	SofteningReach = 7

	narrow = 1.6 // texels: radius of the soft edge of the lamp's shadow
	broad  = 6   // texels: radius within which bodies occlude the ambient light
)

// Tap is the weight of one texel in the filter that softens shadows. If the texel at the offset is in shadow, the
// filter removes the fraction Lamp of the lamp's light and the fraction Ambient·(1 − UnderShadow) of the ambient light.
type Tap struct {
	DX, DY        int // offset, texels
	Lamp, Ambient float32
}

// Softening returns the filter, row by row: eight taps on each of two circles and one tap in the centre, distributed
// bilinearly over texels.
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
	for dy := -SofteningReach; dy <= SofteningReach; dy++ { // in a fixed order, since sums of floats depend on it
		for dx := -SofteningReach; dx <= SofteningReach; dx++ {
			if t := sum[[2]int{dx, dy}]; t != nil {
				taps = append(taps, *t)
			}
		}
	}
	return taps
}
