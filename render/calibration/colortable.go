package calibration

import (
	"fmt"
	"io"
	"strings"
)

// ColorClass is the class of a colour in a colour table. The values are those of team NuBot's tables (nubot_ws,
// omni_vision, obstacles.h). There is no class for white lines, because the team's program finds them by brightness.
type ColorClass uint8

const (
	BallColor    ColorClass = iota
	BlackColor              // of robots and obstacles
	GreenColor              // of the carpet
	UnknownColor            // all other colours, including white
)

// colorClasses are the names of the classes.
var colorClasses = [4]string{BallColor: "ball", BlackColor: "black", GreenColor: "green", UnknownColor: "unknown"}

// ColorSpace is the order of a ColorTable's cells. Each cell covers 4 × 4 × 4 values of 8 bits.
type ColorSpace uint8

const (
	YUV ColorSpace = iota // Y·64² + U·64 + V, as in CTable.dat of nubot_ws, omni_vision
	BGR                   // B·64² + G·64 + R, as in CTableBGR.dat of nubot_ws, front_vision
)

// cells is the number of cells of a table.
const cells = 64 * 64 * 64

// cell returns the index of the cell that contains a colour.
func (s ColorSpace) cell(r, g, b byte) int {
	if s == BGR {
		return index(b, g, r)
	}
	return index(yuv(r, g, b))
}

// nearBlack reports whether the colour of a cell is black or dark grey. The ball of a dim hall is as dark, but has a
// colour. The limits are guesses: brightness above which black leather in the light of a hall is rare, and the noise of
// dark pixels.
func (s ColorSpace) nearBlack(cell int) bool {
	const darkest, noise = 48, 12
	y, u, v := byte(cell>>12)*4+2, byte(cell>>6&63)*4+2, byte(cell&63)*4+2
	if s == BGR {
		y, u, v = yuv(v, u, y)
	}
	within := func(x byte) bool { return x >= 128-noise && x < 128+noise }
	return y < darkest && within(u) && within(v)
}

func index(x, y, z byte) int { return int(x)/4<<12 | int(y)/4<<6 | int(z)/4 }

// yuv converts a colour like OpenCV's COLOR_BGR2YUV, which vision nodes use: Y of ITU-R BT.601, U = 0.492·(B − Y) + 128
// and V = 0.877·(R − Y) + 128, in fixed point with 14 bits, clipped.
func yuv(r, g, b byte) (y, u, v byte) {
	const bits, half = 14, 1 << 13
	luma := (4899*int(r) + 9617*int(g) + 1868*int(b) + half) >> bits
	chroma := func(difference, factor int) byte {
		return byte(min(max((difference*factor+128<<bits+half)>>bits, 0), 255))
	}
	return byte(luma), chroma(int(b)-luma, 8061), chroma(int(r)-luma, 14369)
}

// ColorTable holds the class of every colour. Its cells are in the order of a ColorSpace.
type ColorTable struct {
	Space ColorSpace
	Cells [cells]ColorClass
}

// File returns the name of the table's file in the team's packages.
func (t *ColorTable) File() string {
	if t.Space == BGR {
		return "CTableBGR.dat"
	}
	return "CTable.dat"
}

// Bytes returns the table in the format of team NuBot's nodes: one byte per cell.
func (t *ColorTable) Bytes() []byte {
	bytes := make([]byte, cells)
	for i, class := range t.Cells {
		bytes[i] = byte(class)
	}
	return bytes
}

// Write writes the table in the format of Bytes.
func (t *ColorTable) Write(files *Files, path string) error {
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(t.Bytes())
		return err
	})
}

// Class returns the class of a pixel.
func (t *ColorTable) Class(r, g, b byte) ColorClass { return t.Cells[t.Space.cell(r, g, b)] }

// reach is the radius in cells up to which Table fills empty cells with the class of their neighbours. On images that
// were not used to make the table, a reach of 1 finds 4 % more of the ball's pixels than a reach of 0. A reach above 2
// gains nothing.
const reach = 2

// Table assigns a class to each cell of a colour space: the class of most of the cell's pixels. A cell without pixels
// gets the class of the nearest cells with pixels, up to a distance of reach. The remaining cells are unknown. Colours
// near black are never the ball's: its black patches are black. A vision would otherwise see the ball in all that is
// dark in a hall without black robots, and beside the mirror.
func (h *ColorHistogram) Table(space ColorSpace) *ColorTable {
	counts := new(cellCounts)
	h.each(func(r, g, b byte, pixels *[len(confusionRows)]int) {
		cell := &counts[space.cell(r, g, b)]
		for kind, n := range pixels[:Outside] {
			cell[classOf(kind)] += n
		}
	})
	for i := range counts {
		if c := &counts[i]; space.nearBlack(i) {
			c[BlackColor], c[BallColor] = c[BlackColor]+c[BallColor], 0
		}
	}
	t := &ColorTable{Space: space}
	for i := range t.Cells {
		t.Cells[i] = UnknownColor
		for r := range reach + 1 {
			if class, ok := counts.majority(i, r); ok {
				if class == BallColor && space.nearBlack(i) {
					class = BlackColor
				}
				t.Cells[i] = class
				break
			}
		}
	}
	return t
}

