package calibration

// ColorHistogram counts the pixels of each kind by 8-bit RGB colour. Kinds are the rows of a Confusion. The class that
// a table assigns to a pixel depends on the pixel's colour alone, so a histogram suffices to make and to judge tables.
// The zero value is empty. Memory is taken in blocks of 512 colours, 20 kB each; images of a hall need some hundreds of
// the 32,768 blocks.
type ColorHistogram struct {
	blocks [1 << 15]*colorBlock // by the upper five bits of red, green and blue
}

// colorBlock counts the colours with the same upper five bits per channel. Its index consists of the lower three bits.
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
