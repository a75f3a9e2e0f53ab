package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// LocationCovariance returns the covariance of the position at which vision locates the reference point of an object of
// a kind, in the robot's axes, m², to first order. It includes the errors in pixels, of the measured range if ranging
// is not nil, and of the table of errors without its biases. The robot stands upright, and poseBC is its camera's
// optical frame. A point that the camera does not image has no errors in pixels.
func (c *VisionConfig) LocationCovariance(kind Kind, model optics.Model, poseBC spatial.Pose, ranging RangeSigma,
	posB mgl64.Vec3) mgl64.Mat3 {
	var sum mgl64.Mat3
	add := func(axis mgl64.Vec3, sigma float64) {
		axis = axis.Mul(sigma)
		sum = sum.Add(axis.OuterProd3(axis))
	}
	inC := poseBC.Inverse().Apply(posB)
	located := func(u, v float64) (mgl64.Vec3, bool) {
		dirC, ok := model.Unproject(u, v)
		if !ok {
			return mgl64.Vec3{}, false
		}
		if ranging != nil {
			return poseBC.Apply(dirC.Mul(inC[2] / dirC[2])), dirC[2] > 0
		}
		dirB := poseBC.Rotate(dirC)
		along := (posB[2] - poseBC.Pos[2]) / dirB[2]
		return poseBC.Pos.Add(dirB.Mul(along)), along > 0 && !math.IsInf(along, 0)
	}
	if u, v, ok := model.Project(inC); ok && c.PixelNoise > 0 {
		const h = 0.25 // pixels: small against the curvature of a mirror's image, large against rounding
		for _, d := range [2][2]float64{{h, 0}, {0, h}} {
			after, okAfter := located(u+d[0], v+d[1])
			before, okBefore := located(u-d[0], v-d[1])
			if okAfter && okBefore {
				add(after.Sub(before).Mul(1/(2*h)), c.PixelNoise)
			}
		}
	}
	if ranging != nil && inC[2] > 0 {
		add(poseBC.Rotate(inC.Mul(1/inC[2])), ranging(inC[2]))
	}
	if distance := math.Hypot(posB[0], posB[1]); distance > 0 {
		at := c.modelOf(kind).at(distance, math.Atan2(posB[1], posB[0]))
		along, angle := at.sigmas()
		ahead := mgl64.Vec3{posB[0] / distance, posB[1] / distance, 0}
		add(ahead, along)
		add(mgl64.Vec3{-ahead[1], ahead[0], 0}, angle*distance)
	}
	return sum
}
