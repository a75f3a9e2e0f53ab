package scenery

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/shapes"
)

func vec(x, y, z float64) mgl64.Vec3 { return mgl64.Vec3{x, y, z} }

// obstacle adds a black box with bevelled edges.
func (b *builder) obstacle(o *physics.Obstacle) {
	b.startBody(o.Name)
	bevel := math.Min(0.015, math.Min(o.SizeX, math.Min(o.SizeY, o.Height))/4)
	b.add("box", shapes.BevelledBox(o.SizeX, o.SizeY, o.Height, bevel), black, translation(0, 0, o.Height/2))
}
