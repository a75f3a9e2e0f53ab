package worlds

import "github.com/omnipitch/omnipitch/worlds/action"

// Board is a chessboard in the air, for the calibration of cameras. Images show it, but nothing touches it.
type Board struct {
	Name    string           `toml:"name" required:"true" match:"name" fixed:"true"`
	Columns int              `toml:"columns" range:"[2, 50]" doc:"number of squares along the board's y axis"`
	Rows    int              `toml:"rows" range:"[2, 50]" doc:"number of squares along its z axis"`
	Square  float64          `toml:"square_m" range:"[0.001, 2]" doc:"side of a square"`
	Hang    action.PoseInAir `toml:"hang"`
}

// SetDefaults sets a board with 8 × 6 inner corners, at a height of half a metre.
func (b *Board) SetDefaults() { b.Columns, b.Rows, b.Square = 9, 7, 0.08 }
