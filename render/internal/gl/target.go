package gl

import (
	"fmt"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
)

// samples is the number of samples per pixel of a body. The floor's shader relies on four.
const samples = 4

// target holds the framebuffers of one view. The first is for bodies only; it is multisampled, and used only in tiles
// that show bodies. The second is for the image, and the third for the distances.
type target struct {
	width, height int32
	frame         uint64 // value of painter.frame at the last use; views that are drawn together do not share targets
	bodyFBO       uint32
	bodies        uint32 // texture of bodyFBO
	colorFBO      uint32
	zFBO          uint32 // 0 until a depth image is first requested
	above         above
	buffers       []uint32
}

func newTarget(width, height int32) (*target, error) {
	t := &target{width: width, height: height}
	err := t.addBodies()
	if err == nil {
		t.colorFBO, err = t.framebuffer(gl.SRGB8_ALPHA8, 0, 0, 0, 0)
	}
	if err != nil {
		t.delete()
		return nil, err
	}
	return t, nil
}

// addBodies adds the framebuffer of the bodies.
func (t *target) addBodies() (err error) {
	gl.GenTextures(1, &t.bodies)
	gl.ActiveTexture(gl.TEXTURE0 + bodiesUnit)
	gl.BindTexture(gl.TEXTURE_2D_MULTISAMPLE, t.bodies)
	gl.TexImage2DMultisample(gl.TEXTURE_2D_MULTISAMPLE, samples, gl.SRGB8_ALPHA8, t.width, t.height, true)
	t.bodyFBO, err = t.framebuffer(0, gl.DEPTH_COMPONENT24, samples, gl.TEXTURE_2D_MULTISAMPLE, t.bodies)
	return err
}

// addDepth adds the framebuffers of a depth image.
func (t *target) addDepth() (err error) {
	if t.zFBO == 0 {
		t.zFBO, err = t.framebuffer(gl.R32F, gl.DEPTH_COMPONENT24, 0, 0, 0)
	}
	return err
}

// framebuffer creates a framebuffer with the given colour and depth formats; a format of 0 stands for none. If texture
// is not 0, it is a texture of the given kind, which becomes the framebuffer's colour.
func (t *target) framebuffer(color, depth uint32, samples int32, kind, texture uint32) (uint32, error) {
	var fbo uint32
	gl.GenFramebuffers(1, &fbo)
	gl.BindFramebuffer(gl.FRAMEBUFFER, fbo)
	attach := func(format, point uint32) {
		if format == 0 {
			return
		}
		var rb uint32
		gl.GenRenderbuffers(1, &rb)
		gl.BindRenderbuffer(gl.RENDERBUFFER, rb)
		gl.RenderbufferStorageMultisample(gl.RENDERBUFFER, samples, format, t.width, t.height)
		gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, rb)
		t.buffers = append(t.buffers, rb)
	}
	attach(color, gl.COLOR_ATTACHMENT0)
	attach(depth, gl.DEPTH_ATTACHMENT)
	if texture != 0 {
		gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, kind, texture, 0)
	}
	if status := gl.CheckFramebufferStatus(gl.FRAMEBUFFER); status != gl.FRAMEBUFFER_COMPLETE {
		gl.DeleteFramebuffers(1, &fbo)
		return 0, fmt.Errorf("render/gl: framebuffer of %d×%d: incomplete, status %#x", t.width, t.height, status)
	}
	return fbo, glError("framebuffer")
}

func (t *target) delete() {
	t.above.delete()
	for _, fbo := range []uint32{t.bodyFBO, t.colorFBO, t.zFBO} {
		if fbo != 0 {
			gl.DeleteFramebuffers(1, &fbo)
		}
	}
	if len(t.buffers) > 0 {
		gl.DeleteRenderbuffers(int32(len(t.buffers)), &t.buffers[0])
	}
	if t.bodies != 0 {
		gl.DeleteTextures(1, &t.bodies)
	}
	*t = target{}
}

// maxIdleTargets is the number of targets that are kept even if the last batch did not use them.
const maxIdleTargets = 16

// targets holds all existing targets.
type targets struct{ all []*target }

// unused returns a target of the given size that no other view of the same group uses. It creates one if necessary.
// Views of a group are drawn together.
func (ts *targets) unused(width, height int, frame uint64) (*target, error) {
	for _, t := range ts.all {
		if int(t.width) == width && int(t.height) == height && t.frame != frame {
			t.frame = frame
			return t, nil
		}
	}
	idle := 0
	for i := 0; i < len(ts.all); i++ {
		if t := ts.all[i]; t.frame != frame {
			if idle++; idle > maxIdleTargets {
				t.delete()
				ts.all = append(ts.all[:i], ts.all[i+1:]...)
				i--
			}
		}
	}
	t, err := newTarget(int32(width), int32(height))
	if err != nil {
		return nil, err
	}
	t.frame = frame
	ts.all = append(ts.all, t)
	return t, nil
}

// glError returns OpenGL's pending error, if any.
func glError(where string) error {
	switch code := gl.GetError(); code {
	case gl.NO_ERROR:
		return nil
	case gl.OUT_OF_MEMORY:
		return fmt.Errorf("render/gl: %s: out of graphics memory", where)
	default:
		return fmt.Errorf("render/gl: %s: OpenGL error %#x", where, code)
	}
}

// above keeps an image's light above white: an additional texture that the image's shaders fill, and the means of that
// light over the cells of render.Image.Above.
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

// open makes a target's image the target of the following draw calls. keep reports whether to record the light above
// white. The target must be bound to FRAMEBUFFER.
func (t *target) open(keep bool) {
	if t.above.light == 0 {
		return
	}
	n := int32(1)
	if keep {
		n = 2
	}
	gl.DrawBuffers(n, &colors[0])
}

// black is no light.
var black [4]float32

// gather computes the means of the light above white over the cells of a target. The target's image must have been
// drawn.
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
