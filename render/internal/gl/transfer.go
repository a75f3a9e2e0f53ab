package gl

import (
	"errors"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// transfer copies the images of a group from the card, while the card draws another.
type transfer struct {
	pixels, cells, depths packBuffer
	truths                [len(truthPlanes)]packBuffer
	fence                 uintptr
	rows                  int // of an image in a piece
	pieces                int // of all images
}

// packBuffer is a buffer into which OpenGL copies images.
type packBuffer struct {
	id     uint32
	size   int
	used   int    // bytes of the current images
	stride int    // bytes of a row
	mapped []byte // the current images, below each other
}

// pieceSize is the number of bytes that a worker copies at once.
const pieceSize = 128 << 10

// start starts to copy the images of a group. The vertex array without attributes must be bound, and the tests of depth
// and of faces be off.
func (t *transfer) start(g *groups, of *group, l *layers) {
	n := len(of.views)
	for _, b := range t.buffers() {
		b.used, b.stride = 0, 0
	}
	if of.color {
		l.pixels.fill(n, g.pack, layersUnit, l.color)
		l.pixels.read(n, &t.pixels)
	}
	if of.above && !of.cube {
		l.cells.read(n, &t.cells)
	}
	if of.depth {
		l.depths.fill(n, g.copy, layersUnit, l.z)
		l.depths.read(n, &t.depths)
	}
	if of.planes[labelPlane] {
		g.truths.read(n, of, l, &t.truths)
	}
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
	t.fence = gl.FenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
	row := 0 // bytes
	for _, b := range t.buffers() {
		row += b.stride
	}
	t.rows = max(1, pieceSize/max(1, row-t.cells.stride))
	t.pieces = n * ((of.height + t.rows - 1) / t.rows)
}

// wait waits until the images are in memory.
func (t *transfer) wait() error {
	const second = 1e9
	result := uint32(gl.TIMEOUT_EXPIRED)
	for result == gl.TIMEOUT_EXPIRED {
		result = gl.ClientWaitSync(t.fence, gl.SYNC_FLUSH_COMMANDS_BIT, second)
	}
	gl.DeleteSync(t.fence)
	t.fence = 0
	failed := result == gl.WAIT_FAILED
	for _, b := range t.buffers() {
		failed = failed || !b.open()
	}
	if failed {
		return errors.New("render/gl: the graphics card has not delivered the images")
	}
	return nil
}

// deliver copies a piece of an image.
func (t *transfer) deliver(piece int, of *group, f *render.Batch) {
	each := t.pieces / len(of.views)
	i := piece / each
	v, from := &f.Views[of.views[i]], piece%each*t.rows
	to := min(from+t.rows, of.height)
	if of.color {
		width := 3 * of.width
		for y := from; y < to; y++ {
			copy(v.Color.Pix[y*width:][:width], t.pixels.mapped[(i*of.height+y)*t.pixels.stride:])
		}
	}
	if of.depth {
		copy(v.Depth.Z[from*of.width:to*of.width], floats(t.depths.mapped[(i*of.height+from)*t.depths.stride:]))
	}
	if of.planes[labelPlane] {
		t.deliverTruth(i, of, f, from, to)
	}
	if of.above && from == 0 {
		if of.cube {
			clear(v.Color.Above)
		} else {
			copy(v.Color.Above, floats(t.cells.mapped)[i*len(v.Color.Above):])
		}
	}
}

func floats(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// end gives the buffers back to OpenGL.
func (t *transfer) end() {
	for _, b := range t.buffers() {
		b.close()
	}
}

// buffers returns all buffers.
func (t *transfer) buffers() (all [3 + len(truthPlanes)]*packBuffer) {
	all[0], all[1], all[2] = &t.pixels, &t.cells, &t.depths
	for i := range t.truths {
		all[3+i] = &t.truths[i]
	}
	return all
}

// bind binds a buffer, for size bytes in rows of stride bytes.
func (b *packBuffer) bind(size, stride int) {
	if b.id == 0 {
		gl.GenBuffers(1, &b.id)
	}
	b.used, b.stride = size, stride
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, b.id)
	if size > b.size {
		b.size = size
		gl.BufferData(gl.PIXEL_PACK_BUFFER, size, nil, gl.STREAM_READ)
	}
}

// open maps a buffer, if it holds images. It returns false if OpenGL does not.
func (b *packBuffer) open() bool {
	if b.used == 0 {
		return true
	}
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, b.id)
	at := gl.MapBufferRange(gl.PIXEL_PACK_BUFFER, 0, b.used, gl.MAP_READ_BIT)
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
	if at == nil {
		return false
	}
	b.mapped = unsafe.Slice((*byte)(at), b.used)
	return true
}

func (b *packBuffer) close() {
	if b.mapped == nil {
		return
	}
	b.mapped = nil
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, b.id)
	gl.UnmapBuffer(gl.PIXEL_PACK_BUFFER)
	gl.BindBuffer(gl.PIXEL_PACK_BUFFER, 0)
}
