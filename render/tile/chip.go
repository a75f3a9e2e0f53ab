package tile

// #include <stdlib.h>
// #include "kernels.h"
import "C"

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/raster"
)

// newChip returns what the kernels read of a chip and an image's key; zeros of nil.
func newChip(c *render.Chip, noiseKey uint64, width, height int) C.chip {
	if c == nil {
		return C.chip{}
	}
	n := chip.NewNumbers(c, noiseKey, width, height)
	k := C.chip{on: 1, exposure: C.float(n.Exposure), shot: C.float(n.Shot), read: C.float(n.Read)}
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
		k.chromatic = 1
	}
	return k
}

// planesOf returns how many planes an image with a chip needs, and the stride and the number of their rows: of whole tiles.
func planesOf(k *C.chip, width, height int) (n, stride, rows int) {
	whole := func(n int) int { return (n + raster.TileSize - 1) / raster.TileSize * raster.TileSize }
	switch {
	case k.chromatic != 0:
		n = 3
	case k.bayer != 0:
		n = 1
	}
	return n, whole(width), whole(height)
}

// dirtOf returns the shares of a chip's light that come through its lens, nil of a clean one.
func dirtOf(c *render.Chip) *C.float {
	if c == nil || len(c.Dirt) == 0 {
		return nil
	}
	return (*C.float)(unsafe.SliceData(c.Dirt))
}

// planes is memory for the light of an image.
type planes struct{ numbers }

// set hands the memory for an image to the kernels, if its chip needs any.
func (p *planes) set(k *C.chip, width, height int, into *C.planes) error {
	n, stride, rows := planesOf(k, width, height)
	*into = C.planes{stride: C.int32_t(stride)}
	if n == 0 {
		return nil
	}
	if err := p.grow(n*stride*rows + C.PLANES_SPARE); err != nil {
		return err
	}
	for i := range n {
		into.plane[i] = p.at(i * stride * rows)
	}
	return nil
}

// Chips applies chips and rangings to images that are finished already, as a chip.Processor does and to the same bytes, but faster. Any goroutine may
// use it.
type Chips struct {
	kernel *C.kernels
	plain  chip.Processor // for what the kernels do not measure
	idle   sync.Pool      // of *scratch
}

// scratch is the memory of one call.
type scratch struct {
	chip    C.chip
	ranging C.ranging
	planes  []float32
}

// room returns so many floats.
func (s *scratch) room(n int) *C.float {
	s.planes = slices.Grow(s.planes[:0], n)[:n]
	return (*C.float)(&s.planes[0])
}

// NewChips fails as New does if the processor lacks the instructions asked for.
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

// Apply is chip.Processor.Apply.
func (a *Chips) Apply(im *render.Image, c *render.Chip, noiseKey uint64) {
	if c == nil {
		return
	}
	s := a.scratch()
	defer a.idle.Put(s)
	s.chip = newChip(c, noiseKey, im.Width, im.Height)
	var memory *C.float
	if n, stride, rows := planesOf(&s.chip, im.Width, im.Height); n > 0 {
		memory = s.room(n*stride*rows + C.PLANES_SPARE)
	}
	C.apply_chip(a.kernel, &s.chip, C.int32_t(im.Width), C.int32_t(im.Height), memory, (*C.float)(&decoded[0]), dirtOf(c), (*C.uint8_t)(&im.Pix[0]))
}

// decoded is the light of each 8-bit value.
var decoded = func() (light [256]float32) {
	for v := range light {
		light[v] = render.Decode8(byte(v))
	}
	return light
}()
