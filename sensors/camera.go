package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// camera is a plain camera, or one that looks into a mirror.
type camera struct{ eyes }

func newCamera(d device, hidden []render.Hidden) *camera {
	poseBC := d.cfg.Mount.Pose().Mul(spatial.BodyToOptical())
	return &camera{newEyes(d, pinhole(d.cfg.Image), poseBC, hidden)}
}

func pinhole(i *Image) optics.Pinhole { return optics.PinholeFromFOV(i.Width, i.Height, i.FOV) }

func (c *camera) Streams() (color, depth bool) { return true, false }

func (c *camera) Observe(at *Instant, obs *Observation) { c.look(at, obs, nil, math.Inf(1)) }
