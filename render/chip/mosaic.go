package chip

import "github.com/omnipitch/omnipitch/render"

// bayer is the colour that each pixel of an RGGB sensor measures, by the parity of its row and column: 0 red, 1 green,
// 2 blue.
var bayer = [2][2]int{{0, 1}, {1, 2}}

// demosaic makes an image from the readings of a mosaic, one per pixel. Each pixel's two other colours are the means of
// the two or four nearest readings of those colours. The image is mirrored at its border, which preserves the colour
// order.
func demosaic(im *render.Image, read []float32) {
	w, h := im.Width, im.Height
	for y := range h {
		row := read[y*w : (y+1)*w]
		up, down := read[mirrored(y-1, h)*w:][:w], read[mirrored(y+1, h)*w:][:w]
		for x, own := range row {
			left, right := mirrored(x-1, w), mirrored(x+1, w)
			var pixel [3]float32
			switch color := bayer[y&1][x&1]; color {
			case 1: // red along one axis, blue along the other
				beside := bayer[y&1][(x+1)&1]
				pixel[beside] = (row[left] + row[right]) / 2
				pixel[1] = own
				pixel[2-beside] = (up[x] + down[x]) / 2
			default:
				pixel[color] = own
				pixel[1] = ((up[x] + down[x]) + (row[left] + row[right])) / 4
				pixel[2-color] = ((up[left] + up[right]) + (down[left] + down[right])) / 4
			}
			for c, light := range pixel {
				im.Pix[3*(y*w+x)+c] = render.Encode8(light)
			}
		}
	}
}

// mirrored mirrors an index i, from −1 to n, at the ends of a line of n ≥ 2 elements, and returns an index within the
// line.
func mirrored(i, n int) int {
	switch {
	case i < 0:
		return 1
	case i == n:
		return n - 2
	}
	return i
}
