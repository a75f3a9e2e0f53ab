package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// placeError is by how much a place is off besides the noise of its points, m: by outlines, whole pixels, and what the
// camera's mount is off. Guess.
const placeError = 0.003

// rim is what is left out at a ball's outline, in radii, and ring how far out it is looked at what is around.
const (
	rim  = 0.85
	gap  = 1.25
	ring = 1.6
)

// Of a ball that is seen freely: the share of its disc that has a ball's depth, and the share that has its colour.
// Measured; a ball with pentagons has its colour in parts.
const (
	agreeWhole    = 0.8
	depthOwnWhole = 0.2
)

// Misfits of a sphere up to which it is as a ball's, and from which on it is none. Measured: of 500 balls all are below
// 2.2, of 700 other things nine of ten above 2.4.
const (
	misfitSmooth = 1.8
	misfitRough  = 3.0
)

// judge says how sure it is that a sphere is the ball: the share of its disc that is where a sphere would be; less
// where that is not as smooth as a ball, and where it goes on beyond its outline at the same depth, as a head on
// shoulders does; and by a half less where it has not the ball's colour, which light may be the reason of.
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
			// The ray t·d passes the centre at off; t is the depth.
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

// project returns the pixel that shows a point at c from the viewpoint: of a lens with distortion to a pixel or so,
// which is enough to know where to look.
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
