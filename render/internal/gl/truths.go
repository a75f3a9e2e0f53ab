package gl

import (
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// truths draws the ground truth of the views of a group: one sample at the centre of each pixel, into a texture for
// each plane of render.Truth.
type truths struct {
	programs [3]*truthPrograms // by projection; nil until they are needed
	copy     *program
	motions  uint32             // buffer of rows
	rows     []raster.MotionRow // for each view, those of static points and of each body
	bodies   int
	most     int                      // largest number of rows in a buffer
	colors   [len(truthColors)]uint32 // scratch memory of open
}

// truthPrograms are those of one projection.
type truthPrograms struct {
	body, room             *program
	bodyMoving, roomMoving int32 // locations of the uniform
}

// The projections.
const (
	pinholeTruth = iota
	mirrorTruth
	tableTruth
)

func (ts *truths) init(p *painter) {
	ts.bodies = len(p.geometry.bodies)
	gl.GenBuffers(1, &ts.motions)
	gl.BindBuffer(gl.TEXTURE_BUFFER, ts.motions)
	newTextureOf(gl.TEXTURE_BUFFER, motionsUnit)
	gl.TexBuffer(gl.TEXTURE_BUFFER, gl.RGBA32F, ts.motions)
	var texels int32
	gl.GetIntegerv(gl.MAX_TEXTURE_BUFFER_SIZE, &texels)
	ts.most = int(texels) / (len(raster.MotionRow{}) / 4)
}

// viewsOf returns the largest number of views whose motion fits into the buffer, at least 1.
func (ts *truths) viewsOf() int { return max(1, ts.most/(1+ts.bodies)) }

// compile compiles the programs of a projection on first use.
func (ts *truths) compile(p *painter, projection int) (*truthPrograms, error) {
	if ts.programs[projection] != nil {
		return ts.programs[projection], nil
	}
	var err error
	if ts.copy == nil {
		ts.copy, err = newProgram("screen.vert", "truthcopy.frag", []string{"common.glsl", "sheet.glsl"})
		if err != nil {
			return nil, err
		}
	}
	object := []string{"common.glsl", "project.glsl"}
	defines := append(slices.Clip(p.layered), marksDefine(len(p.marks.Data)/2))
	if define := [...]string{pinholeTruth: "", mirrorTruth: "MIRROR", tableTruth: "TABLE"}[projection]; define != "" {
		defines = append(defines, define)
	}
	made := &truthPrograms{}
	made.room, err = newProgram("aim.glsl tile.vert", "ray.glsl marks.glsl truth.frag", object, defines...)
	if err == nil {
		made.body, err = newProgram("aim.glsl truth.vert", "ray.glsl truth.frag", object, append(defines, "BODY")...)
	}
	if err != nil {
		made.room.delete()
		return nil, err
	}
	made.bodyMoving, made.roomMoving = made.body.uniform("moving"), made.room.uniform("moving")
	ts.programs[projection] = made
	return made, glError("compiling the shaders of truth")
}

// move computes the motion of what a view of a group shows.
func (ts *truths) move(slot int, v *render.View, f *render.Batch, seen *raster.Visibility) {
	rows := ts.rows[slot*(1+ts.bodies):]
	pose := raster.Motion(v, f.PosesWB, -1)
	rows[0] = raster.NewMotionRow(&pose)
	for _, i := range seen.Order {
		pose = raster.Motion(v, f.PosesWB, i)
		rows[1+i] = raster.NewMotionRow(&pose)
	}
}

// truth draws the ground truth of n views, whose cameras and instances are loaded: first the bodies, and then
// everything else.
func (g *groups) truth(p *painter, of *group, n int, l *layers) error {
	projection, moving := pinholeTruth, int32(0)
	switch {
	case of.lens != nil:
		projection = tableTruth
	case of.programs == &p.mirror:
		projection = mirrorTruth
	}
	with, err := g.truths.compile(p, projection)
	if err != nil {
		return err
	}
	if of.planes[flowPlane] {
		moving = int32(1 + g.truths.bodies)
		gl.BindBuffer(gl.TEXTURE_BUFFER, g.truths.motions)
		gl.BufferData(gl.TEXTURE_BUFFER, n*int(moving)*int(unsafe.Sizeof(raster.MotionRow{})),
			gl.Ptr(&g.truths.rows[0][0]), gl.STREAM_DRAW)
	}
	if of.lens != nil {
		p.lenses.bind(of.lens)
		gl.Enable(gl.CLIP_DISTANCE0)
		defer gl.Disable(gl.CLIP_DISTANCE0)
	}
	of.state(of.width, of.height)
	g.truths.open(&of.planes, l.truth.fbo)
	gl.Clear(gl.DEPTH_BUFFER_BIT)
	gl.BindVertexArray(p.geometry.vao)
	perInstance()
	gl.UseProgram(with.body.id)
	gl.Uniform1i(with.bodyMoving, moving)
	for _, pattern := range withoutNets {
		g.shapes.draw(with.body, pattern, nil)
	}
	gl.DisableVertexAttribArray(instanceAttribute)
	gl.UseProgram(with.room.id)
	gl.Uniform1i(with.roomMoving, moving)
	gl.Disable(gl.CULL_FACE)
	gl.BindVertexArray(g.every) // its triangles have the depth of pixels that show no body
	gl.DrawArraysInstanced(gl.TRIANGLES, 0, 3, int32(n))
	p.timer.mark("truth")
	return nil
}

// open makes planes the target of the following draw calls. fbo is one of the framebuffers.
func (ts *truths) open(wanted *planeSet, fbo uint32) {
	for i, color := range truthColors {
		ts.colors[i] = color
		if !wanted[i] {
			ts.colors[i] = gl.NONE
		}
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, fbo)
	gl.DrawBuffers(int32(len(ts.colors)), &ts.colors[0])
}

// read starts copying the truth of the n views of a group to buffers. The vertex array without attributes must be
// bound.
func (ts *truths) read(n int, of *group, l *layers, into *[len(truthPlanes)]packBuffer) {
	t := &l.truth
	for i, p := range truthPlanes {
		bindLayers(p.unit, t.textures[i]) // 0 for a plane that was never wanted
	}
	ts.open(&of.planes, t.sheetFBO)
	gl.Viewport(0, 0, l.width, l.height*int32(n))
	gl.UseProgram(ts.copy.id)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	for i := range t.sheets {
		if of.planes[i] {
			t.sheets[i].read(n, &into[i])
		}
	}
}
