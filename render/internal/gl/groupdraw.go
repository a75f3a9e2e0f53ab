package gl

import (
	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// state sets what bodies are drawn with.
func (of *group) state(width, height int) {
	gl.Viewport(0, 0, int32(width), int32(height))
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.CULL_FACE)
	gl.FrontFace(gl.CW) // as painter.aim
	if of.reversed {
		gl.FrontFace(gl.CCW)
	}
}

// color draws the images of n views: first the bodies, and then everything else.
func (g *groups) color(p *painter, of *group, n int, l *layers, colorFBO uint32) {
	if of.lens != nil {
		p.lenses.bind(of.lens)
		gl.Enable(gl.CLIP_DISTANCE0) // clips at the edge of the table of directions
		defer gl.Disable(gl.CLIP_DISTANCE0)
	}
	gl.Enable(gl.FRAMEBUFFER_SRGB) // blend in linear light
	defer gl.Disable(gl.FRAMEBUFFER_SRGB)
	of.state(of.width, of.height)
	gl.BindFramebuffer(gl.FRAMEBUFFER, l.bodyFBO)
	gl.ClearColor(0, 0, 0, 0)
	gl.Clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT)
	gl.BindVertexArray(p.geometry.vao)
	perInstance()
	g.shapes.draw(of.programs.mesh, render.Plain, nil)
	g.shapes.draw(of.programs.mesh, render.VertexColors, nil)
	g.shapes.draw(of.programs.ball, render.SoccerBall, nil)
	if of.programs.textured != nil {
		g.shapes.draw(of.programs.textured, render.Textured, p.textures)
	}
	gl.Enable(gl.BLEND)
	gl.BlendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA)
	gl.DepthMask(false)
	g.shapes.draw(of.programs.net, render.Net, nil)
	gl.DepthMask(true)
	gl.Disable(gl.BLEND)
	gl.DisableVertexAttribArray(instanceAttribute)
	p.timer.mark("bodies")

	gl.BindFramebuffer(gl.FRAMEBUFFER, colorFBO)
	if colorFBO == l.colorFBO && l.above != 0 {
		buffers := int32(1)
		if of.above {
			buffers = 2
		}
		gl.DrawBuffers(buffers, &colors[0])
	}
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.ActiveTexture(gl.TEXTURE0 + bodiesUnit)
	gl.BindTexture(gl.TEXTURE_2D_MULTISAMPLE_ARRAY, l.bodies)
	gl.BindVertexArray(g.every)
	gl.UseProgram(of.programs.floor[raster.WithBodies+raster.FloorTile].id)
	gl.DrawArraysInstanced(gl.TRIANGLES, 0, 3, int32(n))
	p.timer.mark("floor")
}

// withoutNets are the patterns of surfaces that have a distance: nets have none.
var withoutNets = [...]render.Pattern{render.Plain, render.SoccerBall, render.Textured, render.VertexColors}

// distances draws the Z distances of n views; see painter.distances.
func (g *groups) distances(p *painter, of *group, n int, l *layers) {
	of.state(of.width, of.height)
	gl.BindFramebuffer(gl.FRAMEBUFFER, l.zFBO)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.ClearBufferfv(gl.COLOR, 0, &nothing[0])
	gl.BindVertexArray(p.geometry.vao)
	perInstance()
	for _, pattern := range withoutNets {
		g.shapes.draw(p.depth, pattern, nil)
	}
	gl.DisableVertexAttribArray(instanceAttribute)
	gl.UseProgram(p.floorZ.id)
	gl.BindVertexArray(g.every)
	gl.Disable(gl.CULL_FACE)
	for face := int32(0); face == 0 || p.scene.Room.Solid && face <= 4; face++ {
		gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 4*face, 4, int32(n))
	}
	p.timer.mark("depth")
}

// throughCubes draws the images of a group through cube maps, one view after the other.
func (g *groups) throughCubes(p *painter, of *group, l *layers) error {
	for slot, index := range of.views {
		v, c := &g.batch.Views[index], &p.cameras[index]
		through, err := p.cubes.get(v, c)
		if err != nil {
			return err
		}
		warp, err := p.cubes.warp(c, p.layered)
		if err != nil {
			return err
		}
		scratch, err := g.target(p, v.CubeFace, v.CubeFace, 1)
		if err != nil {
			return err
		}
		for i := range through.faces {
			camera := p.faces[index] + i
			g.see(p, 0, index, camera)
			g.load(1)
			through.open(&through.faces[i])
			f := &p.cameras[camera]
			g.color(p, &group{kind: kind{width: f.Width, height: f.Height, programs: &p.pinhole}}, 1, scratch,
				through.colorFBO)
		}
		g.blocks[slot] = c.Projection
		g.load(slot + 1)
		if c.Lens != nil {
			p.lenses.bind(c.Lens)
		}
		through.bind()
		gl.Viewport(0, 0, l.width, l.height)
		gl.BindFramebuffer(gl.FRAMEBUFFER, l.colorFBO)
		gl.Enable(gl.FRAMEBUFFER_SRGB)
		gl.UseProgram(warp.id)
		gl.BindVertexArray(p.empty)
		gl.VertexAttribI2i(instanceAttribute, int32(slot), 0)
		gl.DrawArrays(gl.TRIANGLES, 0, 3)
		gl.Disable(gl.FRAMEBUFFER_SRGB)
	}
	return nil
}
