package vision

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// BallRadius is the radius of the ball of the Middle Size League, m: FIFA size 5.
const BallRadius = pitch.BallRadius

// Limits of the search. Guesses.
const (
	ballNearest  = 0.3  // m, distance from the robot's centre within which a robot on wheels sees itself
	ballFarthest = 8.0  // m, distance at which a ball of BallRadius is two pixels wide
	ballFewest   = 0.06 // least size of a blob that may be part of a ball, as a fraction of the ball's expected pixels
	ballMost     = 4    // largest size of such a blob, in multiples of the ball's expected pixels
	ballsTried   = 6    // the finder tries this many blobs, beginning with the most similar to the ball
)

// BallCandidate is a possible ball in one image.
type BallCandidate struct {
	Pos        mgl64.Vec3 // centre in the robot's frame, m
	Covariance mgl64.Mat3 // covariance of Pos, m²
	Confidence float64    // 0 to 1
	// Colored is the fraction of the disc with the ball's colour. Only a DepthBallFinder sets it, and only if the
	// pixels have classes.
	Colored float64
}

// BallFinder finds the ball in the images of one camera.
type BallFinder struct {
	Nearest    float64 // distance from the robot's centre within which the robot sees itself, m; 0.3 at first
	Sway       float64 // standard deviation of the error of the direction in which the camera looks, rad; 0 at first
	view       *View
	radius     float64 // of the ball, m
	linear     [256]float64
	blobs      BlobFinder
	edges      []outlineEdge
	seeds      []ballSeed
	candidates []BallCandidate
}

// ballSeed is a blob that may be part of the ball.
type ballSeed struct {
	u, v  float64
	share float64 // pixels of the blob as a fraction of the ball's expected pixels, at most 1
}

// NewBallFinder returns a finder of balls on the floor, with a radius in m.
func NewBallFinder(view *View, radius float64) *BallFinder {
	return &BallFinder{Nearest: ballNearest, view: view, radius: radius, linear: linearTable[float64](),
		edges: make([]outlineEdge, 0, spokes)}
}

