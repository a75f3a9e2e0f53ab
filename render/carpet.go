package render

import "math"

// PileDepth is the optical depth of the layer of fibre tips on a carpet, which scatters light as sheen. The value is a
// guess.
const PileDepth = 0.1

// PileScatter returns the BRDF, 1/sr, of a layer of fibre tips that scatters all intercepted light evenly in all
// directions. The arguments are the cosines of the angles of outgoing and incident light to the normal. The layer is
// visible mainly at grazing angles. Source: Koenderink and Pont, "The secret of velvety skin", Machine Vision and
// Applications 14, 2003. They use the single scattering of a slab by Chandrasekhar, "Radiative transfer", 1960.
func PileScatter(out, in float64) float64 {
	if out <= 0 || in <= 0 {
		return 0
	}
	return (1 - math.Exp(-PileDepth*(1/out+1/in))) / (4 * math.Pi * (out + in))
}

// Seams describes the seams between a carpet's rolls. Each roll runs along x, and the rolls lie side by side along y.
// The centre line of one roll is at y = 0.
type Seams struct {
	Pitch float64 // width of a roll, metres; 0 if the carpet has no seams
	Dark  float64 // fraction of the light that is lost in a seam
}

// SeamHalf is half the width of a seam, metres. The value is a guess.
const SeamHalf = 0.004

// Traces maps the traces of use on a floor. The map is a square around the origin with the side Size. It has Texels ×
// Texels texels, in rows from the lowest y.
type Traces struct {
	Size float64 // metres
	Pix  []byte  // Texels × Texels × 4 values; the constants Kept, Clean, There and Shift name the channels
}

// The channels of the map of Traces.
const (
	Kept  = iota // fraction of the floor's light that remains after wear; 255 is all of it
	Clean        // fraction of the markings' light that remains under dirt; 255 is all of it
	There        // how much of the markings' tape is present, 0 to 255; renderers sharpen it in close-up views
	Shift        // sideways displacement of the markings' tape; 1 to 255 stand for −ShiftReach to ShiftReach
)

const (
	// TraceTexels is the number of texels along each side of the map of Traces.
	TraceTexels = 1 << TraceOrder
	TraceOrder  = 9
	// ShiftReach is the largest displacement of a marking's tape, metres.
	ShiftReach = 0.008
	// SharpestTape is the largest factor by which renderers steepen the edge of torn tape relative to the map.
	SharpestTape = 6
)

// NewTraces returns the map of an unused floor.
func NewTraces(f *Floor) *Traces {
	t := &Traces{Size: math.Max(f.SizeX, f.SizeY), Pix: make([]byte, 4*TraceTexels*TraceTexels)}
	for i := 0; i < len(t.Pix); i += 4 {
		t.Pix[i+Kept], t.Pix[i+Clean], t.Pix[i+There], t.Pix[i+Shift] = 255, 255, 255, 128
	}
	return t
}

// halved returns the next mip level. It has half as many texels along each side, and each texel is the mean of four
// texels.
func halved(pix []byte, texels int) []byte {
	half := texels / 2
	out := make([]byte, 4*half*half)
	for y := range half {
		for x := range half {
			for c := range 4 {
				i := 4*(2*y*texels+2*x) + c
				out[4*(y*half+x)+c] = byte((int(pix[i]) + int(pix[i+4]) + int(pix[i+4*texels]) +
					int(pix[i+4*texels+4]) + 2) / 4)
			}
		}
	}
	return out
}

// Levels returns the map and its mip levels, down to a single texel.
func (t *Traces) Levels() [][]byte {
	all := [][]byte{t.Pix}
	for n := TraceTexels; n > 1; n /= 2 {
		all = append(all, halved(all[len(all)-1], n))
	}
	return all
}

// MeanKept returns the mean fraction of the floor's light that remains after wear. It returns 1 without Traces.
func (t *Traces) MeanKept() float64 {
	if t == nil || len(t.Pix) == 0 {
		return 1
	}
	sum := 0
	for i := Kept; i < len(t.Pix); i += 4 {
		sum += int(t.Pix[i])
	}
	return float64(sum) / float64(255*len(t.Pix)/4)
}

// KeptAt returns the fraction of the floor's light that remains at a point (x, y) in metres, interpolated bilinearly.
func (t *Traces) KeptAt(x, y float32) float32 {
	if t == nil {
		return 1
	}
	per := float32(TraceTexels / t.Size)
	place := func(x float32) (int, float32) {
		at := min(max(x*per+TraceTexels/2-0.5, 0), TraceTexels-1)
		i := min(int(at), TraceTexels-2)
		return i, at - float32(i)
	}
	col, u := place(x)
	row, v := place(y)
	p := t.Pix[4*(row*TraceTexels+col)+Kept:]
	low := float32(p[0])*(1-u) + float32(p[4])*u
	high := float32(p[4*TraceTexels])*(1-u) + float32(p[4*TraceTexels+4])*u
	return (low*(1-v) + high*v) / 255
}

// The carpet's grain is a texture of GrainSize × GrainSize texels, which is repeated GrainRepeats times per metre.
const (
	GrainSize    = 256
	GrainRepeats = 0.61
)

// The carpet's wear uses the texture of the grain, repeated WearRepeats times per metre. Wear starts where the texture
// has the value WearFrom, and is full where it has at least the value WearTo.
const (
	WearRepeats = 0.021
	WearFrom    = 0.35
	WearTo      = 0.65
)

// The relative changes of the reflectance of carpet, markings and bare floor from the smallest to the largest value of
// the grain texture. The values are guesses from photographs.
const (
	CarpetGrain = 0.35
	LineGrain   = 0.12
	BareGrain   = 0.08
)

// Grain returns the carpet's grain, row by row: a grey pattern that repeats seamlessly, with a mean of about one half.
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
