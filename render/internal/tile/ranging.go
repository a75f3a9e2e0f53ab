package tile

// #include "call.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
)

// newRanging returns a ranging and an image's key in the form that the kernels read. The ranging must not be Exact.
func newRanging(r *render.Ranging, lens optics.Pinhole, noiseKey uint64) C.ranging {
	n := chip.NewRangingNumbers(r, lens, noiseKey)
	k := C.ranging{
		near: C.float(n.Near), far: C.float(n.Far), none: C.int32_t(n.None), mixed: C.int32_t(n.Mixed),
		shadow: C.float(n.Shadow), step: C.float(n.Step), light: C.float(n.Light), signal_noise: C.float(n.SignalNoise),
		margin: C.int32_t(n.Margin),
	}
	if n.Frays {
		k.frays = 1
	}
	for i, a := range n.Axial {
		k.axial[i] = C.float(a)
	}
	for i := range 2 {
		k.slant[i], k.lateral[i], k.key[i] = C.float(n.Slant[i]), C.float(n.Lateral[i]), C.uint32_t(n.Key[i])
		k.focal[i], k.centre[i], k.per_focal[i] = C.float(n.Focal[i]), C.float(n.Centre[i]), C.float(n.PerFocal[i])
	}
	return k
}

// truths is memory for the true distances of an image, from which measured distances are computed.
type truths struct{ numbers }

// truthsOf returns the layout of the memory for an image's true distances: its size in numbers, the index of the first
// pixel, and the stride of rows.
func truthsOf(width, height int) (n, first, stride int) {
	stride = (width+raster.TileSize-1)/raster.TileSize*raster.TileSize + 2*spare
	return (height+2)*stride + spare, stride + spare, stride
}

// set passes the ranging of a view, and the memory for it, to the kernels.
func (t *truths) set(v *render.View, k *C.view) error {
	k.ranges, k.depth_limits = 0, [2]C.float{0, C.float(math.Inf(1))}
	switch r := v.Ranging; {
	case v.Depth == nil || r == nil:
	case r.Exact:
		k.depth_limits = [2]C.float{C.float(r.Min), C.float(r.Max)}
	default:
		n, first, stride := truthsOf(v.Depth.Width, v.Depth.Height)
		if err := t.grow(n); err != nil {
			return err
		}
		k.ranges, k.ranging = 1, newRanging(r, v.Model.(optics.Pinhole), v.NoiseKey)
		k.truths = C.distances{z: t.pointer(first), stride: C.int32_t(stride)}
	}
	return nil
}

// Measure implements chip.Vectors: see chip.Processor.Measure.
func (a *Chips) Measure(d *render.Depth, r *render.Ranging, lens optics.Pinhole, noiseKey uint64) {
	if r == nil || r.Exact || max(d.Width, d.Height) > C.LONGEST_SIDE {
		a.plain.Measure(d, r, lens, noiseKey)
		return
	}
	s := a.scratch()
	defer a.idle.Put(s)
	s.ranging = newRanging(r, lens, noiseKey)
	n, first, stride := truthsOf(d.Width, d.Height)
	C.apply_ranging(a.kernel, &s.ranging, C.int32_t(d.Width), C.int32_t(d.Height), s.room(n), C.int32_t(stride),
		C.int32_t(first), (*C.float)(unsafe.SliceData(d.Reflectance)), (*C.float)(&d.Z[0]))
}
