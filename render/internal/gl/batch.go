package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// batch is a list of index ranges that one OpenGL call draws.
type batch struct {
	counts  []int32
	offsets []uintptr // bytes
}

func (b *batch) reset() { b.counts, b.offsets = b.counts[:0], b.offsets[:0] }

func (b *batch) add(l *raster.Level) {
	const size = 4 // bytes of an index
	offset := uintptr(l.First) * size
	if n := len(b.counts) - 1; n >= 0 && b.offsets[n]+uintptr(b.counts[n])*size == offset {
		b.counts[n] += l.Count // neighbouring ranges are merged
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
const patterns = int(render.Textured) + 1

// batches holds the visible parts of each body, by pattern. It reuses its memory.
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
