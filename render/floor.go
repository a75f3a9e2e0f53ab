package render

import "math"

// FloorPattern is the material of a floor. It determines the grain of the floor.
type FloorPattern string

const (
	Carpet     FloorPattern = "carpet"
	Concrete   FloorPattern = "concrete"
	Tiles      FloorPattern = "tiles"  // with a side of 41 cm
	Planks     FloorPattern = "planks" // 10 cm wide, along x
	PlainFloor FloorPattern = "plain"  // one colour
)

// The widths of tiles and planks in texels of the grain, and of the joints between them. A texel is 6.4 mm wide.
const (
	tileTexels  = GrainSize / 4
	plankTexels = GrainSize / 16
	tileJoint   = 2
	plankJoint  = 1
)

// Grain returns the grain of the floor, row by row: a grey pattern that repeats seamlessly. A carpet, which has the
// empty pattern too, has a mean of about one half.
func (f *Floor) Grain() []uint8 {
	at := map[FloorPattern]func(x, y int) float64{
		Concrete: concreteGrain, Tiles: tileGrain, Planks: plankGrain,
		PlainFloor: func(int, int) float64 { return 0.5 },
	}[f.Pattern]
	if at == nil {
		return Grain()
	}
	out := make([]uint8, GrainSize*GrainSize)
	for i := range out {
		out[i] = uint8(255 * at(i%GrainSize, i/GrainSize))
	}
	return out
}

// concreteGrain has clouds and pores.
func concreteGrain(x, y int) float64 {
	v := 0.35*valueNoise(x, y, 4) + 0.3*valueNoise(x, y, 16) + 0.2*valueNoise(x, y, 64) + 0.15*valueNoise(x, y, 256)
	if lattice(uint32(x), uint32(y), 7) > 0.997 {
		v *= 0.3
	}
	return v
}

// tileGrain has tiles of slightly different shades, with dark joints.
func tileGrain(x, y int) float64 {
	if x%tileTexels < tileJoint || y%tileTexels < tileJoint {
		return 0
	}
	return 0.55 + 0.25*lattice(uint32(x/tileTexels), uint32(y/tileTexels), 11) + 0.1*valueNoise(x, y, 64)
}

// plankGrain has rows of planks, each with its own shade and with fibres along x. Every row has one joint across.
func plankGrain(x, y int) float64 {
	row := uint32(y / plankTexels)
	joint := int(GrainSize * lattice(row, 0, 13))
	if y%plankTexels < plankJoint || x == joint {
		return 0
	}
	fibre := valueNoise(x/8, y, GrainSize) // eight times longer than wide
	return math.Min(0.35+0.35*lattice(row, 1, 13)+0.25*fibre, 1)
}
