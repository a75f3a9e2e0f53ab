package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/raster"
)

// surface is what of a vertex natural light needs besides what plain light does: F0 of its material, zero where it is matt, and the root of the
// roughness.
type surface [4]float32

func newSurface(m *render.Material) surface {
	s := surface{m.F0[0], m.F0[1], m.F0[2], float32(math.Sqrt(float64(m.Roughness)))}
	if m.Metal && m.F0 == (mgl32.Vec3{}) {
		s[0] = math.SmallestNonzeroFloat32 // it is not matt
	}
	return s
}

// matter returns what of a material light goes into: a metal sends none of it back.
func matter(m render.Material) *render.Material {
	if m.Metal {
		m.Color, m.Color2 = mgl32.Vec3{}, mgl32.Vec3{}
	}
	return &m
}

// addSurfaces makes the buffer of surfaces, and paints the vertices of metals.
func (g *geometry) addSurfaces(b *raster.Geometry, materials []render.Material) {
	all := make([]surface, len(b.Vertices))
	for i := range materials {
		of := newSurface(&materials[i])
		for _, r := range b.Painted[i] {
			for k := r.First; k < r.First+r.Count; k++ {
				all[k] = of
				b.Vertices[k].Paint(matter(materials[i]))
			}
		}
	}
	gl.GenBuffers(1, &g.surfaces)
	gl.BindBuffer(gl.ARRAY_BUFFER, g.surfaces)
	if len(all) > 0 {
		gl.BufferData(gl.ARRAY_BUFFER, len(all)*int(unsafe.Sizeof(all[0])), gl.Ptr(all), gl.STATIC_DRAW)
	}
	gl.EnableVertexAttribArray(5)
	gl.VertexAttribPointerWithOffset(5, 4, gl.FLOAT, false, 16, 0)
}

// paintSurfaces changes the surfaces of a material.
func (g *geometry) paintSurfaces(i int, m *render.Material) {
	const size = int(unsafe.Sizeof(surface{}))
	gl.BindBuffer(gl.ARRAY_BUFFER, g.surfaces)
	of := newSurface(m)
	for _, r := range g.painted[i] {
		mapped := gl.MapBufferRange(gl.ARRAY_BUFFER, r.First*size, r.Count*size, gl.MAP_WRITE_BIT)
		all := unsafe.Slice((*surface)(mapped), r.Count)
		for k := range all {
			all[k] = of
		}
		gl.UnmapBuffer(gl.ARRAY_BUFFER)
	}
}
