package scenery

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// keeper adds the body of a goalkeeper. It is as wide as the rules allow, flat, and has a frame that reaches up to its
// full height.
func (b *builder) keeper(r *physics.Robot, coat *coat) {
	radius, u := r.Body.Radius, unit(r)
	// half lengths of the sides; the distance of a corner from the centre is 0.98 of the radius
	hx, hy := 0.50*radius, 0.84*radius
	if r.Body.Boxed() {
		hx, hy = 0.98*r.Body.Length/2, 0.98*r.Body.Width/2
		if coat.relief() {
			hx, hy = hx-numberOut, hy-numberOut
		}
	}
	top := r.Body.Height
	b.add("base", shapes.BevelledBox(1.6*hx, 1.6*hy, 0.08*u, 0.01), rubber, translation(0, 0, 0.07*u))
	b.add("hull", shapes.BevelledBox(2*hx, 2*hy, 0.20*u, 0.02), coat.hull, translation(0, 0, 0.21*u))
	b.add("deck", shapes.BevelledBox(1.9*hx, 1.9*hy, 0.012*u, 0.004), aluminium, translation(0, 0, 0.316*u))
	side := math.Min(1.3*hx, 1.3*hy)
	b.add("tower", shapes.BevelledBox(side, side, 0.20*u, 0.02), coat.cover, translation(0, 0, 0.42*u))
	b.cards(r, side/2, 0.42*u, math.Min(side*0.86, 0.18*u))
	const t = 0.025
	for _, sy := range []float64{-1, 1} {
		y := sy * (hy - t/2)
		for _, sx := range []float64{-1, 1} {
			b.add("frame", shapes.Box(t, t, top-0.31*u), aluminium, translation(sx*(hx-t/2)*0.9, y, (top+0.31*u)/2))
		}
		b.add("frame", shapes.Box(1.8*hx, t, t), aluminium, translation(0, y, top-t/2))
		b.add("panel", shapes.Box(1.6*hx, 0.006, 0.9*(top-0.31*u)), coat.panel, translation(0, y, (top+0.31*u)/2))
	}
	for _, sx := range []float64{-1, 1} {
		b.add("frame", shapes.Box(t, 2*(hy-t), t), aluminium, translation(sx*(hx-t/2)*0.9, 0, top-t/2))
	}
	b.add("frame", shapes.Box(t, 2*(hy-t), t), aluminium, translation(0, 0, 0.60*u))
	b.stripes(coat, 0.13*u, 0.29*u, func(height float64) render.Mesh {
		return shapes.BevelledBox(2*(hx+stripeOut), 2*(hy+stripeOut), height, min(0.02, height/4))
	})
	b.plates(coat, hy, 0.21*u, min(0.13*u, 1.2*hx))
}

// frame adds the two plates of a robot that can extend itself. The plates are separate bodies.
func (b *builder) frame(r *physics.Robot) {
	if r.Extension == nil {
		return
	}
	for _, plate := range []func(physics.ExtensionState) (centre, half mgl64.Vec3){r.SidePlate, r.TopPlate} {
		_, half := plate(physics.NotExtended)
		b.startBody(r.Name + ".frame")
		b.add("plate", shapes.Box(2*half[0], 2*half[1], 2*half[2]), black, translation(0, 0, 0))
	}
}

// appendFrame appends the poses of a robot's plates.
func appendFrame(into []spatial.Pose, r *physics.Robot, state *physics.RobotState) []spatial.Pose {
	side, _ := r.SidePlate(state.Extension)
	top, _ := r.TopPlate(state.Extension)
	return append(into, state.PoseWB.Mul(spatial.Translation(side)), state.PoseWB.Mul(spatial.Translation(top)))
}
