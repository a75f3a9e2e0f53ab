package render

// The carpet's grain: a texture of GrainSize × GrainSize texels that repeats GrainRepeats times a metre.
const (
	GrainSize    = 256
	GrainRepeats = 0.61
)

// The carpet's wear uses the same texture, repeated WearRepeats times a metre. Wear starts where the texture has the
// value WearFrom, and is full from WearTo on.
const (
	WearRepeats = 0.021
	WearFrom    = 0.35
	WearTo      = 0.65
)

// The relative changes of the reflectance of carpet, markings and bare floor between the least and the largest value of
// the texture. The values are guesses from photographs.
const (
	CarpetGrain = 0.35
	LineGrain   = 0.12
	BareGrain   = 0.08
)

// Grain returns the carpet's grain, row by row: a grey pattern that repeats seamlessly, mean about one half.
func Grain() []uint8 {
	out := make([]uint8, GrainSize*GrainSize)
	for y := range GrainSize {
		for x := range GrainSize {
			sum := 0.0
			for _, o := range [...]struct {
				cells  int
				weight float64
			}{{16, 0.3}, {64, 0.3}, {256, 0.4}} {
				sum += o.weight * valueNoise(x, y, o.cells)
			}
			out[y*GrainSize+x] = uint8(255 * sum)
		}
	}
	return out
}

// valueNoise interpolates random values on a lattice of cells × cells. It returns values in [0, 1).
func valueNoise(x, y, cells int) float64 {
	step := GrainSize / cells
	cx, cy := x/step, y/step
	fx, fy := float64(x%step)/float64(step), float64(y%step)/float64(step)
	at := func(i, j int) float64 { return lattice(uint32(i%cells), uint32(j%cells), uint32(cells)) }
	low := at(cx, cy)*(1-fx) + at(cx+1, cy)*fx
	high := at(cx, cy+1)*(1-fx) + at(cx+1, cy+1)*fx
	return low*(1-fy) + high*fy
}

// lattice hashes a lattice point to [0, 1). Constants: Jenkins' and Murmur's mixing multipliers.
func lattice(x, y, layer uint32) float64 {
	h := x*0x9e3779b1 ^ y*0x85ebca77 ^ layer*0xc2b2ae3d
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	h ^= h >> 15
	return float64(h) / (1 << 32)
}
