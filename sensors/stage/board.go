package stage

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// Board is a chessboard with a white border of one square: its squares lie in the y-z plane of its frame and are seen
// from +x.
type Board struct {
	Name          string
	Columns, Rows int     // squares along y and z
	Square        float64 // side of a square, metres
	PoseWB        spatial.Pose
}

// board adds the white plate and the black squares on it.
func (b *builder) board(c *Board) {
	const (
		plate = 0.01   // thickness, metres
		ink   = 0.0002 // by which the squares stand out, so that they hide the plate
	)
	b.begin(c.Name)
	b.add("plate", shapes.Box(plate, float64(c.Columns+2)*c.Square, float64(c.Rows+2)*c.Square), white, at(-plate/2, 0, 0))
	for row := range c.Rows {
		for col := range c.Columns {
			if (row+col)%2 == 0 {
				y := (float64(col) - float64(c.Columns-1)/2) * c.Square
				z := (float64(row) - float64(c.Rows-1)/2) * c.Square
				b.add("square", shapes.Box(2*ink, c.Square, c.Square), black, at(0, y, z))
			}
		}
	}
}
