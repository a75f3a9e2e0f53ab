package vision

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// kinect is a camera of the Kinect v2's size, on a robot.
func kinect(t testing.TB, d ...float64) (*Pinhole, PinholeMount) {
	t.Helper()
	p := must.Get(NewPinhole(512, 424, [9]float64{361, 0, 255.5, 0, 361, 211.5, 0, 0, 1}, "plumb_bob", d))(t)
	return p, PinholeMount{X: 0.26, Y: 0.12, Height: 0.7, Pitch: 12 * math.Pi / 180, Yaw: 28 * math.Pi / 180}
}

// shape is something in a synthetic scene: at which distance t along a ray from a point its surface is met; +Inf if it
// is not.
type shape func(from, ray mgl64.Vec3) float64

func sphereAt(c mgl64.Vec3, r float64) shape {
	return func(from, ray mgl64.Vec3) float64 {
		o := c.Sub(from)
		b := ray.Dot(o)
		if rest := b*b - o.Dot(o) + r*r; rest > 0 && b > 0 {
			return b - math.Sqrt(rest)
		}
		return math.Inf(1)
	}
}

// post is an upright cylinder from one height to another.
func post(x, y, r, low, high float64) shape {
	return func(from, ray mgl64.Vec3) float64 {
		dx, dy := from[0]-x, from[1]-y
		a, b, c := ray[0]*ray[0]+ray[1]*ray[1], ray[0]*dx+ray[1]*dy, dx*dx+dy*dy-r*r
		if rest := b*b - a*c; rest > 0 {
			t := (-b - math.Sqrt(rest)) / a
			if z := from[2] + t*ray[2]; t > 0 && z > low && z < high {
				return t
			}
		}
		return math.Inf(1)
	}
}

func floorShape(from, ray mgl64.Vec3) float64 {
	if ray[2] < 0 {
		return -from[2] / ray[2]
	}
	return math.Inf(1)
}

// drawDepth returns a depth image of shapes, 16UC1, with the noise of the Kinect v2 on a surface that faces it, and up
// to 8 m.
func drawDepth(p *Pinhole, mount PinholeMount, random *rand.Rand, shapes ...shape) []byte {
	view := NewPinholeView(p, mount)
	sinP, cosP := math.Sincos(mount.Pitch)
	axis := mgl64.Vec3{cosP * math.Cos(mount.Yaw), cosP * math.Sin(mount.Yaw), -sinP}
	image := make([]byte, 0, 2*p.Width*p.Height)
	for i := range p.Width * p.Height {
		ray, near := view.Index(i), math.Inf(1)
		for _, s := range shapes {
			near = min(near, s(view.Pos, ray))
		}
		z := near * ray.Dot(axis)
		if random != nil {
			z += random.NormFloat64() * (0.0015 - 0.0005*z + 0.0003*z*z)
		}
		if !(z > 0.5 && z < 8) {
			z = 0
		}
		mm := uint16(math.Round(1000 * z))
		image = append(image, byte(mm), byte(mm>>8))
	}
	return image
}

// aheadOf returns a place at a distance from a camera, in a direction from its axis, rad.
func aheadOf(mount PinholeMount, distance, left, up float64) mgl64.Vec3 {
	yaw, pitch := mount.Yaw+left, up-mount.Pitch
	return mgl64.Vec3{mount.X, mount.Y, mount.Height}.Add(mgl64.Vec3{math.Cos(pitch) * math.Cos(yaw), math.Cos(pitch) *
		math.Sin(yaw), math.Sin(pitch)}.Mul(distance))
}

