package scenery

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/shapes"
)

// tower adds the camera that looks up, the mirror above it, and the rods between them.
func (b *builder) tower(r *physics.Robot, appearance Appearance) {
	u, m, focus := unit(r), appearance.Mirror, appearance.OmniFocusZ
	foot := (cardZ + 0.012) * u
	lens := focus + m.PinholeZ()
	b.add("camera", shapes.Lathe([]mgl64.Vec2{{0.05, foot}, {0.05, foot + 0.012}, {0.03, foot + 0.018},
		{0.03, lens - 0.022}, {0.021, lens - 0.018}, {0.021, lens - 0.002}}, 14), graphite, translation(0, 0, 0))
	b.add("lens", shapes.Lathe([]mgl64.Vec2{{0.016, lens - 0.004}, {0.014, lens}, {0, lens + 0.003}}, 10), glass,
		translation(0, 0, 0))
	profile := m.Outline(9)
	for i := range profile {
		profile[i][1] += focus
	}
	rim := profile[len(profile)-1]
	b.add(Mirror, shapes.Lathe(profile, 24), chrome, translation(0, 0, 0))
	top := math.Min(rim[1]+0.012, r.Body.Height)
	holder := rim[0] + 0.028
	b.add(Mirror, shapes.Lathe([]mgl64.Vec2{{holder, rim[1] + 0.0005}, {holder, top - 0.003}, {holder - 0.006, top}},
		24), graphite, translation(0, 0, 0))
	for i := range 3 {
		turn := spatial.Planar(0, 0, math.Pi/3+float64(i)*2*math.Pi/3)
		b.add(Rod, shapes.Tube(vec(holder-0.008, 0, foot), vec(holder-0.008, 0, rim[1]+0.002), 0.0025, 6), aluminium,
			turn)
	}
}
