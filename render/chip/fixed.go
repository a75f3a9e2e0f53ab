package chip

import "github.com/omnipitch/omnipitch/render"

// FixedNumbers holds the parameters of a render.FixedPattern as the arithmetic uses them. Charge is counted in full
// wells.
type FixedNumbers struct {
	On          bool
	Response    float32 // standard deviation, a fraction
	Dark        float32 // standard deviation
	Row, Column float32
	Hot         int32   // a pixel is hot if its 31-bit random number is below Hot
	HotStep     float32 // 1 / Hot
	HotCharge   float32 // dark signal of the weakest hot pixel
	Keys        [4]Key  // for Response, Dark, rows and columns, and hot pixels
}

func newFixedNumbers(f *render.FixedPattern, fullWell float64) FixedNumbers {
	n := FixedNumbers{On: true, Response: float32(f.PRNU), Dark: float32(f.DSNU / fullWell),
		Row: float32(f.Row / fullWell), Column: float32(f.Column / fullWell),
		HotCharge: float32(f.HotSignal / fullWell)}
	if n.Hot = int32(f.Hot * (1<<31 - 1)); n.Hot > 0 {
		n.HotStep = 1 / float32(n.Hot)
	}
	for i := range n.Keys {
		n.Keys[i] = newKey(f.Key + uint64(i))
	}
	return n
}

// add returns the charge that the pixel at (x, y) collects, and its additional dark signal. index is the index of the
// pixel's colour.
//
// A hot pixel's dark current has shot noise like light. The signal of a hot pixel is the least signal times 1/u², with
// u uniform in (0, 1]. Thus the number of hot pixels above a threshold is inversely proportional to the threshold's
// square root, as Chapman et al. found ("Empirical formula for rates of hot pixel defects based on pixel size, sensor
// area, and ISO", SPIE 8659, 2013: the number of visible hot pixels grows with the square root of the gain).
func (f *FixedNumbers) add(charge float32, index uint32, x, y int) (collected, dark float32) {
	charge += float32(charge * float32(f.Response*normal(byteSum(f.Keys[0].bits(index)))))
	if chance := int32(f.Keys[3].bits(index) >> 1); chance < f.Hot {
		u := float32(float32(chance+1) * f.HotStep)
		charge += f.HotCharge / float32(u*u)
	}
	dark = float32(f.Dark * normal(byteSum(f.Keys[1].bits(index))))
	dark += float32(f.Row * normal(byteSum(f.Keys[2].bits(uint32(2*y)))))
	dark += float32(f.Column * normal(byteSum(f.Keys[2].bits(uint32(2*x+1)))))
	return charge, dark
}
