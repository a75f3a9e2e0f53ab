package gl

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
)

// errClosed is returned by a closed Renderer.
var errClosed = errors.New("render/gl: renderer is closed")

// Renderer draws batches of views of one scene. It is a render.Renderer.
type Renderer struct {
	mu      sync.Mutex
	thread  *thread // nil once closed
	painter *painter
	frame   *render.Batch
	job     func() error // function that paints frame; created once, so that a batch allocates nothing
}

var _ render.Renderer = (*Renderer)(nil)

// New prepares a scene for drawing. The scene must not change afterwards. If the machine lacks a driver, the error
// wraps render.ErrNoContext. On a graphics card, views are drawn in groups.
func New(scene *render.Scene) (*Renderer, error) { return open(scene, false) }

// NewGrouped is like New, but views are drawn in groups on every driver, and shaders apply chips and rangings. Tests
// use it on machines without a graphics card.
func NewGrouped(scene *render.Scene) (*Renderer, error) { return open(scene, true) }

func open(scene *render.Scene, grouped bool) (*Renderer, error) {
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
		r.painter, err = newPainter(scene, grouped)
		return err
	})
	if err != nil {
		t.stop()
		return nil, err
	}
	return r, nil
}

// DrawsTruth reports whether the renderer draws the ground truth of images: it does if it draws views in groups.
func (r *Renderer) DrawsTruth() bool { return r.painter.groups != nil }

// SetVectors sets the implementation that applies chips and rangings on the processor. By default the Renderer uses Go
// code. Call it before the first Render.
func (r *Renderer) SetVectors(v chip.Vectors) { r.painter.processor.Vectors = v }

// Render fills the images of all views of a batch. It returns when they are complete.
func (r *Renderer) Render(f *render.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return errClosed
	}
	r.frame = f
	err := r.thread.do(r.job)
	r.painter.processor.Wait()
	r.frame = nil
	return err
}

// Close ends the renderer's thread and frees its context with all OpenGL objects. It may be called more than once.
func (r *Renderer) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread != nil {
		if g := r.painter.groups; g != nil {
			g.workers.Close()
		}
		r.thread.stop() // OpenGL frees the objects of a context together with the context
		r.thread, r.painter = nil, nil
	}
}

// thread runs functions on one operating-system thread that holds a context, one at a time.
type thread struct {
	jobs chan func() error
	done chan error
	ctx  *context
}

func newThread() (*thread, error) {
	t := &thread{jobs: make(chan func() error), done: make(chan error)}
	go t.run()
	return t, <-t.done
}

func (t *thread) run() {
	// The thread is never unlocked. So it ends with the goroutine, and the driver's thread-local state ends with it.
	runtime.LockOSThread()
	var err error
	t.ctx, err = newContext()
	t.done <- err
	if err != nil {
		return
	}
	for job := range t.jobs {
		t.done <- job()
	}
	t.ctx.destroy()
	t.done <- nil
}

// do runs the function job on the thread and waits until job returns. Only one call may run at a time.
func (t *thread) do(job func() error) error {
	t.jobs <- job
	return <-t.done
}

// stop destroys the context and ends the thread.
func (t *thread) stop() {
	close(t.jobs)
	<-t.done
}

// Baseline fills a view's images with zeros, using the shortest possible shader, and reads the images back. Benchmarks
// use it as a lower bound of the time for images of that size.
func (r *Renderer) Baseline(v *render.View) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return errClosed
	}
	return r.thread.do(func() error { return r.painter.baseline(v) })
}

func (p *painter) baseline(v *render.View) error {
	if err := v.Validate(); err != nil {
		return fmt.Errorf("render/gl: %w", err)
	}
	p.frame++
	width, height := v.Model.Size()
	t, err := p.targets.unused(width, height, p.frame)
	if err != nil {
		return err
	}
	fbos := []uint32{}
	if v.Color != nil {
		fbos = append(fbos, t.colorFBO)
	}
	if v.Depth != nil {
		if err := t.addDepth(); err != nil {
			return err
		}
		fbos = append(fbos, t.zFBO)
	}
	gl.Viewport(0, 0, t.width, t.height)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(p.constant.id)
	gl.BindVertexArray(p.empty)
	for _, fbo := range fbos {
		gl.BindFramebuffer(gl.FRAMEBUFFER, fbo)
		gl.DrawArrays(gl.TRIANGLES, 0, 3)
	}
	p.read(v, t)
	return glError("drawing the floor")
}

// Driver returns the name of the OpenGL driver.
func (r *Renderer) Driver() (name string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return "", errClosed
	}
	err = r.thread.do(func() error {
		name = gl.GoStr(gl.GetString(gl.RENDERER))
		return nil
	})
	return name, err
}
