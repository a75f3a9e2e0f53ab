package gl

import (
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/optics"
)

// errClosed is returned by a closed Renderer.
var errClosed = errors.New("render/gl: renderer is closed")

// Renderer draws batches of views of one scene. It is a render.Renderer.
type Renderer struct {
	mu      sync.Mutex
	thread  *thread // nil once closed
	painter *painter
	frame   *render.Batch
	job     func() error // paints frame; created once, so that a batch allocates nothing
}

var _ render.Renderer = (*Renderer)(nil)

// New prepares a scene for drawing. The scene must not change afterwards. The error is in the chain of
// render.ErrNoContext if the machine lacks a driver.
func New(scene *render.Scene) (*Renderer, error) {
	if err := scene.Validate(); err != nil {
		return nil, fmt.Errorf("render/gl: %w", err)
	}
	t, err := newThread()
	if err != nil {
		return nil, err
	}
	r := &Renderer{thread: t}
	r.job = func() error { return r.painter.paint(r.frame) }
	err = t.do(func() (err error) {
		r.painter, err = newPainter(scene)
		return err
	})
	if err != nil {
		t.stop()
		return nil, err
	}
	return r, nil
}

// SetVectors sets the implementation that applies chips. By default the Renderer uses Go code. Call it before the first
// Render.
func (r *Renderer) SetVectors(v chip.Vectors) { r.painter.chips.Vectors = v }

// Render fills the images of all views of a batch. It returns when they are complete.
func (r *Renderer) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return errClosed
	}
	r.frame = f
	err := r.thread.do(r.job)
	r.painter.chips.Wait()
	r.frame = nil
	return err
}

// Close ends the renderer's thread and frees its context with all objects. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread != nil {
		r.thread.stop() // OpenGL frees a context's objects with it
		r.thread, r.painter = nil, nil
	}
}

func checkView(v *render.View) error {
	if m, ok := v.Model.(optics.NonCentral); ok {
		return fmt.Errorf("render/gl: model %T: must have a single viewpoint; a ray caster draws those without", m)
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("render/gl: %w", err)
	}
	if v.Truth != nil {
		return errors.New("render/gl: truth: not supported; a ray caster computes it")
	}
	_, pinhole := v.Model.(optics.Pinhole)
	if !pinhole && v.Depth != nil {
		return fmt.Errorf("render/gl: depth image of a %T: must be a pinhole's", v.Model)
	}
	if pinhole && v.CubeFace > 0 {
		return errors.New("render/gl: cube map of a pinhole: must be a mirror's or a lens's")
	}
	return nil
}
