package gl

import (
	"math"

	"github.com/go-gl/gl/v4.1-core/gl"
	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render/optics"
)

// rimShare is the width of the bright ring at a mirror's edge, a share of its radius in the image. Guess, from
// photographs.
const rimShare = 0.012

// rim is what a mirror camera sees around the mirror: its edge, and the dark inside of the tube that holds it.
type rim struct {
	vao   uint32
	count int32
}

func newRim(h optics.Hyperbolic) rim {
	const steps = 180
	xi, scale := h.Unified()
	angle := h.RimAngle()
	inner := math.Sin(angle) / (math.Cos(angle) + xi)
	far := 2 * math.Hypot(float64(h.Width), float64(h.Height)) / (math.Min(h.FX, h.FY) * scale)
	var corners []mgl32.Vec3
	ring := func(r0, r1 float64, metal float32) {
		for i := range steps {
			s0, c0 := math.Sincos(2 * math.Pi * float64(i) / steps)
			s1, c1 := math.Sincos(2 * math.Pi * float64(i+1) / steps)
			at := func(r, c, s float64) mgl32.Vec3 { return mgl32.Vec3{float32(r * c), float32(r * s), metal} }
			corners = append(corners, at(r0, c0, s0), at(r1, c0, s0), at(r1, c1, s1), at(r0, c0, s0), at(r1, c1, s1), at(r0, c1, s1))
		}
	}
	ring(inner, inner*(1+rimShare), 1)
	ring(inner*(1+rimShare), far, 0)
	r := rim{count: int32(len(corners))}
	gl.GenVertexArrays(1, &r.vao)
	gl.BindVertexArray(r.vao)
	var buffer uint32
	gl.GenBuffers(1, &buffer)
	gl.BindBuffer(gl.ARRAY_BUFFER, buffer)
	gl.BufferData(gl.ARRAY_BUFFER, len(corners)*12, gl.Ptr(corners), gl.STATIC_DRAW)
	gl.EnableVertexAttribArray(0)
	gl.VertexAttribPointerWithOffset(0, 3, gl.FLOAT, false, 12, 0)
	return r
}
