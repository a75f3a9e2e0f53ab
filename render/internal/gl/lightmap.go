package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/light"
)

// lightMap holds the shadows of one batch, as two maps over the floor. A point in space belongs to the texel in which
// the lamp's ray through it meets the floor. The map heights holds the height up to which bodies block the rays, for
// shadows on bodies. The map light holds the fractions of the lamp's and of the ambient light that reach the floor,
// with soft edges.
type lightMap struct {
	raster.LightMap
	heights    uint32 // framebuffer
	light      uint32 // framebuffer
	static     uint32 // framebuffer with heights and light, for the static bodies only
	stillDrawn bool
	shadow     [4]float32
	shadowless bool
	quads      uint32 // vertex array of the regions in which to soften shadows
	quadBuffer uint32
	corners    []mgl32.Vec2
	runs       batch
}

func newLightMap(s *render.Scene) *lightMap {
	m := &lightMap{LightMap: raster.NewLightMap(s), shadowless: s.Light.Shadowless}
	m.aim(s.Light.DirectionW)
	return m
}

// aim sets the direction towards the lamp. If the direction changes, all shadows are redrawn.
func (m *lightMap) aim(d mgl32.Vec3) {
	if m.Aim(d) {
		m.stillDrawn = false
	}
	m.shadow = [4]float32{float32(m.Slope[0]), float32(m.Slope[1]), raster.LightHeight, 1 / float32(m.Width)}
}

// init creates the textures and framebuffers.
func (m *lightMap) init() error {
	clampX, clampY := []int32{gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE}, []int32{gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE}
	linear := append(append([]int32{gl.TEXTURE_MIN_FILTER, gl.LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR}, clampX...),
		clampY...)
	compare := append(linear, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL)
	heights := newTexture(shadowUnit, compare...)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT16, int32(m.Width), int32(m.Height), 0, gl.DEPTH_COMPONENT,
		gl.UNSIGNED_SHORT, nil)
	light := newTexture(lightUnit, linear...)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RG8, int32(m.Width), int32(m.Height), 0, gl.RG, gl.UNSIGNED_BYTE, nil)
	gl.GenFramebuffers(1, &m.heights)
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.heights)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, heights, 0)
	gl.DrawBuffer(gl.NONE)
	gl.ReadBuffer(gl.NONE)
	gl.GenFramebuffers(1, &m.light)
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.light)
	gl.FramebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, light, 0)
	var copies [2]uint32
	gl.GenRenderbuffers(2, &copies[0])
	gl.GenFramebuffers(1, &m.static)
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.static)
	for i, format := range []uint32{gl.DEPTH_COMPONENT16, gl.RG8} {
		gl.BindRenderbuffer(gl.RENDERBUFFER, copies[i])
		gl.RenderbufferStorage(gl.RENDERBUFFER, format, int32(m.Width), int32(m.Height))
	}
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, copies[0])
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, copies[1])
	m.quads, m.quadBuffer = pointBuffer()
	return glError("light map")
}

// draw draws the shadows of all bodies. It draws the shadows of static bodies only once. In every batch it copies the
// map with them, and draws the shadows of moving bodies over the copy.
func (m *lightMap) draw(g *geometry, posesWB []spatial.Pose, mats []mgl32.Mat4, shadow, blur *program) {
	if m.shadowless && m.stillDrawn {
		return
	}
	gl.Viewport(0, 0, int32(m.Width), int32(m.Height))
	if !m.stillDrawn {
		m.stillDrawn = true
		gl.BindFramebuffer(gl.FRAMEBUFFER, m.heights)
		gl.Clear(gl.DEPTH_BUFFER_BIT)
		gl.BindFramebuffer(gl.FRAMEBUFFER, m.light)
		gl.ClearColor(1, 1, 1, 1)
		gl.Clear(gl.COLOR_BUFFER_BIT)
		if m.shadowless {
			return
		}
		m.drawShadows(g, posesWB, mats, true, shadow, blur)
		whole := []raster.Region{{Hi: [2]float64{1, 1}}}
		m.copy(m.heights, m.static, gl.DEPTH_BUFFER_BIT, whole)
		m.copy(m.light, m.static, gl.COLOR_BUFFER_BIT, whole)
	} else {
		m.copy(m.static, m.heights, gl.DEPTH_BUFFER_BIT, m.Regions)
		m.copy(m.static, m.light, gl.COLOR_BUFFER_BIT, m.Regions)
	}
	m.drawShadows(g, posesWB, mats, false, shadow, blur)
}

func (m *lightMap) copy(from, to, what uint32, places []raster.Region) {
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, from)
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, to)
	for _, r := range places {
		a, b, c, d := m.Texels(r)
		x0, y0, x1, y1 := int32(a), int32(b), int32(c), int32(d)
		gl.BlitFramebuffer(x0, y0, x1, y1, x0, y0, x1, y1, what, gl.NEAREST)
	}
}

