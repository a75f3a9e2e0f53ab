package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// grid is what a camera's model alone determines about an image's tiles. It is immutable.
type grid struct {
	cols, rows int
	views      []tileView   // rows × cols
	rays       []mgl64.Vec3 // through the corners, (rows + 1) × (cols + 1), in the optical frame, of any length
	used       []bool       // whether a corner belongs to a tile that shows something
}

// tileView is how much of a tile the optics image.
type tileView uint8

const (
	blindTile tileView = iota
	edgeTile           // the optics image a part of the tile
	rimTile            // the optics image all of the tile, and a mirror's edge crosses it
	wholeTile
)

// tilesOf returns the number of tiles that cover a side of the given length in pixels.
func tilesOf(pixels int) int { return (pixels + TileSize - 1) / TileSize }

func newGrid(c *Camera) *grid {
	g := &grid{cols: tilesOf(c.Width), rows: tilesOf(c.Height)}
	g.views = make([]tileView, g.cols*g.rows)
	g.rays = make([]mgl64.Vec3, (g.cols+1)*(g.rows+1))
	g.used = make([]bool, len(g.rays))
	if c.Lens != nil {
		copy(g.views, c.Lens.tiles)
		copy(g.rays, c.Lens.corners)
	} else {
		for i := range g.rays {
			g.rays[i] = c.ray(float64(i%(g.cols+1)*TileSize), float64(i/(g.cols+1)*TileSize))
		}
		for i := range g.views {
			g.views[i] = c.tileView(i%g.cols, i/g.cols)
		}
	}
	for i, v := range g.views {
		if v != blindTile {
			at := i/g.cols*(g.cols+1) + i%g.cols
			g.used[at], g.used[at+1], g.used[at+g.cols+1], g.used[at+g.cols+2] = true, true, true, true
		}
	}
	return g
}

// tileView returns how much of a tile is imaged, for a camera with a formula.
func (c *Camera) tileView(col, row int) tileView {
	if !c.Mirrored {
		return wholeTile
	}
	// The tile's centre, and the distance of its corners from it, in the unified model's image plane.
	x, y := (float64(col*TileSize+TileSize/2)-0.5-c.CX)/c.FX, (float64(row*TileSize+TileSize/2)-0.5-c.CY)/c.FY
	r, reach := math.Hypot(x, y), math.Hypot(TileSize/2/c.FX, TileSize/2/c.FY)
	soft := 2 / math.Min(c.FX, c.FY)
	switch {
	case r-reach > c.edge*(1+render.RimShare)+soft:
		return blindTile
	case r+reach > c.edge-soft:
		return rimTile
	}
	return wholeTile
}

// intrinsics identifies camera models.
type intrinsics struct {
	lens           *Lens
	width, height  int
	mirrored       bool
	fx, fy, cx, cy float64
	xi, edge       float64
}

// grids caches the grids of models.
type grids map[intrinsics]*grid

// get returns the grid of a camera's model.
func (gs *grids) get(c *Camera) *grid {
	model := intrinsics{c.Lens, c.Width, c.Height, c.Mirrored, c.FX, c.FY, c.CX, c.CY, c.Xi, c.edge}
	if g, ok := (*gs)[model]; ok {
		return g
	}
	const most = 128 // about 50 kB each
	if *gs == nil || len(*gs) == most {
		*gs = grids{}
	}
	g := newGrid(c)
	(*gs)[model] = g
	return g
}
