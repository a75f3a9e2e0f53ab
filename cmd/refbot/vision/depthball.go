package vision

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Whatever is lower than that over the floor is taken for it, m, and so much more for each metre of depth: three times
// the noise of the floor, which is seen at a grazing angle.
const (
	floorAlways   = 0.02
	floorPerMetre = 0.007
)

// What is looked at. Guesses.
const (
	groupFewest        = 0.3  // of the pixels that the ball should have: a group of less is none of its parts
	groupFewestColored = 0.06 // the same of a group of its colour
	groupMost          = 1.5  // of them: a group of more is something else
	groupWidest        = 1.5  // of the ball's diameter
	groupsTried        = 8    // of the groups that are most like the ball
	leastPoints        = 12   // pixels: of less no sphere is fitted
)

// DepthBallFinder finds the ball in the images of one depth camera.
type DepthBallFinder struct {
	width, height int
	fx, fy        float64
	noise         DepthNoise
	pos           mgl64.Vec3    // of the viewpoint in the robot's frame, m
	axes          [3]mgl64.Vec3 // of the optical frame in the robot's: to the right, down, along the axis
	toward        [][3]float32  // where each pixel looks at a depth of 1 m, in the robot's frame, row by row
	measured      []float32     // depth, m; 0: none
	standing      []float32     // the same without the floor
	colored       []float32     // of these, what has the ball's colour
	groups        groups
	seeds         []depthSeed
	points        []depthPoint
	candidates    []BallCandidate
}

// depthSeed is a group that may be a part of the ball.
type depthSeed struct {
	u, v, z float64 // pixels; m
	unlike  float64 // how much its number of pixels differs from the ball's, by its logarithm
}

// NewDepthBallFinder returns a finder for the images of a camera on a robot, by what its noise is like.
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

// Find returns what may be the ball in a depth image, 16UC1, little-endian, millimetres, 0 where nothing is measured;
// best first, lent until the next call. The classes are those of the colour image of the same pixels; nil: the ball is
// found by its shape alone. It returns none for an image of another size.
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

// read takes an image in.
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

// depthSeed adds the groups of an image that may be parts of the ball.
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

// at returns the point that a pixel shows at a depth, in the robot's frame, m.
func (f *DepthBallFinder) at(i int, z float64) mgl64.Vec3 {
	d := &f.toward[i]
	return mgl64.Vec3{f.pos[0] + z*float64(d[0]), f.pos[1] + z*float64(d[1]), f.pos[2] + z*float64(d[2])}
}

// try fits a sphere at a seed.
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

// known tells whether a candidate is within a ball's radius of another.
func (f *DepthBallFinder) known(pos mgl64.Vec3) bool {
	return slices.ContainsFunc(f.candidates, func(c BallCandidate) bool { return c.Pos.Sub(pos).Len() < BallRadius })
}
