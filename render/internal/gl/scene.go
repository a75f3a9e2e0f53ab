package gl

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/light"
)

// sceneUniforms is the uniform block Scene, in std140 layout.
type sceneUniforms struct {
	toLamp, lamp, sky, bounce, background, tube [4]float32
	carpet, line                                [4]float32
	floorImage, imageTint                       [4]float32
	carpetHalf                                  [4]float32
	hallFloor, hallWall                         [4]float32
	floorLight                                  [4]float32
	crowd                                       [4]float32
	spotAt, spotLight                           [render.MaxSpots][4]float32
	shadow                                      [4]float32
}

// sceneDefines returns preprocessor definitions that remove from the shaders the features that the scene does not need.
func sceneDefines(s *render.Scene, natural bool) []string {
	var defines []string
	if s.Room.Picture != nil {
		defines = append(defines, "CROWD")
	}
	if slices.ContainsFunc(s.Materials, func(m render.Material) bool { return m.Texture != nil }) {
		defines = append(defines, "TEXTURES")
	}
	if s.Floor.Image != nil {
		defines = append(defines, "IMAGE")
	}
	if natural {
		if s.Floor.Sheen > 0 {
			defines = append(defines, "SHEEN")
		}
		if s.Floor.Seams.Pitch > 0 && s.Floor.Seams.Dark > 0 {
			defines = append(defines, "SEAMS")
		}
		if s.Floor.Traces != nil {
			defines = append(defines, "TRACES")
		}
		// Natural light has no distant lamp, and thus no shadows of one.
		return append(defines, "NATURAL", "SHADOWLESS")
	}
	if s.Floor.Wear > 0 {
		defines = append(defines, "WEAR")
	}
	if s.Light.Shadowless {
		defines = append(defines, "SHADOWLESS")
	}
	if n := len(s.Light.Spots); n > 0 {
		defines = append(defines, fmt.Sprintf("SPOTS %d", n))
	}
	return defines
}

func vec4(v mgl32.Vec3, w float32) [4]float32 { return [4]float32{v[0], v[1], v[2], w} }

func newSceneUniforms(s *render.Scene, shading *render.Shading, m *lightMap) *sceneUniforms {
	l, f, h := &shading.Light, &s.Floor, &s.Room
	hx, hy := float32(f.SizeX/2), float32(f.SizeY/2)
	u := &sceneUniforms{
		toLamp: vec4(l.DirectionW, 0), lamp: vec4(l.Lamp, 0), sky: vec4(l.Sky, 0), bounce: vec4(l.Bounce, 0),
		background: vec4(l.Background, 0), tube: vec4(l.Tube, 0), carpet: vec4(f.Reflectance(shading.Carpet), 0),
		line:       vec4(f.LineColor, 0),
		carpetHalf: [4]float32{hx, hy, hx + float32(h.Margin), hy + float32(h.Margin)},
		hallFloor:  vec4(h.Floor, 0), hallWall: vec4(l.Wall, float32(h.Height)),
		floorLight: m.Place, shadow: m.shadow, crowd: [4]float32{2: float32(f.Wear)},
	}
	if f.Image != nil {
		scale, offset := f.Image.Place()
		u.floorImage, u.imageTint = [4]float32{scale[0], scale[1], offset[0], offset[1]}, vec4(shading.Carpet, 0)
	}
	if h.Solid {
		u.hallFloor[3] = float32(h.Height)
	}
	if h.Picture != nil {
		u.crowd[0], u.crowd[1] = float32(1/h.PictureWidth), float32(float64(h.Picture.Width)/h.PictureWidth)
	}
	for i, p := range l.Spots {
		u.spotAt[i], u.spotLight[i] = vec4(p.PosW, 0), vec4(p.Light, 0)
	}
	return u
}

// geometry holds all bodies' triangles in one vertex buffer and one index buffer.
type geometry struct {
	vao      uint32
	vertices uint32 // buffer
	surfaces uint32 // buffer of surfaces for natural light; 0 in plain light
	bodies   []raster.Body
	painted  [][]raster.Run // by material
}

