package gl

import (
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl64"

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

// truthPlane is the format of a plane of ground truth: its texture's, that in which it is read, and bytes of a pixel.
type truthPlane struct {
	unit         uint32
	inside       int32
	format, kind uint32
	texel        int
}

// The planes, in the order of truth.frag's outputs.
const (
	labelPlane = iota
	rangePlane
	normalPlane
	flowPlane
)

var truthPlanes = [...]truthPlane{
	labelPlane:  {labelsUnit, gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT, 2},
	rangePlane:  {rangesUnit, gl.R32F, gl.RED, gl.FLOAT, 4},
	normalPlane: {normalsUnit, gl.RGBA32F, gl.RGBA, gl.FLOAT, 16}, // OpenGL need not draw to three components
	flowPlane:   {flowsUnit, gl.RG32F, gl.RG, gl.FLOAT, 8},
}

// planeSet is a set of planes.
type planeSet [len(truthPlanes)]bool

// planesOf returns the planes of a truth that a group draws. Shaders cannot project points through a lens's tables, so
// the processor computes their flow.
func planesOf(t *render.Truth, before bool, lens *raster.Lens) (s planeSet) {
	if t == nil {
		return s
	}
	return planeSet{labelPlane: true, rangePlane: t.Range != nil, normalPlane: t.Normals != nil,
		flowPlane: t.Flow != nil && before && lens == nil}
}

// truthLayers holds the planes of views that are drawn at once: as layers, and below each other.
type truthLayers struct {
	fbo      uint32 // 0 until ground truth is first requested
	textures [len(truthPlanes)]uint32
	sheetFBO uint32
	sheets   [len(truthPlanes)]sheet
}

// addTruth adds what ground truth needs.
func (l *layers) addTruth() error {
	t := &l.truth
	if t.fbo != 0 {
		return nil
	}
	depth := l.images(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT)
	l.buffers = append(l.buffers, depth)
	for i, p := range truthPlanes {
		t.textures[i] = l.images(p.inside, p.format, p.kind)
		if err := t.sheets[i].init(l.width, l.height, l.n, p.inside, p.format, p.kind, p.texel); err != nil {
			return err
		}
	}
	gl.GenFramebuffers(1, &t.sheetFBO)
	gl.BindFramebuffer(gl.FRAMEBUFFER, t.sheetFBO)
	for i := range t.sheets {
		gl.FramebufferTexture2D(gl.FRAMEBUFFER, truthColors[i], gl.TEXTURE_2D, t.sheets[i].texture, 0)
	}
	if err := complete(l.width, l.height*l.n, 1); err != nil {
		return err
	}
	if err := l.attach(&t.fbo, t.textures[0], depth); err != nil {
		return err
	}
	for i, texture := range t.textures {
		gl.FramebufferTexture(gl.FRAMEBUFFER, truthColors[i], texture, 0)
	}
	return complete(l.width, l.height, l.n)
}

// truthColors are the colour attachments of the planes.
var truthColors = [...]uint32{gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1, gl.COLOR_ATTACHMENT2, gl.COLOR_ATTACHMENT3}

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

func (t *truthLayers) delete() {
	for i := range t.sheets {
		t.sheets[i].delete()
	}
	gl.DeleteTextures(int32(len(t.textures)), &t.textures[0])
	gl.DeleteFramebuffers(1, &t.fbo)
	gl.DeleteFramebuffers(1, &t.sheetFBO)
}

// read starts copying the truth of the n views of a group to buffers. The vertex array without attributes must be
// bound.
func (ts *truths) read(n int, of *group, l *layers, into *[len(truthPlanes)]packBuffer) {
	t := &l.truth
	for i, p := range truthPlanes {
		bindLayers(p.unit, t.textures[i])
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

// deliverTruth copies the rows y0 to y1 − 1 of the truth of image i of a group.
func (t *transfer) deliverTruth(i int, of *group, f *render.Batch, y0, y1 int) {
	v := &f.Views[of.views[i]]
	into, w := v.Truth, of.width
	first, end := y0*w, y1*w
	plane := func(k int) []byte { return t.truths[k].mapped[(i*of.height+y0)*t.truths[k].stride:] }
	labels := plane(labelPlane)
	copy(into.Labels[first:end], unsafe.Slice((*uint16)(unsafe.Pointer(&labels[0])), end-first))
	if of.planes[rangePlane] {
		copy(into.Range[first:end], floats(plane(rangePlane)))
	}
	if of.planes[normalPlane] {
		normals := floats(plane(normalPlane))
		for k := range end - first {
			copy(into.Normals[3*(first+k):][:3], normals[4*k:])
		}
	}
	switch {
	case of.planes[flowPlane]:
		copy(into.Flow[2*first:2*end], floats(plane(flowPlane)))
	case into.Flow != nil && of.before:
		raster.Flow(v, f.PosesWB, y0, y1, func(x, y int) mgl64.Vec3 {
			ray := of.lens.Rays[4*(y*w+x):]
			return mgl64.Vec3{float64(ray[0]), float64(ray[1]), float64(ray[2])}
		})
	case into.Flow != nil:
		clear(into.Flow[2*first : 2*end])
	}
}
