package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// tileDefines are the preprocessor definitions for each class of tiles.
var tileDefines = [raster.TileClasses][]string{
	raster.PlainTile:  {"CARPET", "LIT", "UNMARKED"},
	raster.LinesTile:  {"CARPET", "LIT"},
	raster.CarpetTile: {"CARPET"},
	raster.HallTile:   {"HALL"},
	raster.FloorTile:  {},
}

// tiling holds an image's tiles by class, as triangles. Most tiles are of class raster.PlainTile, and a short shader
// draws them.
type tiling struct {
	raster.Tiling
	points []mgl32.Vec2
	first  [2*raster.TileClasses + 1]int32
}

// arrange creates the triangles of all classes, one class after the other.
func (t *tiling) arrange(c *raster.Camera) {
	t.points = t.points[:0]
	for class := range 2 * raster.TileClasses {
		t.first[class] = int32(len(t.points))
		t.collect(class, c.Width, c.Height)
	}
	t.first[2*raster.TileClasses] = int32(len(t.points))
}

// collect adds two triangles for each run of tiles of the same class in a row.
func (t *tiling) collect(class raster.TileClass, width, height int) {
	for row := range t.Rows {
		for col := 0; col < t.Cols; col++ {
			if t.Class[row*t.Cols+col] != class {
				continue
			}
			from := col
			for col+1 < t.Cols && t.Class[row*t.Cols+col+1] == class {
				col++
			}
			x0, x1 := float32(from*raster.TileSize), float32(min((col+1)*raster.TileSize, width))
			y0, y1 := float32(row*raster.TileSize), float32(min((row+1)*raster.TileSize, height))
			t.points = append(t.points, mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y0}, mgl32.Vec2{x1, y1},
				mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y1}, mgl32.Vec2{x0, y1})
		}
	}
}

func (t *tiling) load(buffer uint32) {
	if len(t.points) > 0 {
		gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
		gl.BufferData(gl.ARRAY_BUFFER, len(t.points)*int(unsafe.Sizeof(t.points[0])), gl.Ptr(&t.points[0][0]),
			gl.STREAM_DRAW)
	}
}

// draw draws the tiles of the classes from first up to, but not including, end.
func (t *tiling) draw(with *program, first, end raster.TileClass) {
	if n := t.first[end] - t.first[first]; n > 0 {
		gl.UseProgram(with.id)
		gl.DrawArrays(gl.TRIANGLES, t.first[first], n)
	}
}

// batch is a list of ranges of indices that one OpenGL call draws.
type batch struct {
	counts  []int32
	offsets []uintptr // bytes
}

func (b *batch) reset() { b.counts, b.offsets = b.counts[:0], b.offsets[:0] }

func (b *batch) add(l *raster.Level) {
	const size = 4 // bytes of an index
	offset := uintptr(l.First) * size
	if n := len(b.counts) - 1; n >= 0 && b.offsets[n]+uintptr(b.counts[n])*size == offset {
		b.counts[n] += l.Count // merge neighbouring ranges
		return
	}
	b.counts = append(b.counts, l.Count)
	b.offsets = append(b.offsets, offset)
}

func (b *batch) draw() {
	if len(b.counts) > 0 {
		// The pointer argument is an offset into the bound buffer.
		gl.MultiDrawElements(gl.TRIANGLES, &b.counts[0], gl.UNSIGNED_INT,
			(*unsafe.Pointer)(unsafe.Pointer(&b.offsets[0])), int32(len(b.counts)))
	}
}

// patterns is the number of values of render.Pattern.
const patterns = int(render.VertexColors) + 1

// batches holds, for each body and each pattern, the visible parts. It reuses its memory.
type batches [][patterns]batch

// fill collects the visible parts of all bodies.
func (b *batches) fill(bodies []raster.Body, seen *raster.Visibility) {
	if len(*b) != len(bodies) {
		*b = make(batches, len(bodies))
	}
	for _, i := range seen.Order {
		body, runs := &bodies[i], &(*b)[i]
		for k := range runs {
			runs[k].reset()
		}
		for _, s := range seen.Bodies[i].Parts {
			p := &body.Parts[s.Part]
			runs[p.Pattern].add(&p.Levels[s.Level])
		}
	}
}
