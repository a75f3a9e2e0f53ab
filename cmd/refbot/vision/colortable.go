package vision

import (
	"fmt"
	"io"
	"math"
)

// Class is the class of a colour. The values are those of team NuBot's files (nubot_ws, omni_vision, obstacles.h).
type Class uint8

const (
	ClassBall    Class = iota
	ClassBlack         // robots
	ClassGreen         // carpet
	ClassUnknown       // all colours without a class of their own, including white
	// Classes of the colour cards of robots. Colour tables do not contain these classes.
	ClassCyan
	ClassMagenta
)

// tableClasses is the number of classes in a table.
const tableClasses = 4

// ColorSpace is the colour space of a table's file, which determines the order of the cells.
type ColorSpace uint8

const (
	YUV ColorSpace = iota // order of CTable.dat, of omni cameras: the index is Y/4·64² + U/4·64 + V/4
	BGR                   // order of CTableBGR.dat, of front cameras: the index is B/4·64² + G/4·64 + R/4
)

// A table has 64 × 64 × 64 cells. Each cell covers four successive values of red, four of green and four of blue.
const (
	cellBits     = 6
	cellsPerAxis = 1 << cellBits
	cellCount    = cellsPerAxis * cellsPerAxis * cellsPerAxis
)

// ColorTable maps colours to classes. The index of a cell is red/4·64² + green/4·64 + blue/4.
type ColorTable struct{ cells [cellCount]Class }

// Class returns the class of a colour.
func (t *ColorTable) Class(r, g, b byte) Class { return t.cells[cellOf(r, g, b)] }

func cellOf(r, g, b byte) int { return int(r>>2)<<(2*cellBits) | int(g>>2)<<cellBits | int(b>>2) }

// ReadColorTable reads a file of 262,144 bytes, each of which is a class. A file in YUV is converted: each cell gets
// the class that the file has for the colour at the cell's centre. ReadColorTable returns an error for a file of
// another size or with an invalid class.
func ReadColorTable(r io.Reader, space ColorSpace) (*ColorTable, error) {
	file := make([]byte, cellCount+1)
	n, err := io.ReadFull(r, file)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	if n != cellCount {
		more := ""
		if n > cellCount {
			n, more = cellCount, "more than "
		}
		return nil, fmt.Errorf("has %s%d bytes: a colour table has %d, one for each of 64 × 64 × 64 cells", more, n,
			cellCount)
	}
	for i, class := range file[:cellCount] {
		if class >= tableClasses {
			return nil, fmt.Errorf("byte %d: %d: a class is 0 ball, 1 black, 2 green or 3 unknown", i, class)
		}
	}
	t := new(ColorTable)
	for i := range t.cells {
		red, green, blue := byte(i>>(2*cellBits)<<2), byte(i>>cellBits<<2), byte(i<<2)
		at := int(blue>>2)<<(2*cellBits) | int(green>>2)<<cellBits | int(red>>2)
		if space == YUV {
			at = cellOf(yuv(float64(red)+1.5, float64(green)+1.5, float64(blue)+1.5))
		}
		t.cells[i] = Class(file[at])
	}
	return t, nil
}

// yuv converts a colour as OpenCV's COLOR_BGR2YUV does. Y is the luma of ITU-R BT.601. U and V are the scaled
// differences of blue and of red from Y.
func yuv(r, g, b float64) (y, u, v byte) {
	luma := 0.299*r + 0.587*g + 0.114*b
	whole := func(x float64) byte { return byte(min(max(x+0.5, 0), 255)) }
	return whole(luma), whole(0.492*(b-luma) + 128), whole(0.877*(r-luma) + 128)
}

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

// Segmenter classifies the pixels of one camera's images. It adapts to light that differs from the light for which the
// colour table was made.
type Segmenter struct {
	table   *ColorTable
	floor   []int32
	deep    []uint8                // depth of each cell, as returned by ColorTable.depth
	scaled  [gainCount][256]uint32 // for each gain and 8-bit value, the value after the gain, shifted right by 2
	light   lightGains
	pause   int          // number of images between two searches for a change of the light
	wait    int          // number of images until the next search
	depth   int          // total depth of the floor pixels at the last search
	votes   []lightGains // results of the last images since the light changed
	classes []Class
}

// NewSegmenter returns a segmenter for images of the given size. floor contains the indices, row by row, of some
// pixels; most of these pixels must show carpet. From these pixels the segmenter determines how the light differs from
// the light for which the table was made. If floor is empty, it assumes the table's light.
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

// Segment returns the class of each pixel of an rgb8 image, row by row. The result is valid until the next call. It is
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