// classOf returns the correct class of pixels of the given kind.
func classOf(kind int) ColorClass {
	return ColorClass(min(kind, int(UnknownColor)))
}

// cellCounts counts the pixels of each class in each cell.
type cellCounts [cells][len(colorClasses)]int

// majority returns the most frequent class in the cube of cells around a cell. ok is false if the cube has no pixels.
// Among equally frequent classes majority returns the last one, so unknown takes precedence.
func (c *cellCounts) majority(cell, radius int) (most ColorClass, ok bool) {
	var sum [len(colorClasses)]int
	x, y, z := cell>>12, cell>>6&63, cell&63
	for i := max(x-radius, 0); i <= min(x+radius, 63); i++ {
		for j := max(y-radius, 0); j <= min(y+radius, 63); j++ {
			for k := max(z-radius, 0); k <= min(z+radius, 63); k++ {
				for class, n := range &c[i<<12|j<<6|k] {
					sum[class] += n
				}
			}
		}
	}
	for class, n := range sum {
		if n > 0 && n >= sum[most] {
			most, ok = ColorClass(class), true
		}
	}
	return most, ok
}

// Confusion is a confusion matrix. It counts how often a table assigned a class to pixels of a kind. Its columns are
// the classes. Its rows are the kinds of pixels: the classes, and white lines.
type Confusion [len(confusionRows)][len(colorClasses)]int

var confusionRows = [...]string{"ball", "black", "green", "other", "lines", "outside"}

// Lines is the row of a Confusion for white lines, which have no class of their own. Outside is the row for pixels that
// no light reaches through the optics, such as those beside a mirror. Tables are not made from them, and the figures of
// a Confusion leave them out.
const (
	Lines   = len(colorClasses)
	Outside = Lines + 1
)

// String formats the matrix as text, with a row for each kind of pixel. A row contains the number of pixels, and the
// percentages of them to which the table assigned each class.
func (c *Confusion) String() string {
	return c.text(colorClasses[:], func(row, column int) int { return c[row][column] })
}

// Carpet formats the matrix with two columns: carpet and everything else.
func (c *Confusion) Carpet() string {
	return c.text([]string{"carpet", "rest"}, func(row, column int) int {
		carpet := c[row][GreenColor]
		if column == 0 {
			return carpet
		}
		rest := -carpet
		for _, n := range c[row] {
			rest += n
		}
		return rest
	})
}

// text formats a table of percentages.
func (c *Confusion) text(columns []string, count func(row, column int) int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%-7s %9s", "true", "pixels")
	for _, name := range columns {
		fmt.Fprintf(&s, " %9s", name)
	}
	for row, name := range confusionRows {
		total := 0
		for _, n := range c[row] {
			total += n
		}
		fmt.Fprintf(&s, "\n%-7s %9d", name, total)
		for column := range columns {
			if total == 0 {
				fmt.Fprintf(&s, " %9s", "–")
				continue
			}
			fmt.Fprintf(&s, " %9.2f", 100*float64(count(row, column))/float64(total))
		}
	}
	return s.String()
}

// Share returns the fraction of the pixels of a kind to which the table assigned a class; 0 if there are no pixels of
// that kind.
func (c *Confusion) Share(kind int, class ColorClass) float64 {
	total := 0
	for _, n := range c[kind] {
		total += n
	}
	return float64(c[kind][class]) / float64(max(total, 1))
}

// Balanced returns the balanced accuracy: the fraction of correctly classified pixels, averaged over kinds.
func (c *Confusion) Balanced() float64 {
	sum := 0.0
	for kind := range Outside {
		sum += c.Share(kind, classOf(kind))
	}
	return sum / float64(Outside)
}

// Precision returns the fraction of correct pixels among all pixels to which the table assigned a class. It returns 1
// if there are no such pixels.
func (c *Confusion) Precision(class ColorClass) float64 {
	called, right := 0, 0
	for kind := range Outside {
		called += c[kind][class]
		if classOf(kind) == class {
			right += c[kind][class]
		}
	}
	if called == 0 {
		return 1
	}
	return float64(right) / float64(called)
}
