package player

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Point is a point on the floor.
type Point struct {
	X float64 `toml:"x_m" range:"[-50, 50]" doc:"position, towards the goal that cyan attacks"`
	Y float64 `toml:"y_m" range:"[-50, 50]" doc:"position, to the left of that direction"`
}

func (p Point) vec() mgl64.Vec2 { return mgl64.Vec2{p.X, p.Y} }

// Pose is a pose on the floor.
type Pose struct {
	X       float64 `toml:"x_m" range:"[-50, 50]" doc:"position, towards the goal that cyan attacks"`
	Y       float64 `toml:"y_m" range:"[-50, 50]" doc:"position, to the left of that direction"`
	Heading float64 `toml:"heading_deg" range:"[-360, 360]" doc:"heading, anticlockwise from x"`
}

// Spatial returns the pose in the world.
func (p Pose) Spatial() spatial.Pose { return spatial.Planar(p.X, p.Y, p.Heading) }
