package light

import (
	"math"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// box is the inside of an empty hall. It is cut into patches, each with a uniform reflectance, to compute the
// interreflection between them.
type box struct {
	patches []patch
	// factors holds the form factors, in one row for each patch. A form factor is the cosine-weighted fraction of the
	// patch's hemisphere that another patch fills.
	factors []float64
	centre  []float64 // form factors of the patches as seen from the centre of the floor
}

// patch is a rectangle of the box, represented by its centre.
type patch struct {
	centre, u, v, normal mgl64.Vec3
	reflectance          mgl64.Vec3
}

// cut is the approximate side of a patch, metres. Using half of it changes the light at points of the default hall by
// at most 0.5 %.
const cut = 2.5

// newBox cuts the hall of an Illumination into patches. It leaves out factors and centre.
func newBox(in *Illumination, floor *reflectances) *box {
	b := &box{}
	x, y, h := in.HalfX, in.HalfY, in.Height
	b.add(mgl64.Vec3{0, 0, h}, mgl64.Vec3{x, 0, 0}, mgl64.Vec3{0, -y, 0}, floor.ceiling)
	for _, side := range []float64{-1, 1} {
		b.add(mgl64.Vec3{side * x, 0, h / 2}, mgl64.Vec3{0, -side * y, 0}, mgl64.Vec3{0, 0, h / 2}, floor.wall)
		b.add(mgl64.Vec3{0, side * y, h / 2}, mgl64.Vec3{side * x, 0, 0}, mgl64.Vec3{0, 0, h / 2}, floor.wall)
	}
	cx, cy := floor.half[0], floor.half[1]
	b.add(mgl64.Vec3{}, mgl64.Vec3{cx, 0, 0}, mgl64.Vec3{0, cy, 0}, floor.carpet)
	for _, side := range []float64{-1, 1} {
		b.add(mgl64.Vec3{side * (x + cx) / 2, 0, 0}, mgl64.Vec3{(x - cx) / 2, 0, 0}, mgl64.Vec3{0, y, 0}, floor.bare)
		b.add(mgl64.Vec3{0, side * (y + cy) / 2, 0}, mgl64.Vec3{cx, 0, 0}, mgl64.Vec3{0, (y - cy) / 2, 0}, floor.bare)
	}
	return b
}

// findFactors computes factors and centre.
func (b *box) findFactors() {
	n := len(b.patches)
	b.factors, b.centre = make([]float64, n*n), make([]float64, n)
	rays.InParallel(n, func(j int) {
		to := &b.patches[j]
		b.centre[j] = rectangleFactor(mgl64.Vec3{}, mgl64.Vec3{0, 0, 1}, to.centre, to.u, to.v)
		for i := range b.patches {
			from := &b.patches[i]
			b.factors[i*n+j] = rectangleFactor(from.centre, from.normal, to.centre, to.u, to.v)
		}
	})
}

// add cuts a rectangle into patches. The vectors u and v lead from its centre to the centres of two sides; u × v points
// into the hall.
func (b *box) add(centre, u, v, reflectance mgl64.Vec3) {
	n, m := max(int(math.Round(2*u.Len()/cut)), 1), max(int(math.Round(2*v.Len()/cut)), 1)
	normal := u.Cross(v)
	if !(normal.Len() > 0) {
		return
	}
	for i := range n {
		for j := range m {
			at := centre.Add(u.Mul(float64(2*i+1)/float64(n) - 1)).Add(v.Mul(float64(2*j+1)/float64(m) - 1))
			b.patches = append(b.patches, patch{at, u.Mul(1 / float64(n)), v.Mul(1 / float64(m)), normal.Normalize(),
				reflectance})
		}
	}
}

// atCentre returns the irradiance by panels at the centre of the floor, including interreflection. It also returns the
// radiances of the patches.
func (b *box) atCentre(panels []Panel) (sum mgl64.Vec3, radiances []mgl64.Vec3) {
	direct := func(p, normal mgl64.Vec3) (sum mgl64.Vec3) {
		for i := range panels {
			x := &panels[i]
			sum = sum.Add(x.Radiance.Mul(rectangleFactor(p, normal, x.CentreW, x.U, x.V)))
		}
		return sum
	}
	emitted := make([]mgl64.Vec3, len(b.patches)) // radiance of the patches by reflection of the panels' direct light
	rays.InParallel(len(b.patches), func(i int) {
		b.patches[i].over(func(p mgl64.Vec3, share float64) {
			x := &b.patches[i]
			emitted[i] = emitted[i].Add(times(direct(p, x.normal), x.reflectance).Mul(share))
		})
	})
	sum, radiances = direct(mgl64.Vec3{}, mgl64.Vec3{0, 0, 1}), b.solve(emitted)
	for i, r := range radiances {
		sum = sum.Add(r.Mul(b.centre[i]))
	}
	return sum, radiances
}

// over calls a function for every sample point of a patch, with the weight of the point. One point does not suffice,
// because the light from windows varies strongly over the ceiling's patches. The points are those of Gauss-Legendre
// quadrature, three in each direction.
func (p *patch) over(each func(at mgl64.Vec3, share float64)) {
	at, weight := [3]float64{-0.7745966692414834, 0, 0.7745966692414834}, [3]float64{5. / 18, 8. / 18, 5. / 18}
	for i := range at {
		for j := range at {
			each(p.centre.Add(p.u.Mul(at[i])).Add(p.v.Mul(at[j])), weight[i]*weight[j])
		}
	}
}

// solve returns the radiances of the patches, including interreflection, by the Gauss-Seidel method. own holds the
// radiance of each patch without interreflection.
func (b *box) solve(own []mgl64.Vec3) []mgl64.Vec3 {
	n := len(own)
	all := append([]mgl64.Vec3(nil), own...)
	const rounds = 200 // largest number of rounds; white halls converge slowest
	for range rounds {
		change := 0.0
		for i := range all {
			var x, y, z float64
			for j, f := range b.factors[i*n : i*n+n] {
				r := &all[j]
				x, y, z = x+r[0]*f, y+r[1]*f, z+r[2]*f
			}
			next := own[i].Add(times(mgl64.Vec3{x, y, z}, b.patches[i].reflectance))
			change = max(change, next.Sub(all[i]).Len())
			all[i] = next
		}
		if !(change > 1e-7) {
			break
		}
	}
	return all
}

// rectangleFactor returns the cosine-weighted fraction of a point's hemisphere that a rectangle fills. It equals the
// irradiance if the rectangle has radiance 1. The rectangle must be in front of the point, and emits on the side to
// which u × v points. Source: Lambert's formula for polygons, as in Baum, Rushmeier and Winget, "Improving radiosity
// solutions through the use of analytically determined form-factors", SIGGRAPH 1989.
func rectangleFactor(p, normal, centre, u, v mgl64.Vec3) float64 {
	to := centre.Sub(p)
	if !(to.Dot(u.Cross(v)) < 0) {
		return 0
	}
	corners := [4]mgl64.Vec3{to.Sub(u).Sub(v), to.Add(u).Sub(v), to.Add(u).Add(v), to.Sub(u).Add(v)}
	sum := 0.0
	for i := range corners {
		a, b := corners[i], corners[(i+1)%4]
		c := b.Cross(a)
		l := c.Len()
		if l == 0 {
			continue
		}
		sum += math.Atan2(l, a.Dot(b)) * normal.Dot(c) / l
	}
	return max(sum/(2*math.Pi), 0)
}

// MeanWall returns the mean linear reflectance of a room's walls, including their picture.
func MeanWall(r *render.Room) mgl64.Vec3 {
	if r.Picture == nil {
		return spatial.Vec64(r.Wall)
	}
	var linear [256]float64
	for i := range linear {
		linear[i] = render.Linear(float64(i) / 255)
	}
	var sum mgl64.Vec3
	for i := 0; i < len(r.Picture.Pix); i += 3 {
		for c := range sum {
			sum[c] += linear[r.Picture.Pix[i+c]]
		}
	}
	return sum.Mul(3 / float64(len(r.Picture.Pix)))
}

// meanFloor returns the mean reflectance of a carpet with its markings, sheen and traces of use.
func meanFloor(f *render.Floor, with *render.Shading) mgl64.Vec3 {
	painted := 0.0
	for _, m := range f.Marks {
		switch m.Kind {
		case spatial.Segment:
			painted += math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1]) * m.Width
		case spatial.Arc:
			painted += m.Radius * m.Sweep * m.Width
		case spatial.Spot:
			painted += math.Pi * m.Radius * m.Radius
		}
	}
	share := 0.0
	if area := f.SizeX * f.SizeY; area > 0 {
		share = min(painted/area, 1)
	}
	sheen := f.Sheen * evenSheen
	carpet := spatial.Vec64(f.Reflectance(with.Carpet)).Mul(1 - sheen).Add(mgl64.Vec3{sheen, sheen, sheen})
	return carpet.Mul(1 - share).Add(spatial.Vec64(f.LineColor).Mul(share)).Mul(f.Traces.MeanKept())
}

