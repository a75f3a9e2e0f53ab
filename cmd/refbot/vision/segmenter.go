package vision

import "math"

// Gains by which a channel's light is multiplied before it is looked up: from 1/8 to 8 in steps of an eighth of an
// octave.
const (
	octaves        = 3
	gainsPerOctave = 8
	gainCount      = 2*octaves*gainsPerOctave + 1
	unitGain       = octaves * gainsPerOctave // the gain of 1
	// red and blue against green, steps: a lamp of 3,500 K against 6,500 K needs 8, measured
	maxTint = 3 * gainsPerOctave / 2
)

// lightGains is the gain of each channel, as an index of a Segmenter's tables.
type lightGains struct{ red, green, blue int }

// Segmenter tells the classes of all pixels of one camera's images.
type Segmenter struct {
	table   *ColorTable
	floor   []int32
	deep    []uint8                // of each cell, see depth
	scaled  [gainCount][256]uint32 // a value in a light, its lowest bits dropped
	light   lightGains
	pause   int          // images from the last time when another light was looked for to the next
	wait    int          // those that are left
	depth   int          // of the floor when it was looked for last
	votes   []lightGains // what the last images said, since the light changed
	classes []Class
}

// NewSegmenter returns one for images of a size. Most of the floor's pixels, by number and row by row, show carpet: by
// them it finds how the light differs from the table's. Without any, the table's light is taken.
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

// Segment returns the class of each pixel of an image, rgb8, row by row, lent until the next call. It returns nil for
// an image of another size.
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
