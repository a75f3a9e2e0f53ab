package scenery

import "github.com/omnipitch/omnipitch/render"

// TextOnWall returns the image of a white wall of a height in m with dark text in its middle.
func TextOnWall(line string, height float64) *render.Image {
	c := newWallPainter(height, nil, 512, 128, wallFine)
	c.box(0, wallWidth, 0, height, rgb{255, 255, 255})
	c.text(11, 13, 2, 4, rgb{}, line)
	return mirrored(c.image())
}
