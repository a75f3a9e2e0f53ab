package optics

import "github.com/go-gl/mathgl/mgl64"

// Pixel is where a point is seen; not OK if the optics cannot image it.
type Pixel struct {
	U, V float64
	OK   bool
}

// ProjectAll sets the pixels of points as the model's Project returns them; into has their number. It is several times
// as fast for prepared hyperbolic mirrors, where a call for each point would take longer than its arithmetic.
func ProjectAll(m Model, pointsC []mgl64.Vec3, into []Pixel) {
	if h, ok := m.(*hyperbolic); ok {
		h.projectAll(pointsC, into)
		return
	}
	for i := range pointsC {
		p := &into[i]
		p.U, p.V, p.OK = m.Project(pointsC[i])
	}
}
