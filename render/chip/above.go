package chip

import (
	"slices"

	"github.com/omnipitch/omnipitch/render"
)

// Glares reports whether an image records light above white (render.Image.Above) in any of its pixels.
func Glares(im *render.Image) bool {
	return slices.ContainsFunc(im.Above, func(l float32) bool { return l > 0 })
}

// Brighten adds the light above white that an 8-bit image records to one colour's plane, whose rows have the given
// stride. The light of a cell is divided equally among its white pixels.
func Brighten(plane []float32, stride int, im *render.Image, color int) {
	cols, _ := render.Cells(im.Width, im.Height)
	for i := color; i < len(im.Above); i += 3 {
		if !(im.Above[i] > 0) {
			continue
		}
		x0, y0, white := i/3%cols*render.CellSize, i/3/cols*render.CellSize, 0
		w, h := min(render.CellSize, im.Width-x0), min(render.CellSize, im.Height-y0)
		for y := y0; y < y0+h; y++ {
			for x := x0; x < x0+w; x++ {
				if im.Pix[3*(y*im.Width+x)+color] == 255 {
					white++
				}
			}
		}
		if white == 0 {
			continue
		}
		factor := 1 + im.Above[i]*float32(w*h)/float32(white)
		for y := y0; y < y0+h; y++ {
			for x := x0; x < x0+w; x++ {
				if im.Pix[3*(y*im.Width+x)+color] == 255 {
					plane[y*stride+x] *= factor // dirt may have dimmed the plane
				}
			}
		}
	}
}
