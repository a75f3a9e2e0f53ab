package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// TileSize is the side of a tile, pixels. Measured: smaller tiles take as much longer to sort as they save in drawing.
const TileSize = 16

// TileClass is what a tile may show, by which the shader is chosen.
type TileClass int

const (
	PlainTile  TileClass = iota // lit carpet and nothing else
	LinesTile                   // lit carpet with markings
	CarpetTile                  // carpet with shadows, with or without markings
	HallTile                    // no floor: walls and ceiling
	FloorTile                   // any of them, or a mirror's edge
	TileClasses
	NoTile TileClass = 2 * TileClasses // beyond a mirror's edge: dark
)

// WithBodies is added to the class of a tile that may show bodies too.
const WithBodies = TileClasses

// Tiling is an image's tiles by class: most are plain ones, which are drawn fastest.
type Tiling struct {
	Cols, Rows int
	Class      []TileClass // Rows × Cols
	hits       []hit       // of the tiles' corners, (Rows + 1) × (Cols + 1)
}

// hit is where a ray hits the floor.
type hit struct {
	at     [2]float64
	carpet bool
	beyond uint8 // bits of the walls that it is behind
}

// Sort finds the class of each tile of a view.
func (t *Tiling) Sort(c *Camera, s *Visibility, bodies []Body, m *Marks, l *LightMap) {
	t.Cols, t.Rows = tilesOf(c.Width), tilesOf(c.Height)
	t.Class = resize(t.Class, t.Cols*t.Rows)
	t.hits = resize(t.hits, (t.Cols+1)*(t.Rows+1))
	half := m.half
	for row := range t.Rows + 1 {
		for col := range t.Cols + 1 {
			d := c.PoseWC.Rotate(c.Ray(float64(col*TileSize), float64(row*TileSize)))
			t.hits[row*(t.Cols+1)+col] = trace(c.PoseWC.Pos, d, half, m.margin)
		}
	}
	for row := range t.Rows {
		for col := range t.Cols {
			t.Class[row*t.Cols+col] = t.classify(c, col, row, half, m, l)
		}
	}
	for _, i := range s.Order {
		t.markBody(c, &bodies[i], &s.Bodies[i])
	}
}

