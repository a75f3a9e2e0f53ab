package gl

import (
	"errors"
	"fmt"
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
	layered    []string // those among them for groups of views
	groups     *groups  // nil if views are drawn one after the other
	timer      *timer   // nil except in TimePasses
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
	rangings   rangings
	processor  chip.Processor // for the chips and rangings that no shader applies, and of views drawn one by one
}

// newPainter prepares a scene. Views are drawn in groups on a graphics card, or on any driver if grouped is true.
func newPainter(s *render.Scene, grouped bool) (*painter, error) {
	m, err := raster.NewMarks(&s.Floor, s.Room.Margin)
	if err != nil {
		return nil, fmt.Errorf("render/gl: %w", err)
	}
	p := &painter{scene: s, shading: &s.Shading, lightMap: newLightMap(s), natural: newNatural(s), marks: m}
	views := 0
	if able := canGroup(); able && (grouped || !isSoftware(gl.GoStr(gl.GetString(gl.RENDERER)))) {
		views = viewsOfGroup()
		p.layered = []string{layersDefine, fmt.Sprint("VIEWS ", views)}
	} else if grouped {
		return nil, errors.New("render/gl: the driver cannot draw views in groups")
	}
	p.defines = append(sceneDefines(s, p.natural != nil), p.layered...)
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
		var defines []string
		if want.into == &p.depth || want.into == &p.floorZ {
			defines = p.layered
		}
		if *want.into, err = newProgram(want.vertex, want.fragment, want.common, defines...); err != nil {
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
	if views > 0 {
		if p.groups, err = newGroups(p, views); err != nil {
			return nil, err
		}
	}
	return p, glError("preparing the scene")
}

// viewsAtOnce is the largest number of views that have a target at the same time. A target of 640 × 640 pixels takes 15
// MB. 32 targets are enough for ten robots with three cameras each.
const viewsAtOnce = 32

// Abilities of painters that draw views one by one, and in groups.
var abilities, groupAbilities = render.Abilities{CubeMaps: true}, render.Abilities{CubeMaps: true, Truth: true}

// paint draws all views, and then reads their images. While the rasteriser's threads draw one view, this thread
// prepares the next.
func (p *painter) paint(f *render.Batch) error {
	can := &abilities
	if p.groups != nil {
		can = &groupAbilities
	}
	shading, err := f.Check(p.scene, can)
	if err != nil {
		return fmt.Errorf("render/gl: %w", err)
	}
	p.shade(shading)
	p.place(f.PosesWB)
	if slices.ContainsFunc(f.Views, func(v render.View) bool { return v.Color != nil }) || len(f.Views) == 0 {
		p.drawLight(f.PosesWB) // depth images do not need the light
	}
	p.timer.mark("light")
	if err := p.loadViews(f.Views); err != nil {
		return err
	}
	if p.groups != nil {
		if err := p.groups.paint(p, f); err != nil {
			return err
		}
		return glError("drawing")
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
			p.used = append(p.used, t)
		}
		for i := from; i < to; i++ {
			p.read(&f.Views[i], p.used[i-from])
			p.processor.Start(&f.Views[i]) // runs while the next view is read; Renderer waits for the result
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
	if len(views) > 0 && p.groups == nil {
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
		if p.groups == nil {
			tables.Rays = nil // only groups need it, for flow
		}
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
