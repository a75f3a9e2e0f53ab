package gl

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/chip"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// painter owns all OpenGL objects. Only the renderer's thread may use it.
type painter struct {
	scene      *render.Scene
	shading    *render.Shading // in the buffers
	uniforms   uint32          // buffer of sceneUniforms
	geometry   geometry
	textures   []uint32 // of each material
	lightMap   *lightMap
	natural    *natural // nil for plain light
	pinhole    programs
	mirror     programs
	table      *programs // programs for lenses that are drawn with tables; created on first use
	lenses     lensCache
	shadow     *program
	blur       *program
	clear      *program
	depth      *program
	floorZ     *program
	constant   *program
	cells      *program
	empty      uint32 // vertex array without attributes
	views      uint32 // uniform buffer of raster.Projections, one per slot
	stride     int    // bytes of a slot
	viewBytes  []byte
	targets    targets
	visible    raster.Visibility
	batches    batches
	marks      *raster.Marks
	defines    []string // preprocessor definitions of the scene, for all programs
	tiling     tiling
	tiles      uint32 // vertex array of the tiling
	tileBuffer uint32
	mats       []mgl32.Mat4
	cameras    []raster.Camera // cameras of the views, and after them those of the faces of their cubes
	faces      []int           // for each view, the index of its cube's first face in cameras
	cubes      cubes
	used       []*target // targets of the views that are drawn together
	frame      uint64    // number of groups of views that have been drawn together
	chips      chips
	processor  chip.Processor // for the chips and rangings that no shader applies
}

func newPainter(s *render.Scene) (*painter, error) {
	m, err := raster.NewMarks(&s.Floor, s.Room.Margin)
	if err != nil {
		return nil, fmt.Errorf("render/gl: %w", err)
	}
	p := &painter{scene: s, shading: &s.Shading, lightMap: newLightMap(s), natural: newNatural(s), marks: m}
	p.defines = sceneDefines(s, p.natural != nil)
	if p.pinhole, err = newPrograms(len(m.Data)/2, p.defines...); err != nil {
		return nil, err
	}
	if p.mirror, err = newPrograms(len(m.Data)/2, append(p.defines, "MIRROR")...); err != nil {
		return nil, err
	}
	common, object := []string{"common.glsl"}, []string{"common.glsl", "project.glsl"}
	for _, want := range []struct {
		into             **program
		vertex, fragment string
		common           []string
	}{
		{&p.shadow, "shadow.vert", "shadow.frag", common},
		{&p.blur, "blur.vert", "blur.frag", common},
		{&p.clear, "aim.glsl tile.vert", "clear.frag", common},
		{&p.depth, "depth.vert", "depth.frag", object},
		{&p.floorZ, "aim.glsl floordepth.vert", "ray.glsl floordepth.frag", object},
		{&p.constant, "screen.vert", "clear.frag", common},
		{&p.cells, "screen.vert", "above.frag", common},
	} {
		if *want.into, err = newProgram(want.vertex, want.fragment, want.common); err != nil {
			return nil, err
		}
	}
	if p.natural != nil {
		err = p.natural.init(&p.lightMap.LightMap)
	} else {
		err = p.lightMap.init()
	}
	if err != nil {
		return nil, err
	}
	p.chips = newChips()
	p.geometry = newGeometry(s, p.natural != nil)
	gl.GenVertexArrays(1, &p.empty)
	p.tiles, p.tileBuffer = pointBuffer()
	p.textures = loadTextures(s.Materials)
	loadNoise(&s.Floor)
	if s.Floor.Image != nil {
		loadTexture(imageUnit, s.Floor.Image.Texture)
	}
	loadGrid(m)
	if s.Room.Picture != nil {
		loadCrowd(s.Room.Picture)
	}
	uniforms := newSceneUniforms(s, p.shading, p.lightMap)
	p.uniforms = uniformBuffer(sceneBinding, int(unsafe.Sizeof(*uniforms)), unsafe.Pointer(uniforms))
	data := append([][4]float32{m.Scale}, m.Data...)
	for len(data) < 3 {
		data = append(data, [4]float32{}) // because the shader's array must not be empty
	}
	uniformBuffer(marksBinding, len(data)*16, gl.Ptr(data))
	gl.GenBuffers(1, &p.views)
	var align int32
	gl.GetIntegerv(gl.UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align)
	p.stride = (int(unsafe.Sizeof(raster.Projection{})) + int(align) - 1) / int(align) * int(align)
	gl.PixelStorei(gl.PACK_ALIGNMENT, 1)
	return p, glError("preparing the scene")
}

// viewsAtOnce is the largest number of views that have a target at the same time. A target of 640 × 640 pixels takes 15
// MB. 32 targets are enough for ten robots with three cameras each.
const viewsAtOnce = 32

var abilities = render.Abilities{CubeMaps: true}

