package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// tileSize is the side of a tile, pixels. Measured: smaller tiles take as much longer to sort as they save in drawing.
const tileSize = 16

// tileClass is what a tile may show, by which the shader is chosen.
type tileClass int

const (
	plainTile  tileClass = iota // lit carpet and nothing else
	linesTile                   // lit carpet with markings
	carpetTile                  // carpet with shadows, with or without markings
	hallTile                    // no floor: walls and ceiling
	floorTile                   // any of them, or a mirror's edge
	tileClasses
	noTile tileClass = 2 * tileClasses // beyond a mirror's edge: dark
)

// withBodies is added to the class of a tile that may show bodies too.
const withBodies = tileClasses

// tileDefines are the preprocessor definitions of each class.
var tileDefines = [tileClasses][]string{
	plainTile:  {"CARPET", "LIT", "UNMARKED"},
	linesTile:  {"CARPET", "LIT"},
	carpetTile: {"CARPET"},
	hallTile:   {"HALL"},
	floorTile:  {},
}

// tiling is an image's tiles by class: most are plain ones, which a short shader draws.
type tiling struct {
	cols, rows int
	class      []tileClass
	hits       []hit // of the tiles' corners, (cols + 1) × (rows + 1)
	points     []mgl32.Vec2
	first      [2*tileClasses + 1]int32
}

// hit is where a ray hits the floor.
type hit struct {
	at     [2]float64
	carpet bool
	beyond uint8 // bits of the walls that it is behind
}

