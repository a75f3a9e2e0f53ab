package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// taken holds the fractions of the light on the floor that bodies block at a point. Element 0 is the blocked fraction
// of lamp light if this light has no lean. Elements 1 and 2 are the changes of that fraction with the lean along x and
// along y. Element 3 is the blocked fraction of window light.
type taken [4]float32

// occluder describes the shape of a body, and the light that the body blocks around it while it stands upright on the
// floor.
type occluder struct {
	low    float64 // height of the body's lowest point in its frame, metres
	round  bool    // whether the body is a ball around the origin of its frame
	radius float64 // radius of a sphere around the body's centre that blocks about as much light as the body
	middle mgl64.Vec3
	gives  float64 // fraction of the blocked light that the sides of the body reflect to the floor
	// stamp is a square of side × side texels around the frame's origin. Each texel is as wide as the field texel, in
	// metres. The stamp holds the blocked light, without reflection by the body's sides. Bodies of the same shape share
	// it. Static bodies have no stamp.
	stamp     []pressed
	side      int
	texel     float64
	triangles []rays.Triangle // nil after the stamp has been computed
	bounds    rays.Bounds     // of all triangles
	parts     []rays.Bounds
	// outlines holds points of each part's convex hull, in the occluder's frame.
	outlines [][]mgl64.Vec3
}

const (
	farthest  = 1.3 // largest distance from a body at which it blocks light of the floor, metres
	perHeight = 2.0 // that distance per height of the body, both in metres, for low bodies
	fading    = 0.3 // last fraction of that distance, over which the effect fades out
	// irradiance of the sides of bodies, relative to that of the floor. 0.5 is a guess from traced images.
	sidesLight = 0.5
	tilted     = 0.985

	// maximum number of stamp texels per map texel, in x and in y; coarser stamps would blur rotating bodies
	stampsPerTexel = 2
	// maximum side of a stamp in texels. A stamp of this size takes 0.8 MiB, and covers 2.9 m on a field of 18 m.
	// Larger bodies have coarser stamps.
	widestStamp = 320
	lifted      = 0.03 // metres
)

// newOccluder returns the occluder of a body. It is in the body's own frame or, for a static body, in W. paint holds
// the current materials. newOccluder returns nil if the body blocks no light. In a scene with bulbs the occluder has
// outlines.
func newOccluder(s *render.Scene, paint []render.Material, b *render.Body, x *shape, pose spatial.Pose) *occluder {
	o := &occluder{triangles: trianglesOf(s, b, x.takes, pose), bounds: rays.Nowhere}
	var reflects, area float64
	farthestOff, nearestOff := 0.0, math.Inf(1)
	first := 0
	for _, i := range x.takes {
		p := &b.Parts[i]
		count := len(s.Meshes[p.Mesh].Indices) / 3
		part := o.triangles[first : first+count]
		first += count
		box := rays.Nowhere
		for k := range part {
			a := float64(part[k].AB.Cross(part[k].AC).Len())
			area += a
			reflects += a * render.Luminance(paint[p.Material].Color)
			box = box.Join(part[k].Box())
			for _, c := range part[k].Corners() {
				l := float64(c.Len())
				farthestOff, nearestOff = max(farthestOff, l), min(nearestOff, l)
			}
		}
		o.parts, o.bounds = append(o.parts, box), o.bounds.Join(box)
		if len(part) > 0 && len(s.Light.Spots) > 0 {
			o.outlines = append(o.outlines, outermostOf(cornersOf(part)))
		}
	}
	if !(area > 0) {
		return nil
	}
	o.low, o.round, o.gives = float64(o.bounds.Lo.Z), nearestOff > 0.98*farthestOff, sidesLight*reflects/area
	o.radius = float64(o.bounds.Hi.Sub(o.bounds.Lo).Len()) / 2
	o.middle = o.bounds.Centre().In64()
	// A plate blocks less light than its bounding sphere. So the sphere with the same mean projected area replaces it.
	// The mean projected area of a convex body is a quarter of its surface area (Cauchy).
	o.radius = min(o.radius, math.Sqrt(area/2/(4*math.Pi)))
	if o.round {
		o.radius = farthestOff
	}
	return o
}

// cornersOf returns the corners of triangles, with repetition.
func cornersOf(triangles []rays.Triangle) (out []mgl64.Vec3) {
	for i := range triangles {
		for _, c := range triangles[i].Corners() {
			out = append(out, c.In64())
		}
	}
	return out
}

// reach returns the distance from the frame's origin within which the occluder blocks light, metres.
func (o *occluder) reach() float64 {
	b := &o.bounds
	wide := math.Hypot(max(math.Abs(float64(b.Lo.X)), float64(b.Hi.X)), max(math.Abs(float64(b.Lo.Y)), float64(b.Hi.Y)))
	return wide + min(perHeight*float64(b.Hi.Z-b.Lo.Z), farthest)
}

// pressed is the value of taken at a texel of a stamp, in units of 1/pressedMost. Integers of 16 bits halve the amount
// of memory that random accesses read.
type pressed [4]int16