// paint draws all views, and then reads their images. While the rasteriser's threads draw one view, this thread
// prepares the next.
func (p *painter) paint(f *render.Batch) error {
	shading, err := f.Check(p.scene, &abilities)
	if err != nil {
		return fmt.Errorf("render/gl: %w", err)
	}
	p.shade(shading)
	p.place(f.PosesWB)
	if slices.ContainsFunc(f.Views, func(v render.View) bool { return v.Color != nil }) || len(f.Views) == 0 {
		p.drawLight(f.PosesWB) // depth images do not need the light
	}
	if err := p.loadViews(f.Views); err != nil {
		return err
	}
	for from := 0; from < len(f.Views); from += viewsAtOnce {
		to := min(from+viewsAtOnce, len(f.Views))
		p.frame++
		p.used = p.used[:0]
		for i := from; i < to; i++ {
			t, err := p.view(f, i)
			if err != nil {
				return err
			}
			if v := &f.Views[i]; p.chips.onProcessor(v) == "" {
				if err := p.chips.apply(v, t, p.empty); err != nil {
					return err
				}
			}
			p.used = append(p.used, t)
		}
		for i := from; i < to; i++ {
			v := f.Views[i]
			p.read(&v, p.used[i-from])
			if p.chips.onProcessor(&v) == "" {
				v.Chip = nil
			}
			p.processor.Start(&v) // runs while the next view is read; Renderer waits for the result
		}
	}
	return glError("drawing")
}

// drawLight draws the shadows on the floor.
func (p *painter) drawLight(posesWB []spatial.Pose) {
	if p.natural != nil {
		p.natural.draw(posesWB, &p.lightMap.LightMap)
		return
	}
	p.lightMap.draw(&p.geometry, posesWB, p.mats, p.shadow, p.blur)
}

// shade sets the shading of the following draw calls.
func (p *painter) shade(with *render.Shading) {
	if with == p.shading {
		return
	}
	p.geometry.paint(with.Materials, p.shading.Materials)
	p.lightMap.aim(with.Light.DirectionW)
	if n := p.natural; n != nil {
		n.shadowMap = n.shadowMap.Shade(with)
		n.load()
	}
	uniforms := newSceneUniforms(p.scene, with, p.lightMap)
	gl.BindBuffer(gl.UNIFORM_BUFFER, p.uniforms)
	gl.BufferSubData(gl.UNIFORM_BUFFER, 0, int(unsafe.Sizeof(*uniforms)), unsafe.Pointer(uniforms))
	p.shading = with
}

// place computes the matrices of the bodies.
func (p *painter) place(posesWB []spatial.Pose) {
	p.mats = p.mats[:0]
	for i := range posesWB {
		var m mgl32.Mat4
		for k, x := range posesWB[i].Mat4() {
			m[k] = float32(x)
		}
		p.mats = append(p.mats, m)
	}
}

// loadViews computes and uploads the uniform blocks of the given views and of the faces of their cubes.
func (p *painter) loadViews(views []render.View) error {
	p.cameras = p.cameras[:0]
	for i := range views {
		if err := p.addCamera(&views[i]); err != nil {
			return err
		}
	}
	if err := p.addFaces(views); err != nil {
		return err
	}
	if len(views) > 0 {
		size := len(p.cameras) * p.stride
		p.viewBytes = slices.Grow(p.viewBytes[:0], size)[:size]
		for i := range p.cameras {
			block := &p.cameras[i].Projection
			copy(p.viewBytes[i*p.stride:], unsafe.Slice((*byte)(unsafe.Pointer(block)), unsafe.Sizeof(*block)))
		}
		gl.BindBuffer(gl.UNIFORM_BUFFER, p.views)
		gl.BufferData(gl.UNIFORM_BUFFER, len(p.viewBytes), gl.Ptr(&p.viewBytes[0]), gl.STREAM_DRAW)
	}
	return nil
}

// addCamera prepares the camera of a view.
func (p *painter) addCamera(v *render.View) error {
	var tables *raster.Lens
	if !raster.HasFormula(v.Model) {
		tables = p.lenses.get(v.Model).Lens
		if err := p.compileTable(); err != nil {
			return err
		}
	}
	p.cameras = append(p.cameras, raster.Camera{})
	p.cameras[len(p.cameras)-1].Set(v, tables)
	return nil
}

// compileTable compiles the programs that draw with a lens's tables, unless it has already compiled them.
func (p *painter) compileTable() error {
	if p.table != nil {
		return nil
	}
	programs, err := newPrograms(len(p.marks.Data)/2, append(p.defines, "TABLE")...)
	if err != nil {
		return err
	}
	p.table = &programs
	return nil
}

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
	programs := &p.pinhole
	switch {
	case c.Mirrored:
		programs = &p.mirror
	case c.Lens != nil:
		programs = p.table
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
