package colors

import (
	"fmt"
	"io"
)

// Class is what a colour is taken for. The values are those of team NuBot's files (nubot_ws, omni_vision, obstacles.h).
type Class uint8

const (
	Ball    Class = iota
	Black         // of robots
	Green         // of the carpet
	Unknown       // all others, white among them
	// Of robots' cards: no table has them.
	Cyan
	Magenta
)

// classes is how many a table has.
const classes = 4

// Space is how a file orders its cells.
type Space uint8

const (
	YUV Space = iota // Y/4·64² + U/4·64 + V/4: CTable.dat, of omni cameras
	BGR              // B/4·64² + G/4·64 + R/4: CTableBGR.dat, of front cameras
)

// A table has a cell for each four values of red, of green and of blue.
const (
	bits  = 6
	side  = 1 << bits
	cells = side * side * side
)

// Table is the class of every colour: of the cell red/4·64² + green/4·64 + blue/4.
type Table struct{ cells [cells]Class }

// Class returns what a colour is taken for.
func (t *Table) Class(r, g, b byte) Class { return t.cells[cell(r, g, b)] }

func cell(r, g, b byte) int { return int(r>>2)<<(2*bits) | int(g>>2)<<bits | int(b>>2) }

// Read reads a file of 262,144 bytes, a class each. Of a file in YUV each cell gets the class of its middle. It fails
// for a file of another size and for what is no class.
func Read(r io.Reader, space Space) (*Table, error) {
	file := make([]byte, cells+1)
	n, err := io.ReadFull(r, file)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	if n != cells {
		more := ""
		if n > cells {
			n, more = cells, "more than "
		}
		return nil, fmt.Errorf("has %s%d bytes: a colour table has %d, one for each of 64 × 64 × 64 cells", more, n,
			cells)
	}
	for i, class := range file[:cells] {
		if class >= classes {
			return nil, fmt.Errorf("byte %d: %d: a class is 0 ball, 1 black, 2 green or 3 unknown", i, class)
		}
	}
	t := new(Table)
	for i := range t.cells {
		red, green, blue := byte(i>>(2*bits)<<2), byte(i>>bits<<2), byte(i<<2)
		at := int(blue>>2)<<(2*bits) | int(green>>2)<<bits | int(red>>2)
		if space == YUV {
			at = cell(yuv(float64(red)+1.5, float64(green)+1.5, float64(blue)+1.5))
		}
		t.cells[i] = Class(file[at])
	}
	return t, nil
}

// yuv returns a colour as OpenCV's COLOR_BGR2YUV does: Y of ITU-R BT.601, and its differences from blue and red.
func yuv(r, g, b float64) (y, u, v byte) {
	luma := 0.299*r + 0.587*g + 0.114*b
	whole := func(x float64) byte { return byte(min(max(x+0.5, 0), 255)) }
	return whole(luma), whole(0.492*(b-luma) + 128), whole(0.877*(r-luma) + 128)
}
