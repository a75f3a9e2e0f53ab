package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// TileSize is the side of a tile, pixels. Measurements showed that smaller tiles save less time in drawing than they
// cost in sorting.
const TileSize = 16

// TileClass describes the contents that a tile may show.
type TileClass uint8

const (
	PlainTile  TileClass = iota // carpet in full light, and nothing else
	LinesTile                   // lit carpet with markings
	CarpetTile                  // carpet with shadows, with or without markings
	HallTile                    // walls and ceiling without any floor
	FloorTile                   // any of the classes above, or a mirror's edge
	TileClasses
	NoTile TileClass = 2 * TileClasses // dark pixels beyond a mirror's edge
)

// WithBodies is added to the class of a tile that may also show bodies.
const WithBodies = TileClasses

// Tiling holds an image's tiles by class. Most tiles are of the class PlainTile, which is drawn fastest.
type Tiling struct {
	Cols, Rows int
	Class      []TileClass // Rows × Cols
	hits       []hit       // for the tiles' corners: where their rays meet the floor, (Rows + 1) × (Cols + 1)
	grids      grids
}

// hit is the point where a ray meets the floor. If the ray does not meet the carpet, bits give the reasons.
type hit struct {
	x, y float64
	off  uint8
}

// Reasons why a ray does not meet the carpet: it first meets one of the walls, or it meets the bare floor around the
// carpet.
const (
	behindFront = 1 << iota
	behindBack
	behindLeft
	behindRight
	besideCarpet
	behindWalls = behindFront | behindBack | behindLeft | behindRight
)

// Sort determines the class of each tile of a view, ignoring bodies.
func (t *Tiling) Sort(c *Camera, m *Marks, l *LightMap) {
	g := t.grids.get(c)
	t.Cols, t.Rows = g.cols, g.rows
	t.Class = resize(t.Class, t.Cols*t.Rows)
	t.hits = resize(t.hits, (t.Cols+1)*(t.Rows+1))
	t.trace(c, g, m)
	for row := range t.Rows {
		from := row * t.Cols
		upper, lower := t.hits[row*(t.Cols+1):][:t.Cols+1], t.hits[(row+1)*(t.Cols+1):][:t.Cols+1]
		for col, view := range g.views[from : from+t.Cols] {
			class := NoTile
			switch view {
			case wholeTile:
				class = classify([4]*hit{&upper[col], &upper[col+1], &lower[col], &lower[col+1]}, m, l)
			case rimTile:
				class = FloorTile
				if upper[col].off&upper[col+1].off&lower[col].off&lower[col+1].off&behindWalls != 0 {
					class = HallTile
				}
			case edgeTile:
				class = FloorTile
			}
			t.Class[from+col] = class
		}
	}
}

// trace finds the points where the rays of the tiles' corners meet the floor. For a ray that does not meet the floor,
// it records the walls that the ray approaches.
func (t *Tiling) trace(c *Camera, g *grid, m *Marks) {
	rot, eye := c.PoseWC.Rot.Mat4().Mat3(), c.PoseWC.Pos
	wall := [2]float64{m.half[0] + m.margin, m.half[1] + m.margin}
	for i := range g.rays {
		if !g.used[i] {
			continue
		}
		ray := &g.rays[i]
		k := math.Inf(1)
		if z := rot[2]*ray[0] + rot[5]*ray[1] + rot[8]*ray[2]; z < 0 && eye[2] > 0 {
			k = -eye[2] / z
		}
		x := eye[0] + k*(rot[0]*ray[0]+rot[3]*ray[1]+rot[6]*ray[2])
		y := eye[1] + k*(rot[1]*ray[0]+rot[4]*ray[1]+rot[7]*ray[2])
		off := uint8(0)
		if !(x > -m.half[0] && x < m.half[0] && y > -m.half[1] && y < m.half[1]) { // or NaN
			off = besideCarpet
			switch {
			case x > wall[0]:
				off |= behindFront
			case x < -wall[0]:
				off |= behindBack
			}
			switch {
			case y > wall[1]:
				off |= behindLeft
			case y < -wall[1]:
				off |= behindRight
			}
		}
		t.hits[i] = hit{x, y, off}
	}
}

