package chip

import (
	"slices"

	"github.com/omnipitch/omnipitch/render"
)

// Memory is the scratch memory of Process, which grows as needed. The zero value is ready for use. Only one call at a
// time may use a Memory.
type Memory struct {
	bytes []byte
	sums  []int32
}

// Process applies the processing in a camera to an image, in place: noise reduction, contrast, sharpening and JPEG
// compression, if the chip has them. The arithmetic is in integers.
func Process(im *render.Image, c *render.Chip, m *Memory) {
	Refine(im, c, &m.bytes)
	if c.Sharpening != 0 {
		sharpen(im, c.Sharpening, m)
	}
	if c.JPEGQuality != 0 {
		j := newJPEG(im.Width, im.Height, c.JPEGQuality)
		j.apply(im, sized(&m.bytes, j.room()))
	}
}

// sized returns the first n elements of a slice. It first makes the slice longer if necessary.
func sized[T any](memory *[]T, n int) []T {
	*memory = slices.Grow((*memory)[:0], n)[:n]
	return *memory
}

// ProcessRoom returns the number of bytes of memory that Process needs for an image, including 16-bit sums.
func ProcessRoom(width, height int) int {
	j := newJPEG(width, height, 1)
	return max(j.room(), (blurReach+1)*3*width+2*(3*width+4*3*blurReach))
}

// SharpeningFactor returns an amount of sharpening in units of 1/256.
func SharpeningFactor(amount float64) int32 { return int32(amount*256 + 0.5) }

// blurReach is the radius of the filter that blurs in sharpen, pixels.
const blurReach = 2

// sharpen applies an unsharp mask (Gonzalez and Woods, "Digital Image Processing", 4th ed., 3.6). It adds to each byte
// the difference from a blurred image, times amount, and clips the sum. The blur is the binomial filter 1 4 6 4 1 / 16
// in rows and columns, with a standard deviation of 1 pixel. Pixels beyond the border repeat the border. Like cameras,
// it works on the encoded image.
func sharpen(im *render.Image, amount float64, m *Memory) {
	const pad = 3 * blurReach
	w, h, stride := im.Width, im.Height, 3*im.Width
	factor := SharpeningFactor(amount)
	kept, sums := sized(&m.bytes, (blurReach+1)*stride), sized(&m.sums, stride+2*pad)
	// before returns the unsharpened row y, which must be the current row or one of the two rows above it
	before := func(y int) []byte { return kept[y%(blurReach+1)*stride:][:stride] }
	for y := range h {
		to := im.Pix[y*stride:][:stride]
		own := before(y)
		copy(own, to)
		above, highest := before(max(y-1, 0)), before(max(y-2, 0))
		low, lowest := own, own
		if y+1 < h {
			low = im.Pix[(y+1)*stride:][:stride]
			lowest = im.Pix[min(y+2, h-1)*stride:][:stride]
		}
		middle := sums[pad:][:stride]
		for i, v := range own {
			middle[i] = int32(highest[i]) + int32(lowest[i]) + 4*(int32(above[i])+int32(low[i])) + 6*int32(v)
		}
		for i := range pad {
			sums[i], sums[pad+stride+i] = middle[i%3], middle[3*(w-1)+i%3]
		}
		for i, v := range own {
			s := sums[i:][: 2*pad+1 : 2*pad+1]
			blurred := s[0] + s[12] + 4*(s[3]+s[9]) + 6*s[6]
			to[i] = byte(max(0, min(255, int32(v)+(factor*(256*int32(v)-blurred)+1<<15)>>16)))
		}
	}
}

// magnify scales an image about its centre by 1/scale. Each pixel takes its value from the position in the same
// direction from the centre at scale times the distance. Interpolation is bilinear, rows first. Positions beyond the
// border repeat the border.
func magnify(to, from []float32, width, height int, scale float32) {
	middleX, middleY := float32(width-1)/2, float32(height-1)/2
	for y := range height {
		row, down := place(float32(y), middleY, scale, height)
		up, low := from[row*width:(row+1)*width], from[(row+1)*width:(row+2)*width]
		line := to[y*width : (y+1)*width]
		for x := range line {
			col, right := place(float32(x), middleX, scale, width)
			a := up[col] + float32((low[col]-up[col])*down)
			b := up[col+1] + float32((low[col+1]-up[col+1])*down)
			line[x] = a + float32((b-a)*right)
		}
	}
}

// place returns the two pixels of a line of n pixels between which a magnified pixel is interpolated. Their indices are
// at and at + 1, and share is the weight of the second pixel.
func place(pixel, middle, scale float32, n int) (at int, share float32) {
	p := max(0, min(float32(n-1), middle+float32(scale*(pixel-middle))))
	at = min(int(p), n-2)
	return at, p - float32(at)
}
