package colors

import "math"

// Gains by which a channel's light is multiplied before it is looked up: from 1/8 to 8 in steps of an eighth of an octave.
const (
	octaves  = 3
	perOne   = 8
	gains    = 2*octaves*perOne + 1
	same     = octaves * perOne // the gain of 1
	tintMost = perOne           // red and blue against green, steps: lamps of 2,700 K against 6,500 K need as much
)

// Shares of the floor's pixels that are green in a light: it is believed; it is doubted after so many images in a row; it is wrong. Robots, lines and the mirror's rods hide the
// rest. And by how many more another light has to make green to be better.
const (
	plenty   = 0.8
	patience = 15 // images
	few      = 0.5
	enough   = 0.08
)

// light is the gain of each channel, as an index of a Segmenter's tables.
type light struct{ red, green, blue int }

// Segmenter tells the classes of all pixels of one camera's images.
type Segmenter struct {
	table   *Table
	floor   []int32
	scaled  [gains][256]uint32 // a value in a light, its lowest bits dropped
	light   light
	poor    int // images in a row with too little carpet
	classes []Class
}

// NewSegmenter returns one for images of a size. Most of the floor's pixels, by number and row by row, show carpet: by them it finds how the light differs from the
// table's. Without any, the table's light is taken.
func NewSegmenter(t *Table, width, height int, floor []int32) *Segmenter {
	s := &Segmenter{table: t, floor: floor, light: light{same, same, same}, classes: make([]Class, width*height)}
	for k := range s.scaled {
		gain := math.Exp2(float64(k-same) / perOne)
		for i := range s.scaled[k] {
			s.scaled[k][i] = uint32(math.Round(255*encode(min(1, gain*decode(float64(i)/255))))) >> 2
		}
	}
	return s
}

// decode and encode are sRGB's transfer function and its inverse, IEC 61966-2-1.
func decode(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

func encode(l float64) float64 {
	if l <= 0.0031308 {
		return 12.92 * l
	}
	return 1.055*math.Pow(l, 1/2.4) - 0.055
}

// Segment returns the class of each pixel of an image, rgb8, row by row, lent until the next call. It returns nil for an image of another size.
func (s *Segmenter) Segment(pix []byte) []Class {
	if len(pix) != 3*len(s.classes) {
		return nil
	}
	s.adapt(pix)
	red, green, blue := &s.scaled[s.light.red], &s.scaled[s.light.green], &s.scaled[s.light.blue]
	for i := range s.classes {
		p := pix[3*i : 3*i+3 : 3*i+3]
		s.classes[i] = s.table.cells[(red[p[0]]<<(2*bits)|green[p[1]]<<bits|blue[p[2]])&(cells-1)]
	}
	return s.classes
}

// adapt keeps the light in which most of the floor is green. Where that is too little, it looks for another: brighter or darker, and then redder or
// bluer. The table's own is taken whenever it is hardly worse.
func (s *Segmenter) adapt(pix []byte) {
	if len(s.floor) == 0 {
		return
	}
	all := float64(len(s.floor))
	plain := light{same, same, same}
	best := s.light
	most := s.greens(pix, best)
	own := most // in the table's light
	if best != plain {
		own = s.greens(pix, plain)
	}
	need := int(math.Ceil(enough * all))
	if own+need > most { // what had hidden the carpet, and no light, may have made it look for another
		s.light, best, most = plain, plain, own
	}
	if s.poor++; float64(most) >= plenty*all {
		s.poor = 0
	}
	if s.poor < patience && float64(most) >= few*all {
		return
	}
	s.poor = 0
	start := best
	for range 2 { // brightness and tint depend on each other a little
		for axis := range 3 {
			best, most = s.along(pix, best, axis, most)
		}
	}
	if best != start && most >= s.greens(pix, start)+need {
		start = best
	}
	s.light = start
}

// along returns the middle of the lights along an axis, brightness, red or blue, that make the floor greenest; that given if none is better.
func (s *Segmenter) along(pix []byte, from light, axis, least int) (light, int) {
	first, last, most := 0, -1, least
	for k := -2 * octaves * perOne; k <= 2*octaves*perOne; k++ {
		l, ok := from.moved(axis, k)
		if !ok {
			continue
		}
		switch n := s.greens(pix, l); {
		case n > most:
			first, last, most = k, k, n
		case n == most && last == k-1:
			last = k
		}
	}
	if last < first {
		return from, least
	}
	l, _ := from.moved(axis, (first+last)/2)
	return l, most
}

// moved returns a light that is so many steps brighter, redder or bluer; false if there is none such.
func (l light) moved(axis, k int) (light, bool) {
	switch axis {
	case 0:
		l = light{l.red + k, l.green + k, l.blue + k}
	case 1:
		l.red += k
	default:
		l.blue += k
	}
	red, blue := l.red-l.green, l.blue-l.green
	ok := min(l.red, l.green, l.blue) >= 0 && max(l.red, l.green, l.blue) < gains && max(red, -red, blue, -blue) <= tintMost
	return l, ok
}

// greens counts the floor's pixels that are green in a light.
func (s *Segmenter) greens(pix []byte, l light) (n int) {
	red, green, blue := &s.scaled[l.red], &s.scaled[l.green], &s.scaled[l.blue]
	for _, i := range s.floor {
		if s.table.cells[red[pix[3*i]]<<(2*bits)|green[pix[3*i+1]]<<bits|blue[pix[3*i+2]]] == Green {
			n++
		}
	}
	return n
}