func (t *tiling) sort(c *camera, s *visibility, bodies []body, m *marks, l *lightMap) {
	t.cols, t.rows = tilesOf(c.width), tilesOf(c.height)
	t.class = resize(t.class, t.cols*t.rows)
	t.hits = resize(t.hits, (t.cols+1)*(t.rows+1))
	half := m.half
	for row := range t.rows + 1 {
		for col := range t.cols + 1 {
			d := c.poseWC.Rotate(c.ray(float64(col*tileSize), float64(row*tileSize)))
			t.hits[row*(t.cols+1)+col] = trace(c.poseWC.Pos, d, half, m.margin)
		}
	}
	for row := range t.rows {
		for col := range t.cols {
			t.class[row*t.cols+col] = t.classify(c, col, row, half, m, l)
		}
	}
	for _, i := range s.order {
		t.markBody(c, &bodies[i], &s.items[i])
	}
	t.points = t.points[:0]
	for class := range 2 * tileClasses {
		t.first[class] = int32(len(t.points))
		t.collect(class, c.width, c.height)
	}
	t.first[2*tileClasses] = int32(len(t.points))
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

func (t *tiling) classify(c *camera, col, row int, half [2]float64, m *marks, l *lightMap) tileClass {
	edge := false
	if c.mirrored {
		// The tile's middle and the reach of its corners, in the unified model's image plane.
		x, y := (float64(col*tileSize+tileSize/2)-0.5-c.cx)/c.fx, (float64(row*tileSize+tileSize/2)-0.5-c.cy)/c.fy
		r, reach := math.Hypot(x, y), math.Hypot(tileSize/2/c.fx, tileSize/2/c.fy)
		soft := 2 / math.Min(c.fx, c.fy)
		if r-reach > c.edge*(1+render.RimShare)+soft {
			return noTile
		}
		edge = r+reach > c.edge-soft
	}
	if c.lens != nil {
		switch c.lens.tiles[row*t.cols+col] {
		case blindTile:
			return noTile
		case edgeTile:
			return floorTile
		}
	}
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	at := row*(t.cols+1) + col
	carpet, beyond := true, uint8(0xff)
	for _, i := range [4]int{at, at + 1, at + t.cols + 1, at + t.cols + 2} {
		h := &t.hits[i]
		carpet, beyond = carpet && h.carpet, beyond&h.beyond
		for axis := range lo {
			lo[axis], hi[axis] = math.Min(lo[axis], h.at[axis]), math.Max(hi[axis], h.at[axis])
		}
	}
	switch {
	case beyond != 0:
		return hallTile // all corners are behind one wall, and so is all of the tile
	case edge || !carpet:
		return floorTile
	}
	// Curved sides bulge, and a pixel's footprint reaches beyond its centre.
	grow := 0.15*math.Max(hi[0]-lo[0], hi[1]-lo[1]) + 0.02
	for axis := range lo {
		lo[axis], hi[axis] = lo[axis]-grow, hi[axis]+grow
		if lo[axis] < -half[axis] || hi[axis] > half[axis] {
			return floorTile
		}
	}
	switch {
	case l.touches(lo, hi):
		return carpetTile
	case m.touches(lo, hi):
		return linesTile
	}
	return plainTile
}

// markBody finds the tiles that may show a body.
func (t *tiling) markBody(c *camera, b *body, v *visible) {
	const small = 0.05 // rad; a smaller body is marked as a whole
	if b.radius < small*v.poseCB.Apply(b.centre).Len() {
		t.markBox(c, b.box, v.poseCB, 0)
		return
	}
	for _, i := range v.parts {
		t.markBox(c, b.parts[i].box, v.poseCB, 0)
	}
}

// markBox halves a box until it subtends a small angle, then marks the tiles around the image of its corners.
func (t *tiling) markBox(c *camera, b box, poseCB spatial.Pose, depth int) {
	const small, deepest = 0.2, 16 // radians
	size := b.hi.Sub(b.lo)
	centre, radius := poseCB.Apply(b.centre()), size.Len()/2
	if !c.mayShow(centre, radius) || centre.Len()+radius < nearPlane {
		return
	}
	if angle := 2 * radius / centre.Len(); angle < 2*small || depth == deepest {
		border := 1.0   // pixel: the extent of the samples
		if c.curved() { // by how much a side bulges
			border += c.bend(centre, radius) * angle * angle / 8
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
	mid := (b.lo[axis] + b.hi[axis]) / 2
	low.hi[axis], high.lo[axis] = mid, mid
	t.markBox(c, low, poseCB, depth+1)
	t.markBox(c, high, poseCB, depth+1)
}

// markCorners marks the tiles around the image of a box's corners, and within a border of it, pixels.
func (t *tiling) markCorners(c *camera, b box, poseCB spatial.Pose, border float64) {
	u0, v0, u1, v1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for corner := range 8 {
		p := poseCB.Apply(b.corner(corner))
		u, v, ok := c.image(p.Mul(1 / p.Len()))
		if !ok {
			t.mark(0, 0, t.cols, t.rows)
			return
		}
		u0, v0, u1, v1 = math.Min(u0, u), math.Min(v0, v), math.Max(u1, u), math.Max(v1, v)
	}
	tile := func(x float64) int { return int(math.Floor(mgl64.Clamp(x, -1e5, 1e5) / tileSize)) }
	t.mark(tile(u0-border), tile(v0-border), tile(u1+border)+1, tile(v1+border)+1)
}

func (t *tiling) mark(col0, row0, col1, row1 int) {
	for row := max(row0, 0); row < min(row1, t.rows); row++ {
		for col := max(col0, 0); col < min(col1, t.cols); col++ {
			if class := &t.class[row*t.cols+col]; *class < withBodies {
				*class += withBodies
			}
		}
	}
}

// collect adds two triangles for each run of tiles of a class in a row.
func (t *tiling) collect(class tileClass, width, height int) {
	for row := range t.rows {
		for col := 0; col < t.cols; col++ {
			if t.class[row*t.cols+col] != class {
				continue
			}
			from := col
			for col+1 < t.cols && t.class[row*t.cols+col+1] == class {
				col++
			}
			x0, x1 := float32(from*tileSize), float32(min((col+1)*tileSize, width))
			y0, y1 := float32(row*tileSize), float32(min((row+1)*tileSize, height))
			t.points = append(t.points, mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y0}, mgl32.Vec2{x1, y1},
				mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y1}, mgl32.Vec2{x0, y1})
		}
	}
}

func (t *tiling) load(buffer uint32) {
	if len(t.points) > 0 {
		gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
		gl.BufferData(gl.ARRAY_BUFFER, len(t.points)*int(unsafe.Sizeof(t.points[0])), gl.Ptr(&t.points[0][0]), gl.STREAM_DRAW)
	}
}

// draw draws the tiles of the classes from first up to, not including, end.
func (t *tiling) draw(with *program, first, end tileClass) {
	if n := t.first[end] - t.first[first]; n > 0 {
		gl.UseProgram(with.id)
		gl.DrawArrays(gl.TRIANGLES, t.first[first], n)
	}
}
