package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

const (
	lightHeight = 4 // nothing above this height casts shadows, metres
)

// lightMap is the shadows of one batch, as maps over the floor along the lamp's rays: heights is up to what height bodies stop the rays,
// for shadows on bodies; light is the shares of the lamp's and the ambient light that reach the floor, softened.
type lightMap struct {
	width, height int32
	heights       uint32 // framebuffer
	light         uint32 // framebuffer
	static        uint32 // framebuffer with both, of the static bodies alone
	stillDrawn    bool
	place, shadow [4]float32
	shadowless    bool
	toLamp        mgl32.Vec3
	slope         [2]float64 // of the lamp's rays, horizontal way per height
	quads         uint32     // vertex array of the places to soften
	quadBuffer    uint32
	corners       []mgl32.Vec2
	dirty         []texelRect // that the last batch's moving bodies have shaded
	shaded        shade       // by anything now
	staticShaded  shade       // by static bodies
	runs          batch
}

func newLightMap(s *render.Scene) *lightMap {
	sx, sy := s.Floor.SizeX+2*render.ShadowMargin, s.Floor.SizeY+2*render.ShadowMargin
	texel := math.Max(sx, sy) / render.ShadowTexels
	m := &lightMap{shadowless: s.Light.Shadowless, width: int32(math.Ceil(sx / texel)), height: int32(math.Ceil(sy / texel))}
	scale := [2]float64{1 / (texel * float64(m.width)), 1 / (texel * float64(m.height))}
	m.place = [4]float32{float32(scale[0]), float32(scale[1]), 0.5, 0.5}
	m.aim(s.Light.DirectionW)
	return m
}

// aim sets the direction towards the lamp. Another one than before has all shadows drawn anew.
func (m *lightMap) aim(d mgl32.Vec3) {
	m.stillDrawn = m.stillDrawn && d == m.toLamp
	m.toLamp, m.slope = d, [2]float64{}
	if d[2] > 1e-3 {
		m.slope = [2]float64{float64(d[0] / d[2]), float64(d[1] / d[2])}
	}
	m.shadow = [4]float32{float32(m.slope[0]), float32(m.slope[1]), lightHeight, 1 / float32(m.width)}
}

// init makes the textures and framebuffers.
func (m *lightMap) init() error {
	clampX, clampY := []int32{gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE}, []int32{gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE}
	linear := append(append([]int32{gl.TEXTURE_MIN_FILTER, gl.LINEAR, gl.TEXTURE_MAG_FILTER, gl.LINEAR}, clampX...), clampY...)
	compare := append(linear, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL)
	heights := newTexture(shadowUnit, compare...)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT16, m.width, m.height, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_SHORT, nil)
	light := newTexture(lightUnit, linear...)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RG8, m.width, m.height, 0, gl.RG, gl.UNSIGNED_BYTE, nil)
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
		gl.RenderbufferStorage(gl.RENDERBUFFER, format, m.width, m.height)
	}
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, copies[0])
	gl.FramebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, copies[1])
	m.quads, m.quadBuffer = pointBuffer()
	return glError("light map")
}

// draw draws the shadows of all bodies: of static ones once, of the others over a copy of those in every batch.
func (m *lightMap) draw(g *geometry, posesWB []spatial.Pose, mats []mgl32.Mat4, shadow, blur *program) {
	if m.shadowless && m.stillDrawn {
		return
	}
	gl.Viewport(0, 0, m.width, m.height)
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
		m.shaded = shade{}
		m.drawShadows(g, posesWB, mats, true, shadow, blur)
		whole := []texelRect{{0, 0, m.width, m.height}}
		m.copy(m.heights, m.static, gl.DEPTH_BUFFER_BIT, whole)
		m.copy(m.light, m.static, gl.COLOR_BUFFER_BIT, whole)
		m.staticShaded = m.shaded
	} else {
		m.shaded = m.staticShaded
		m.copy(m.static, m.heights, gl.DEPTH_BUFFER_BIT, m.dirty)
		m.copy(m.static, m.light, gl.COLOR_BUFFER_BIT, m.dirty)
	}
	m.dirty = m.dirty[:0]
	m.drawShadows(g, posesWB, mats, false, shadow, blur)
}

// texelRect is a rectangle of the map, half open.
type texelRect struct{ x0, y0, x1, y1 int32 }

func (m *lightMap) copy(from, to, what uint32, places []texelRect) {
	gl.BindFramebuffer(gl.READ_FRAMEBUFFER, from)
	gl.BindFramebuffer(gl.DRAW_FRAMEBUFFER, to)
	for _, t := range places {
		gl.BlitFramebuffer(t.x0, t.y0, t.x1, t.y1, t.x0, t.y0, t.x1, t.y1, what, gl.NEAREST)
	}
}