func times(a, b mgl64.Vec3) mgl64.Vec3 { return mgl64.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }

// content is a hash of the numbers that describe an object: 64-bit FNV-1a.
type content uint64

const noContent content = 14695981039346656037

// with returns the hash of the numbers in c followed by the given numbers.
func (c content) with(numbers ...float64) content {
	for _, x := range numbers {
		c = c.and(content(math.Float64bits(x)))
	}
	return c
}

// and returns the hash of the content c followed by another content.
func (c content) and(other content) content {
	for range 8 {
		c = (c ^ other&0xff) * 1099511628211
		other >>= 8
	}
	return c
}

// keptAs returns the key of a result of a kind that depends on the content.
func (c content) keptAs(kind string) kept.Key { return kept.KeyOf(kind, kept.Bytes([]content{c})) }

// cache stores results that are expensive to compute and never change. The key of a result is the hash of the content
// on which the result depends. All renderers of a world use the same cache, and so do worlds with the same content.
// When the cache is full, it drops the least recently used result. Any goroutine may use it.
type cache[T any] struct {
	most    int // largest number of stored results
	mu      sync.Mutex
	entries map[content]*entry[T]
	clock   int // counts calls of get
}

type entry[T any] struct {
	once   sync.Once
	result T
	used   int // value of the cache's clock at the last call of get that returned this result
}

// get returns the result for a content. If it is not stored, get computes it. Of concurrent calls for the same content,
// one computes the result, and the others wait for it.
func (c *cache[T]) get(key content, compute func() T) T {
	c.mu.Lock()
	if c.entries == nil {
		c.entries = map[content]*entry[T]{}
	}
	e := c.entries[key]
	if e == nil {
		if len(c.entries) >= c.most {
			c.evict()
		}
		e = &entry[T]{}
		c.entries[key] = e
	}
	c.clock++
	e.used = c.clock
	c.mu.Unlock()
	e.once.Do(func() { e.result = compute() })
	return e.result
}

// evict removes the least recently used result.
func (c *cache[T]) evict() {
	var oldest content
	used := math.MaxInt
	for key, e := range c.entries {
		if e.used < used {
			oldest, used = key, e.used
		}
	}
	delete(c.entries, oldest)
}
