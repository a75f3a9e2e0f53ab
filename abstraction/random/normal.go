package random

import "math"

// ziggurat covers the normal density with layers of equal area, each with a rectangle that lies wholly below the
// density: 99 % of all numbers take one multiplication. Source: Marsaglia and Tsang, "The ziggurat method for
// generating random variables", JSS 2000; the layer and the abscissa in it come from different bits (Doornik, "An
// improved ziggurat method", 2005).
type ziggurat struct {
	within  [layers]uint64      // an abscissa below this, in 2⁻⁶³ of the layer's width, lies in the layer's rectangle
	scale   [layers]float64     // 2⁻⁶³ of a layer's width
	width   [layers + 1]float64 // of the layers, from the lowest, which includes the tail
	density [layers + 1]float64 // at those widths, up to 1
}

const (
	layers = 128
	// tailFrom is where the tail begins, and layerArea the area of each layer, of √(2π) in all; for 128 layers, ibid.
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

// split returns the layer encoded in random bits, and the abscissa in it, in 2⁻⁶³ of its width.
func split(random uint64) (layer int, abscissa int64) {
	return int(random % layers), int64(random&^(layers-1) | layers/2)
}

// inner returns the number encoded in random bits, and whether it lies in its layer's rectangle, where it is accepted.
func (z *ziggurat) inner(random uint64) (x float64, ok bool) {
	layer, abscissa := split(random)
	return float64(abscissa) * z.scale[layer], uint64(max(abscissa, -abscissa)) < z.within[layer]
}

// outer accepts or rejects a number that inner did not accept, and returns it or another one from further bits.
func (z *ziggurat) outer(random uint64, further func(attempt uint64) (lo, hi uint64)) float64 {
	for attempt := uint64(0); ; attempt++ {
		x, ok := z.inner(random)
		if ok {
			return x
		}
		p, q := further(attempt)
		layer, abscissa := split(random)
		if layer == 0 {
			// Tail, ibid.; a rejected number is replaced there.
			if beyond := -math.Log(unit(p)) / tailFrom; -2*math.Log(unit(q)) > beyond*beyond {
				return math.Copysign(tailFrom+beyond, float64(abscissa))
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
