package sensors

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// camera is a plain camera, or one that looks into a mirror.
type camera struct{ eyes }

func newCamera(d device, site Site) (*camera, error) {
	poseBC := d.cfg.Mount.Pose().Mul(spatial.BodyToOptical())
	var model optics.Model = pinhole(d.cfg.Image)
	if d.cfg.Lens != nil {
		var err error
		if model, err = d.cfg.Lens.model(d.cfg.Image); err != nil {
			return nil, fmt.Errorf("lens: %w", err)
		}
	}
	return &camera{newEyes(d, model, poseBC, site)}, nil
}

func pinhole(i *Image) optics.Pinhole { return optics.PinholeFromFOV(i.Width, i.Height, i.FOV) }

func (c *camera) Streams() (color, depth bool) { return true, false }
