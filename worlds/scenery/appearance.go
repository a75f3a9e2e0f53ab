package scenery

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds"
)

// Appearance is the part of a robot's appearance that depends on its sensors and its paint.
type Appearance struct {
	Keeper bool // whether the robot has the wide build of a goalkeeper
	// height of the mirror camera's optical frame above the floor, m; 0 for a robot without a mirror
	OmniFocusZ float64
	Mirror     optics.Catadioptric // the mirror's shape
	// poses in the robot's frame of the optical frames of front and depth cameras; each camera is shown as a box
	Cameras []spatial.Pose
	Skin    worlds.Skin
}

// DefaultMirror returns the shape of a mirror that is common in the league. The mirror is 12 cm wide and 12 cm above
// the camera's lens, and shows the world up to about 10° above the horizon. The values are guesses from photographs.
func DefaultMirror() optics.Hyperbolic { return optics.Hyperbolic{K: 3.3, C: 0.12, RimRadius: 0.06} }

// DefaultAppearance returns the appearance of a field player with its mirror at a height of 0.78 m, as NuBot's software
// assumes. For a robot without a kicker it returns that of a goalkeeper with two depth cameras (the NuBot team's
// description, 2017).
func DefaultAppearance(r *physics.Robot) Appearance {
	if r.Kicker != nil {
		return Appearance{OmniFocusZ: 0.78, Mirror: DefaultMirror()}
	}
	appearance := Appearance{Keeper: true}
	for _, yaw := range []float64{0.5, -0.5} {
		appearance.Cameras = append(appearance.Cameras, spatial.RPY(vec(0.1, 0.12*sign(yaw), 0.6), 0, 0.2,
			yaw).Mul(spatial.BodyToOptical()))
	}
	return appearance
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}
