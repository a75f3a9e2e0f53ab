package calibration

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
)

// ColorHistogram counts the pixels of each kind by 8-bit RGB colour. Kinds are the rows of a Confusion. The class that
// a table assigns to a pixel depends on the pixel's colour alone, so a histogram suffices to make tables and to test
// them. The zero value is empty. Memory is allocated in blocks of 512 colours, 24 kB each; images of a hall need some
// hundreds of the 32,768 blocks.
type ColorHistogram struct {
	blocks [1 << 15]*colorBlock // blocks, indexed by the upper five bits of red, green and blue
}

// colorBlock counts the pixels of all colours with the same upper five bits per channel. It is indexed by the lower
// three bits of each channel.
type colorBlock [1 << 9][len(confusionRows)]int

// Classifier assigns classes to colours.
type Classifier interface {
	Class(r, g, b byte) ColorClass
}

// Add counts a pixel of a kind.
func (h *ColorHistogram) Add(r, g, b byte, kind int) {
	block := &h.blocks[int(r)>>3<<10|int(g)>>3<<5|int(b)>>3]
	if *block == nil {
		*block = new(colorBlock)
	}
	(*block)[int(r)&7<<6|int(g)&7<<3|int(b)&7][kind]++
}

// Merge adds the counts of another histogram.
func (h *ColorHistogram) Merge(other *ColorHistogram) {
	for i, from := range &other.blocks {
		if from == nil {
			continue
		}
		if h.blocks[i] == nil {
			h.blocks[i] = new(colorBlock)
		}
		to := h.blocks[i]
		for color := range from {
			for kind, n := range &from[color] {
				to[color][kind] += n
			}
		}
	}
}

// Pixels returns the number of counted pixels of a kind.
func (h *ColorHistogram) Pixels(kind int) (n int) {
	h.each(func(_, _, _ byte, pixels *[len(confusionRows)]int) { n += pixels[kind] })
	return n
}

// Judge returns the confusion matrix of a classifier t on the counted pixels.
func (h *ColorHistogram) Judge(t Classifier) *Confusion {
	c := new(Confusion)
	h.each(func(r, g, b byte, pixels *[len(confusionRows)]int) {
		class := t.Class(r, g, b)
		for kind, n := range pixels {
			c[kind][class] += n
		}
	})
	return c
}

// each calls the function f for every counted colour, with the number of pixels of each kind.
func (h *ColorHistogram) each(f func(r, g, b byte, pixels *[len(confusionRows)]int)) {
	for i, block := range &h.blocks {
		if block == nil {
			continue
		}
		for j := range block {
			if pixels := &block[j]; *pixels != [len(confusionRows)]int{} {
				f(byte(i>>10<<3|j>>6), byte(i>>5&31<<3|j>>3&7), byte(i&31<<3|j&7), pixels)
			}
		}
	}
}

// CarpetColors is a set of 8-bit RGB colours of the carpet.
type CarpetColors map[[3]byte]bool

// Carpet returns the colours that occur in the histogram and lie in green cells of its Table.
func (h *ColorHistogram) Carpet() CarpetColors {
	table, carpet := h.Table(BGR), CarpetColors{}
	h.each(func(r, g, b byte, pixels *[len(confusionRows)]int) {
		if [Outside]int(pixels[:]) != [Outside]int{} && table.Class(r, g, b) == GreenColor {
			carpet[[3]byte{r, g, b}] = true
		}
	})
	return carpet
}

// Class returns GreenColor for the carpet's colours, and UnknownColor for all other colours.
func (c CarpetColors) Class(r, g, b byte) ColorClass {
	if c[[3]byte{r, g, b}] {
		return GreenColor
	}
	return UnknownColor
}

// WriteBitBots writes the colours in the format that the Hamburg Bit-Bots' vision reads: lists of the reds, greens and
// blues (bitbots_vision, vision_modules/color.py, PixelListColorDetector). Colours ascend by red, then by green, then
// by blue.
func (c CarpetColors) WriteBitBots(out io.Writer) error {
	w := bufio.NewWriter(out)
	colors := slices.SortedFunc(maps.Keys(c), func(a, b [3]byte) int { return bytes.Compare(a[:], b[:]) })
	fmt.Fprintln(w, "color_values:\n    greenField:")
	for channel, name := range []string{"red", "green", "blue"} {
		fmt.Fprintf(w, "        %s: [", name)
		for i, color := range colors {
			if i > 0 {
				w.WriteByte(',')
			}
			fmt.Fprint(w, color[channel])
		}
		fmt.Fprintln(w, "]")
	}
	return w.Flush()
}
