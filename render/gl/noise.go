package gl

// noiseSize is the side of the noise texture, texels.
const noiseSize = 256

// noiseTexture returns a grey pattern that repeats seamlessly, mean about one half: the carpet's grain.
func noiseTexture() []uint8 {
	out := make([]uint8, noiseSize*noiseSize)
	for y := range noiseSize {
		for x := range noiseSize {
			sum := 0.0
			for _, o := range [...]struct {
				cells  int
				weight float64
			}{{16, 0.3}, {64, 0.3}, {256, 0.4}} {
				sum += o.weight * valueNoise(x, y, o.cells)
			}
			out[y*noiseSize+x] = uint8(255 * sum)
		}
	}
	return out
}

// valueNoise interpolates random values on a lattice of cells × cells, in [0, 1).
func valueNoise(x, y, cells int) float64 {
	step := noiseSize / cells
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
