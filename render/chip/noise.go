package chip

import "github.com/omnipitch/omnipitch/render"

// Key selects an image's random numbers.
type Key [2]uint32

// newKey mixes the bits of an image's key. Then any two keys select independent random numbers (SplitMix64; Steele et
// al., OOPSLA 2014).
func newKey(k uint64) Key {
	k += 0x9E3779B97F4A7C15
	k = (k ^ k>>30) * 0xBF58476D1CE4E5B9
	k = (k ^ k>>27) * 0x94D049BB133111EB
	k ^= k >> 31
	return Key{uint32(k), uint32(k >> 32)}
}

// bits returns 32 random bits for an index. It is a hash of three rounds of 32-bit operations. Before each of the first
// two rounds it mixes in one half of the key. With only two rounds, pixels whose indices differ in two bits would be
// correlated. Constants: C. Wellons, "Prospecting for hash functions" (triple32).
func (k Key) bits(index uint32) uint32 {
	h := index ^ k[0]
	h = (h ^ h>>17) * 0xed5ad4bb
	h += k[1]
	h = (h ^ h>>11) * 0xac4c1b51
	h = (h ^ h>>15) * 0x31848bab
	return h ^ h>>14
}

// steps is the number of values of the sum of four bytes, 0 to 1,020.
const steps = 4*255 + 1

// byteSum returns the sum of the four bytes, 0 to steps − 1.
func byteSum(bits uint32) uint32 {
	pairs := bits&0x00ff00ff + bits>>8&0x00ff00ff
	return (pairs + pairs>>16) & 0x3ff
}

// Coefficients of normal. The sum s of four bytes has the variance 4·(256² − 1)/12 and the kurtosis 2.69999. With these
// coefficients the result has variance 1 and kurtosis 3, to 1e-7. The coefficients were computed numerically.
const (
	normalLinear float32 = 0.006421040612805972
	normalCubic  float32 = 5.773954283329995e-09
)

// normal turns a sum of four random bytes into a random number with mean 0, variance 1, skewness 0 and kurtosis 3, like
// those of a normal distribution. The sum itself has too short tails (Irwin-Hall distribution), which a cubic term
// stretches. The largest result is 4.04.
func normal(sum uint32) float32 {
	s := float32(sum) - (steps-1)/2
	return s * (normalLinear + float32(normalCubic*(s*s)))
}

// ColumnNumbers holds the parameters of blooming and smear in a CCD's columns, as the arithmetic uses them.
//
// A pixel holds at most the charge of a full well. A fraction of the charge beyond that spills, half up and half down
// the column, into the nearest wells that have room: blooming. The rest flows into the overflow drain. Channel stops
// keep charge from spilling into other columns (Theuwissen, "Solid-State Imaging with Charge-Coupled Devices", 1995).
// While charge is shifted down a column, light of the whole column falls on it: smear. It adds the same charge to all
// pixels of a column, in proportion to the column's total light (Powell et al., "Restoration and frequency analysis of
// smeared CCD images", Applied Optics 38, 1999). Data sheets state the smear that a white patch a tenth as high as the
// image causes. Each colour is computed separately.
type ColumnNumbers struct {
	On    bool
	Spill float32 // half of the fraction of the excess charge that spills, see render.Chip.Spill
	Full  float32 // light that fills a well
	Smear float32 // fraction of each pixel's light that smears over its column
}

func newColumnNumbers(c *render.Chip, height int) ColumnNumbers {
	if c.Spill == 0 && c.Smear == 0 {
		return ColumnNumbers{}
	}
	return ColumnNumbers{On: true, Spill: float32(c.Spill / 2), Full: float32(1 / c.Exposure),
		Smear: float32(c.Smear * 10 / float64(height))}
}

// ColumnsRoom returns the number of floats of scratch memory that apply needs for an image: the spilt charge of 16
// columns.
func ColumnsRoom(height int) int { return 16 * height }

