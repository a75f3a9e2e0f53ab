package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// Baseline fills a view's images with zeros with the shortest possible shader, and reads them back. Benchmarks use it
// as a lower bound of the time of any image of that size.
func (r *Renderer) Baseline(v *render.View) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.thread == nil {
		return errClosed
	}
	return r.thread.do(func() error { return r.painter.baseline(v) })
}

func (p *painter) baseline(v *render.View) error {
	if err := checkView(v); err != nil {
		return err
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
