package tile

// #include "call.h"
import "C"

import (
	"reflect"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/optics"
)

// shot is one view prepared for the kernels, with its memory.
type shot struct {
	memory    memory
	camera    raster.Camera
	visible   raster.Visibility
	lens      *lens // tables of the view's model; nil for a model with a formula
	posesWB   []spatial.Pose
	motion    motion
	kernel    *C.view
	draws     []C.draw  // nearest first
	distances []float64 // square distances of a body's visible parts, square metres
	works     []*C.work // draw calls of the workers that draw the view together
	planes    planes
	truths    truths
	bytes     []byte // memory for processing in the camera
}

func newShot(workers int) *shot {
	s := &shot{}
	s.kernel = &newArray[C.view](&s.memory, 1)[0]
	for range workers {
		s.works = append(s.works, &newArray[C.work](&s.memory, 1)[0])
	}
	return s
}

// free frees the memory that the kernels read, and the memory that they have allocated.
func (s *shot) free() {
	for _, w := range s.works {
		C.free_work(w)
	}
	s.planes.free()
	s.truths.free()
	s.memory.free()
}

// set prepares a view of a batch. rotations holds the rotations of all bodies. It fails if the machine runs out of
// memory.
func (s *shot) set(g *loadedScene, l *lens, v *render.View, posesWB []spatial.Pose, rotations []mgl64.Mat3) error {
	var tables *raster.Lens
	if l != nil {
		tables = l.Lens
	}
	s.lens, s.posesWB = l, posesWB
	s.camera.Set(v, tables)
	s.setCamera(l, v)
	s.visible.Collect(g.geometry.Bodies, posesWB, &s.camera, v.Hidden)
	s.kernel.before = nil
	if v.Truth != nil && v.Truth.Flow != nil && v.Before != nil && l == nil {
		s.motion.set(&s.memory, v, &s.visible, posesWB)
		s.kernel.before = first(s.motion)
	}
	s.draws = s.draws[:0]
	n := 0
	for _, i := range s.visible.Order {
		n += len(s.visible.Bodies[i].Parts)
	}
	if n > cap(s.draws) {
		s.draws = newArray[C.draw](&s.memory, n+n/2)[:0]
	}
	for _, i := range s.visible.Order {
		s.sortParts(&g.geometry.Bodies[i], &s.visible.Bodies[i])
		for _, shown := range s.visible.Bodies[i].Parts {
			p := &g.geometry.Bodies[i].Parts[shown.Part]
			level := &p.Levels[shown.Level]
			d := C.draw{
				posWB:        floats(spatial.Vec32(posesWB[i].Pos)),
				first_vertex: C.int32_t(p.FirstVertex), vertices: C.int32_t(level.Vertices),
				first_triangle: C.int32_t(level.First / 3), triangles: C.int32_t(level.Count / 3),
				material: C.int32_t(p.Material), body: C.int32_t(i),
			}
			if g.natural != nil {
				g.natural.surround(&d, g.geometry, i, int(shown.Part), level.Vertices, posesWB[i], v.Color != nil)
			}
			for k := range d.rotWB {
				d.rotWB[k] = C.float(rotations[i].At(k/3, k%3))
			}
			s.draws = append(s.draws, d)
		}
	}
	s.kernel.draws, s.kernel.draws_count = first(s.draws), C.int32_t(n)
	w, h := v.Model.Size()
	s.kernel.chip = C.chip{}
	if v.Color != nil {
		s.kernel.chip = newChip(v.Chip, v.NoiseKey, w, h)
	}
	if err := s.truths.set(v, s.kernel); err != nil {
		return err
	}
	return s.planes.set(&s.kernel.chip, v.Chip, w, h, &s.kernel.planes)
}

// hasSecondPass reports whether the view's images need a second pass after all pixels have been drawn. They do if the
// result of a pixel depends on other pixels.
func (s *shot) hasSecondPass() bool { return s.kernel.planes.plane[0] != nil || s.kernel.ranges != 0 }

// prepareSecondPass prepares the second pass of a view. All its pixels must have been drawn.
func (s *shot) prepareSecondPass(k *C.kernels, v *render.View) {
	if s.kernel.chip.glare != 0 {
		scatter(k, &s.kernel.planes, v.Chip, v.Color)
	}
	if c := &s.kernel.chip; c.columns != 0 {
		C.call_fill_columns(k, c, &s.kernel.planes, C.int32_t(v.Color.Width), C.int32_t(v.Color.Height),
			s.planes.columns)
	}
}