// drawShadows adds the shadows of either static or moving bodies, and softens the light around them.
func (m *lightMap) drawShadows(g *geometry, posesWB []spatial.Pose, mats []mgl32.Mat4, static bool, shadow,
	blur *program) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.heights)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.CULL_FACE)
	gl.FrontFace(gl.CCW)
	gl.UseProgram(shadow.id)
	gl.BindVertexArray(g.vao)
	for i := range g.bodies {
		if g.bodies[i].Static != static {
			continue
		}
		m.runs.reset()
		for k := range g.bodies[i].Parts {
			if p := &g.bodies[i].Parts[k]; raster.CastsShadow(p) {
				m.runs.add(&p.Levels[0])
			}
		}
		gl.UniformMatrix4fv(shadow.pose, 1, false, &mats[i][0])
		m.runs.draw()
	}
	m.Shade(g.bodies, posesWB, static)
	if len(m.Regions) == 0 {
		return
	}
	m.corners = m.corners[:0]
	for _, r := range m.Regions {
		x0, y0, x1, y1 := float32(r.Lo[0]), float32(r.Lo[1]), float32(r.Hi[0]), float32(r.Hi[1])
		m.corners = append(m.corners, mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y0}, mgl32.Vec2{x1, y1},
			mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y1}, mgl32.Vec2{x0, y1})
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.light)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(blur.id)
	gl.BindVertexArray(m.quads)
	gl.BindBuffer(gl.ARRAY_BUFFER, m.quadBuffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(m.corners)*int(unsafe.Sizeof(m.corners[0])), gl.Ptr(&m.corners[0][0]),
		gl.STREAM_DRAW)
	gl.DrawArrays(gl.TRIANGLES, 0, int32(len(m.corners)))
}

// natural is the light of a hall, as package render/light computes it, for the shaders that are compiled with NATURAL.
type natural struct {
	scene     *render.Scene
	field     *light.Field
	shadowMap *light.ShadowMap
	uniforms  uint32       // buffer of naturalUniforms
	texels    []mgl32.Vec3 // of the loaded texture
}

// naturalUniforms is the uniform block Natural, in std140 layout.
type naturalUniforms struct {
	gridAt, gridStep      [4]float32
	wallAt                [4]float32
	probeAt, levels       [4]float32
	near                  [4]float32
	panelRows, windowRows [2][4]float32
	panels, windows       [4]float32
	wall, ceiling         [4]float32
	sheen, sheenNear      [4]float32
	sheenTint             [4]float32
	seams, traces         [4]float32
}

// newNatural returns the natural light of a scene, or nil if its light is plain.
func newNatural(s *render.Scene) *natural {
	if !s.Natural {
		return nil
	}
	f := light.NewField(s, &s.Shading)
	if f == nil {
		return nil
	}
	return &natural{scene: s, field: f, shadowMap: light.NewShadowMap(s, f)}
}

// init creates the textures and the uniform block. It gives m the placement of the shadow map on the floor.
func (n *natural) init(m *raster.LightMap) error {
	m.Place = n.shadowMap.Place
	linear := []int32{gl.TEXTURE_MIN_FILTER, gl.LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR,
		gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE, gl.TEXTURE_WRAP_R, gl.CLAMP_TO_EDGE}
	newTexture(lightUnit, linear...)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RG8, int32(n.shadowMap.Width), int32(n.shadowMap.Height), 0, gl.RG,
		gl.UNSIGNED_BYTE, nil)
	newTexture(irradianceUnit, linear...)
	newTextureOf(gl.TEXTURE_3D, probesUnit, linear...)
	if t := n.scene.Floor.Traces; t != nil {
		newTexture(tracesUnit, append(linear, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST)...)
		for i, pix := range t.Levels() {
			size := int32(render.TraceTexels >> i)
			gl.TexImage2D(gl.TEXTURE_2D, int32(i), gl.RGBA8, size, size, 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(pix))
		}
	}
	n.uniforms = uniformBuffer(naturalBinding, int(unsafe.Sizeof(naturalUniforms{})), nil)
	n.load()
	return glError("natural light")
}

