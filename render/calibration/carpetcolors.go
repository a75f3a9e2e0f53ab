package calibration

import (
	"bufio"
	"fmt"
	"io"
)

// CarpetColors is the set of 8-bit RGB colours that the carpet has.
type CarpetColors struct{ colors colorSet }

// Carpet returns the colours that occur in the histogram and lie in green cells of its Table.
func (h *ColorHistogram) Carpet() *CarpetColors {
	table, carpet := h.Table(BGR), new(CarpetColors)
	h.each(func(r, g, b byte, _ *[len(confusionRows)]int) {
		if table.Class(r, g, b) == GreenColor {
			carpet.colors.add(r, g, b)
		}
	})
	return carpet
}

// Class returns GreenColor for the carpet's colours, UnknownColor for others.
func (c *CarpetColors) Class(r, g, b byte) ColorClass {
	if c.colors.has(r, g, b) {
		return GreenColor
	}
	return UnknownColor
}

// WriteBitBots writes the colours in the format that the Hamburg Bit-Bots' vision reads: lists of the reds, greens and
// blues (bitbots_vision, vision_modules/color.py, PixelListColorDetector).
func (c *CarpetColors) WriteBitBots(out io.Writer) error {
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "color_values:\n    greenField:")
	for channel, name := range []string{"red", "green", "blue"} {
		fmt.Fprintf(w, "        %s: [", name)
		separator := ""
		c.colors.each(func(r, g, b byte) {
			fmt.Fprintf(w, "%s%d", separator, [...]byte{r, g, b}[channel])
			separator = ","
		})
		fmt.Fprintln(w, "]")
	}
	return w.Flush()
}

// colorSet is a set of 8-bit RGB colours.
type colorSet [1 << 24 / 64]uint64

func (s *colorSet) add(r, g, b byte) {
	word, bit := colorBit(r, g, b)
	s[word] |= bit
}

func (s *colorSet) has(r, g, b byte) bool {
	word, bit := colorBit(r, g, b)
	return s[word]&bit != 0
}

func colorBit(r, g, b byte) (word int, bit uint64) {
	color := int(r)<<16 | int(g)<<8 | int(b)
	return color / 64, 1 << (color % 64)
}

// each calls the function f for every colour of the set, in ascending order of red, then green, then blue.
func (s *colorSet) each(f func(r, g, b byte)) {
	for word, bits := range s {
		for bit := 0; bits>>bit != 0; bit++ {
			if bits>>bit&1 == 1 {
				color := word*64 + bit
				f(byte(color>>16), byte(color>>8), byte(color))
			}
		}
	}
}
