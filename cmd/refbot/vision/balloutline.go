package vision

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// spokes is the number of directions from the centre of a blob in which the outline is searched.
const spokes = 48

// spokeReach is the distance from the centre up to which the outline is searched, in expected radii of the ball.
const spokeReach = 1.5

// outlineEdge is a point of the outline.
type outlineEdge struct {
	ray    mgl64.Vec3 // unit vector from the viewpoint, in the robot's frame
	weight float64
}

// findEdges searches for points of the outline of a ball, and stores them in f.edges. pos is the ball's expected
// position, and (u, v) is the pixel that shows it.
func (f *BallFinder) findEdges(pix []byte, classes []Class, u, v float64, pos mgl64.Vec3) {
	f.edges = f.edges[:0]
	c := pos.Sub(f.view.Pos)
	middle, far := c.Normalize(), math.Cos(spokeReach*math.Asin(min(1, f.radius/c.Len())))
	for k := range spokes {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / spokes)
		// Steps of half a pixel.
		last, green := -1.0, -1.0 // last pixel of the ball; first pixel of the carpet
		for s := 0.0; s < spokeLongest; s += 0.5 {
			x, y := int(u+s*cos+0.5), int(v+s*sin+0.5)
			if x < 1 || y < 1 || x >= f.view.Width-1 || y >= f.view.Height-1 {
				last = -1 // the ball extends beyond the image
				break
			}
			i := y*f.view.Width + x
			if f.view.Index(i).Dot(middle) < far {
				break
			}
			switch classes[i] {
			case ClassBall:
				last, green = s, -1
			case ClassGreen:
				if green < 0 {
					green = s
				}
			}
		}
		weight := 1.0
		at := green
		if green < 0 { // something else is behind the ball
			at, weight = last+0.5, 0.5
		}
		if last < 0 {
			continue
		}
		if s, ok := f.crossing(pix, u, v, cos, sin, at); ok {
			if ray, ok := f.view.At(u+s*cos, v+s*sin); ok {
				f.edges = append(f.edges, outlineEdge{ray, weight})
			}
		}
	}
}

// spokeLongest bounds the length of a spoke, pixels.
const spokeLongest = 600

// edgeSide is the distance from the edge at which the colours on its two sides are sampled, pixels.
const edgeSide = 1.5

// crossing returns the distance of an edge from the start of a spoke, in pixels. At the edge the light is the mean of
// the light on its two sides. guess is the approximate distance. The spoke starts at the pixel (u, v), and cos and sin
// give its direction. crossing returns false if the two sides differ too little.
func (f *BallFinder) crossing(pix []byte, u, v, cos, sin, guess float64) (float64, bool) {
	from, to := max(guess-edgeSide, 0), guess+edgeSide
	inside, ok := f.sample(pix, u+from*cos, v+from*sin)
	outside, ok2 := f.sample(pix, u+to*cos, v+to*sin)
	d := outside.Sub(inside)
	length := d.Dot(d)
	if !ok || !ok2 || !(length > edgeContrast*edgeContrast) {
		return 0, false
	}
	before, s := 0.0, from
	for s < to {
		s += 0.25
		c, ok := f.sample(pix, u+s*cos, v+s*sin)
		if !ok {
			return 0, false
		}
		share := c.Sub(inside).Dot(d) / length
		if share >= 0.5 {
			return s - 0.25*(share-0.5)/max(share-before, 1e-9), true
		}
		before = share
	}
	return 0, false
}

// edgeContrast is the least difference of light between the two sides of an edge, in linear light where white is 1.
// 0.02 is a guess: three times the noise.
const edgeContrast = 0.02

// sample returns the linear light at a point of the image, interpolated between pixels. It returns false outside of the
// image.
func (f *BallFinder) sample(pix []byte, x, y float64) (c mgl64.Vec3, ok bool) {
	if !(x >= 0 && y >= 0 && x < float64(f.view.Width-1) && y < float64(f.view.Height-1)) {
		return c, false
	}
	i, j := int(x), int(y)
	a, b := x-float64(i), y-float64(j)
	k := 3 * (j*f.view.Width + i)
	below := k + 3*f.view.Width
	for n := range c {
		up := (1-a)*f.linear[pix[k+n]] + a*f.linear[pix[k+3+n]]
		down := (1-a)*f.linear[pix[below+n]] + a*f.linear[pix[below+3+n]]
		c[n] = (1-b)*up + b*down
	}
	return c, true
}

// Scale of the robust weight of an edge, by Geman and McClure (see package locate). The scale is looseRadii times the
// ball's angular radius, but at least loosePixels pixels.
const (
	looseRadii  = 0.1
	loosePixels = 0.7
)

// outlineSteps is the number of iterations of the fit. The last iteration moves the ball by less than a millimetre.
const outlineSteps = 8

// heightInfo is the inverse variance of the height of a ball on the floor, in 1/m². It corresponds to a standard
// deviation of 1 mm.
const heightInfo = 1e6

// outlineFit is the result of a fit.
type outlineFit struct {
	pos     mgl64.Vec3 // centre in the robot's frame, m
	support float64    // fraction of the spokes whose edges lie on the outline
	info    mgl64.Mat3 // inverse of the covariance of pos, for an error of a third of a pixel at each edge
}

// fit moves the centre of a sphere so that its outline passes through the edges. The outline of a sphere with radius r
// at c is where the angle between the ray and c is asin(r/|c|). The height is known to a millimetre, apart from the
// error of the camera's direction. The fit starts at the position guess. pixel is the angular size of a pixel, in rad.
// ok is false if the edges do not determine the centre.
func (f *BallFinder) fit(guess mgl64.Vec3, pixel float64) (s outlineFit, ok bool) {
	s.pos = guess
	for range outlineSteps {
		c := s.pos.Sub(f.view.Pos)
		distance := c.Len()
		if !(distance > 1.1*f.radius) {
			return s, false
		}
		toward, alpha := c.Mul(1/distance), math.Asin(f.radius/distance)
		loose := max(looseRadii*alpha, loosePixels*pixel)
		grow := toward.Mul(f.radius / (distance * distance * math.Cos(alpha))) // derivative of −alpha by c
		var h mgl64.Mat3
		var g mgl64.Vec3
		s.support = 0
		sigma := pixel / 3
		for i := range f.edges {
			e := &f.edges[i]
			cos := e.ray.Dot(toward)
			aside := e.ray.Sub(toward.Mul(cos))
			sin := aside.Len()
			if sin < 1e-9 {
				continue
			}
			err := math.Atan2(sin, cos) - alpha
			j := aside.Mul(-1 / (distance * sin)).Add(grow)
			q := loose * loose / (loose*loose + err*err)
			w := e.weight * q * q
			s.support += w / spokes
			w /= sigma * sigma
			g = g.Add(j.Mul(w * err))
			h = h.Add(j.OuterProd3(j).Mul(w))
		}
		info := 1 / (1/heightInfo + f.Sway*f.Sway*distance*distance)
		h[8] += info
		g[2] += info * (s.pos[2] - f.radius)
		if det := h.Det(); !(math.Abs(det) > 1e-6) {
			return s, false
		}
		move := h.Inv().Mul3x1(g)
		if n := move.Len(); n > 0.5 {
			move = move.Mul(0.5 / n)
		}
		s.pos, s.info = s.pos.Sub(move), h
	}
	return s, !math.IsNaN(s.pos.Len())
}
