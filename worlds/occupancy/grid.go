package occupancy

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Values of cells, as in a nav_msgs/OccupancyGrid. Values between Free and Occupied are probabilities in percent.
const (
	Unknown  int8 = -1
	Free     int8 = 0
	Occupied int8 = 100
)

// MaxCells is the largest number of cells of a grid: 200 m × 200 m at 5 cm, as gmapping makes them by default.
const MaxCells = 16_000_000

// Grid is an occupancy grid.
type Grid struct {
	Width, Height int     // in cells
	Resolution    float64 // side of a cell, m
	Origin        Origin
	Cells         []int8 // rows from the lowest to the highest, each from left to right
}

// Origin is the pose of a grid's lower left corner in the world frame.
type Origin struct {
	X, Y float64 // m
	Yaw  float64 // rad
}

// At returns the value of a cell. Cells outside of the grid are unknown.
func (g *Grid) At(x, y int) int8 {
	if x < 0 || y < 0 || x >= g.Width || y >= g.Height {
		return Unknown
	}
	return g.Cells[y*g.Width+x]
}

// solid reports whether a cell is occupied.
func (g *Grid) solid(x, y int) bool { return g.At(x, y) == Occupied }

// World returns the point of the world frame for a point of the grid's frame, which is given in cells.
func (g *Grid) World(cells mgl64.Vec2) mgl64.Vec2 {
	sin, cos := math.Sincos(g.Origin.Yaw)
	x, y := cells[0]*g.Resolution, cells[1]*g.Resolution
	return mgl64.Vec2{g.Origin.X + cos*x - sin*y, g.Origin.Y + sin*x + cos*y}
}

// InCells returns the point of the grid's frame, in cells, for a point of the world frame. The point lies in the cell
// with the integer parts of its coordinates.
func (g *Grid) InCells(world mgl64.Vec2) mgl64.Vec2 {
	sin, cos := math.Sincos(g.Origin.Yaw)
	x, y := world[0]-g.Origin.X, world[1]-g.Origin.Y
	return mgl64.Vec2{(cos*x + sin*y) / g.Resolution, (cos*y - sin*x) / g.Resolution}
}
