package tile

// #include "call.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/internal/workers"
)

var (
	errClosed = errors.New("render/tile: renderer is closed")
	errMemory = errors.New("render/tile: out of memory")
)

// Renderer draws batches of views of one scene. It is a render.Renderer.
type Renderer struct {
	mu        sync.Mutex
	kernel    *C.kernels
	scene     *loadedScene // nil once closed
	workers   *workers.Set
	lenses    lenses
	batch     *render.Batch
	rotations []mgl64.Mat3
	tables    []*lens // by view
	shots     []*shot // by worker
	errs      []error // by worker

	// functions for run; created once, so that a batch allocates nothing
	cast, soften, mix, alone, split, finish, develop func(worker int)
	view                                             int // index of the view that split, finish and develop work on
}

var _ render.Renderer = (*Renderer)(nil)

// New prepares a scene for drawing. The scene must not change afterwards. It fails if InstructionsVariable names
// instructions that the processor lacks.
func New(scene *render.Scene) (*Renderer, error) {
	k, err := kernel()
	if err != nil {
		return nil, err
	}
	return newRenderer(scene, k)
}

func newRenderer(scene *render.Scene, k *C.kernels) (*Renderer, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/tile: %w", err)
	}
	c := workers.New()
	g, err := loadScene(scene, c.Size)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("render/tile: %w", err)
	}
	r := &Renderer{kernel: k, scene: g, workers: c}
	r.errs = make([]error, r.workers.Size)
	for range r.workers.Size {
		r.shots = append(r.shots, newShot(r.workers.Size))
	}
	r.cast, r.soften, r.mix = r.castRows, r.softenRows, r.mixFloor
	r.alone, r.split, r.finish, r.develop = r.drawAlone, r.prepareShare, r.drawShare, r.developShare
	return r, nil
}

// Render fills the images of all views of a batch. It returns when they are complete.
func (r *Renderer) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scene == nil {
		return errClosed
	}
	if err := r.begin(f); err != nil {
		return err
	}
	r.batch = f
	defer func() { r.batch = nil }()
	clear(r.errs)
	if slices.ContainsFunc(f.Views, func(v render.View) bool { return v.Color != nil }) {
		r.light() // depth images do not need the light
	}
	// As many images as possible are drawn in parallel, each by one processor. All processors together draw each of the
	// remaining images.
	together := len(f.Views) / r.workers.Size * r.workers.Size
	if together > 0 {
		r.view = together
		r.workers.Run(r.alone)
	}
	for r.view = together; r.view < len(f.Views); r.view++ {
		s := r.shots[0]
		if err := s.set(r.scene, r.tables[r.view], &f.Views[r.view], f.PosesWB, r.rotations); err != nil {
			return err
		}
		r.workers.Run(r.split)
		if err := errors.Join(r.errs...); err != nil {
			return err
		}
		r.workers.Run(r.finish)
		if s.hasSecondPass() {
			s.prepareSecondPass(r.kernel, &f.Views[r.view])
			r.workers.Run(r.develop)
		}
		s.processInCamera(r.kernel, &f.Views[r.view])
	}
	return errors.Join(r.errs...)
}

// light computes the shadows, or natural light if the scene has it.
func (r *Renderer) light() {
	if r.scene.natural != nil {
		r.spreadLight()
		return
	}
	r.castShadows()
}

var abilities = render.Abilities{Truth: true, Reflectance: true, LongestSide: C.LONGEST_SIDE}

// begin checks a batch and prepares the data that its views share.
func (r *Renderer) begin(f *render.Batch) error {
	shading, err := f.Check(r.scene.scene, &abilities)
	if err != nil {
		return fmt.Errorf("render/tile: %w", err)
	}
	if shading != r.scene.shading {
		r.scene.shade(shading)
	}
	r.rotations = r.rotations[:0]
	for i := range f.PosesWB {
		r.rotations = append(r.rotations, f.PosesWB[i].Rot.Mat4().Mat3())
	}
	r.tables = r.tables[:0]
	for i := range f.Views {
		r.tables = append(r.tables, r.lenses.get(&r.scene.memory, f.Views[i].Model))
	}
	return nil
}