// trace returns where a ray hits the floor. A ray that does not hit it is behind the walls that it approaches.
func trace(eye, dir mgl64.Vec3, half [2]float64, margin float64) (h hit) {
	k := math.Inf(1)
	if dir[2] < 0 && eye[2] > 0 {
		k = -eye[2] / dir[2]
	}
	h.carpet = true
	for axis := range h.at {
		h.at[axis] = eye[axis] + k*dir[axis]
		switch x := h.at[axis]; {
		case x > half[axis]+margin:
			h.beyond |= 1 << (2 * axis)
		case x < -half[axis]-margin:
			h.beyond |= 2 << (2 * axis)
		}
		h.carpet = h.carpet && math.Abs(h.at[axis]) < half[axis]
	}
	return h
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (t *Tiling) classify(c *Camera, col, row int, half [2]float64, m *Marks, l *LightMap) TileClass {
	edge := false
	if c.Mirrored {
		// The tile's middle and the reach of its corners, in the unified model's image plane.
		x, y := (float64(col*TileSize+TileSize/2)-0.5-c.cx)/c.fx, (float64(row*TileSize+TileSize/2)-0.5-c.cy)/c.fy
		r, reach := math.Hypot(x, y), math.Hypot(TileSize/2/c.fx, TileSize/2/c.fy)
		soft := 2 / math.Min(c.fx, c.fy)
		if r-reach > c.edge*(1+render.RimShare)+soft {
			return NoTile
		}
		edge = r+reach > c.edge-soft
	}
	if c.Lens != nil {
		switch c.Lens.tiles[row*t.Cols+col] {
		case blindTile:
			return NoTile
		case edgeTile:
			return FloorTile
		}
	}
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	at := row*(t.Cols+1) + col
	carpet, beyond := true, uint8(0xff)
	for _, i := range [4]int{at, at + 1, at + t.Cols + 1, at + t.Cols + 2} {
		h := &t.hits[i]
		carpet, beyond = carpet && h.carpet, beyond&h.beyond
		for axis := range lo {
			lo[axis], hi[axis] = math.Min(lo[axis], h.at[axis]), math.Max(hi[axis], h.at[axis])
		}
	}
	switch {
	case beyond != 0:
		return HallTile // all corners are behind one wall, and so is all of the tile
	case edge || !carpet:
		return FloorTile
	}
	// Curved sides bulge, and a pixel's footprint reaches beyond its centre.
	grow := 0.15*math.Max(hi[0]-lo[0], hi[1]-lo[1]) + 0.02
	for axis := range lo {
		lo[axis], hi[axis] = lo[axis]-grow, hi[axis]+grow
		if lo[axis] < -half[axis] || hi[axis] > half[axis] {
			return FloorTile
		}
	}
	switch {
	case l.Touches(lo, hi):
		return CarpetTile
	case m.Touches(lo, hi):
		return LinesTile
	}
	return PlainTile
}

// markBody finds the tiles that may show a body.
func (t *Tiling) markBody(c *Camera, b *Body, v *Visible) {
	const small = 0.05 // rad; a smaller body is marked as a whole
	if b.Radius < small*v.PoseCB.Apply(b.Centre).Len() {
		t.markBox(c, b.Box, v.PoseCB, 0)
		return
	}
	for _, i := range v.Parts {
		t.markBox(c, b.Parts[i.Part].Box, v.PoseCB, 0)
	}
}

// markBox halves a box until it subtends a small angle, then marks the tiles around the image of its corners.
func (t *Tiling) markBox(c *Camera, b Box, poseCB spatial.Pose, depth int) {
	const small, deepest = 0.2, 16 // radians
	size := b.Hi.Sub(b.Lo)
	centre, radius := poseCB.Apply(b.Centre()), size.Len()/2
	if !c.MayShow(centre, radius) || centre.Len()+radius < NearPlane {
		return
	}
	if angle := 2 * radius / centre.Len(); angle < 2*small || depth == deepest {
		border := 1.0   // pixel: the extent of the samples
		if c.Curved() { // by how much a side bulges
			border += c.Bend(centre, radius) * angle * angle / 8
		}
		t.markCorners(c, b, poseCB, border)
		return
	}
	axis := 0
	for i := range size {
		if size[i] > size[axis] {
			axis = i
		}
	}
	low, high := b, b
	mid := (b.Lo[axis] + b.Hi[axis]) / 2
	low.Hi[axis], high.Lo[axis] = mid, mid
	t.markBox(c, low, poseCB, depth+1)
	t.markBox(c, high, poseCB, depth+1)
}

// markCorners marks the tiles around the image of a box's corners, and within a border of it, pixels.
func (t *Tiling) markCorners(c *Camera, b Box, poseCB spatial.Pose, border float64) {
	u0, v0, u1, v1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for corner := range 8 {
		p := poseCB.Apply(b.Corner(corner))
		u, v, ok := c.Image(p.Mul(1 / p.Len()))
		if !ok {
			t.mark(0, 0, t.Cols, t.Rows)
			return
		}
		u0, v0, u1, v1 = math.Min(u0, u), math.Min(v0, v), math.Max(u1, u), math.Max(v1, v)
	}
	tile := func(x float64) int { return int(math.Floor(mgl64.Clamp(x, -1e5, 1e5) / TileSize)) }
	t.mark(tile(u0-border), tile(v0-border), tile(u1+border)+1, tile(v1+border)+1)
}

func (t *Tiling) mark(col0, row0, col1, row1 int) {
	for row := max(row0, 0); row < min(row1, t.Rows); row++ {
		for col := max(col0, 0); col < min(col1, t.Cols); col++ {
			if class := &t.Class[row*t.Cols+col]; *class < WithBodies {
				*class += WithBodies
			}
		}
	}
}
