package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// view draws one view into a target.
func (p *painter) view(f *render.Batch, index int) (*target, error) {
	v, c := &f.Views[index], &p.cameras[index]
	width, height := v.Model.Size()
	t, err := p.targets.unused(width, height, p.frame)
	if err != nil {
		return nil, err
	}
	if v.CubeFace > 0 && v.Color != nil {
		return t, p.throughCube(f, index, t)
	}
	p.aim(index)
	p.visible.Collect(p.geometry.bodies, f.PosesWB, c, v.Hidden)
	p.batches.fill(p.geometry.bodies, &p.visible)
	if v.Color != nil {
		if v.Color.Above != nil {
			if err := t.addAbove(); err != nil {
				return nil, err
			}
		}
		p.color(c, t, v.Color.Above != nil)
	}
	if v.Depth != nil {
		if err := t.addDepth(); err != nil {
			return nil, err
		}
		p.distances(t)
	}
	return t, nil
}

// aim sets the camera of the following draw calls.
func (p *painter) aim(index int) {
	c := &p.cameras[index]
	gl.Viewport(0, 0, int32(c.Width), int32(c.Height))
	gl.BindBufferRange(gl.UNIFORM_BUFFER, viewBinding, p.views, index*p.stride, int(unsafe.Sizeof(raster.Projection{})))
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.CULL_FACE)
	// Rows count from the top, which reverses the orientation of triangles. A mirror reverses it again.
	gl.FrontFace(gl.CW)
	if c.Reversed() {
		gl.FrontFace(gl.CCW)
	}
}

// color draws first the bodies from near to far, and then everything else tile by tile. If keep is true, it records the
// light above white.
func (p *painter) color(c *raster.Camera, t *target, keep bool) {
	programs := p.programsOf(c)
	if c.Lens != nil {
		p.lenses.bind(c.Lens)
		gl.Enable(gl.CLIP_DISTANCE0) // clips at the edge of the table of directions
		defer gl.Disable(gl.CLIP_DISTANCE0)
	}
	p.tiling.Sort(c, p.marks, &p.lightMap.LightMap)
	p.tiling.MarkBodies(c, &p.visible, p.geometry.bodies)
	p.tiling.arrange(c)
	p.tiling.load(p.tileBuffer)
	gl.Enable(gl.FRAMEBUFFER_SRGB) // blend in linear light
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.bodyFBO)
	gl.DepthFunc(gl.ALWAYS)
	gl.BindVertexArray(p.tiles)
	gl.Disable(gl.CULL_FACE)
	p.tiling.draw(p.clear, raster.WithBodies, 2*raster.TileClasses)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.CULL_FACE)
	gl.BindVertexArray(p.geometry.vao)
	p.bodies(programs.mesh, render.Plain)
	p.bodies(programs.mesh, render.VertexColors)
	p.bodies(programs.ball, render.SoccerBall)
	p.textured(programs.textured)
	gl.Enable(gl.BLEND)
	gl.BlendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	gl.DepthMask(false)
	p.bodies(programs.net, render.Net)
	gl.DepthMask(true)
	gl.Disable(gl.BLEND)

	gl.BindFramebuffer(gl.FRAMEBUFFER, t.colorFBO)
	t.open(keep)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	tube := &p.shading.Light.Tube
	gl.ClearColor(tube[0], tube[1], tube[2], 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	if keep {
		gl.ClearBufferfv(gl.COLOR, 1, &black[0])
	}
	gl.ActiveTexture(gl.TEXTURE0 + bodiesUnit)
	gl.BindTexture(gl.TEXTURE_2D_MULTISAMPLE, t.bodies)
	gl.BindVertexArray(p.tiles)
	for class, with := range programs.floor {
		p.tiling.draw(with, raster.TileClass(class), raster.TileClass(class)+1)
	}
	gl.Enable(gl.DEPTH_TEST)
	gl.Enable(gl.CULL_FACE)
	gl.Disable(gl.FRAMEBUFFER_SRGB)
	if keep {
		t.gather(p.cells, p.empty)
	}
}

// programsOf returns the programs that draw the images of a camera.
func (p *painter) programsOf(c *raster.Camera) *programs {
	switch {
	case c.Mirrored:
		return &p.mirror
	case c.Lens != nil:
		return p.table
	}
	return &p.pinhole
}

// bodies draws the visible parts of bodies whose materials have the given pattern.
func (p *painter) bodies(with *program, pattern render.Pattern) {
	used := false
	for _, i := range p.visible.Order {
		runs := &p.batches[i][pattern]
		if len(runs.counts) == 0 {
			continue
		}
		if !used {
			gl.UseProgram(with.id)
			used = true
		}
		gl.UniformMatrix4fv(with.pose, 1, false, &p.mats[i][0])
		runs.draw()
	}
}

// textured draws the visible textured parts, each with its own texture.
func (p *painter) textured(with *program) {
	if with == nil {
		return
	}
	gl.UseProgram(with.id)
	gl.ActiveTexture(gl.TEXTURE0 + textureUnit)
	for _, i := range p.visible.Order {
		if len(p.batches[i][render.Textured].counts) == 0 {
			continue
		}
		gl.UniformMatrix4fv(with.pose, 1, false, &p.mats[i][0])
		body := &p.geometry.bodies[i]
		for _, s := range p.visible.Bodies[i].Parts {
			if part := &body.Parts[s.Part]; part.Pattern == render.Textured {
				gl.BindTexture(gl.TEXTURE_2D, p.textures[part.Material])
				level := &part.Levels[s.Level]
				gl.DrawElementsWithOffset(gl.TRIANGLES, level.Count, gl.UNSIGNED_INT, 4*uintptr(level.First))
			}
		}
	}
}

// nothing is the depth of pixels that show no surface.
var nothing = [4]float32{float32(math.Inf(1))}

// distances draws the Z distance of everything except nets.
func (p *painter) distances(t *target) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.zFBO)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.ClearBufferfv(gl.COLOR, 0, &nothing[0])
	gl.BindVertexArray(p.geometry.vao)
	p.bodies(p.depth, render.Plain)
	p.bodies(p.depth, render.SoccerBall)
	p.bodies(p.depth, render.Textured)
	p.bodies(p.depth, render.VertexColors)
	gl.UseProgram(p.floorZ.id)
	gl.BindVertexArray(p.empty)
	gl.Disable(gl.CULL_FACE)
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
	for wall := int32(1); p.scene.Room.Solid && wall <= 4; wall++ {
		gl.DrawArrays(gl.TRIANGLE_STRIP, 4*wall, 4)
	}
	gl.Enable(gl.CULL_FACE)
}

// read copies a target's pixels into a view's images.
func (p *painter) read(v *render.View, t *target) {
	if v.Color != nil {
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, t.colorFBO)
		gl.ReadPixels(0, 0, t.width, t.height, gl.RGB, gl.UNSIGNED_BYTE, gl.Ptr(&v.Color.Pix[0]))
		switch {
		case v.Color.Above == nil:
		case v.CubeFace > 0:
			clear(v.Color.Above)
		default:
			gl.BindFramebuffer(gl.READ_FRAMEBUFFER, t.above.cellsFBO)
			gl.ReadPixels(0, 0, t.above.cols, t.above.rows, gl.RGB, gl.FLOAT, gl.Ptr(&v.Color.Above[0]))
		}
	}
	if v.Depth != nil {
		gl.BindFramebuffer(gl.READ_FRAMEBUFFER, t.zFBO)
		gl.ReadPixels(0, 0, t.width, t.height, gl.RED, gl.FLOAT, gl.Ptr(&v.Depth.Z[0]))
	}
}
