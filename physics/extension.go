package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// KeeperExtension is a part of a goalkeeper that it extends to one side or upwards for a short time. It consists of
// plates through the robot's centre, across its x axis.
type KeeperExtension struct {
	Reach float64       `toml:"reach_m" range:"(0, 0.5]" doc:"how far the plate extends"`
	Hold  time.Duration `toml:"hold_s" range:"(0, 10]" doc:"longest time for which the plate stays extended"`
	Rest  time.Duration `toml:"rest_s" range:"[0, 60]" doc:"shortest time between two extensions"`
}

// SetDefaults sets the limits of the rules.
func (f *KeeperExtension) SetDefaults() {
	// recalled from the MSL rule book: by 10 cm, for 1 s, and not again within the next 4 s
	*f = KeeperExtension{Reach: 0.1, Hold: time.Second, Rest: 4 * time.Second}
}

// extensionPlate is half the thickness of the plates, in metres. 0.01 is a guess.
const extensionPlate = 0.01

// SidePlate returns the plate that the robot extends to the left or to the right: the plate's centre and half its
// sizes, in the robot's frame, in metres. The robot must have an Extension.
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

// TopPlate returns the plate that the robot extends upwards. Its results have the same meaning as those of SidePlate.
func (r *Robot) TopPlate(to ExtensionState) (centre, half mgl64.Vec3) {
	half = mgl64.Vec3{extensionPlate, 0.8 * r.Body.Radius, r.Extension.Reach / 2}
	centre[2] = r.Body.Height - half[2]
	if to == ExtendUp {
		centre[2] = r.Body.Height + half[2]
	}
	return centre, half
}
