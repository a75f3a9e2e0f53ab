package tile

import (
	"encoding/binary"
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// packedGrain returns the levels of a floor's grain in the form that the kernels read. The level of n × n texels starts
// at index n². An element holds four bytes: the grain at the texel, and at its right, lower and lower right neighbours.
// The first is in the lowest byte.
func packedGrain(f *render.Floor) []uint32 {
	packed := make([]uint32, 2*render.GrainSize*render.GrainSize)
	level := f.Grain()
	for n := render.GrainSize; ; n /= 2 {
		at := func(x, y int) uint32 { return uint32(level[y%n*n+x%n]) }
		for y := range n {
			for x := range n {
				packed[n*n+y*n+x] = at(x, y) | at(x+1, y)<<8 | at(x, y+1)<<16 | at(x+1, y+1)<<24
			}
		}
		if n == 1 {
			return packed
		}
		half := make([]uint8, n*n/4)
		for i := range half {
			x, y := 2*(i%(n/2)), 2*(i/(n/2))
			half[i] = uint8((at(x, y) + at(x+1, y) + at(x, y+1) + at(x+1, y+1) + 2) / 4)
		}
		level = half
	}
}

// packedTraces returns the levels of a map of traces in the form that the kernels read. The level of n × n texels
// starts at index n².
func packedTraces(t *render.Traces) []uint32 {
	packed := make([]uint32, 2*render.TraceTexels*render.TraceTexels)
	for i, level := range t.Levels() {
		n := render.TraceTexels >> i
		for k := range n * n {
			packed[n*n+k] = binary.LittleEndian.Uint32(level[4*k:])
		}
	}
	return packed
}

// packedPicture returns the levels of a picture in the form that the kernels read, one after the other, and the offset
// of each level. An element holds three times 10 bits, with red in the lowest: the square roots of linear light.
func packedPicture(m *render.Image) (packed []uint32, first []int) {
	linear := [256]float64{}
	for i := range linear {
		linear[i] = render.Linear(float64(i) / 255)
	}
	width, height := m.Width, m.Height
	level := make([]float64, 3*width*height)
	for i := range level {
		level[i] = linear[m.Pix[i]]
	}
	for {
		first = append(first, len(packed))
		for i := 0; i < len(level); i += 3 {
			packed = append(packed, root(level[i])|root(level[i+1])<<10|root(level[i+2])<<20)
		}
		if width == 1 && height == 1 {
			return packed, first
		}
		w, h := max(width/2, 1), max(height/2, 1)
		half := make([]float64, 3*w*h)
		for i := range half {
			x, y, c := i/3%w, i/3/w, i%3
			// a side of one texel is not halved
			x0, x1, y0, y1 := min(2*x, width-1), min(2*x+1, width-1), min(2*y, height-1), min(2*y+1, height-1)
			half[i] = (level[3*(y0*width+x0)+c] + level[3*(y0*width+x1)+c] + level[3*(y1*width+x0)+c] +
				level[3*(y1*width+x1)+c]) / 4
		}
		level, width, height = half, w, h
	}
}

// packedTexture packs a texture's levels as packedPicture packs those of a picture.
func packedTexture(t *render.Texture) (packed []uint32, first []int) {
	for _, level := range t.Levels {
		first = append(first, len(packed))
		for p := level.Pix; len(p) > 0; p = p[3:] {
			packed = append(packed, roots[p[0]]|roots[p[1]]<<10|roots[p[2]]<<20)
		}
	}
	return packed, first
}

// roots are the square roots of the light of sRGB values.
var roots = func() (all [256]uint32) {
	for v := range all {
		all[v] = root(float64(render.Decode8(byte(v))))
	}
	return all
}()

func root(light float64) uint32 { return uint32(math.Round(1023 * math.Sqrt(light))) }
