package gl

import (
	"math"
	"unsafe"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/raster"
	"github.com/omnipitch/omnipitch/render/light"
)

// surface is the additional data of a vertex for natural light.
type surface struct {
	layer [4]float32 // F0 of the material, zero for a matt material, and the square root of the roughness
	open  light.Open // openness of the part
}

func newLayer(m *render.Material) [4]float32 {
	if m.Metal && m.F0 == (mgl32.Vec3{}) {
		return [4]float32{math.SmallestNonzeroFloat32} // marks it as not matt
	}
	return vec4(m.F0, float32(math.Sqrt(float64(m.Roughness))))
}

// matter returns a material as seen by the light that the surface layer lets through: a metal absorbs all of that
// light.
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
