package sensors

import (
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// newOmni returns a camera that looks up into a mirror. Its optical frame sits in the mirror's viewpoint: z up, and the image's
// upper edge towards the robot's front.
func newOmni(d device, site Site) (*Camera, error) {
	model, err := d.cfg.Catadioptric()
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	c := newCamera(d, model, d.cfg.Mount.Pose().Mul(lookingUp()), site)
	if m, ok := model.(*optics.Mirror); ok && d.cfg.Mirror.Method == "raster" {
		if c.drawn, err = optics.NewCentral(m, c.poseBC.Pos[2]); err != nil {
			return nil, fmt.Errorf("mirror: %w", err)
		}
	}
	return c, nil
}

// lookingUp returns the pose of the optical frame of a camera that looks along z of the frame it is mounted in, with
// x, the front, towards the image's upper edge. So the left (y) is on the image's right: seen from below, as in a
// mirror, the world is reversed.
func lookingUp() spatial.Pose { return spatial.Pose{Rot: spatial.RotZ(math.Pi / 2)} }
