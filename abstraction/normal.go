package abstraction

import "math"

// ziggurat covers the normal density by layers of one area, each with a rectangle that lies wholly below it: of a hundred numbers 99
// take no more than a product. Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", JSS 2000, with the
// layer and the place in it from bits of their own (Doornik, "An improved ziggurat method", 2005).
type ziggurat struct {
	within  [layers]uint64      // what a place's 2⁻⁶³ must stay below to lie in the layer's rectangle
	scale   [layers]float64     // of 2⁻⁶³ of a layer's width
	width   [layers + 1]float64 // of the layers, from the lowest, which stands for the tail too
	density [layers + 1]float64 // at those widths; it rises to the top's 1
}

const (
	layers = 128
	// tailFrom is where the tail begins, and layerArea what each layer has of √(2π); for 128 of them, ibid.
	tailFrom  = 3.442619855899
	layerArea = 9.91256303526217e-3
)

// normal is the ziggurat of all noise.
var normal = newZiggurat()

func newZiggurat() (z ziggurat) {
	f := func(x float64) float64 { return math.Exp(-x * x / 2) }
	z.width[0], z.width[1] = layerArea/f(tailFrom), tailFrom
	for i := 2; i < layers; i++ {
		z.width[i] = math.Sqrt(-2 * math.Log(layerArea/z.width[i-1]+f(z.width[i-1])))
	}
	for i := range layers {
		z.within[i] = uint64(z.width[i+1] / z.width[i] * (1 << 63))
		z.scale[i] = z.width[i] / (1 << 63)
		z.density[i] = f(z.width[i])
	}
	z.density[layers] = 1
	return z
}

// split returns the layer and the place in it, a signed odd multiple of 2⁻⁵⁷, that random bits stand for.
func split(random uint64) (layer int, place int64) {
	return int(random % layers), int64(random&^(layers-1) | layers/2)
}

// inner returns the number that random bits stand for, and whether it lies below the density without a closer look.
func (z *ziggurat) inner(random uint64) (x float64, ok bool) {
	layer, place := split(random)
	return float64(place) * z.scale[layer], uint64(max(place, -place)) < z.within[layer]
}

// outer returns the number that random bits stand for which inner was not sure of, or another in its place, by further bits.
func (z *ziggurat) outer(random uint64, further func(attempt uint64) (lo, hi uint64)) float64 {
	for attempt := uint64(0); ; attempt++ {
		x, ok := z.inner(random)
		if ok {
			return x
		}
		p, q := further(attempt)
		layer, place := split(random)
		if layer == 0 {
			// The tail, ibid.; who falls out of it tries again there.
			if beyond := -math.Log(unit(p)) / tailFrom; -2*math.Log(unit(q)) > beyond*beyond {
				return math.Copysign(tailFrom+beyond, float64(place))
			}
			continue
		}
		if z.density[layer]+unit(p)*(z.density[layer+1]-z.density[layer]) < math.Exp(-x*x/2) {
			return x
		}
		random = q
	}
}

// unit returns a number in (0, 1].
func unit(random uint64) float64 { return float64(random>>11+1) / (1 << 53) }
