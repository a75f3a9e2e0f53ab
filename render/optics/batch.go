package optics

import "github.com/go-gl/mathgl/mgl64"

// Pixel is the position at which a point is seen. OK is false if the optics cannot image it.
type Pixel struct {
	U, V float64
	OK   bool
}

// ProjectAll projects points as the model's Project does. It writes the results to into, which must be as long as
// pointsC. For prepared hyperbolic mirrors it is several times as fast as calling Project for each point, because a
// call takes longer than the arithmetic.
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