// drawShadows adds the shadows of static bodies, or of the others, and softens the light around them.
func (m *lightMap) drawShadows(g *geometry, posesWB []spatial.Pose, mats []mgl32.Mat4, static bool, shadow, blur *program) {
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.heights)
	gl.Enable(gl.DEPTH_TEST)
	gl.DepthFunc(gl.LEQUAL)
	gl.Enable(gl.CULL_FACE)
	gl.FrontFace(gl.CCW)
	gl.UseProgram(shadow.id)
	gl.BindVertexArray(g.vao)
	m.corners = m.corners[:0]
	for i := range g.bodies {
		if g.bodies[i].static != static {
			continue
		}
		m.runs.reset()
		small := g.bodies[i].radius < 1 // one rectangle for all of it
		if small {
			m.addShaded(&g.bodies[i].box, posesWB[i])
		}
		for k := range g.bodies[i].parts {
			p := &g.bodies[i].parts[k]
			if p.pattern == render.Net {
				continue
			}
			m.runs.add(p.levels[0])
			if !small {
				m.addShaded(&p.box, posesWB[i])
			}
		}
		gl.UniformMatrix4fv(shadow.pose, 1, false, &mats[i][0])
		m.runs.draw()
	}
	if len(m.corners) == 0 {
		return
	}
	gl.BindFramebuffer(gl.FRAMEBUFFER, m.light)
	gl.Disable(gl.DEPTH_TEST)
	gl.Disable(gl.CULL_FACE)
	gl.UseProgram(blur.id)
	gl.BindVertexArray(m.quads)
	gl.BindBuffer(gl.ARRAY_BUFFER, m.quadBuffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(m.corners)*int(unsafe.Sizeof(m.corners[0])), gl.Ptr(&m.corners[0][0]), gl.STREAM_DRAW)
	gl.DrawArrays(gl.TRIANGLES, 0, int32(len(m.corners)))
}

// soften is the radius within which light is softened, texels of the light map: the shader's widest tap and one.
const soften = 7

// addShaded adds the rectangle of the floor that a box shades.
func (m *lightMap) addShaded(b *box, poseWB spatial.Pose) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for corner := range 8 {
		p := poseWB.Apply(b.corner(corner))
		for axis := range lo {
			at := (p[axis]-p[2]*m.slope[axis])*float64(m.place[axis]) + float64(m.place[2+axis])
			lo[axis], hi[axis] = math.Min(lo[axis], at), math.Max(hi[axis], at)
		}
	}
	size := [2]float64{float64(m.width), float64(m.height)}
	for axis := range lo {
		lo[axis] = math.Max(lo[axis]-soften/size[axis], 0)
		hi[axis] = math.Min(hi[axis]+soften/size[axis], 1)
		if !(lo[axis] < hi[axis]) { // outside the map, or NaN, which must not reach the driver
			return
		}
	}
	m.shaded.add(lo, hi)
	m.dirty = append(m.dirty, texelRect{
		int32(lo[0] * size[0]), int32(lo[1] * size[1]), min(int32(hi[0]*size[0])+1, m.width), min(int32(hi[1]*size[1])+1, m.height),
	})
	x0, y0, x1, y1 := float32(lo[0]), float32(lo[1]), float32(hi[0]), float32(hi[1])
	m.corners = append(m.corners, mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y0}, mgl32.Vec2{x1, y1},
		mgl32.Vec2{x0, y0}, mgl32.Vec2{x1, y1}, mgl32.Vec2{x0, y1})
}

// shadeCells is the number of cells along each side of a shade.
const shadeCells = 128

// shade is the cells of the light map that may have less than full light.
type shade [shadeCells][shadeCells]bool

// add marks a rectangle, in the light map's coordinates, 0 to 1.
func (s *shade) add(lo, hi [2]float64) {
	for y := int(lo[1] * shadeCells); y <= min(int(hi[1]*shadeCells), shadeCells-1); y++ {
		for x := int(lo[0] * shadeCells); x <= min(int(hi[0]*shadeCells), shadeCells-1); x++ {
			s[y][x] = true
		}
	}
}

// touches tells whether anything in a rectangle of the floor, metres, may be shaded.
func (m *lightMap) touches(lo, hi [2]float64) bool {
	var c0, c1 [2]int
	for axis := range lo {
		scale, offset := float64(m.place[axis]), float64(m.place[2+axis])
		c0[axis] = max(int((lo[axis]*scale+offset)*shadeCells), 0)
		c1[axis] = min(int((hi[axis]*scale+offset)*shadeCells), shadeCells-1)
	}
	for y := c0[1]; y <= c1[1]; y++ {
		for x := c0[0]; x <= c1[0]; x++ {
			if m.shaded[y][x] {
				return true
			}
		}
	}
	return false
}
