package chip

import "github.com/omnipitch/omnipitch/render"

// FixedNumbers is a render.FixedPattern as the arithmetic has it. Charge is counted in full wells.
type FixedNumbers struct {
	On          bool
	Response    float32 // standard deviation, a share
	Dark        float32 // standard deviation
	Row, Column float32
	Hot         int32   // of 2³¹ random numbers so many make a pixel hot
	HotStep     float32 // 1 by Hot
	HotCharge   float32 // of the least hot
	Keys        [4]Key  // of Response, Dark, rows and columns, and hot pixels
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

// add returns what the pixel at (x, y) collects, of which index is that of its colour, and its dark signal besides.
//
// A hot pixel's dark current has shot noise as light has. That of a share u² of them is 1/u times the least or more,
// with u evenly from 0 to 1: the number of those above a threshold falls with its square root, as Chapman et al. found
// it ("Empirical formula for rates of hot pixel defects based on pixel size, sensor area, and ISO", SPIE 8659, 2013:
// with the square root of the gain more are seen).
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
