package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// Frame is a goalkeeper's that can be extended to one side, or upwards, for a moment: plates across the robot's middle.
type Frame struct {
	Reach float64       `toml:"reach_m" range:"(0, 0.5]" doc:"how far it extends"`
	Hold  time.Duration `toml:"hold_s" range:"(0, 10]" doc:"longest time that it stays out"`
	Rest  time.Duration `toml:"rest_s" range:"[0, 60]" doc:"shortest time between two extensions"`
}

// SetDefaults are what the rules allow.
func (f *Frame) SetDefaults() {
	// Recalled from the MSL rule book: 10 cm, for one second, not again within the next four.
	*f = Frame{Reach: 0.1, Hold: time.Second, Rest: 4 * time.Second}
}

// framePlate is half the thickness of a frame's plates, metres. Guess.
const framePlate = 0.01

// FrameSide returns the plate that goes out to the left or to the right, and FrameTop the one that goes up, where they are
// at an extension: centre and half sizes in the robot's frame, metres. The robot must have a Frame.
func (r *Robot) FrameSide(to Extension) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{framePlate, (r.Body.Radius + r.Frame.Reach) / 2, r.Body.Height / 2}
	centre[2] = half[2]
	switch to {
	case ExtendLeft:
		centre[1] = half[1]
	case ExtendRight:
		centre[1] = -half[1]
	}
	return centre, half
}

// FrameTop: see FrameSide.
func (r *Robot) FrameTop(to Extension) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{framePlate, 0.8 * r.Body.Radius, r.Frame.Reach / 2}
	centre[2] = r.Body.Height - half[2]
	if to == ExtendUp {
		centre[2] = r.Body.Height + half[2]
	}
	return centre, half
}
