package export

import (
	"image"
	"image/color"
	"slices"
)

// quantizer reduces pictures to 256 colours by median cut: the box of colours whose pixels are spread most is cut at
// their middle until there are enough boxes. Its memory is used again. Source: P. Heckbert, Color image quantization
// for frame buffer display, SIGGRAPH 1982.
type quantizer struct {
	counts  [1 << 15]int // pixels of each colour of 15 bits
	index   [1 << 15]uint8
	colours []uint16 // that there are
	boxes   [][]uint16
	out     *image.Paletted
}

// code is a colour in 15 bits, and channelOf one of red, green and blue of it.
func code(p []byte) uint16 { return uint16(p[0])>>3<<10 | uint16(p[1])>>3<<5 | uint16(p[2])>>3 }

func channelOf(c uint16, channel int) int { return int(c >> (10 - 5*channel) & 31) }

// quantize returns the picture with its palette; both are valid until the next.
func (q *quantizer) quantize(m *image.RGBA) *image.Paletted {
	q.colours = q.colours[:0]
	for i := 0; i < len(m.Pix); i += 4 {
		c := code(m.Pix[i : i+3])
		if q.counts[c] == 0 {
			q.colours = append(q.colours, c)
		}
		q.counts[c]++
	}
	q.boxes = append(q.boxes[:0], q.colours)
	for len(q.boxes) < 256 && q.cut() {
	}
	palette := make(color.Palette, len(q.boxes))
	for i, box := range q.boxes {
		var sum [3]int
		n := 0
		for _, c := range box {
			for channel := range sum {
				sum[channel] += channelOf(c, channel) * q.counts[c]
			}
			n += q.counts[c]
			q.index[c] = uint8(i)
		}
		of := func(channel int) uint8 { return uint8((sum[channel]*255 + 31*n/2) / (31 * n)) }
		palette[i] = color.RGBA{of(0), of(1), of(2), 255}
	}
	if q.out == nil || q.out.Rect != m.Rect {
		q.out = image.NewPaletted(m.Rect, nil)
	}
	q.out.Palette = palette
	for i := range q.out.Pix {
		q.out.Pix[i] = q.index[code(m.Pix[4*i:4*i+3])]
	}
	for _, c := range q.colours {
		q.counts[c] = 0
	}
	return q.out
}

// cut cuts the box with the largest spread, weighed by its pixels. It returns false where no box has two colours.
func (q *quantizer) cut() bool {
	best, along, most := -1, 0, 0
	for i, box := range q.boxes {
		if len(box) < 2 {
			continue
		}
		low, high, n := [3]int{31, 31, 31}, [3]int{}, 0
		for _, c := range box {
			for channel := range low {
				v := channelOf(c, channel)
				low[channel], high[channel] = min(low[channel], v), max(high[channel], v)
			}
			n += q.counts[c]
		}
		for channel := range low {
			// The square of the spread, so that a small orange ball is not lost on a large green field.
			if spread := high[channel] - low[channel]; spread*spread*n > most {
				best, along, most = i, channel, spread*spread*n
			}
		}
	}
	if best < 0 {
		return false
	}
	box := q.boxes[best]
	slices.SortFunc(box, func(a, b uint16) int { return channelOf(a, along) - channelOf(b, along) })
	total := 0
	for _, c := range box {
		total += q.counts[c]
	}
	at, n := 1, q.counts[box[0]]
	for at < len(box)-1 && n+q.counts[box[at]] <= total/2 {
		n += q.counts[box[at]]
		at++
	}
	q.boxes[best] = box[:at:at]
	q.boxes = append(q.boxes, box[at:])
	return true
}
