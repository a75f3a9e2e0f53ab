package tile

// #include <stdlib.h>
// #include "call.h"
import "C"

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// newChip returns a chip and an image's key in the form that the kernels read. For a nil chip, all values are 0.
func newChip(c *render.Chip, noiseKey uint64, width, height int) C.chip {
	if c == nil {
		return C.chip{}
	}
	n := chip.NewNumbers(c, noiseKey, width, height)
	f := &n.Fixed
	k := C.chip{on: 1, white: C.float(white), exposure: C.float(n.Exposure), shot: C.float(n.Shot),
		read: C.float(n.Read)}
	for i, gain := range n.Gain {
		k.gain[i] = C.float(gain)
	}
	for i := range k.scale {
		k.scale[i], k.key[i] = C.float(n.Scale[i]), C.uint32_t(n.Key[i])
	}
	if c.Bayer {
		k.bayer = 1
	}
	if c.Chromatic != 0 {
		k.chromatic, k.light = 1, 1
	}
	if c.Glare != 0 {
		k.glare, k.light, k.keep = 1, 1, C.float(n.Keep)
	}
	if n.Columns.On {
		k.columns, k.light = 1, 1
		k.spill, k.full, k.smear = C.float(n.Columns.Spill), C.float(n.Columns.Full), C.float(n.Columns.Smear)
	}
	if c.Rows.On() {
		k.flicker = 1
		for i, share := range n.Lamps {
			k.lamps[i] = C.float(share)
		}
	}
	if f.On {
		k.fixed, k.hot = 1, C.int32_t(f.Hot)
		k.response, k.dark, k.row, k.column = C.float(f.Response), C.float(f.Dark), C.float(f.Row), C.float(f.Column)
		k.hot_step, k.hot_charge = C.float(f.HotStep), C.float(f.HotCharge)
		for i, key := range f.Keys {
			k.fixed_key[i] = [2]C.uint32_t{C.uint32_t(key[0]), C.uint32_t(key[1])}
		}
	}
	return k
}

// planesOf returns how many planes an image with a chip needs. It also returns the stride and the number of rows of a
// plane, which are multiples of the tile size.
func planesOf(k *C.chip, width, height int) (n, stride, rows int) {
	whole := func(n int) int { return (n + raster.TileSize - 1) / raster.TileSize * raster.TileSize }
	switch {
	case k.light != 0:
		n = 3
	case k.bayer != 0:
		n = 1
	}
	return n, whole(width), whole(height)
}

// dirtOf returns the transmission of a chip's dirty lens, or nil if it is clean.
func dirtOf(c *render.Chip) *C.float {
	if c == nil || len(c.Dirt) == 0 {
		return nil
	}
	return (*C.float)(unsafe.SliceData(c.Dirt))
}

// layout describes the scratch memory that an image's chip needs. Sizes are numbers of floats. The memory holds, in
// this order: the values per row, the planes, spare floats, the scattered light, and the scratch memory for columns.
type layout struct {
	planes, stride, rows int // number of planes, and the stride and rows of each
	// offsets of the planes, of the scattered light and of the memory for columns; then the total size
	first, glare, columns, size int
}

// layoutOf returns the layout for an image.
func layoutOf(k *C.chip, width, height int) (l layout) {
	l.planes, l.stride, l.rows = planesOf(k, width, height)
	if k.flicker != 0 {
		l.first = l.rows
	}
	if l.planes == 0 {
		l.size = l.first
		return l
	}
	l.glare = l.first + l.planes*l.stride*l.rows + C.PLANES_SPARE
	l.size = l.glare
	if k.glare != 0 {
		l.size += chip.NewGlare(width, height).Room()
	}
	if l.columns = l.size; k.columns != 0 {
		l.size += chip.ColumnsRoom(height)
	}
	return l
}

// scatter computes the light that a chip's lens scatters. The planes must be complete.
func scatter(kernel *C.kernels, p *C.planes, c *render.Chip, im *render.Image) {
	C.call_average_cells(kernel, p, C.int32_t(im.Width), C.int32_t(im.Height))
	g := chip.NewGlare(im.Width, im.Height)
	g.Scatter(unsafe.Slice((*float32)(p.glare), g.Room()), im.Width, im.Height, c.Glare)
}

// aboveOf returns the address of an image's light above white, or nil if the image does not record it.
func aboveOf(im *render.Image) *C.float {
	if im.Above == nil {
		return nil
	}
	return (*C.float)(unsafe.SliceData(im.Above))
}

// planes is memory for the light of an image.
type planes struct {
	numbers
	columns *C.float // scratch memory for blooming and smear in columns
}