// A ball in the air is located with errors as large as the covariance, whose systematic part is left out here, for
// depth with the published noise.
func TestDepthBallIsWhereItIs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, c := range []struct{ lens, distances []float64 }{{nil, []float64{0.8, 1.5, 3, 5, 7.5}},
		{[]float64{-0.1, 0.02, 0.001, -0.0005, 0}, []float64{1, 6}}} {
		p, mount := kinect(t, c.lens...)
		f := NewDepthBallFinder(p, mount, KinectV2)
		for _, distance := range c.distances {
			sum, worst := 0.0, 0.0
			const n = 4
			for range n {
				at := aheadOf(mount, distance, 0.9*(random.Float64()-0.5), 0.8*(random.Float64()-0.5))
				if at[2] < 0.11 {
					at[2] = 0.11
				}
				all := f.Find(drawDepth(p, mount, random, sphereAt(at, BallRadius), floorShape), nil)
				if len(all) == 0 || !(all[0].Confidence > 0.9) {
					t.Fatalf("%.1f m, at %.2f: %+v", distance, at, all)
				}
				e := all[0].Pos.Sub(at)
				sum += e.Dot(e)
				worst = max(worst, e.Dot(all[0].Covariance.Inv().Mul3x1(e)))
			}
			// χ² of three: above 30 once in 10⁶. The systematic part of the covariance is not there: it is for what
			// this scene has not.
			if rms := math.Sqrt(sum / n); !(rms < 0.002+0.0001*distance*distance) || !(worst < 30) {
				t.Errorf("%.1f m: off by %.1f mm (rms), worst χ² %.1f", distance, 1000*rms, worst)
			}
		}
	}
}

// Without noise the sphere is exact, up to rounding to millimetres.
func TestSphereIsExact(t *testing.T) {
	p, mount := kinect(t)
	f := NewDepthBallFinder(p, mount, KinectV2)
	for _, distance := range []float64{0.7, 2, 5} {
		at := aheadOf(mount, distance, -0.1, 0.2)
		all := f.Find(drawDepth(p, mount, nil, sphereAt(at, BallRadius), floorShape), nil)
		if len(all) != 1 || !(all[0].Pos.Sub(at).Len() < 5e-4) || !(all[0].Confidence > 0.95) {
			t.Errorf("%v m: %+v, want one at %v", distance, all, at)
		}
	}
}

