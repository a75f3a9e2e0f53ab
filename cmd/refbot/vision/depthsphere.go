package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// depthPoint is a measured point.
type depthPoint struct {
	pos   mgl64.Vec3 // in the robot's frame, m
	ray   mgl64.Vec3 // unit vector from the viewpoint
	sigma float64    // standard deviation of the point's depth, m
	side  float64    // standard deviation of the point across the ray, m
}

// maxPoints is the largest number of points in a fit. A close ball has more pixels. Then the fit uses only every second
// or third pixel.
const maxPoints = 400

// seedReach is the largest distance of a point of the ball from its seed, in radii of the ball. The seed is the centre
// of the ball's visible part.
const seedReach = 1.6

// collect stores the measured points around a seed, except for points of the floor.
func (f *DepthBallFinder) collect(s *depthSeed) {
	f.points = f.points[:0]
	wide, high := seedReach*BallRadius*f.fx/s.z, seedReach*BallRadius*f.fy/s.z
	u0, u1 := max(0, int(s.u-wide)), min(f.width-1, int(s.u+wide+1))
	v0, v1 := max(0, int(s.v-high)), min(f.height-1, int(s.v+high+1))
	stride := 1 + int(math.Sqrt(max(0, float64((u1-u0+1)*(v1-v0+1)))/maxPoints))
	near, far := float32(s.z-seedReach*BallRadius), float32(s.z+seedReach*BallRadius)
	for v := v0; v <= v1; v += stride {
		for u := u0; u <= u1; u += stride {
			i := v*f.width + u
			z := f.standing[i]
			if z < near || z > far || z == 0 {
				continue
			}
			p := f.point(i, float64(z))
			f.points = append(f.points, depthPoint{p, p.Sub(f.pos).Normalize(), f.noise.along(float64(z)),
				f.noise.across(float64(z), f.fx)})
		}
	}
}

// Parameters of RANSAC: the number of spheres through three points that are tried, and the number of points that vote
// on each sphere. If a third of the points are outliers, the probability that all of 48 samples of three points contain
// an outlier is (1 − 0.3)⁴⁸ = 4·10⁻⁸.
const (
	ransacSamples = 48
	ransacVotes   = 64
)

// guess returns the centre of the sphere that gets the most votes. The tried spheres are one at the seed, and many
// through three points each (Fischler and Bolles, RANSAC, 1981).
func (f *DepthBallFinder) guess(s *depthSeed) (best mgl64.Vec3, ok bool) {
	n := len(f.points)
	i := min(max(int(s.v+0.5), 0), f.height-1)*f.width + min(max(int(s.u+0.5), 0), f.width-1)
	most := 0.0
	vote := func(c mgl64.Vec3) {
		if count := f.votes(c); count > most {
			best, most, ok = c, count, true
		}
	}
	// on average the visible surface of a ball is closer than its centre by 2/3 of the radius
	vote(f.point(i, s.z+2*BallRadius/3))
	for k := range uint64(ransacSamples) {
		a, b, c := f.points[pickIndex(3*k, n)].pos, f.points[pickIndex(3*k+1, n)].pos, f.points[pickIndex(3*k+2, n)].pos
		if c, through := f.through(a, b, c); through {
			vote(c)
		}
	}
	return best, ok
}

// pickIndex returns a pseudo-random number in [0, n) that depends only on k and n. It uses the finalizer of SplitMix64
// (Steele, Lea and Flood 2014).
func pickIndex(k uint64, n int) int {
	x := (k + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}

// through returns the centre of the ball whose surface contains three points. At most two balls fit; through returns
// the centre that is farther from the camera. ok is false if no ball fits.
func (f *DepthBallFinder) through(a, b, c mgl64.Vec3) (centre mgl64.Vec3, ok bool) {
	u, v := b.Sub(a), c.Sub(a)
	normal := u.Cross(v)
	nn := normal.Dot(normal)
	if nn < 1e-10 { // a triangle of less than 5 mm²
		return centre, false
	}
	// centre of the circle through the points
	to := v.Cross(normal).Mul(-u.Dot(u)).Add(u.Cross(normal).Mul(v.Dot(v))).Mul(-0.5 / nn)
	rest := BallRadius*BallRadius - to.Dot(to)
	if rest < 0 {
		return centre, false
	}
	up := normal.Mul(math.Sqrt(rest / nn))
	if up.Dot(a.Sub(f.pos)) < 0 {
		up = up.Mul(-1)
	}
	return a.Add(to).Add(up), true
}

// votes returns how well the points fit the sphere around c, as a sum over the points. A point on the sphere adds 1,
// and a point at a distance of three standard deviations or more adds 0.
func (f *DepthBallFinder) votes(c mgl64.Vec3) (sum float64) {
	stride := max(1, len(f.points)/ransacVotes)
	for i := 0; i < len(f.points); i += stride {
		p := &f.points[i]
		e := p.pos.Sub(c).Len() - BallRadius
		t := 3*p.sigma + 0.004
		sum += max(0, 1-e*e/(t*t))
	}
	return sum
}

// sphereFit is the result of a fit.
type sphereFit struct {
	pos    mgl64.Vec3 // centre in the robot's frame, m
	info   mgl64.Mat3 // inverse of the covariance of pos, from the noise of the points
	misfit float64    // mean of e²/variance over the points inside the rim, with e as in fit; about 1 for a ball
}

// misfitOutlier limits the e²/variance of each point in sphereFit.misfit. rimCosine is the cosine of the angle between
// ray and normal at which the rim of a sphere begins. The rim begins 0.87 radii from the centre of the visible disc.
const (
	misfitOutlier = 9
	rimCosine     = 0.5
)

// sphereSteps is the number of iterations of a fit. The last iteration moves the sphere by less than a tenth of a
// millimetre.
const sphereSteps = 6

// sphereLoose is the error in standard deviations at which a point has a quarter of its weight (Geman and McClure, as
// in package locate).
const sphereLoose = 3

// fit moves a sphere onto the points. A point p has the error e = |p − c| − r. The noise σ of the point's depth acts
// along its ray, so it contributes σ·cos(angle between ray and normal) to e. The sideways noise contributes with the
// sine of the same angle.
func (f *DepthBallFinder) fit(from mgl64.Vec3) (s sphereFit, ok bool) {
	s.pos = from
	for range sphereSteps {
		var h mgl64.Mat3
		var g mgl64.Vec3
		sum, count := 0.0, 0.0
		for i := range f.points {
			p := &f.points[i]
			d := p.pos.Sub(s.pos)
			length := d.Len()
			if length < 1e-6 {
				continue
			}
			n := d.Mul(1 / length)
			e, cos := length-BallRadius, n.Dot(p.ray)
			if cos > 0 { // on the far side
				continue
			}
			variance := p.sigma*p.sigma*cos*cos + p.side*p.side*(1-cos*cos)
			if cos < -rimCosine {
				sum, count = sum+min(misfitOutlier, e*e/variance), count+1
			}
			q := sphereLoose * sphereLoose * variance / (sphereLoose*sphereLoose*variance + e*e)
			w := q * q / variance
			g = g.Add(n.Mul(w * e))
			h = h.Add(n.OuterProd3(n).Mul(w))
		}
		if det := h.Det(); !(det > 1e-6) {
			return s, false
		}
		move := h.Inv().Mul3x1(g)
		if l := move.Len(); l > BallRadius/2 {
			move = move.Mul(BallRadius / 2 / l)
		}
		s.pos, s.info, s.misfit = s.pos.Add(move), h, sum/max(1, count)
	}
	return s, !math.IsNaN(s.pos.Len())
}
