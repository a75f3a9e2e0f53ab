package tile

// #include "kernels.h"
import "C"

import (
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
)

// loadGrain loads the carpet's grain with its smaller copies. Each texel is packed with its neighbours on the right, below, and below on the
// right, so that interpolation reads one number.
func (g *stage) loadGrain() {
	texels, size := render.Grain(), render.GrainSize
	into := &g.kernel.grain
	into.width, into.height = C.int32_t(size), C.int32_t(size)
	for level := 0; ; level++ {
		packed := newArray[uint32](&g.memory, size*size)
		at := func(x, y int) uint32 { return uint32(texels[y%size*size+x%size]) }
		for y := range size {
			for x := range size {
				packed[y*size+x] = at(x, y) | at(x+1, y)<<8 | at(x, y+1)<<16 | at(x+1, y+1)<<24
			}
		}
		into.level[level], into.levels = unsafe.Pointer(first(packed)), C.int32_t(level+1)
		if size == 1 {
			return
		}
		texels, size = halved(texels, size, size, 1), size/2
	}
}

// loadCrowd loads the walls' picture, if there is one, in linear light, with its smaller copies.
func (g *stage) loadCrowd() {
	im := g.scene.Room.Picture
	if im == nil {
		return
	}
	into := &g.kernel.crowd
	into.width, into.height = C.int32_t(im.Width), C.int32_t(im.Height)
	g.kernel.crowd_repeats = C.float(1 / g.scene.Room.PictureWidth)
	g.kernel.crowd_texels = C.float(float64(im.Width) / g.scene.Room.PictureWidth)
	linear := make([]float32, len(im.Pix))
	for i, b := range im.Pix {
		linear[i] = float32(render.Linear(float64(b) / 255))
	}
	w, h := im.Width, im.Height
	for level := 0; ; level++ {
		copied := newArray[float32](&g.memory, len(linear))
		copy(copied, linear)
		into.level[level], into.levels = unsafe.Pointer(first(copied)), C.int32_t(level+1)
		if w == 1 && h == 1 {
			return
		}
		linear = halved(linear, w, h, 3)
		w, h = max(w/2, 1), max(h/2, 1)
	}
}

// halved returns a picture of half the width and height, at least 1, by the mean of four texels of so many numbers each.
func halved[T uint8 | float32](texels []T, width, height, numbers int) []T {
	w, h := max(width/2, 1), max(height/2, 1)
	out := make([]T, w*h*numbers)
	for y := range h {
		for x := range w {
			for c := range numbers {
				sum := 0.0
				for i := range 4 {
					sum += float64(texels[(min(2*y+i/2, height-1)*width+min(2*x+i%2, width-1))*numbers+c])
				}
				mean := sum / 4
				if _, ok := any(out[0]).(uint8); ok {
					mean += 0.5
				}
				out[(y*w+x)*numbers+c] = T(mean)
			}
		}
	}
	return out
}