func newGeometry(s *render.Scene, natural bool) geometry {
	b := raster.Bake(s)
	g := geometry{bodies: b.Bodies, painted: b.Painted}
	gl.GenVertexArrays(1, &g.vao)
	gl.BindVertexArray(g.vao)
	var buffers [2]uint32
	gl.GenBuffers(2, &buffers[0])
	g.vertices = buffers[0]
	if natural {
		g.addSurfaces(b, s)
	}
	gl.BindBuffer(gl.ARRAY_BUFFER, buffers[0])
	gl.BindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers[1])
	if len(b.Vertices) == 0 {
		return g
	}
	var v raster.Vertex
	gl.BufferData(gl.ARRAY_BUFFER, len(b.Vertices)*int(unsafe.Sizeof(v)), gl.Ptr(b.Vertices), gl.STATIC_DRAW)
	gl.BufferData(gl.ELEMENT_ARRAY_BUFFER, len(b.Indices)*4, gl.Ptr(b.Indices), gl.STATIC_DRAW)
	attribute := func(index uint32, size int32, kind uint32, normalized bool, offset uintptr) {
		gl.EnableVertexAttribArray(index)
		gl.VertexAttribPointerWithOffset(index, size, kind, normalized, int32(unsafe.Sizeof(v)), offset)
	}
	attribute(0, 3, gl.FLOAT, false, unsafe.Offsetof(v.Pos))
	attribute(1, 3, gl.SHORT, true, unsafe.Offsetof(v.Normal))
	attribute(2, 4, gl.UNSIGNED_SHORT, true, unsafe.Offsetof(v.Color))
	attribute(3, 4, gl.UNSIGNED_SHORT, true, unsafe.Offsetof(v.Color2))
	attribute(4, 3, gl.FLOAT, false, unsafe.Offsetof(v.PosM))
	return g
}

// paint updates the vertices of materials that changed.
func (g *geometry) paint(materials, before []render.Material) {
	for i := range materials {
		if materials[i] == before[i] {
			continue
		}
		const size = int(unsafe.Sizeof(raster.Vertex{}))
		shown := &materials[i]
		if g.surfaces != 0 {
			shown = matter(materials[i])
		}
		gl.BindBuffer(gl.ARRAY_BUFFER, g.vertices)
		for _, r := range g.painted[i] {
			mapped := gl.MapBufferRange(gl.ARRAY_BUFFER, r.First*size, r.Count*size, gl.MAP_READ_BIT|gl.MAP_WRITE_BIT)
			vertices := unsafe.Slice((*raster.Vertex)(mapped), r.Count)
			for k := range vertices {
				vertices[k].Paint(shown)
			}
			gl.UnmapBuffer(gl.ARRAY_BUFFER)
		}
		if g.surfaces != 0 {
			g.paintSurfaces(i, &materials[i])
		}
	}
}

// surface is the additional data of a vertex for natural light.
type surface struct {
	layer [4]float32 // F0 of the material, or zero for a matt material; and the square root of the roughness
	open  light.Open // openness of the part
}

func newLayer(m *render.Material) [4]float32 {
	if m.Metal && m.F0 == (mgl32.Vec3{}) {
		return [4]float32{math.SmallestNonzeroFloat32} // marks it as not matt
	}
	return vec4(m.F0, float32(math.Sqrt(float64(m.Roughness))))
}

// matter returns a material for the light that passes the surface layer. A metal absorbs all of this light, so its
// colour becomes black.
func matter(m render.Material) *render.Material {
	if m.Metal {
		m.Color, m.Color2 = mgl32.Vec3{}, mgl32.Vec3{}
	}
	return &m
}

// addSurfaces creates the buffer of surfaces, and paints the vertices of metals.
func (g *geometry) addSurfaces(b *raster.Geometry, s *render.Scene) {
	all := make([]surface, len(b.Vertices))
	for i := range s.Materials {
		layer := newLayer(&s.Materials[i])
		for _, r := range b.Painted[i] {
			for k := r.First; k < r.First+r.Count; k++ {
				all[k].layer = layer
				b.Vertices[k].Paint(matter(s.Materials[i]))
			}
		}
	}
	for i, open := range light.Openness(s) {
		for k := range open {
			p := &b.Bodies[i].Parts[k]
			for _, l := range p.Levels {
				for v := range l.Vertices {
					all[p.FirstVertex+v].open = open[k]
				}
			}
		}
	}
	gl.GenBuffers(1, &g.surfaces)
	gl.BindBuffer(gl.ARRAY_BUFFER, g.surfaces)
	if len(all) > 0 {
		gl.BufferData(gl.ARRAY_BUFFER, len(all)*surfaceSize, gl.Ptr(&all[0].layer[0]), gl.STATIC_DRAW)
	}
	for i, offset := range []uintptr{unsafe.Offsetof(surface{}.layer), unsafe.Offsetof(surface{}.open)} {
		gl.EnableVertexAttribArray(uint32(5 + i))
		gl.VertexAttribPointerWithOffset(uint32(5+i), 4, gl.FLOAT, false, int32(surfaceSize), offset)
	}
}

const surfaceSize = int(unsafe.Sizeof(surface{}))

// paintSurfaces updates the surfaces of a material.
func (g *geometry) paintSurfaces(i int, m *render.Material) {
	gl.BindBuffer(gl.ARRAY_BUFFER, g.surfaces)
	layer := newLayer(m)
	for _, r := range g.painted[i] {
		mapped := gl.MapBufferRange(gl.ARRAY_BUFFER, r.First*surfaceSize, r.Count*surfaceSize,
			gl.MAP_READ_BIT|gl.MAP_WRITE_BIT)
		all := unsafe.Slice((*surface)(mapped), r.Count)
		for k := range all {
			all[k].layer = layer
		}
		gl.UnmapBuffer(gl.ARRAY_BUFFER)
	}
}
