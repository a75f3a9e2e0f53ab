package scenery

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/worlds"
)

// Appearance is what a robot's sensors and its paint add to its appearance.
type Appearance struct {
	Keeper     bool                // the wide build of a goalkeeper
	OmniFocusZ float64             // height of the mirror camera's optical frame over the floor, metres; 0: no mirror
	Mirror     optics.Catadioptric // the mirror's shape
	Cameras    []spatial.Pose      // poseBC of front and depth cameras, optical frames; a box is drawn around each
	Skin       worlds.Skin
}

// DefaultMirror is the shape of a mirror as common in the league: 12 cm wide, 12 cm above the camera's lens, to be seen
// to about 10° above the horizon. Guess, from photographs.
func DefaultMirror() optics.Hyperbolic { return optics.Hyperbolic{K: 3.3, C: 0.12, RimRadius: 0.06} }

// DefaultAppearance is a player with its mirror at the 0.78 m that NuBot's software assumes, or, without a kicker, a
// goalkeeper with two depth cameras (the NuBot team's description, 2017).
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
