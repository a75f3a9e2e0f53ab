package calibration

// ColorHistogram is how many pixels of each kind have each colour of 8 bits a channel. Kinds are the rows of a
// Confusion. What a table calls a pixel depends on its colour alone, so that a histogram is all that tables are made of
// and judged by. The zero value counts nothing. Colours take memory by blocks of 512, 20 kB each, of which images of a
// hall fill some hundreds of the 32,768.
type ColorHistogram struct {
	blocks [1 << 15]*colorBlock // by the upper five bits of red, green and blue
}

// colorBlock is the colours that share their upper bits, by the lower three of red, green and blue.
type colorBlock [1 << 9][len(confusionRows)]int

// Classifier says what colours are.
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

// Merge counts all that another has counted.
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

// Pixels returns how many pixels of a kind were counted.
func (h *ColorHistogram) Pixels(kind int) (n int) {
	h.each(func(_, _, _ byte, pixels *[len(confusionRows)]int) { n += pixels[kind] })
	return n
}

// Judge returns what t calls the pixels that were counted.
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

// each calls f with every colour that pixels have, and how many of each kind do.
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
