package vision

import "math"

// Gains by which the light of a channel is multiplied before its colour is looked up in the table. They go from 1/8 to
// 8 in steps of an eighth of an octave.
const (
	octaves        = 3
	gainsPerOctave = 8
	gainCount      = 2*octaves*gainsPerOctave + 1
	unitGain       = octaves * gainsPerOctave // the gain 1
	// maxTint is the largest difference of the gain of red or blue from the gain of green, in steps. Measured: a lamp
	// of 3,500 K instead of 6,500 K needs 8 steps.
	maxTint = 3 * gainsPerOctave / 2
)

// lightGains is the gain of each channel, as an index of a Segmenter's tables.
type lightGains struct{ red, green, blue int }

// Segmenter classifies the pixels of one camera's images, and adapts to light that differs from the table's.
type Segmenter struct {
	table   *ColorTable
	floor   []int32
	deep    []uint8                // depth of each cell, as returned by ColorTable.depth
	scaled  [gainCount][256]uint32 // for each gain, the 8-bit values after the gain, shifted right by 2
	light   lightGains
	pause   int          // images between two searches for another light
	wait    int          // images until the next search
	depth   int          // total depth of the floor pixels at the last search
	votes   []lightGains // results of the last images since the light changed
	classes []Class
}

// NewSegmenter returns a segmenter for images of the given size. floor contains the indices, row by row, of pixels most
// of which show carpet. From these pixels the segmenter determines how the light differs from the light for which the
// table was made. If floor is empty, it assumes the table's light.
func NewSegmenter(t *ColorTable, width, height int, floor []int32) *Segmenter {
	s := &Segmenter{table: t, floor: floor, deep: t.depth(), light: lightGains{unitGain, unitGain, unitGain},
		votes: make([]lightGains, 0, lightVoters), classes: make([]Class, width*height)}
	for k := range s.scaled {
		gain := math.Exp2(float64(k-unitGain) / gainsPerOctave)
		for i := range s.scaled[k] {
			s.scaled[k][i] = uint32(math.Round(255*linearToSRGB(min(1, gain*srgbToLinear(float64(i)/255))))) >> 2
		}
	}
	return s
}

// Segment returns the class of each pixel of an rgb8 image, row by row. The result is lent until the next call. It is
// nil for an image of another size.
func (s *Segmenter) Segment(pix []byte) []Class {
	if len(pix) != 3*len(s.classes) {
		return nil
	}
	s.adapt(pix)
	red, green, blue := &s.scaled[s.light.red], &s.scaled[s.light.green], &s.scaled[s.light.blue]
	for i := range s.classes {
		p := pix[3*i : 3*i+3 : 3*i+3]
		s.classes[i] = s.table.cells[(red[p[0]]<<(2*cellBits)|green[p[1]]<<cellBits|blue[p[2]])&(cellCount-1)]
	}
	return s.classes
}

// srgbToLinear returns the linear light, 0 to 1, of an sRGB value, 0 to 1. Source: IEC 61966-2-1.
func srgbToLinear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// linearToSRGB is the inverse of srgbToLinear.
func linearToSRGB(l float64) float64 {
	if l <= 0.0031308 {
		return 12.92 * l
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// linearTable returns the linear light of each 8-bit sRGB value.
func linearTable[T float32 | float64]() (linear [256]T) {
	for i := range linear {
		linear[i] = T(srgbToLinear(float64(i) / 255))
	}
	return linear
}
