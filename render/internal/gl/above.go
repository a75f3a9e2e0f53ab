package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// above keeps an image's light above white: an additional texture that the image's shaders fill, and the means of that
// light over cells.
type above struct {
	light      uint32 // texture, second colour of target.colorFBO; 0 until it is first needed
	cellsFBO   uint32
	cells      uint32 // renderbuffer
	cols, rows int32
}

// addAbove adds an above to a target.
func (t *target) addAbove() (err error) {
	a := &t.above
	if a.light != 0 {
		return nil
	}
	cols, rows := render.Cells(int(t.width), int(t.height))
	a.cols, a.rows = int32(cols), int32(rows)
	a.light = newTexture(aboveUnit, gl.TEXTURE_MIN_FILTER, gl.NEAREST, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, t.width, t.height, 0, gl.RGBA, gl.FLOAT, nil)
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.colorFBO)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT1, gl.TEXTURE_2D, a.light, 0)
	of := target{width: a.cols, height: a.rows}
	a.cellsFBO, err = of.framebuffer(gl.RGBA32F, 0, 0, 0, 0)
	if len(of.buffers) > 0 {
		a.cells = of.buffers[0]
	}
	return err
}

// colors are the colour attachments of an image: bytes, and the light above white.
var colors = [2]uint32{gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1}

// open directs the following draw calls to a target's image. keep reports whether to record the light above white.
// FRAMEBUFFER is bound to the target.
func (t *target) open(keep bool) {
	if t.above.light == 0 {
		return
	}
	if !keep {
		gl.DrawBuffers(1, &colors[0])
		return
	}
	gl.DrawBuffers(2, &colors[0])
}

// black is no light.
var black [4]float32

// gather computes the means over the cells of a target whose image is drawn.
func (t *target) gather(with *program, empty uint32) {
	a := &t.above
	gl.ActiveTexture(gl.TEXTURE0 + aboveUnit)
	gl.BindTexture(gl.TEXTURE_2D, a.light)
	gl.BindFramebuffer(gl.FRAMEBUFFER, a.cellsFBO)
	gl.Viewport(0, 0, a.cols, a.rows)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(with.id)
	gl.BindVertexArray(empty)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	gl.Enable(gl.DEPTH_TEST)
	gl.Enable(gl.CULL_FACE)
	gl.Viewport(0, 0, t.width, t.height)
}

// read copies the means over cells into the argument to.
func (a *above) read(to []float32) {
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, a.cellsFBO)
	gl.ReadPixels(0, 0, a.cols, a.rows, gl.RGB, gl.FLOAT, gl.Ptr(&to[0]))
}

func (a *above) delete() {
	if a.light == 0 {
		return
	}
	gl.DeleteTextures(1, &a.light)
	if a.cellsFBO != 0 {
		gl.DeleteFramebuffers(1, &a.cellsFBO)
	}
	if a.cells != 0 {
		gl.DeleteRenderbuffers(1, &a.cells)
	}
	*a = above{}
}
