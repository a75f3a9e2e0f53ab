package abstraction

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Form is the surface of a body in the body's frame. It never changes.
type Form interface {
	// Box returns the centre of a box along the axes that contains the surface, and half of its sides, m.
	Box() (centre, half mgl64.Vec3)
	// Cast returns the distance, in m, from a point along a unit vector to the surface. It returns +Inf if that is not
	// nearer than the distance far.
	Cast(from, along mgl64.Vec3, far float64) float64
}

// Surface is the surface of one body of a target whose field Drawn is true.
type Surface struct {
	Form
	Target int          // index in Environment.Targets
	PoseWB spatial.Pose // of the body
}

// Box returns a box that contains the surface: the vector from a point in W to its centre, and half of its edges, in W.
func (s *Surface) Box(from mgl64.Vec3) (toCentre mgl64.Vec3, half [3]mgl64.Vec3) {
	centre, size := s.Form.Box()
	rot := s.PoseWB.Rotation()
	for i := range half {
		half[i] = rot.Col(i).Mul(size[i])
	}
	return s.PoseWB.Apply(centre).Sub(from), half
}

// Cast returns the distance, in m, from a point along a unit vector to the surface, or far if that is less. The point
// and the vector are in W.
func (s *Surface) Cast(from, along mgl64.Vec3, far float64) float64 {
	return min(s.Form.Cast(s.PoseWB.Unrotate(from.Sub(s.PoseWB.Pos)), s.PoseWB.Unrotate(along), far), far)
}
