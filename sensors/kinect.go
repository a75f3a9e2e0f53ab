package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// kinect is a depth camera with a colour image registered to the depth image, as its driver delivers it: both share one
// viewpoint and one size.
type kinect struct {
	eyes
	ranger *ranger
}

func newKinect(d device, site Site) *kinect {
	poseBC := d.cfg.Mount.Pose().Mul(spatial.BodyToOptical())
	model := pinhole(d.cfg.Image)
	return &kinect{eyes: newEyes(d, model, poseBC, site), ranger: newRanger(d.cfg.Ranging, model)}
}

func (k *kinect) Streams() (color, depth bool) { return true, true }

// Finish limits the depth to the measured range, at raw with the device's faults.
func (k *kinect) Finish(obs *Observation) {
	k.eyes.Finish(obs)
	if obs.Depth == nil {
		return
	}
	if obs.Level != abstraction.Raw {
		k.limit(obs.Depth)
		return
	}
	k.ranger.measure(obs.Depth, k.noise.Frame(obs.Frame))
}

func (k *kinect) limit(d *render.Depth) {
	near, far := float32(k.cfg.Ranging.Min), float32(k.cfg.Ranging.Max)
	inf := float32(math.Inf(1))
	for i, z := range d.Z {
		if z < near {
			d.Z[i] = 0
		} else if z > far {
			d.Z[i] = inf
		}
	}
}
