package sensors

import "github.com/omnipitch/omnipitch/physics/spatial"

// newKinect returns a depth camera with a colour image registered to the depth image, as its driver delivers it: both share one
// viewpoint and one size.
func newKinect(d device, site Site) *Camera {
	model := pinhole(d.cfg.Image)
	c := newCamera(d, model, d.cfg.Mount.Pose().Mul(spatial.BodyToOptical()), site)
	c.ranger = newRanger(d.cfg.Ranging, model)
	return c
}