// drawAlone renders whole views with one worker. It takes views before r.view until none is left.
func (r *Renderer) drawAlone(worker int) {
	s := r.shots[worker]
	for i := r.workers.Next(); i < r.view; i = r.workers.Next() {
		v := &r.batch.Views[i]
		if r.errs[worker] = s.set(r.scene, r.tables[i], v, r.batch.PosesWB, r.rotations); r.errs[worker] != nil {
			return
		}
		if C.call_prepare(r.kernel, r.scene.kernel, s.kernel, 0, s.kernel.draws_count, s.works[0]) == 0 {
			r.errs[worker] = errMemory
			return
		}
		r.drawRows(s, v, 1, 0, rowsOf(v))
		if s.hasSecondPass() {
			s.prepareSecondPass(r.kernel, v)
			r.developRows(s, v, 0, rowsOf(v))
		}
		s.processInCamera(r.kernel, v)
	}
}

// prepareShare prepares a worker's share of the draw calls of r.view.
func (r *Renderer) prepareShare(worker int) {
	s := r.shots[0]
	from, to := s.drawRange(worker, r.workers.Size)
	if C.call_prepare(r.kernel, r.scene.kernel, s.kernel, C.int32_t(from), C.int32_t(to), s.works[worker]) == 0 {
		r.errs[worker] = errMemory
	}
}

// drawShare draws rows of tiles of r.view until none is left. The argument is unused.
func (r *Renderer) drawShare(int) {
	v := &r.batch.Views[r.view]
	for row := r.workers.Next(); row < rowsOf(v); row = r.workers.Next() {
		r.drawRows(r.shots[0], v, r.workers.Size, row, row+1)
	}
}

// developShare finishes rows of tiles of r.view until none is left. All rows must have been drawn. The argument is
// unused.
func (r *Renderer) developShare(int) {
	v := &r.batch.Views[r.view]
	for row := r.workers.Next(); row < rowsOf(v); row = r.workers.Next() {
		r.developRows(r.shots[0], v, row, row+1)
	}
}

// rowsOf returns the number of rows of tiles of a view.
func rowsOf(v *render.View) int {
	_, h := v.Model.Size()
	return (h + raster.TileSize - 1) / raster.TileSize
}

// drawRows draws the rows of tiles first to end − 1 of a view. The argument works is the number of elements of s.works
// that hold the prepared draw calls.
func (r *Renderer) drawRows(s *shot, v *render.View, works, first, end int) {
	list, n := (**C.work)(unsafe.Pointer(&s.works[0])), C.int32_t(works)
	if v.Color != nil {
		C.call_draw_rows(r.kernel, r.scene.kernel, s.kernel, list, n, C.int32_t(first), C.int32_t(end), dirtOf(v.Chip),
			(*C.uint8_t)(&v.Color.Pix[0]), aboveOf(v.Color))
	}
	if v.Depth != nil {
		C.call_measure_rows(r.kernel, r.scene.kernel, s.kernel, list, n, C.int32_t(first), C.int32_t(end),
			(*C.float)(&v.Depth.Z[0]), (*C.float)(unsafe.SliceData(v.Depth.Reflectance)))
	}
	if t := v.Truth; t != nil {
		C.call_truth_rows(r.kernel, r.scene.kernel, s.kernel, list, n, C.int32_t(first), C.int32_t(end),
			(*C.uint16_t)(&t.Labels[0]), (*C.float)(unsafe.SliceData(t.Range)),
			(*C.float)(unsafe.SliceData(t.Normals)), (*C.float)(unsafe.SliceData(t.Flow)))
		if s.lens != nil && v.Before != nil && t.Flow != nil {
			raster.Flow(v, s.posesWB, first*raster.TileSize, min(end*raster.TileSize, t.Height), s.lens.ray)
		}
	}
}

// developRows finishes the rows of tiles first to end − 1 of a view: it computes the colours' bytes from the planes,
// and measures distances.
func (r *Renderer) developRows(s *shot, v *render.View, first, end int) {
	_, h := v.Model.Size()
	y0, y1 := C.int32_t(first*raster.TileSize), C.int32_t(min(end*raster.TileSize, h))
	if c := v.Color; s.kernel.planes.plane[0] != nil {
		C.call_develop_rows(r.kernel, &s.kernel.chip, &s.kernel.planes, C.int32_t(c.Width), C.int32_t(h), y0, y1,
			(*C.uint8_t)(&c.Pix[0]))
	}
	if s.kernel.ranges != 0 {
		C.call_range_rows(r.kernel, s.kernel, (*C.float)(unsafe.SliceData(v.Depth.Reflectance)), y0, y1,
			(*C.float)(&v.Depth.Z[0]))
	}
}

// Close ends the renderer's goroutines and frees its memory. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scene == nil {
		return
	}
	r.workers.Close()
	for _, s := range r.shots {
		s.free()
	}
	r.scene.memory.free()
	r.scene = nil
}