// Find returns the candidates in an rgb8 image, in order of confidence, highest first. classes are the classes of the
// image's pixels. The result is valid until the next call. It is nil if the image does not have the camera's size.
func (f *BallFinder) Find(pix []byte, classes []Class) []BallCandidate {
	f.candidates, f.seeds = f.candidates[:0], f.seeds[:0]
	if n := f.view.Width * f.view.Height; len(classes) != n || len(pix) != 3*n {
		return nil
	}
	for _, b := range f.blobs.Find(classes, f.view.Width, ClassBall) {
		if share, ok := f.likely(&b); ok {
			f.seeds = append(f.seeds, ballSeed{b.U, b.V, share})
		}
	}
	slices.SortFunc(f.seeds, func(a, b ballSeed) int { return cmp.Compare(b.share, a.share) })
	for i := range min(len(f.seeds), ballsTried) {
		f.try(pix, classes, &f.seeds[i])
	}
	slices.SortFunc(f.candidates, func(a, b BallCandidate) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return f.candidates
}

// ballAlong returns the position and the angular radius of a ball on the floor whose centre is seen in the direction
// ray. ok is false if no ball can be there.
func (f *BallFinder) ballAlong(ray mgl64.Vec3) (pos mgl64.Vec3, radius float64, ok bool) {
	x, y, ok := f.view.Meets(ray, f.radius)
	if d := math.Hypot(x, y); !ok || !(d > f.Nearest && d < ballFarthest) {
		return pos, 0, false
	}
	pos = mgl64.Vec3{x, y, f.radius}
	distance := pos.Sub(f.view.Pos).Len()
	return pos, math.Asin(min(1, f.radius/distance)), distance > 1.2*f.radius
}

// pixel returns the angular width and height of a pixel, in rad. ok is false at the border of the image.
func (f *BallFinder) pixel(u, v float64) (across, down float64, ok bool) {
	a, ok1 := f.view.At(u, v)
	b, ok2 := f.view.At(u+1, v)
	c, ok3 := f.view.At(u, v+1)
	return b.Sub(a).Len(), c.Sub(a).Len(), ok1 && ok2 && ok3
}

// likely returns the number of a blob's pixels as a fraction of the pixels of a ball at the same position. ok reports
// whether the blob may be part of a ball.
func (f *BallFinder) likely(b *Blob) (share float64, ok bool) {
	ray, ok1 := f.view.At(b.U, b.V)
	_, radius, ok2 := f.ballAlong(ray)
	across, down, ok3 := f.pixel(b.U, b.V)
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	share = float64(b.Pixels) * across * down / (math.Pi * radius * radius)
	return min(share, 1), share > ballFewest && share < ballMost
}

// try fits a ball near a seed, and adds a candidate if the fit succeeds.
func (f *BallFinder) try(pix []byte, classes []Class, s *ballSeed) {
	u, v, ok := s.u, s.v, true
	for range 3 { // move to the mean of the pixels with the ball's colour
		if u, v, ok = f.mean(classes, u, v); !ok {
			return
		}
	}
	middle, ok1 := f.view.At(u, v)
	pos, _, ok2 := f.ballAlong(middle)
	if !ok1 || !ok2 {
		return
	}
	var found outlineFit
	// Repeat from the fitted centre: if a part of the ball is hidden, the mean of its visible pixels is off centre.
	for round := range 2 {
		if round > 0 {
			nu, nv, inside := f.toward(u, v, pos)
			if !inside {
				break
			}
			u, v = nu, nv
		}
		across, down, inside := f.pixel(u, v)
		if !inside {
			break
		}
		f.findEdges(pix, classes, u, v, pos)
		if found, ok = f.fit(pos, math.Sqrt(across*down)); !ok {
			return
		}
		pos = found.pos
	}
	if math.Hypot(pos[0], pos[1]) > ballFarthest || f.known(pos) {
		return
	}
	own, carpet := f.filled(classes, u, v, pos)
	confidence := min(1, found.support/supportWhole) * min(1, own/ballOwnWhole) * max(0, 1-2*carpet)
	f.candidates = append(f.candidates, BallCandidate{Pos: pos, Covariance: found.info.Inv(), Confidence: confidence})
}

// Measured values for a ball that nothing occludes: the least fraction of spokes with an edge on the outline, and the
// least fraction of the disc with the ball's colour. In the natural look, 90 % of the images of a white ball with blue
// pentagons reach these values. The colour table classifies the ball's white as unknown, like the white of lines.
const (
	supportWhole = 0.6
	ballOwnWhole = 0.1
)

// known reports whether a position is within a ball's radius of another candidate.
func (f *BallFinder) known(pos mgl64.Vec3) bool {
	return slices.ContainsFunc(f.candidates, func(c BallCandidate) bool { return c.Pos.Sub(pos).Len() < f.radius })
}

// disc calls the function g with the index of each pixel of a disc. The centre of the disc is the direction middle,
// which the pixel (u, v) shows. radius is angular, in rad. In a large disc, disc skips rows and columns.
func (f *BallFinder) disc(u, v float64, middle mgl64.Vec3, radius float64, g func(i int)) {
	across, down, ok := f.pixel(u, v)
	if !ok {
		return
	}
	cos := math.Cos(radius)
	wide, high := min(radius/across, spokeLongest)+1, min(radius/down, spokeLongest)+1
	stride := max(1, int(min(wide, high)/16))
	for y := max(0, int(v-high)); y <= min(f.view.Height-1, int(v+high+1)); y += stride {
		for x := max(0, int(u-wide)); x <= min(f.view.Width-1, int(u+wide+1)); x += stride {
			if i := y*f.view.Width + x; f.view.Index(i).Dot(middle) >= cos {
				g(i)
			}
		}
	}
}

// mean returns the mean position of the pixels with the ball's colour in a disc around the point (u, v) of the image.
// The disc is slightly larger than a ball. ok is false if there are too few such pixels.
func (f *BallFinder) mean(classes []Class, u, v float64) (mu, mv float64, ok bool) {
	middle, ok := f.view.At(u, v)
	_, radius, ok2 := f.ballAlong(middle)
	if !ok || !ok2 {
		return 0, 0, false
	}
	n := 0.0
	f.disc(u, v, middle, 1.3*radius, func(i int) {
		if classes[i] == ClassBall {
			n, mu, mv = n+1, mu+float64(i%f.view.Width), mv+float64(i/f.view.Width)
		}
	})
	return mu / n, mv / n, n > 0
}

// toward returns the point of the image that shows the position pos. The point (u, v) is a first guess. toward returns
// false if the position is outside of the image.
func (f *BallFinder) toward(u, v float64, pos mgl64.Vec3) (float64, float64, bool) {
	ray := pos.Sub(f.view.Pos).Normalize()
	for range 3 {
		here, ok1 := f.view.At(u, v)
		right, ok2 := f.view.At(u+1, v)
		below, ok3 := f.view.At(u, v+1)
		if !ok1 || !ok2 || !ok3 {
			return 0, 0, false
		}
		a, b, d := right.Sub(here), below.Sub(here), ray.Sub(here)
		aa, ab, bb := a.Dot(a), a.Dot(b), b.Dot(b)
		det := aa*bb - ab*ab
		if !(det > 0) {
			return 0, 0, false
		}
		u += (bb*a.Dot(d) - ab*b.Dot(d)) / det
		v += (aa*b.Dot(d) - ab*a.Dot(d)) / det
	}
	_, ok := f.view.At(u, v)
	return u, v, ok
}

// filled returns the fractions of a ball's disc that have the ball's colour and the carpet's colour.
func (f *BallFinder) filled(classes []Class, u, v float64, pos mgl64.Vec3) (own, carpet float64) {
	c := pos.Sub(f.view.Pos)
	all := 0.0
	f.disc(u, v, c.Normalize(), 0.9*math.Asin(min(1, f.radius/c.Len())), func(i int) {
		all++
		switch classes[i] {
		case ClassBall:
			own++
		case ClassGreen:
			carpet++
		}
	})
	return own / max(all, 1), carpet / max(all, 1)
}
