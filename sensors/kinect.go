package sensors

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// kinect is a time-of-flight depth camera with a colour image registered to the depth image, as its driver delivers
// it: both share one viewpoint and one size.
type kinect struct {
	eyes
	speckle []float32 // standard normal quantiles
}

func newKinect(d device, hidden []render.Hidden) *kinect {
	poseBC := d.cfg.Mount.Pose().Mul(spatial.BodyToOptical())
	return &kinect{eyes: newEyes(d, pinhole(d.cfg.Image), poseBC, hidden), speckle: normalQuantiles(4096)}
}

func (k *kinect) Streams() (color, depth bool) { return true, true }

// Observe reports what is within the measured range, with distances as well as the device measures them.
func (k *kinect) Observe(at *Instant, obs *Observation) {
	k.look(at, obs, func(z float64) float64 { return k.cfg.Ranging.sigma(z) }, k.cfg.Ranging.Max)
}

// sigma returns the axial standard deviation at a distance z, both in metres, of a surface that faces the camera:
// σ = 1.5 − 0.5·z + 0.3·z², in mm. Source: Fankhauser et al., "Kinect v2 for mobile robot navigation: evaluation and
// modeling", ICAR 2015.
func (r *Ranging) sigma(z float64) float64 {
	return r.Noise * 1e-3 * (1.5 - 0.5*z + 0.3*z*z)
}

// Finish limits the depth to the measured range, at raw with noise and in whole millimetres.
func (k *kinect) Finish(obs *Observation) {
	k.eyes.Finish(obs)
	if obs.Depth == nil {
		return
	}
	if obs.Level != abstraction.Raw {
		k.limit(obs.Depth)
		return
	}
	pixels := k.noise.Frame(obs.Frame).Pixels(streamDepth)
	near, far := float32(k.cfg.Ranging.Min), float32(k.cfg.Ranging.Max)
	scale := float32(k.cfg.Ranging.Noise * 1e-3)
	mask := uint64(len(k.speckle) - 1)
	z := obs.Depth.Z
	var bits uint64
	for i, d := range z {
		if i&3 == 0 { // one draw holds 12 bits for each of four pixels
			bits = pixels.Bits(uint64(i))
		}
		if d < near || d > far {
			z[i] = 0
		} else {
			d += scale * (1.5 - 0.5*d + 0.3*d*d) * k.speckle[bits&mask]
			z[i] = float32(int32(d*1000+0.5)) * 1e-3
		}
		bits >>= 16
	}
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
