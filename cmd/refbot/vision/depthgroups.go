package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// group is a set of pixels with continuous depth that are connected through edges or corners.
type group struct {
	pixels                   int
	left, right, top, bottom int32   // bounding box, pixels, inclusive
	u, v, z                  float64 // mean: pixels; m
}

// groups finds the groups of an image by joining runs.
type groups struct {
	runs  []run
	sets  disjointSets // of runs of the same group
	found []group
	of    []int32 // index of the group of each root in sets
	step  depthStep
}

// maxGroupRuns is the largest number of runs in an image. It bounds the work for an image full of edges.
const maxGroupRuns = 40000

// The depths of neighbouring pixels are continuous if they differ by at most stepAlways, in m, plus stepNoise standard
// deviations. For comparison, a ball that is 13 pixels wide has steps of 0.04 m near its outline.
const (
	stepAlways = 0.06
	stepNoise  = 4
)

// depthStep is the largest step between the depths of neighbouring pixels, in m. It is a polynomial of the depth z: a
// depthStep holds the coefficients of 1, z and z².
type depthStep [3]float32

func newDepthStep(n *DepthNoise) (s depthStep) {
	for i, a := range n.Along {
		s[i] = float32(stepNoise * a)
	}
	s[0] += stepAlways
	return s
}

func (s *depthStep) follows(a, b float32) bool {
	d := a - b
	if d < 0 {
		d = -d
	}
	return d < s[0]+a*(s[1]+a*s[2])
}

// find returns the groups of the pixels whose depth is not 0. The result is valid until the next call.
func (g *groups) find(z []float32, width int) []group {
	g.runs, g.sets, g.found = g.runs[:0], g.sets[:0], g.found[:0]
	above, row := 0, 0 // indices of the first runs of the row above and of this row
	for start := 0; start < len(z) && len(g.runs) < maxGroupRuns; start += width {
		above, row = row, len(g.runs)
		line := z[start : start+width]
		var before []float32
		if start > 0 {
			before = z[start-width : start]
		}
		next := above
		for i := 0; i < width; {
			if line[i] == 0 {
				i++
				continue
			}
			from := i
			for i++; i < width && line[i] != 0 && g.step.follows(line[i-1], line[i]); i++ {
			}
			n := int32(len(g.runs))
			g.runs = append(g.runs, run{int32(start / width), int32(from), int32(i)})
			g.sets.Add()
			for next < row && int(g.runs[next].to) < from {
				next++
			}
			for k := next; k < row && int(g.runs[k].from) <= i; k++ {
				if g.touch(&g.runs[k], from, i, before, line) {
					g.sets.Join(int32(k), n)
				}
			}
		}
	}
	g.gather(z, width)
	return g.found
}

// touch reports whether the run a in the row above is connected to the pixels from (inclusive) to end (exclusive) of
// this row. It is if at least one pixel of the run has a neighbour among these pixels with continuous depth.
func (g *groups) touch(a *run, from, end int, before, line []float32) bool {
	for i := max(int(a.from), from-1); i < min(int(a.to), end+1); i++ {
		if k := min(max(i, from), end-1); g.step.follows(before[i], line[k]) {
			return true
		}
	}
	return false
}

// gather computes the groups from their runs.
func (g *groups) gather(z []float32, width int) {
	g.of = g.of[:0]
	for i := range g.runs {
		r := &g.runs[i]
		root := g.sets.Root(int32(i))
		g.of = append(g.of, int32(len(g.found)))
		if root == int32(i) {
			g.found = append(g.found, group{left: math.MaxInt32, top: r.row})
		}
		k := &g.found[g.of[root]]
		n := float64(r.to - r.from)
		k.pixels += int(n)
		k.left, k.right, k.bottom = min(k.left, r.from), max(k.right, r.to-1), r.row
		k.u += n * float64(r.from+r.to-1) / 2
		k.v += n * float64(r.row)
		sum := float32(0)
		for _, d := range z[int(r.row)*width+int(r.from) : int(r.row)*width+int(r.to)] {
			sum += d
		}
		k.z += float64(sum)
	}
	for i := range g.found {
		k := &g.found[i]
		n := float64(k.pixels)
		k.u, k.v, k.z = k.u/n, k.v/n, k.z/n
	}
}

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
			// off is the distance between the ray t·d and the centre, in radii of the ball; t is the depth.
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

// project returns the pixel that shows a point. c is the vector from the viewpoint to the point. For a lens with
// distortion the result is accurate to about a pixel.
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
	Along        [3]float64 // standard deviation of the depth, m, as coefficients of 1, z and z², with z in m
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
