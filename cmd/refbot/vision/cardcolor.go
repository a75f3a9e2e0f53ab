package vision

// Thresholds for the colours of cards, in linear light. Cyan has little red, and magenta has little green. The
// thresholds work without a colour table, for lamps from 2,700 to 7,500 K, and for gloss that adds 10 % of white. They
// exclude carpet, whose blue is hardly stronger than its red. They also exclude red, orange and blue skins of robots,
// which have only one strong colour.
const (
	darkest     = 0.012 // least light of the two strong colours, where white is 1: noise dominates below
	lackCyan    = 0.40  // largest red, relative to the smaller of green and blue
	lackMagenta = 0.55  // largest green, relative to the smaller of red and blue
)

// Ranges of blue over green in cyan, and of blue over red in magenta.
var (
	blueOfCyan    = [2]float32{0.45, 2.6}
	blueOfMagenta = [2]float32{0.10, 2.0}
)

// classifyCard returns the class of a pixel: ClassCyan, ClassMagenta or ClassUnknown.
func classifyCard(r, g, b float32) Class {
	switch {
	case r < lackCyan*min(g, b) && min(g, b) > darkest && b > blueOfCyan[0]*g && b < blueOfCyan[1]*g:
		return ClassCyan
	case g < lackMagenta*min(r, b) && min(r, b) > darkest && b > blueOfMagenta[0]*r && b < blueOfMagenta[1]*r:
		return ClassMagenta
	}
	return ClassUnknown
}

// signal returns how much of a card's colour a pixel contains. It is 0 for grey.
func (f *CardFinder) signal(pix []byte, i int, color Class) float64 {
	r, g, b := f.linear[pix[3*i]], f.linear[pix[3*i+1]], f.linear[pix[3*i+2]]
	if color == ClassCyan {
		return float64(max(0, min(g, b)-r))
	}
	return float64(max(0, min(r, b)-g))
}

// segment classifies the pixels that may show a card.
func (f *CardFinder) segment(pix []byte) {
	for v, s := range f.spans {
		for i := v*f.view.Width + s[0]; i < v*f.view.Width+s[1]; i++ {
			p := pix[3*i : 3*i+3 : 3*i+3]
			f.classes[i] = classifyCard(f.linear[p[0]], f.linear[p[1]], f.linear[p[2]])
		}
	}
}
