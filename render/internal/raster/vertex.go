package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// Vertex is a corner of triangles with its material, packed for OpenGL's shaders.
type Vertex struct {
	Pos mgl32.Vec3 // in B, metres
	// in M, metres; for a net, in its plane; for a mesh with texture coordinates, the texture coordinates
	PosM   mgl32.Vec3
	Normal [4]int16  // in B, unit length, times 32767
	Color  [4]uint16 // reflectance times 65535; the last is shininess/255
	Color2 [4]uint16 // reflectance times 65535; the last is gloss
}

// UnitNormal returns the normal in B, of unit length up to rounding.
func (v *Vertex) UnitNormal() mgl32.Vec3 {
	const scale = 1.0 / math.MaxInt16
	return mgl32.Vec3{float32(v.Normal[0]) * scale, float32(v.Normal[1]) * scale, float32(v.Normal[2]) * scale}
}

// Paint gives the vertex a material's colours, shininess and gloss.
func (v *Vertex) Paint(m *render.Material) {
	c, c2 := m.Color, m.Color2
	v.Color = [4]uint16{unit16(c[0]), unit16(c[1]), unit16(c[2]), unit16(m.Shininess / 255)}
	v.Color2 = [4]uint16{unit16(c2[0]), unit16(c2[1]), unit16(c2[2]), unit16(m.Gloss)}
}

// middle returns the vertex halfway between two vertices of a part.
func middle(p, q *Vertex) Vertex {
	v := *p
	v.Pos = refine.Middle(p.Pos, q.Pos)
	v.PosM = refine.Middle(p.PosM, q.PosM)
	var n mgl64.Vec3
	for k := range n {
		n[k] = float64(p.Normal[k]) + float64(q.Normal[k])
	}
	v.Normal = packNormal(n.Normalize())
	return v
}

func packNormal(n mgl64.Vec3) [4]int16 {
	var out [4]int16
	for i, x := range n {
		out[i] = int16(math.Round(mgl64.Clamp(x, -1, 1) * math.MaxInt16))
	}
	return out
}

func unit16(x float32) uint16 { return uint16(mgl32.Clamp(x, 0, 1)*math.MaxUint16 + 0.5) }
