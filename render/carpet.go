package render

import "math"

// PileDepth is the optical depth of the layer of fibre tips on a carpet, whose scattering is its sheen. Estimated.
const PileDepth = 0.1

// PileScatter returns the BRDF of a layer of fibre tips that scatters all light that it stops, evenly into all
// directions, 1/sr, by the cosines of the angles to the surface: it is seen where one looks along the surface. Source:
// Koenderink and Pont, "The secret of velvety skin", Machine Vision and Applications 14, 2003, by the single scattering
// of a slab, Chandrasekhar, "Radiative transfer", 1960.
func PileScatter(out, in float64) float64 {
	if out <= 0 || in <= 0 {
		return 0
	}
	return (1 - math.Exp(-PileDepth*(1/out+1/in))) / (4 * math.Pi * (out + in))
}

// Seams are those of a carpet's rolls, which lie along x side by side, one of them in the middle.
type Seams struct {
	Pitch float64 // width of a roll, metres; 0: the carpet is of one piece
	Dark  float64 // share of the light that is lost in a seam
}

// SeamHalf is half the width of a seam, metres. Estimated.
const SeamHalf = 0.004

// Traces is what use has left on a floor: a map of Texels × Texels, rows from the lowest y, over a square around the
// origin whose side is Size.
type Traces struct {
	Size float64 // metres
	Pix  []byte  // Texels × Texels × 4, see Kept, Clean, There and Shift
}

// What the map of Traces holds.
const (
	Kept  = iota // share of the floor's light that wear has left; 255: all
	Clean        // share of the markings' light that dirt has left; 255: all
	There        // how much of the markings' tape is there, sharpened where it is seen from near: 0 to 255
	Shift        // by how much the markings' tape lies beside its place, from −ShiftReach to ShiftReach: 1 to 255
)

const (
	// TraceTexels is the number of texels along each side of the map of Traces.
	TraceTexels = 1 << TraceOrder
	TraceOrder  = 9
	// ShiftReach is the largest shift of a marking's tape, metres.
	ShiftReach = 0.008
	// SharpestTape is how many times as steep as the map has it the edge of torn tape is at most.
	SharpestTape = 6
)

// NewTraces returns those of a floor that nobody has used.
func NewTraces(f *Floor) *Traces {
	t := &Traces{Size: math.Max(f.SizeX, f.SizeY), Pix: make([]byte, 4*TraceTexels*TraceTexels)}
	for i := 0; i < len(t.Pix); i += 4 {
		t.Pix[i+Kept], t.Pix[i+Clean], t.Pix[i+There], t.Pix[i+Shift] = 255, 255, 255, 128
	}
	return t
}

// halved returns a level with half as many texels along each side, each the mean of four.
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

// Levels returns the map and its mip levels, each with half as many texels along each side as the one before, down to a
// single one.
func (t *Traces) Levels() [][]byte {
	all := [][]byte{t.Pix}
	for n := TraceTexels; n > 1; n /= 2 {
		all = append(all, halved(all[len(all)-1], n))
	}
	return all
}

// MeanKept returns the share of the floor's light that wear has left on the average; all of it without Traces.
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

// KeptAt returns the share of the floor's light that wear has left at a point (x, y), metres: bilinear between texels.
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
