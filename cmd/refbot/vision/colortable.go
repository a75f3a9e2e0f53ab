package vision

import (
	"fmt"
	"io"
)

// Class is the class of a colour. The values are those of team NuBot's files (nubot_ws, omni_vision, obstacles.h).
type Class uint8

const (
	ClassBall    Class = iota
	ClassBlack         // robots
	ClassGreen         // carpet
	ClassUnknown       // all colours of no other class, including white
	// Classes of robots' cards. Colour tables do not contain them.
	ClassCyan
	ClassMagenta
)

// tableClasses is the number of classes in a table.
const tableClasses = 4

// ColorSpace is the colour space of a table's file, which determines the order of the cells.
type ColorSpace uint8

const (
	YUV ColorSpace = iota // Y/4·64² + U/4·64 + V/4: CTable.dat, of omni cameras
	BGR                   // B/4·64² + G/4·64 + R/4: CTableBGR.dat, of front cameras
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