// load uploads everything that depends on the shading.
func (n *natural) load() {
	f := n.field
	cols, rows := f.Floor.Cols, f.Floor.Rows
	wide := f.Walls.Cols / 4
	width, height := f.Walls.Cols, rows+f.Walls.Rows
	n.loadFaces(width, height)
	probeCols, probeRows := n.loadProbes()

	// The nodes of the grid are at the centres of texels. The first and the last node are at the edges of a face.
	spread := func(nodes, of int, half float64) float32 { return float32(float64(nodes-1) / float64(of) / (2 * half)) }
	middle := func(nodes, of int) float32 { return float32(nodes) / float32(2*of) }
	u := naturalUniforms{
		gridAt: [4]float32{spread(cols, width, f.HalfX), spread(rows, height, f.HalfY), middle(cols, width),
			middle(rows, height)},
		gridStep: [4]float32{float32(cols) / float32(width), float32(wide) / float32(width), float32(f.Height)},
		wallAt: [4]float32{spread(wide, width, f.HalfY), spread(wide, width, f.HalfX), middle(wide, width),
			(float32(rows) + 0.5) / float32(height)},
		probeAt: [4]float32{spread(probeCols, probeCols, f.HalfX), spread(probeRows, probeRows, f.HalfY), 0.5, 0.5},
		levels:  [4]float32{float32(light.Levels[0]), float32(light.Levels[1]), float32(light.Levels[2])},
		near:    [4]float32{light.Underneath, 1 / light.Clearance},
		panels:  vec4(f.Emits[light.Lamps], 0),
		windows: vec4(f.Emits[light.Windows], float32(f.WindowHigh-f.WindowLow)/2),
		wall:    vec4(n.scene.Room.Wall, float32(f.WindowHigh+f.WindowLow)/2),
		ceiling: vec4(n.scene.Room.Ceiling, 0),
	}
	u.sheen = [4]float32{f.Sheen.Rise[0], f.Sheen.Rise[1], f.Sheen.Rest}
	u.sheenTint = vec4(f.Sheen.Tint, 0)
	u.sheenNear = [4]float32{light.SheenNear[0], light.SheenNear[1]}
	if seams := &n.scene.Floor.Seams; seams.Pitch > 0 {
		u.seams = [4]float32{float32(1 / seams.Pitch), float32(seams.Pitch), render.SeamHalf, float32(seams.Dark)}
	}
	if t := n.scene.Floor.Traces; t != nil {
		u.traces = [4]float32{float32(1 / t.Size), 0, float32(render.TraceTexels / t.Size)}
	}
	u.gridStep[3] = spread(f.Walls.Rows, height, f.Height/2)
	for i := range 2 {
		u.panelRows[i], u.windowRows[i] = strips(&f.PanelRows[i]), strips(&f.WindowRows[i])
	}
	gl.BindBuffer(gl.UNIFORM_BUFFER, n.uniforms)
	gl.BufferSubData(gl.UNIFORM_BUFFER, 0, int(unsafe.Sizeof(u)), unsafe.Pointer(&u))
}

func strips(r *light.Row) [4]float32 {
	return [4]float32{float32(r.First), float32(r.Pitch), float32(r.Half), float32(r.N - 1)}
}

// loadFaces uploads the irradiances of all faces as one texture. The upper row of the texture holds four images side by
// side: the light of lamps on the floor, the light of windows on the floor, all light on the floor, and all light on
// the ceiling. The lower row holds all light on the walls.
func (n *natural) loadFaces(width, height int) {
	f := n.field
	n.texels = append(n.texels[:0], make([]mgl32.Vec3, width*height)...)
	place := func(g *light.Grid, col0, row0 int, sources ...light.Source) {
		for _, s := range sources {
			for i, e := range g.Of[s] {
				at := &n.texels[(row0+i/g.Cols)*width+col0+i%g.Cols]
				*at = at.Add(e)
			}
		}
	}
	cols := f.Floor.Cols
	place(&f.Floor, 0, 0, light.Lamps)
	place(&f.Floor, cols, 0, light.Windows)
	place(&f.Floor, 2*cols, 0, light.Lamps, light.Windows)
	place(&f.Ceiling, 3*cols, 0, light.Lamps, light.Windows)
	place(&f.Walls, 0, f.Floor.Rows, light.Lamps, light.Windows)
	gl.ActiveTexture(gl.TEXTURE0 + irradianceUnit)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGB32F, int32(width), int32(height), 0, gl.RGB, gl.FLOAT,
		gl.Ptr(&n.texels[0][0]))
}

// loadProbes uploads the lattice of probes as a three-dimensional texture. The layers of the texture are the levels of
// the lattice from the lowest up, first for one coefficient, then for the next.
func (n *natural) loadProbes() (cols, rows int) {
	cols, rows, of := n.field.Lattice()
	level, levels := cols*rows, len(light.Levels)
	var p light.Probe
	n.texels = append(n.texels[:0], make([]mgl32.Vec3, len(p)*len(of))...)
	for i := range of {
		for k := range p {
			n.texels[k*levels*level+i] = of[i][k]
		}
	}
	gl.ActiveTexture(gl.TEXTURE0 + probesUnit)
	gl.TexImage3D(gl.TEXTURE_3D, 0, gl.RGB32F, int32(cols), int32(rows), int32(len(p)*levels), 0, gl.RGB, gl.FLOAT,
		gl.Ptr(&n.texels[0][0]))
	return cols, rows
}

// draw updates and uploads the shadow map, and makes tilings use this map.
func (n *natural) draw(posesWB []spatial.Pose, m *raster.LightMap) {
	n.shadowMap.Draw(posesWB)
	m.Follow(n.shadowMap)
	gl.ActiveTexture(gl.TEXTURE0 + lightUnit)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, int32(n.shadowMap.Width))
	for _, r := range n.shadowMap.Changed {
		from := &n.shadowMap.Pix[2*(r.Y0*n.shadowMap.Width+r.X0)]
		gl.TexSubImage2D(gl.TEXTURE_2D, 0, int32(r.X0), int32(r.Y0), int32(r.X1-r.X0), int32(r.Y1-r.Y0), gl.RG,
			gl.UNSIGNED_BYTE, gl.Ptr(from))
	}
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
}