// apply applies blooming and smear to a colour's plane. spilt must have ColumnsRoom numbers.
func (n *ColumnNumbers) apply(plane []float32, width, height int, spilt []float32) {
	for x := range width {
		var sum, flow float32
		for y := range height { // downwards
			l := plane[y*width+x]
			sum += l
			spilt[y] = float32(n.Spill * max(l-n.Full, 0))
			plane[y*width+x] = n.fill(min(l, n.Full), &flow, spilt[y])
		}
		flow = 0
		for y := height - 1; y >= 0; y-- {
			plane[y*width+x] = n.fill(plane[y*width+x], &flow, spilt[y])
		}
		smear := float32(n.Smear * sum)
		for y := range height {
			plane[y*width+x] += smear
		}
	}
}

// fill returns the content of a well that received light, after it has exchanged charge with flow, the charge that
// spills along the column. A well with too much charge adds its excess to flow. A well with room takes charge from
// flow.
func (n *ColumnNumbers) fill(light float32, flow *float32, spilt float32) float32 {
	*flow += spilt
	taken := min(*flow, n.Full-light)
	*flow -= taken
	return light + taken
}

// FixedNumbers holds the parameters of a render.FixedPattern as the arithmetic uses them. Charge is counted in full
// wells.
type FixedNumbers struct {
	On          bool
	Response    float32 // standard deviation of the response, as a fraction
	Dark        float32 // standard deviation
	Row, Column float32
	Hot         int32   // a pixel is hot if its 31-bit random number is below Hot
	HotStep     float32 // 1 / Hot
	HotCharge   float32 // dark signal of the weakest hot pixel, in full wells
	Keys        [4]Key  // keys for the random numbers of Response, of Dark, of rows and columns, and of hot pixels
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
// A hot pixel's dark current has shot noise like light. The dark signal of a hot pixel is the weakest signal times
// 1/u², where u is uniform in (0, 1]. So the number of hot pixels above a threshold is inversely proportional to the
// threshold's square root. This agrees with Chapman et al. ("Empirical formula for rates of hot pixel defects based on
// pixel size, sensor area, and ISO", SPIE 8659, 2013): the number of visible hot pixels grows with the square root of
// the gain.
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

// bayer is the colour that each pixel of an RGGB sensor measures, indexed by the parity of its row and column: 0 is
// red, 1 is green, 2 is blue.
var bayer = [2][2]int{{0, 1}, {1, 2}}

// demosaic makes an image from the readings of a mosaic, one per pixel. The two other colours of each pixel are the
// means of the two or four nearest readings of these colours. The image is mirrored at its border, which preserves the
// order of colours.
func demosaic(im *render.Image, read []float32) {
	w, h := im.Width, im.Height
	for y := range h {
		row := read[y*w : (y+1)*w]
		up, down := read[mirrored(y-1, h)*w:][:w], read[mirrored(y+1, h)*w:][:w]
		for x, own := range row {
			left, right := mirrored(x-1, w), mirrored(x+1, w)
			var pixel [3]float32
			switch color := bayer[y&1][x&1]; color {
			case 1: // red along one axis, blue along the other
				beside := bayer[y&1][(x+1)&1]
				pixel[beside] = (row[left] + row[right]) / 2
				pixel[1] = own
				pixel[2-beside] = (up[x] + down[x]) / 2
			default:
				pixel[color] = own
				pixel[1] = ((up[x] + down[x]) + (row[left] + row[right])) / 4
				pixel[2-color] = ((up[left] + up[right]) + (down[left] + down[right])) / 4
			}
			for c, light := range pixel {
				im.Pix[3*(y*w+x)+c] = render.Encode8(light)
			}
		}
	}
}

// mirrored returns the index in a line of n ≥ 2 elements that an index i from −1 to n stands for, if the line is
// mirrored at its ends.
func mirrored(i, n int) int {
	switch {
	case i < 0:
		return 1
	case i == n:
		return n - 2
	}
	return i
}
