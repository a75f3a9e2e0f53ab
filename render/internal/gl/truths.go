package gl

import (
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// truths draws the ground truth of the views of a group: one sample at the centre of each pixel, into two textures.
type truths struct {
	programs [3]*truthPrograms // by projection; nil until they are needed
	pack     *program
	sheet    int32 // locations of uniforms of pack
	ends     int32
	motions  uint32             // buffer of rows
	rows     []raster.MotionRow // for each view, those of static points and of each body
	bodies   int
	most     int // largest number of rows in a buffer
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
	if ts.pack == nil {
		if ts.pack, err = newProgram("screen.vert", "truthpack.frag", []string{"common.glsl"}); err != nil {
			return nil, err
		}
		ts.sheet, ts.ends = ts.pack.uniform("sheet"), ts.pack.uniform("ends")
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
	if of.flows() {
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
	gl.BindFramebuffer(gl.FRAMEBUFFER, l.truthFBO)
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

// truthLayout places the planes of a render.Truth in a sheet of 32-bit words; see truthpack.frag.
type truthLayout struct {
	width, height         int // of an image in the sheet
	ranges, normals, flow int // where they end, words
}

// layout returns the layout of the images of a kind, in a sheet with rows of at most the given number of words.
func (k *kind) layout(most int) (t truthLayout) {
	n := k.width * k.height
	t.ranges, t.normals, t.flow = n, 4*n, 4*n
	if k.flows() {
		t.flow += 2 * n
	}
	t.width = min(8*k.width, most)
	t.height = (t.flow + (n+1)/2 + t.width - 1) / t.width
	return t
}

// flows reports whether shaders compute the flow of a kind's images. They cannot project points through a lens's
// tables, so the processor does.
func (k *kind) flows() bool { return k.before && k.lens == nil }

// read starts copying the truth of n images to a buffer. The vertex array without attributes must be bound.
func (ts *truths) read(n int, t *truthLayout, l *layers, into *packBuffer) {
	bindLayers(surfacesUnit, l.surfaces)
	bindLayers(placesUnit, l.places)
	s := l.words
	s.width, s.height = int32(t.width), int32(t.height)
	gl.BindFramebuffer(gl.FRAMEBUFFER, s.fbo)
	gl.Viewport(0, 0, s.width, s.height*int32(n))
	gl.UseProgram(ts.pack.id)
	gl.Uniform2i(ts.sheet, s.width, s.height)
	gl.Uniform3i(ts.ends, int32(t.ranges), int32(t.normals), int32(t.flow))
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	s.read(n, into)
}

// deliver copies the rows from y0 to y1 − 1 of the truth of image i of a group.
func (t *truthLayout) deliver(words []byte, i int, of *group, f *render.Batch, y0, y1 int) {
	v := &f.Views[of.views[i]]
	into, w := v.Truth, of.width
	image := floats(words[4*i*t.width*t.height:])
	copy(into.Range[y0*w:y1*w], image[y0*w:])
	copy(into.Normals[3*y0*w:3*y1*w], image[t.ranges+3*y0*w:])
	labels := image[t.flow:]
	copy(into.Labels[y0*w:y1*w], unsafe.Slice((*uint16)(unsafe.Pointer(&labels[0])), 2*len(labels))[y0*w:])
	switch {
	case of.flows():
		copy(into.Flow[2*y0*w:2*y1*w], image[t.normals+2*y0*w:])
	case of.before:
		raster.Flow(v, f.PosesWB, y0, y1, func(x, y int) mgl64.Vec3 {
			ray := of.lens.Rays[4*(y*w+x):]
			return mgl64.Vec3{float64(ray[0]), float64(ray[1]), float64(ray[2])}
		})
	default:
		clear(into.Flow[2*y0*w : 2*y1*w])
	}
}