const pressedMost = math.MaxInt16

var stamps = cache[[]pressed]{most: 64}

// press computes the stamp of a body, whose shape has the given hash. The stamp's texels are at least as wide as the
// argument texel, metres.
func (o *occluder) press(of content, sky *sky, texel float64) {
	reach := o.reach()
	texel = max(texel, 2*reach/widestStamp)
	o.texel = texel
	half := int(math.Ceil(reach / texel))
	o.side = 2*half + 1
	key := of.and(sky.content).with(texel)
	o.stamp = stamps.get(key, func() (stamp []pressed) {
		kept.Get(key.keptAs("stamp"), func() { stamp = o.stampOf(sky, half) }, kept.Slice(&stamp))
		return stamp
	})
}

// stampOf computes a stamp of 2·half + 1 texels along each side.
func (o *occluder) stampOf(sky *sky, half int) []pressed {
	reach, texel := o.reach(), o.texel
	stamp, tree := make([]pressed, o.side*o.side), rays.NewTree(o.triangles)
	rays.InParallel(o.side, func(j int) {
		for i := range o.side {
			x, y := float64(i-half)*texel, float64(j-half)*texel
			if d := math.Hypot(x, y); d < reach {
				all := sky.blockedBy(tree, x, y, o.low)
				for k, share := range all {
					stamp[j*o.side+i][k] = int16(math.Round(mgl64.Clamp(float64(share)*fade(d, reach), -1, 1) *
						pressedMost))
				}
			}
		}
	})
	return stamp
}

// fade returns the strength of an occluder's effect at a distance d, from 1 to 0. The strength is 0 at the distance
// given by the second argument.
func fade(d, reach float64) float64 {
	t := mgl64.Clamp((reach-d)/(fading*reach), 0, 1)
	return t * t * (3 - 2*t)
}

// addReflected reduces the blocked light by the light that the body's own sides reflect to the floor. The argument
// share is the fraction of the blocked light that fully lit sides reflect. Where nearly all light is blocked, the sides
// are dark and reflect nothing.
func (t *taken) addReflected(share float64) { t.scale(1 - share*float64(1-min(t[0], 1))) }

func (t *taken) scale(by float64) {
	for i := range t {
		t[i] *= float32(by)
	}
}

// sky is a set of directions from which the floor receives light. For each direction, it holds the fractions of lamp
// light and of window light that come from there. Each direction represents the same fraction of the irradiance by a
// uniform sky.
type sky struct {
	directions []rays.Vec
	inverse    []rays.Vec // 1/x, 1/y and 1/z of the opposite of each direction
	lamps      []float32  // fractions of the light; they add up to 1
	windows    []float32
	content    content
	// for each source, the mean square of the directions' x components, weighted by light. A lean is the mean
	// horizontal direction of light. Divided by this value, it is the relative excess of light from its direction.
	leans [sources]float64
}

const skyDirections = 96

func newSky(profiles *[sources]profile) *sky {
	s := &sky{content: noContent, lamps: make([]float32, skyDirections), windows: make([]float32, skyDirections)}
	for i := range skyDirections {
		r := math.Sqrt((float64(i) + 0.5) / skyDirections)
		sin, cos := math.Sincos(goldenAngle * float64(i))
		d := rays.V(float32(r*cos), float32(r*sin), float32(math.Sqrt(1-r*r)))
		s.directions = append(s.directions, d)
		s.inverse = append(s.inverse, rays.V(-1/d.X, -1/d.Y, -1/d.Z))
	}
	for source, to := range [sources][]float32{s.lamps, s.windows} {
		sum := 0.0
		for _, d := range s.directions {
			sum += profiles[source].at(float64(d.Z))
		}
		for i, d := range s.directions {
			to[i] = 1.0 / skyDirections
			if sum > 0 {
				to[i] = float32(profiles[source].at(float64(d.Z)) / sum)
			}
			s.leans[source] += float64(to[i] * (d.X*d.X + d.Y*d.Y) / 2)
			s.content = s.content.with(float64(to[i]))
		}
	}
	return s
}

// blockedBy returns the light that a tree of triangles blocks at a point (x, y, z). The point is in the tree's frame.
func (s *sky) blockedBy(t *rays.Tree, x, y, z float64) (out taken) {
	o := rays.V(float32(x), float32(y), float32(z)+1e-3)
	b := t.Bounds()
	far := b.Centre().Sub(o).Len() + b.Hi.Sub(b.Lo).Len()
	for i, d := range s.directions {
		// The ray starts beyond the tree or above it. So it meets the outside of the body even if the point is inside
		// the body.
		far := min(far, (b.Hi.Z-o.Z)/d.Z+1e-3)
		if !(far > 0) || !t.Blocks(o.Add(d.Mul(far)), d.Mul(-1), s.inverse[i], 0, far) {
			continue
		}
		out[0] += s.lamps[i]
		out[1] += s.lamps[i] * d.X
		out[2] += s.lamps[i] * d.Y
		out[3] += s.windows[i]
	}
	return out
}
