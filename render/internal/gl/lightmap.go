package gl

import (
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
)

// lightMap holds the shadows of one batch as maps over the floor along the lamp's rays. The map heights holds the
// height up to which bodies block the rays, for shadows on bodies. The map light holds the fractions of the lamp's and
// of the ambient light that reach the floor, softened.
type lightMap struct {
	raster.LightMap
	heights    uint32 // framebuffer
	light      uint32 // framebuffer
	static     uint32 // framebuffer with heights and light, for the static bodies only
	stillDrawn bool
	shadow     [4]float32
	shadowless bool
	quads      uint32 // vertex array of the places to soften
	quadBuffer uint32
	corners    []mgl32.Vec2
	runs       batch
}

func newLightMap(s *render.Scene) *lightMap {
	m := &lightMap{LightMap: raster.NewLightMap(s), shadowless: s.Light.Shadowless}
	m.aim(s.Light.DirectionW)
	return m
}

// aim sets the direction towards the lamp. If it changed, all shadows are redrawn.
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

// draw draws the shadows of all bodies. It draws the shadows of static bodies once. In every batch it copies that map
// and draws the shadows of moving bodies over the copy.
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
		x0, y0, x1, y1 := m.texels(r)
		gl.BlitFramebuffer(x0, y0, x1, y1, x0, y0, x1, y1, what, gl.NEAREST)
	}
}

// drawShadows adds the shadows of static or of moving bodies, and softens the light around them.
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

func (m *lightMap) texels(r raster.Region) (x0, y0, x1, y1 int32) {
	a, b, c, d := m.Texels(r)
	return int32(a), int32(b), int32(c), int32(d)
}
