package vision

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// A point belongs to the floor if its height is below floorAlways + floorPerMetre · depth, in m. This limit is three
// times the noise of the floor's height. The noise is large because the camera sees the floor at a grazing angle.
const (
	floorAlways   = 0.02
	floorPerMetre = 0.007
)

// Limits of the search. Guesses.
const (
	// groupFewest is the least size of a group that may be part of the ball, as a fraction of the ball's expected
	// pixels.
	groupFewest        = 0.3
	groupFewestColored = 0.06 // groupFewest for a group of pixels with the ball's colour
	groupMost          = 1.5  // largest size of such a group, in multiples of the ball's expected pixels
	groupWidest        = 1.5  // largest width of a group, in diameters of the ball
	groupsTried        = 8    // the finder tries this many groups, beginning with the most similar to the ball
	leastPoints        = 12   // least number of points for a fit
)

// DepthBallFinder finds the ball in the images of one depth camera, in the air and on the floor. It fits a sphere to
// each group of pixels that stands out by depth or by colour.
type DepthBallFinder struct {
	width, height int
	fx, fy        float64
	noise         DepthNoise
	pos           mgl64.Vec3    // viewpoint in the robot's frame, m
	axes          [3]mgl64.Vec3 // axes of the optical frame in the robot's frame: right, down, forward
	// toward holds the point that each pixel shows at a depth of 1 m. It is a vector from the viewpoint, in the robot's
	// frame.
	toward     [][3]float32
	measured   []float32 // depth, m; 0 if not measured
	standing   []float32 // depth without the floor
	colored    []float32 // depth of pixels with the ball's colour
	groups     groups
	seeds      []depthSeed
	points     []depthPoint
	candidates []BallCandidate
}

// depthSeed is a group that may be part of the ball.
type depthSeed struct {
	u, v, z float64 // pixels; m
	unlike  float64 // |log(pixels of the group / pixels of a ball at its depth)|
}

// NewDepthBallFinder returns a finder for a camera with a mount and a noise model.
func NewDepthBallFinder(p *Pinhole, mount PinholeMount, noise DepthNoise) *DepthBallFinder {
	view := NewPinholeView(p, mount)
	n := p.Width * p.Height
	sinP, cosP := math.Sincos(mount.Pitch)
	sinY, cosY := math.Sincos(mount.Yaw)
	axis := mgl64.Vec3{cosP * cosY, cosP * sinY, -sinP}
	right := mgl64.Vec3{sinY, -cosY, 0}
	f := &DepthBallFinder{
		width: p.Width, height: p.Height, fx: p.FX, fy: p.FY, noise: noise, pos: view.Pos, axes: [3]mgl64.Vec3{right,
			axis.Cross(right), axis},
		toward: make([][3]float32, n), measured: make([]float32, n), standing: make([]float32, n),
		colored: make([]float32, n),
		groups:  groups{step: newDepthStep(&noise)},
	}
	for i := range f.toward {
		d := view.Index(i)
		d = d.Mul(1 / d.Dot(axis))
		f.toward[i] = [3]float32{float32(d[0]), float32(d[1]), float32(d[2])}
	}
	return f
}

// Find returns the candidates in a depth image, in order of confidence, highest first. The image is 16UC1,
// little-endian, in millimetres, and 0 where nothing is measured. classes are the classes of the same pixels in the
// colour image. If classes is nil, the finder uses shape alone. The result is valid until the next call. It is nil for
// an image of another size.
func (f *DepthBallFinder) Find(millimetres []byte, classes []Class) []BallCandidate {
	f.candidates, f.seeds = f.candidates[:0], f.seeds[:0]
	if len(millimetres) != 2*len(f.toward) || classes != nil && len(classes) != len(f.toward) {
		return nil
	}
	f.read(millimetres, classes)
	f.seed(f.standing, groupFewest)
	if classes != nil {
		f.seed(f.colored, groupFewestColored)
	}
	slices.SortStableFunc(f.seeds, func(a, b depthSeed) int { return cmp.Compare(a.unlike, b.unlike) })
	for i := range min(len(f.seeds), groupsTried) {
		f.try(&f.seeds[i], classes)
	}
	slices.SortStableFunc(f.candidates, func(a, b BallCandidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return f.candidates
}

// read decodes an image, and separates the floor and the ball's colour.
func (f *DepthBallFinder) read(millimetres []byte, classes []Class) {
	up := float32(f.pos[2])
	for i := range f.toward {
		p := millimetres[2*i : 2*i+2 : 2*i+2]
		z := float32(uint16(p[0])|uint16(p[1])<<8) * 1e-3
		f.measured[i] = z
		if up+z*f.toward[i][2] < floorAlways+floorPerMetre*z {
			z = 0
		}
		f.standing[i] = z
		if classes != nil {
			if classes[i] != ClassBall {
				z = 0
			}
			f.colored[i] = z
		}
	}
}

// seed adds a seed for each group in the depth image z that may be part of the ball.
func (f *DepthBallFinder) seed(z []float32, fewest float64) {
	for _, g := range f.groups.find(z, f.width) {
		if g.pixels < leastPoints {
			continue
		}
		wide, high := BallRadius*f.fx/g.z, BallRadius*f.fy/g.z // half of the ball's width and height, pixels
		share := float64(g.pixels) / (math.Pi * wide * high)
		if share < fewest || share > groupMost || float64(g.right-g.left) > 2*groupWidest*wide ||
			float64(g.bottom-g.top) > 2*groupWidest*high {
			continue
		}
		f.seeds = append(f.seeds, depthSeed{g.u, g.v, g.z, math.Abs(math.Log(share))})
	}
}

// point returns the point that the pixel with the index i shows if its depth is z, in the robot's frame, in m.
func (f *DepthBallFinder) point(i int, z float64) mgl64.Vec3 {
	d := &f.toward[i]
	return mgl64.Vec3{f.pos[0] + z*float64(d[0]), f.pos[1] + z*float64(d[1]), f.pos[2] + z*float64(d[2])}
}

// try fits a sphere to the points around a seed, and adds a candidate if the fit succeeds.
func (f *DepthBallFinder) try(s *depthSeed, classes []Class) {
	f.collect(s)
	if len(f.points) < leastPoints {
		return
	}
	start, ok := f.guess(s)
	if !ok {
		return
	}
	found, ok := f.fit(start)
	if !ok || found.pos[2] < BallRadius/2 || f.known(found.pos) {
		return
	}
	f.candidates = append(f.candidates, f.judge(&found, classes))
}

// known reports whether a position is within a ball's radius of another candidate.
func (f *DepthBallFinder) known(pos mgl64.Vec3) bool {
	return slices.ContainsFunc(f.candidates, func(c BallCandidate) bool { return c.Pos.Sub(pos).Len() < BallRadius })
}
