package occupancy

import "fmt"

// maxCorners is the largest number of corners of all contours. It bounds time and memory: a corner takes about a
// microsecond and 100 bytes.
const maxCorners = 2_000_000

// point is a corner of cells, or the middle between two neighbouring corners, in half cells. Halves keep it exact.
type point struct{ x, y int32 }

// contours calls f with each contour of the occupied cells: a closed polygon of corners of cells at which the contour
// turns, with the occupied cells on its left. The contours of holes are contours too. Occupied cells that touch
// diagonally belong together, so that thin slanted walls have no gaps. The slice is valid until f returns.
func (g *Grid) contours(f func(corners []point) error) error {
	seen := make([]uint8, (g.Width*g.Height+7)/8) // cells whose lower side has been passed
	var corners []point
	total := 0
	for y := range g.Height {
		for x := range g.Width {
			i := y*g.Width + x
			if g.Cells[i] != Occupied || g.solid(x, y-1) || seen[i/8]>>(i%8)&1 != 0 {
				continue
			}
			corners = g.trace(x, y, seen, corners[:0])
			if total += len(corners); total > maxCorners {
				return fmt.Errorf("the contours of its occupied cells turn more than %d times: must be the map of a place",
					maxCorners)
			}
			if err := f(corners); err != nil {
				return err
			}
		}
	}
	return nil
}

// trace follows a contour, which begins along the lower side of cell (x, y), and appends its corners. It marks the
// cells whose lower sides it passes.
func (g *Grid) trace(x, y int, seen []uint8, corners []point) []point {
	startX, startY := x, y
	dx, dy := 1, 0
	for {
		if dx == 1 { // the cell on the left is (x, y)
			i := y*g.Width + x
			seen[i/8] |= 1 << (i % 8)
		}
		x, y = x+dx, y+dy
		// the cells ahead, on the left and on the right
		lx, ly := x+(dx-dy-1)/2, y+(dy+dx-1)/2
		rx, ry := x+(dx+dy-1)/2, y+(dy-dx-1)/2
		turn := true
		switch {
		case g.solid(rx, ry):
			dx, dy = dy, -dx
		case g.solid(lx, ly):
			turn = false
		default:
			dx, dy = -dy, dx
		}
		if turn {
			corners = append(corners, point{int32(2 * x), int32(2 * y)})
		}
		if x == startX && y == startY && dx == 1 {
			return corners
		}
	}
}