// classify returns the class of the tile with the given corners, ignoring bodies.
func classify(corners [4]*hit, m *Marks, l *LightMap) TileClass {
	a, b, c, d := corners[0], corners[1], corners[2], corners[3]
	switch {
	case a.off&b.off&c.off&d.off&behindWalls != 0:
		return HallTile // all corners show the same wall, and therefore the whole tile does
	case (a.off|b.off|c.off|d.off)&besideCarpet != 0:
		return FloorTile
	}
	lo := [2]float64{min(a.x, b.x, c.x, d.x), min(a.y, b.y, c.y, d.y)}
	hi := [2]float64{max(a.x, b.x, c.x, d.x), max(a.y, b.y, c.y, d.y)}
	// The tile shows more than the box around its corners: its sides are curved, and a pixel's footprint extends beyond
	// its centre.
	grow := 0.15*max(hi[0]-lo[0], hi[1]-lo[1]) + 0.02
	for axis := range lo {
		lo[axis], hi[axis] = lo[axis]-grow, hi[axis]+grow
		if lo[axis] < -m.half[axis] || hi[axis] > m.half[axis] {
			return FloorTile
		}
	}
	switch {
	case l.touches(lo, hi):
		return CarpetTile
	case m.touches(lo, hi):
		return LinesTile
	}
	return PlainTile
}

// MarkBodies adds WithBodies to the classes of tiles that may show the visible bodies.
func (t *Tiling) MarkBodies(c *Camera, s *Visibility, bodies []Body) {
	for _, i := range s.Order {
		t.markBody(c, &bodies[i], &s.Bodies[i])
	}
}

// markBody marks the tiles that may show a body.
func (t *Tiling) markBody(c *Camera, b *Body, v *Visible) {
	rotCB := v.PoseCB.Rot.Mat4().Mat3()
	const small = 0.05 // rad; smaller bodies are marked as a single box
	if b.Radius < small*v.PoseCB.Apply(b.Centre).Len() {
		box := placeBox(&b.Box, v, &rotCB)
		t.markBox(c, &box, 0)
		return
	}
	for _, i := range v.Parts {
		box := placeBox(&b.Parts[i.Part].Box, v, &rotCB)
		t.markBox(c, &box, 0)
	}
}

// placedBox is a box in the optical frame.
type placedBox struct {
	centre mgl64.Vec3
	half   [3]mgl64.Vec3 // vectors from the centre of the box to the centres of three sides
	length [3]float64    // of the vectors in half
}

func placeBox(b *Box, v *Visible, rotCB *mgl64.Mat3) placedBox {
	p := placedBox{centre: v.PoseCB.Apply(b.Centre())}
	for axis := range p.half {
		l := (b.Hi[axis] - b.Lo[axis]) / 2
		p.length[axis] = l
		p.half[axis] = mgl64.Vec3{l * rotCB[3*axis], l * rotCB[3*axis+1], l * rotCB[3*axis+2]}
	}
	return p
}

// markBox marks the tiles that may show a box. It halves the box until it subtends a small angle, and then marks the
// tiles around the image of its corners.
func (t *Tiling) markBox(c *Camera, b *placedBox, depth int) {
	const small, deepest = 0.2, 16 // radians
	radius := math.Sqrt(b.length[0]*b.length[0] + b.length[1]*b.length[1] + b.length[2]*b.length[2])
	distance := b.centre.Len()
	if distance+radius < NearPlane || !c.mayShow(&b.centre, radius) {
		return
	}
	if angle := 2 * radius / distance; angle < 2*small || depth == deepest {
		border := 1.0   // pixels, because samples of a pixel are beside its centre
		if c.Curved() { // bulge of a side
			border += c.bend(&b.centre, radius) * angle * angle / 8
		}
		t.markCorners(c, b, border)
		return
	}
	axis := 0
	for i, l := range b.length {
		if l > b.length[axis] {
			axis = i
		}
	}
	part := *b
	part.length[axis] /= 2
	part.half[axis] = b.half[axis].Mul(0.5)
	for _, way := range [2]float64{-0.5, 0.5} {
		for i := range part.centre {
			part.centre[i] = b.centre[i] + way*b.half[axis][i]
		}
		t.markBox(c, &part, depth+1)
	}
}

// markCorners marks the tiles around the image of a box's corners, extended by a border in pixels.
func (t *Tiling) markCorners(c *Camera, b *placedBox, border float64) {
	u0, v0, u1, v1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for corner := range 8 {
		p := b.centre
		for axis := range b.half {
			way := float64(corner>>axis&1*2 - 1)
			p[0], p[1], p[2] = p[0]+way*b.half[axis][0], p[1]+way*b.half[axis][1], p[2]+way*b.half[axis][2]
		}
		u, v, ok := c.image(&p)
		if !ok {
			t.mark(0, 0, t.Cols, t.Rows)
			return
		}
		u0, v0, u1, v1 = min(u0, u), min(v0, v), max(u1, u), max(v1, v)
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

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