// processInCamera applies processing in the camera to a view's image.
func (s *shot) processInCamera(k *C.kernels, v *render.View) {
	if v.Color != nil && v.Chip != nil {
		process(k, v.Color, v.Chip, &s.bytes)
	}
}

// sortParts sorts the visible parts of a body by the distances of their boxes from the camera, nearest first. A hidden
// part costs little time if the parts that hide it are drawn before it.
func (s *shot) sortParts(b *raster.Body, v *raster.Visible) {
	eyeB := v.PoseCB.Inverse().Pos
	s.distances = s.distances[:0]
	for i, shown := range v.Parts {
		d := b.Parts[shown.Part].Box.SquareDistance(&eyeB)
		s.distances = append(s.distances, d)
		for k := i; k > 0 && d < s.distances[k-1]; k-- {
			s.distances[k], s.distances[k-1] = s.distances[k-1], s.distances[k]
			v.Parts[k], v.Parts[k-1] = v.Parts[k-1], v.Parts[k]
		}
	}
}

// drawRange returns the range of draw calls of one of several workers. All ranges have about the same number of
// triangles.
func (s *shot) drawRange(worker, workers int) (from, to int) {
	total := 0
	for i := range s.draws {
		total += int(s.draws[i].triangles)
	}
	sum := 0
	for to = range s.draws {
		if sum >= total*(worker+1)/workers {
			return from, to
		}
		if sum < total*worker/workers {
			from = to + 1
		}
		sum += int(s.draws[to].triangles)
	}
	return from, len(s.draws)
}

// setCamera passes the camera to the kernels.
func (s *shot) setCamera(l *lens, v *render.View) {
	c, k := &s.camera, s.kernel
	w, h := float32(c.Width), float32(c.Height)
	k.width, k.height = C.int32_t(c.Width), C.int32_t(c.Height)
	k.projection, k.turned = C.PINHOLE, 0
	if c.Reversed() {
		k.turned = 1
	}
	for i := range k.rotWC {
		k.rotWC[i] = C.float(c.RotWC.At(i/3, i%3))
	}
	for i := range k.eye {
		k.eye[i] = C.float(c.Eye[i])
	}
	k.vignetting = C.float(c.Eye[3])
	k.fx, k.cx = C.float(c.Clip[0]*w/2), C.float((c.Clip[1]+1)*w/2)
	k.fy, k.cy = C.float(c.Clip[2]*h/2), C.float((c.Clip[3]+1)*h/2)
	for i := range k.lens {
		k.lens[i] = C.float(c.Real[i])
	}
	k.xi, k.scale = 0, 1
	switch {
	case c.Mirrored:
		k.projection = C.MIRROR
		k.xi, k.scale, k.edge, k.rim = C.float(c.Mirror[0]), C.float(1/c.Mirror[1]), C.float(c.Mirror[2]),
			C.float(c.Mirror[3])
	case l != nil:
		k.projection = C.TABLE
		k.axis, k.seen_scale, k.seen_edge = C.float(c.Mirror[0]), C.float(c.Mirror[1]), C.float(c.Mirror[2])
		k.seen, k.seen_size, k.ray_stride = first(l.seen), raster.SeenSize, C.int32_t(l.stride)
		for axis := range k.ray {
			k.ray[axis] = first(l.rays[axis])
		}
	}
}

// lens holds the tables of a model without a formula, for the kernels.
type lens struct {
	*raster.Lens
	seen   []C.float
	rays   [3][]C.float // directions of pixels, padded with zeros to whole tiles
	stride int
}

// lenses caches the tables of all models.
type lenses struct{ all []*lens }

// get returns the tables of a model. It returns nil for a model with a formula.
func (ls *lenses) get(m *memory, model optics.Model) *lens {
	if raster.HasFormula(model) {
		return nil
	}
	for _, l := range ls.all {
		if reflect.DeepEqual(l.Model, model) {
			return l
		}
	}
	l := &lens{Lens: raster.NewLens(model)}
	l.seen = newArray[C.float](m, len(l.Seen))
	copy(unsafe.Slice((*float32)(first(l.seen)), len(l.Seen)), l.Seen)
	w, h := model.Size()
	whole := func(n int) int { return (n + raster.TileSize - 1) / raster.TileSize * raster.TileSize }
	l.stride = whole(w)
	for axis := range l.rays {
		l.rays[axis] = newArray[C.float](m, l.stride*whole(h))
		for i := range w * h {
			l.rays[axis][i/w*l.stride+i%w] = C.float(l.Rays[4*i+axis])
		}
	}
	l.Rays = nil
	ls.all = append(ls.all, l)
	return l
}
