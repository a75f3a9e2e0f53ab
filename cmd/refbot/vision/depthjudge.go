package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// placeError is the part of a position's error that does not come from the noise of its points, in m. It comes from
// outlines, whole pixels, and the camera's mount. 0.003 is a guess.
const placeError = 0.003

// Radii of the parts of the image around a candidate, in radii of the ball. The candidate's disc ends at rim. Its
// surroundings lie between gap and ring.
const (
	rim  = 0.85
	gap  = 1.25
	ring = 1.6
)

// Measured values for a ball that nothing occludes: the fraction of its disc that has the depth of a ball, and the
// fraction that has the ball's colour. A ball with a pattern of pentagons has its colour only in parts.
const (
	agreeWhole    = 0.8
	depthOwnWhole = 0.2
)

// A sphere with a misfit below misfitSmooth fits as well as a ball does. A sphere with a misfit above misfitRough does
// not fit at all. Measured: all of 500 balls have a misfit below 2.2, and 90 % of 700 other objects have a misfit above
// 2.4.
const (
	misfitSmooth = 1.8
	misfitRough  = 3.0
)

// judge returns the candidate for a fitted sphere. The confidence is the fraction of the candidate's disc that has the
// depth of a sphere. The confidence is lower if the surface is rough, or if the surroundings have the same depth, such
// as shoulders around a head. If the disc does not have the ball's colour, the confidence is reduced to as little as
// half, but not to 0, because the light may have changed the colour.
func (f *DepthBallFinder) judge(s *sphereFit, classes []Class) BallCandidate {
	c := s.pos.Sub(f.pos)
	depth := c.Dot(f.axes[2])
	distance2 := c.Dot(c)
	u, v := f.project(c, depth)
	wide, high := ring*BallRadius*f.fx/depth, ring*BallRadius*f.fy/depth
	stride := max(1, int(min(wide, high)/12))
	var disc, agree, own, outside, same float64
	for y := max(0, int(v-high)); y <= min(f.height-1, int(v+high+1)); y += stride {
		for x := max(0, int(u-wide)); x <= min(f.width-1, int(u+wide+1)); x += stride {
			i := y*f.width + x
			d := mgl64.Vec3{float64(f.toward[i][0]), float64(f.toward[i][1]), float64(f.toward[i][2])}
			// The ray t·d passes the centre at a distance off; t is the depth.
			dd, dc := d.Dot(d), d.Dot(c)
			off := math.Sqrt(max(0, distance2-dc*dc/dd)) / BallRadius
			z := float64(f.measured[i])
			switch {
			case off < rim:
				disc++
				surface := (dc - math.Sqrt(max(0, dc*dc-dd*(distance2-BallRadius*BallRadius)))) / dd
				if math.Abs(z-surface) < 4*f.noise.along(depth)+0.02 {
					agree++
				}
				if classes != nil && classes[i] == ClassBall {
					own++
				}
			case off > gap && off < ring:
				outside++
				if z = float64(f.standing[i]); z != 0 && math.Abs(z-depth) < 2*BallRadius {
					same++
				}
			}
		}
	}
	result := BallCandidate{Pos: s.pos, Covariance: s.info.Inv().Add(mgl64.Ident3().Mul(placeError * placeError))}
	if disc > 0 {
		result.Confidence = min(1, agree/disc/agreeWhole) * max(0, 1-same/max(1, outside)) *
			min(1, max(0, (misfitRough-s.misfit)/(misfitRough-misfitSmooth)))
		if classes != nil {
			result.Colored = own / disc
			result.Confidence *= 0.5 + 0.5*min(1, result.Colored/depthOwnWhole)
		}
	}
	return result
}

// project returns the pixel that shows a point. The argument c is the vector from the viewpoint to the point. For a
// lens with distortion the result is accurate to about a pixel.
func (f *DepthBallFinder) project(c mgl64.Vec3, depth float64) (u, v float64) {
	x, y := c.Dot(f.axes[0])/depth, c.Dot(f.axes[1])/depth
	u, v = float64(f.width)/2, float64(f.height)/2
	for range 3 {
		i := min(max(int(v), 0), f.height-1)*f.width + min(max(int(u), 0), f.width-1)
		d := mgl64.Vec3{float64(f.toward[i][0]), float64(f.toward[i][1]), float64(f.toward[i][2])}
		u, v = float64(i%f.width)+f.fx*(x-d.Dot(f.axes[0])), float64(i/f.width)+f.fy*(y-d.Dot(f.axes[1]))
	}
	return u, v
}

// DepthNoise is the standard deviation with which a depth camera measures a surface that faces the camera, as a
// function of the depth z.
type DepthNoise struct {
	Along        [3]float64 // of the depth, m: coefficients of 1, z and z², with z in m
	Across       float64    // sideways, m
	AcrossPixels float64    // sideways, pixels
}

var (
	// KinectV2 measures time of flight. Source: Fankhauser et al., "Kinect v2 for mobile robot navigation: evaluation
	// and modeling", ICAR 2015.
	KinectV2 = DepthNoise{Along: [3]float64{1.5e-3, -0.5e-3, 0.3e-3}, Across: 1.6e-3}

	// KinectV1 uses structured light: 0.0012 + 0.0019·(z − 0.4)² m. Source: Nguyen, Izadi and Lovell, "Modeling Kinect
	// sensor noise for improved 3D reconstruction and tracking", 3DIMPVT 2012. The quantisation of the depth, 2.85
	// mm·z², is included in this noise, except for z below 2 m.
	KinectV1 = DepthNoise{Along: [3]float64{0.0012 + 0.0019*0.4*0.4, -2 * 0.0019 * 0.4, 0.0019}, AcrossPixels: 0.8}
)

func (n *DepthNoise) along(z float64) float64 { return n.Along[0] + z*(n.Along[1]+z*n.Along[2]) }

// across returns the sideways standard deviation at the depth z, in m. focal is the focal length in pixels.
func (n *DepthNoise) across(z, focal float64) float64 { return n.Across + n.AcrossPixels*z/focal }
