package scenery

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Board is a chessboard with a white border of one square. Its squares are in the y-z plane of its frame and face +x.
type Board struct {
	Name          string
	Columns, Rows int     // number of squares along y and along z
	Square        float64 // side of a square, metres
	PoseWB        spatial.Pose
}

// board adds the squares of a chessboard next to each other, and a back. No surface lies on another one. Seen through a
// curved mirror or lens, the depth is too coarse to separate them.
func (b *builder) board(c *Board) {
	const thickness = 0.01 // metres
	b.startBody(c.Name)
	var light, dark []render.Mesh
	for row := -1; row <= c.Rows; row++ {
		for col := -1; col <= c.Columns; col++ {
			y := (float64(col) - float64(c.Columns-1)/2) * c.Square
			z := (float64(row) - float64(c.Rows-1)/2) * c.Square
			square := shapes.Transform(shapes.Box(thickness, c.Square, c.Square), translation(-thickness/2, y, z))
			if border := row < 0 || col < 0 || row == c.Rows || col == c.Columns; border || (row+col)%2 != 0 {
				light = append(light, square)
			} else {
				dark = append(dark, square)
			}
		}
	}
	b.add("white squares", shapes.Join(light...), white, translation(0, 0, 0))
	b.add("black squares", shapes.Join(dark...), black, translation(0, 0, 0))
	b.add("back", shapes.Box(thickness, float64(c.Columns+2)*c.Square, float64(c.Rows+2)*c.Square), white,
		translation(-2*thickness, 0, 0))
}