// Other objects are not the ball: a head on shoulders, posts, a smaller and a larger ball, the floor.
func TestOtherThingsAreNone(t *testing.T) {
	p, mount := kinect(t)
	f := NewDepthBallFinder(p, mount, KinectV2)
	at := aheadOf(mount, 3, 0, 0.1)
	for name, shapes := range map[string][]shape{
		"floor":                {},
		"head on shoulders":    {sphereAt(at, BallRadius), post(at[0], at[1], 0.2, 0, at[2]-0.08)},
		"post":                 {post(at[0], at[1], 0.06, 0, 1)},
		"stump":                {post(at[0], at[1], 0.1, 0, 0.2)},
		"half the radius":      {sphereAt(at, BallRadius/2)},
		"one and a half radii": {sphereAt(at, 1.5*BallRadius)},
	} {
		for _, c := range f.Find(drawDepth(p, mount, rand.New(rand.NewPCG(3, 2)), append(shapes, floorShape)...), nil) {
			if !(c.Confidence < 0.6) {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
	half := drawDepth(p, mount, rand.New(rand.NewPCG(3, 2)), sphereAt(at, BallRadius), post(at[0], at[1], 0.3, 0, 0.2),
		floorShape)
	if all := f.Find(half, nil); len(all) == 0 || !(all[0].Pos.Sub(at).Len() < 0.01) {
		t.Errorf("a ball over a box: %+v, want one at %v", all, at)
	}
}

// The ball's colour finds it where depth alone does not: in contact with a wall. An object of another colour has at
// most half the confidence.
func TestColourHelps(t *testing.T) {
	p, mount := kinect(t)
	random := rand.New(rand.NewPCG(3, 3))
	f := NewDepthBallFinder(p, mount, KinectV2)
	at := aheadOf(mount, 2.5, 0, 0.1)
	wall := func(from, ray mgl64.Vec3) float64 {
		n := mgl64.Vec3{math.Cos(mount.Yaw), math.Sin(mount.Yaw), 0}
		if d := n.Dot(ray); d > 0 {
			return (n.Dot(at) + BallRadius - n.Dot(from)) / d
		}
		return math.Inf(1)
	}
	ball := sphereAt(at, BallRadius)
	view := NewPinholeView(p, mount)
	classes := make([]Class, p.Width*p.Height)
	for i := range classes {
		if classes[i] = ClassGreen; !math.IsInf(ball(view.Pos, view.Index(i)), 1) {
			classes[i] = ClassBall
		}
	}
	all := f.Find(drawDepth(p, mount, random, ball, wall, floorShape), classes)
	if len(all) == 0 || !(all[0].Pos.Sub(at).Len() < 0.01 && all[0].Colored > 0.95) {
		t.Errorf("before a wall: %+v, want one at %v", all, at)
	}
	clear(classes)
	for i := range classes {
		classes[i] = ClassUnknown
	}
	if all := f.Find(drawDepth(p, mount, random, ball, floorShape), classes); len(all) == 0 ||
		!(all[0].Confidence > 0.45 &&
			all[0].Confidence <= 0.5) {
		t.Errorf("without the ball's colour: %+v, want one of half a confidence", all)
	}
}

// Images of another size, without depth, full of noise, or full of edges have no result.
func TestBadImagesShowNothing(t *testing.T) {
	p, mount := kinect(t)
	f := NewDepthBallFinder(p, mount, KinectV2)
	n := p.Width * p.Height
	noise, stripes := make([]byte, 2*n), make([]byte, 2*n)
	random := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		noise[2*i], noise[2*i+1] = byte(random.Uint32()), byte(random.Uint32())
		stripes[2*i+1] = byte(4 + 8*(i%2))
	}
	for name, c := range map[string]struct {
		image   []byte
		classes []Class
	}{"short": {make([]byte, 7), nil}, "none": {nil, nil}, "dark": {make([]byte, 2*n), nil}, "noise": {noise, nil},
		"stripes": {stripes, nil}, "few classes": {stripes, make([]Class, 3)}} {
		for _, got := range f.Find(c.image, c.classes) {
			if !(got.Confidence < 0.4) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

// A sphere through three of its points is found. There is none through three points on a line or too far apart.
func TestSphereThroughThreePoints(t *testing.T) {
	p, mount := kinect(t)
	f := NewDepthBallFinder(p, mount, KinectV2)
	random := rand.New(rand.NewPCG(3, 5))
	c := aheadOf(mount, 3, 0.1, 0.1)
	toward := f.pos.Sub(c).Normalize()
	right := 0
	for range 1000 {
		var on [3]mgl64.Vec3
		for k := range on {
			d := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Normalize()
			on[k] = c.Add(d.Add(toward.Mul(2)).Normalize().Mul(BallRadius)) // on the camera's side
		}
		got, ok := f.through(on[0], on[1], on[2])
		for k := range on {
			if off := on[k].Sub(got).Len() - BallRadius; ok && !(math.Abs(off) < 1e-6) {
				t.Fatalf("a point is %v m off the sphere", off)
			}
		}
		if ok && got.Sub(c).Len() < 1e-6 { // the other is the right one where the triangle is seen from its edge
			right++
		}
		if area := on[1].Sub(on[0]).Cross(on[2].Sub(on[0])).Len(); !ok && !(area <= 1e-4) {
			t.Fatalf("none through a triangle of %v m²", area/2)
		}
	}
	if right < 900 {
		t.Errorf("%d of 1000 are the one that is farther from the camera", right)
	}
	x := mgl64.Vec3{0.05, 0, 0}
	if _, ok := f.through(c, c.Add(x), c.Add(x.Mul(2))); ok {
		t.Error("a sphere through a line")
	}
	if _, ok := f.through(c, c.Add(x.Mul(6)), c.Add(mgl64.Vec3{0, 0.3, 0})); ok {
		t.Error("a sphere through points 0.3 m apart")
	}
}

// The same image gives the same bits without allocations.
func TestFindRepeatsAndAllocatesNothing(t *testing.T) {
	p, mount := kinect(t)
	image := drawDepth(p, mount, rand.New(rand.NewPCG(3, 6)), sphereAt(aheadOf(mount, 3, 0, 0), BallRadius), floorShape)
	f := NewDepthBallFinder(p, mount, KinectV2)
	first := f.Find(image, nil)[0]
	if n := testing.AllocsPerRun(5, func() { f.Find(image, nil) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if again := NewDepthBallFinder(p, mount, KinectV2).Find(image, nil)[0]; again != first {
		t.Errorf("%+v, and %+v", first, again)
	}
}

func BenchmarkDepthBallFinder(b *testing.B) {
	p, mount := kinect(b)
	image := drawDepth(p, mount, rand.New(rand.NewPCG(3, 7)), sphereAt(aheadOf(mount, 2, 0, 0), BallRadius),
		post(3, 1, 0.2, 0, 0.8), post(4, 3, 0.25, 0, 0.7), floorShape)
	f := NewDepthBallFinder(p, mount, KinectV2)
	b.ReportAllocs()
	for b.Loop() {
		f.Find(image, nil)
	}
}
