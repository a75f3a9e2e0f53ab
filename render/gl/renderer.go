package gl

import (
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// errClosed is what a Renderer says after Close.
var errClosed = errors.New("render/gl: renderer is closed")

// Renderer draws frames of one scene. It is a render.Renderer.
type Renderer struct {
	mu      sync.Mutex
	thread  *thread // nil once closed
	painter *painter
	frame   *render.Frame
	job     func() error // paints frame; made once, so that a frame allocates nothing
}

var _ render.Renderer = (*Renderer)(nil)

// New prepares a scene for drawing. The scene must not change afterwards. The error is in the chain of
// render.ErrNoContext when the machine lacks a driver.
func New(scene *render.Scene) (*Renderer, error) {
	if err := checkScene(scene); err != nil {
		return nil, err
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

// Render fills the images of all views of a frame. It returns when they are complete.
func (r *Renderer) Render(f *render.Frame) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return errClosed
	}
	r.frame = f
	err := r.thread.do(r.job)
	r.frame = nil
	return err
}

// Close ends the renderer's thread and frees its context and what it holds. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread != nil {
		r.thread.stop() // OpenGL frees a context's objects with it
		r.thread, r.painter = nil, nil
	}
}

func checkScene(s *render.Scene) error {
	var errs []error
	for i := range s.Meshes {
		m := &s.Meshes[i]
		if len(m.Indices)%3 != 0 {
			errs = append(errs, fmt.Errorf("render/gl: meshes[%d]: %d indices: must be three a triangle", i, len(m.Indices)))
		}
		for _, index := range m.Indices {
			if int(index) >= len(m.Vertices) {
				errs = append(errs, fmt.Errorf("render/gl: meshes[%d]: index %d: must be below the number of vertices, %d", i, index, len(m.Vertices)))
				break
			}
		}
	}
	for _, b := range s.Bodies {
		for i, p := range b.Parts {
			if p.Mesh < 0 || p.Mesh >= len(s.Meshes) || p.Material < 0 || p.Material >= len(s.Materials) {
				errs = append(errs, fmt.Errorf("render/gl: body %q: parts[%d]: mesh %d, material %d: must exist", b.Name, i, p.Mesh, p.Material))
			}
		}
	}
	return errors.Join(errs...)
}

func checkView(v *render.View) error {
	if m, ok := v.Model.(optics.NonCentral); ok {
		return fmt.Errorf("render/gl: model %T: must have a single viewpoint; a ray caster draws those without", m)
	}
	w, h := v.Model.Size()
	if w <= 0 || h <= 0 {
		return fmt.Errorf("render/gl: image of %d×%d: must not be empty", w, h)
	}
	if c := v.Color; c != nil && (c.Width != w || c.Height != h || len(c.Pix) != 3*w*h) {
		return fmt.Errorf("render/gl: colour image of %d×%d: must have the camera's size %d×%d", c.Width, c.Height, w, h)
	}
	if z := v.Depth; z != nil {
		if z.Width != w || z.Height != h || len(z.Z) != w*h {
			return fmt.Errorf("render/gl: depth image of %d×%d: must have the camera's size %d×%d", z.Width, z.Height, w, h)
		}
		if _, ok := v.Model.(optics.Pinhole); !ok {
			return fmt.Errorf("render/gl: depth image of a %T: must be a pinhole's", v.Model)
		}
	}
	return nil
}
