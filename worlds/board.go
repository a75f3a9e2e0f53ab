package worlds

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Board is a chessboard that hangs in the air, for the calibration of cameras. It can be seen in pictures, and nothing
// touches it.
type Board struct {
	Name    string  `toml:"name" required:"true" match:"name"`
	Columns int     `toml:"columns" range:"[2, 50]" doc:"squares across, along the board's y axis"`
	Rows    int     `toml:"rows" range:"[2, 50]" doc:"squares up, along its z axis"`
	Square  float64 `toml:"square_m" range:"[0.001, 2]" doc:"side of a square"`
	Hang    Hang    `toml:"hang"`
}

// SetDefaults makes a board of 8 × 6 inner corners, half a metre high.
func (b *Board) SetDefaults() { b.Columns, b.Rows, b.Square = 9, 7, 0.08 }

// Hang is a place in the air. A board's picture looks along its x axis.
type Hang struct {
	X     float64 `toml:"x_m" range:"[-50, 50]"`
	Y     float64 `toml:"y_m" range:"[-50, 50]"`
	Z     float64 `toml:"z_m" range:"[0, 20]"`
	Roll  float64 `toml:"roll_deg" range:"[-360, 360]" doc:"about x, first"`
	Pitch float64 `toml:"pitch_deg" range:"[-360, 360]" doc:"about y, then; positive looks down"`
	Yaw   float64 `toml:"yaw_deg" range:"[-360, 360]" doc:"about z, last"`
}

// Spatial returns the pose in the world.
func (h Hang) Spatial() spatial.Pose {
	return spatial.RPY(mgl64.Vec3{h.X, h.Y, h.Z}, h.Roll, h.Pitch, h.Yaw)
}