// set passes memory for an image to the kernels, if the image's chip needs any. It fails if the machine runs out of
// memory.
func (p *planes) set(k *C.chip, c *render.Chip, width, height int, into *C.planes) error {
	l := layoutOf(k, width, height)
	*into = C.planes{stride: C.int32_t(l.stride)}
	if l.size == 0 {
		return nil
	}
	if err := p.grow(l.size); err != nil {
		return err
	}
	if k.flicker != 0 {
		into.rows = p.pointer(0)
		chip.AppendRows(unsafe.Slice((*float32)(into.rows), l.rows), c, height)
	}
	if k.glare != 0 {
		into.glare = p.pointer(l.glare)
	}
	p.columns = p.pointer(l.columns)
	for i := range l.planes {
		into.plane[i] = p.pointer(l.first + i*l.stride*l.rows)
	}
	return nil
}

// Chips applies chips and rangings to finished images. It gives the same bytes as chip.Processor, but faster. Any
// goroutine may use it.
type Chips struct {
	kernel *C.kernels
	plain  chip.Processor // for rangings that the kernels do not support
	idle   sync.Pool      // of *scratch
}

// scratch is the memory of one call of a Chips method.
type scratch struct {
	chip    C.chip
	ranging C.ranging
	planes  []float32
	bytes   []byte
}

// room returns n floats.
func (s *scratch) room(n int) *C.float {
	s.planes = slices.Grow(s.planes[:0], n)[:n]
	return (*C.float)(&s.planes[0])
}

// NewChips returns a Chips. Like New, it fails if the processor lacks the requested instructions.
func NewChips() (*Chips, error) {
	k, err := kernel()
	if err != nil {
		return nil, err
	}
	return &Chips{kernel: k}, nil
}

func (a *Chips) scratch() *scratch {
	if s, ok := a.idle.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

// Apply implements chip.Vectors: see chip.Processor.Apply.
func (a *Chips) Apply(im *render.Image, c *render.Chip, noiseKey uint64) {
	if c == nil {
		return
	}
	s := a.scratch()
	defer a.idle.Put(s)
	s.chip = newChip(c, noiseKey, im.Width, im.Height)
	glares := chip.Glares(im)
	if glares {
		s.chip.light = 1
	}
	var memory *C.float
	w, h := C.int32_t(im.Width), C.int32_t(im.Height)
	l := layoutOf(&s.chip, im.Width, im.Height)
	if l.size > 0 {
		memory = s.room(l.size)
		chip.AppendRows(s.planes, c, im.Height)
	}
	C.expose(a.kernel, &s.chip, w, h, memory, (*C.float)(&decoded[0]), dirtOf(c), (*C.uint8_t)(&im.Pix[0]))
	if glares {
		for color := range 3 {
			chip.Brighten(s.planes[l.first+color*l.stride*l.rows:], l.stride, im, color)
		}
	}
	if s.chip.glare != 0 {
		C.average(a.kernel, &s.chip, w, h, memory)
		g := chip.NewGlare(im.Width, im.Height)
		g.Scatter(s.planes[l.glare:], im.Width, im.Height, c.Glare)
	}
	if s.chip.columns != 0 {
		C.fill(a.kernel, &s.chip, w, h, memory, (*C.float)(&s.planes[l.columns]))
	}
	if l.planes > 0 {
		C.develop(a.kernel, &s.chip, w, h, memory, (*C.uint8_t)(&im.Pix[0]))
	}
	process(a.kernel, im, c, &s.bytes)
}

// Compress implements chip.Vectors: see chip.Processor.Compress.
func (a *Chips) Compress(im *render.Image, quality int) {
	s := a.scratch()
	defer a.idle.Put(s)
	process(a.kernel, im, &render.Chip{JPEGQuality: quality}, &s.bytes)
}

// process does the same as chip.Process with the kernels. It lengthens *memory if necessary.
func process(kernel *C.kernels, im *render.Image, c *render.Chip, memory *[]byte) {
	chip.Refine(im, c, memory)
	if c.Sharpening == 0 && c.JPEGQuality == 0 {
		return
	}
	n := chip.ProcessRoom(im.Width, im.Height)
	*memory = slices.Grow((*memory)[:0], n)[:n]
	var steps *C.uint8_t
	if c.JPEGQuality != 0 {
		steps = (*C.uint8_t)(&chip.JPEGSteps(c.JPEGQuality)[0][0])
	}
	C.call_process(kernel, C.int32_t(im.Width), C.int32_t(im.Height), C.int32_t(chip.SharpeningFactor(c.Sharpening)),
		steps, (*C.uint8_t)(&(*memory)[0]), (*C.uint8_t)(&im.Pix[0]))
}

// white is the smallest amount of light that is encoded as 255.
var white = func() float32 {
	from, to := float32(0.9), float32(1)
	for {
		middle := (from + to) / 2
		if middle == from || middle == to {
			return to
		}
		if render.Encode8(middle) == 255 {
			to = middle
		} else {
			from = middle
		}
	}
}()

// decoded is the light of each 8-bit value.
var decoded = func() (light [256]float32) {
	for v := range light {
		light[v] = render.Decode8(byte(v))
	}
	return light
}()
