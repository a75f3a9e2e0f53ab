package scenery

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds"
)

// Appearance is the parts of a robot's appearance that its sensors and its paint determine.
type Appearance struct {
	Keeper     bool                // the wide build of a goalkeeper
	OmniFocusZ float64             // height of the mirror camera's optical frame above the floor, metres; 0: no mirror
	Mirror     optics.Catadioptric // the mirror's shape
	Cameras    []spatial.Pose      // poseBC of front and depth cameras (optical frames), each drawn as a box
	Skin       worlds.Skin
}

// DefaultMirror returns the shape of a mirror that is common in the league: 12 cm wide, 12 cm above the camera's lens,
// with a view up to about 10° above the horizon. Guess, from photographs.
func DefaultMirror() optics.Hyperbolic { return optics.Hyperbolic{K: 3.3, C: 0.12, RimRadius: 0.06} }

// DefaultAppearance returns a player with its mirror at 0.78 m, as NuBot's software assumes. For a robot without a
// kicker it returns a goalkeeper with two depth cameras (the NuBot team's description, 2017).
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
