package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// KeeperExtension is a part that a goalkeeper extends to one side or upwards for a short time. It is made of plates
// across the robot's middle.
type KeeperExtension struct {
	Reach float64       `toml:"reach_m" range:"(0, 0.5]" doc:"how far the plate extends"`
	Hold  time.Duration `toml:"hold_s" range:"(0, 10]" doc:"longest time for which the plate stays extended"`
	Rest  time.Duration `toml:"rest_s" range:"[0, 60]" doc:"shortest time between two extensions"`
}

// SetDefaults sets the limits of the rules.
func (f *KeeperExtension) SetDefaults() {
	// Recalled from the MSL rule book: 10 cm, for one second, not again within the next four.
	*f = KeeperExtension{Reach: 0.1, Hold: time.Second, Rest: 4 * time.Second}
}

// extensionPlate is half the thickness of the plates, metres. Guess.
const extensionPlate = 0.01

// SidePlate returns the plate that the robot extends to the left or to the right: its centre and half sizes in the
// robot's frame, metres. The robot must have an Extension.
func (r *Robot) SidePlate(to ExtensionState) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{extensionPlate, (r.Body.Radius + r.Extension.Reach) / 2, r.Body.Height / 2}
	centre[2] = half[2]
	switch to {
	case ExtendLeft:
		centre[1] = half[1]
	case ExtendRight:
		centre[1] = -half[1]
	}
	return centre, half
}

// TopPlate returns the plate that the robot extends upwards, in the terms of SidePlate.
func (r *Robot) TopPlate(to ExtensionState) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{extensionPlate, 0.8 * r.Body.Radius, r.Extension.Reach / 2}
	centre[2] = r.Body.Height - half[2]
	if to == ExtendUp {
		centre[2] = r.Body.Height + half[2]
	}
	return centre, half
}
