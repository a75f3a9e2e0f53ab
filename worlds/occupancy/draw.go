package occupancy

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// flush is how far a shape may reach into a cell without occupying it, in cells: rounding of shapes that end at cells.
const flush = 1e-6

// New returns a grid of unknown cells that contains a rectangle of the world frame, in metres. Sides of cells lie at
// multiples of the resolution. New fails if that takes too many cells.
func New(least, most mgl64.Vec2, resolution float64) (*Grid, error) {
	x, y := math.Floor(least[0]/resolution+flush), math.Floor(least[1]/resolution+flush)
	width := math.Max(1, math.Ceil(most[0]/resolution-flush)-x)
	height := math.Max(1, math.Ceil(most[1]/resolution-flush)-y)
	if !(width*height <= MaxCells) {
		return nil, fmt.Errorf("resolution = %v: takes %.0f × %.0f cells: must take at most %d", resolution, width, height,
			MaxCells)
	}
	g := &Grid{Width: int(width), Height: int(height), Resolution: resolution,
		Origin: Origin{X: round(x * resolution), Y: round(y * resolution)}, Cells: make([]int8, int(width)*int(height))}
	for i := range g.Cells {
		g.Cells[i] = Unknown
	}
	return g, nil
}

// round rounds a length to a nanometre, for a short text.
func round(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// Draw occupies the cells that a box or a cylinder overlaps, seen from above.
func (g *Grid) Draw(b *spatial.UprightBox) {
	centre := g.InCells(b.Centre.Vec2())
	hx, hy := b.Half[0]/g.Resolution, b.Half[1]/g.Resolution
	if b.Round {
		g.draw(centre, mgl64.Vec2{hx, hx}, func(x, y float64) bool {
			return math.Hypot(max(0, math.Abs(x)-0.5), max(0, math.Abs(y)-0.5)) < hx-flush
		})
		return
	}
	sin, cos := math.Sincos(b.Heading - g.Origin.Yaw)
	extent := mgl64.Vec2{math.Abs(cos)*hx + math.Abs(sin)*hy, math.Abs(sin)*hx + math.Abs(cos)*hy}
	cell := (math.Abs(sin) + math.Abs(cos)) / 2 // half the extent of a cell along the box's axes
	g.draw(centre, extent, func(x, y float64) bool {
		return math.Abs(cos*x+sin*y) < hx+cell-flush && math.Abs(cos*y-sin*x) < hy+cell-flush
	})
}

// draw occupies cells within an extent around a centre. The function overlaps receives the middle of a cell, relative
// to the centre. All arguments are in cells.
func (g *Grid) draw(centre, extent mgl64.Vec2, overlaps func(x, y float64) bool) {
	within := func(v float64, n int) int { return int(min(max(v, 0), float64(n))) }
	x0, x1 := within(centre[0]-extent[0]+flush, g.Width), within(math.Ceil(centre[0]+extent[0]-flush), g.Width)
	y0, y1 := within(centre[1]-extent[1]+flush, g.Height), within(math.Ceil(centre[1]+extent[1]-flush), g.Height)
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if overlaps(float64(x)+0.5-centre[0], float64(y)+0.5-centre[1]) {
				g.Cells[y*g.Width+x] = Occupied
			}
		}
	}
}

// Free makes the cells free that can be reached from a point of the world frame without passing an occupied cell. It
// reports whether there are any.
func (g *Grid) Free(from mgl64.Vec2) bool {
	p := g.InCells(from)
	x, y := int(math.Floor(p[0])), int(math.Floor(p[1]))
	if x < 0 || y < 0 || x >= g.Width || y >= g.Height || g.At(x, y) == Occupied {
		return false
	}
	queue := []int32{}
	visit := func(x, y int) {
		if x < 0 || y < 0 || x >= g.Width || y >= g.Height {
			return
		}
		if i := y*g.Width + x; g.Cells[i] == Unknown {
			g.Cells[i] = Free
			queue = append(queue, int32(i))
		}
	}
	visit(x, y)
	for len(queue) > 0 {
		i := int(queue[len(queue)-1])
		queue = queue[:len(queue)-1]
		x, y := i%g.Width, i/g.Width
		visit(x-1, y)
		visit(x+1, y)
		visit(x, y-1)
		visit(x, y+1)
	}
	return true
}
