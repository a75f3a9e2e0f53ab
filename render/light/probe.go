package light

import (
	"math"
	"sort"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Probe is the light that arrives at a point from all directions. It gives the irradiance over π of a surface with the
// normal n = (x, y, z): the sum of its nine coefficients times 1, x, y, z, xy, yz, xz, z² and x² − y². Source:
// Ramamoorthi and Hanrahan, "An efficient representation for irradiance environment maps", SIGGRAPH 2001. The error of
// nine terms is 1 % of the light on average, and always below 9 %.
type Probe [9]mgl32.Vec3

// Irradiance returns the irradiance over π of a surface with a normal.
func (p *Probe) Irradiance(n mgl32.Vec3) (sum mgl32.Vec3) {
	x, y, z := n[0], n[1], n[2]
	for i, weight := range [9]float32{1, x, y, z, x * y, y * z, x * z, z * z, x*x - y*y} {
		sum = sum.Add(p[i].Mul(weight))
	}
	return sum
}

// add adds light with the given radiance, which comes from a solid angle around a direction.
func (p *Probe) add(d mgl64.Vec3, radiance mgl64.Vec3, angle float64) {
	x, y, z := d[0], d[1], d[2]
	// Each constant is the product of a constant of a spherical-harmonic band and the constant of the cosine lobe over
	// π, which is 1, 2/3 or 1/4.
	const (
		c0 = 1 / (4 * math.Pi)
		c1 = 3 / (4 * math.Pi) * 2 / 3
		c2 = 15 / (4 * math.Pi) / 4
	)
	zz := 5 / (16 * math.Pi) / 4 * (3*z*z - 1) // coefficient of 3z² − 1, where z is that of the normal
	for i, weight := range [9]float64{c0 - zz, c1 * x, c1 * y, c1 * z, c2 * x * y, c2 * y * z, c2 * x * z, 3 * zz,
		c2 / 4 * (x*x - y*y)} {
		p[i] = p[i].Add(spatial.Vec32(radiance.Mul(weight * angle)))
	}
}

// lattice is the number of probes in a hall along x and y, on each level.
type lattice struct{ cols, rows int }

func (l lattice) size() int { return l.cols * l.rows * len(Levels) }

// Levels are the heights of probes, metres. The values are guesses: the highest level is above robots and goal frames.
var Levels = [3]float64{0.05, 0.7, 2}

const (
	probePitch = 2.5 // approximate distance between neighbouring probes, metres
	fromWall   = 0.2 // distance from a wall to the outermost probes, metres
	around     = 400 // number of directions in which the faces' light is sampled
)

// lightProbes computes, for each group of sources, the light of a unit of the group at all probes.
func (f *spread) lightProbes() {
	directions := sphere(around)
	rays.InParallel(f.lattice.size(), func(i int) {
		p := f.probeAt(i)
		for _, d := range directions {
			m := f.intersect(p, d)
			for g := range f.groups {
				x := &f.groups[g]
				x.probes[i].add(d, x.radianceAt(&m), 4*math.Pi/around)
			}
		}
		for g := range f.groups {
			f.emitters(g, p, func(d mgl64.Vec3, angle float64) {
				f.groups[g].probes[i].add(d, mgl64.Vec3{1, 1, 1}, angle)
			})
		}
	})
}

// probeAt returns the position of a probe of the lattice.
func (f *spread) probeAt(i int) mgl64.Vec3 {
	along := func(i, n int, half float64) float64 {
		return mgl64.Clamp(half*(2*float64(i)/float64(n-1)-1), fromWall-half, half-fromWall)
	}
	l := f.lattice
	return mgl64.Vec3{along(i%l.cols, l.cols, f.HalfX), along(i/l.cols%l.rows, l.rows, f.HalfY),
		min(Levels[i/(l.cols*l.rows)], f.Height-fromWall)}
}

// mixProbes sums the light of all groups at the probes, weighted by their amounts.
func (f *Field) mixProbes() {
	to := f.probes
	clear(to)
	for i := range f.groups {
		g := &f.groups[i]
		amount := spatial.Vec32(f.amount(i))
		for k := range g.probes {
			for c := range g.probes[k] {
				u := g.probes[k][c]
				to[k][c] = to[k][c].Add(mgl32.Vec3{u[0] * amount[0], u[1] * amount[1], u[2] * amount[2]})
			}
		}
	}
}

// Lattice returns the probes between which Probe interpolates linearly. They are arranged in columns along x, rows
// along y, and Levels. The index of the column varies fastest. The first and last columns and rows count as if they
// were at the walls. Shade changes the probes.
func (f *Field) Lattice() (cols, rows int, of []Probe) {
	return f.lattice.cols, f.lattice.rows, f.probes
}

// Probe returns the light at a point in W.
func (f *Field) Probe(p mgl64.Vec3) (out Probe) {
	f.nearby(p, func(of *Probe, share float32) {
		for c := range out {
			out[c] = out[c].Add(of[c].Mul(share))
		}
	})
	return out
}

// nearby calls a function for every probe from which the light at a point is interpolated. It passes the probe and its
// weight.
func (f *Field) nearby(p mgl64.Vec3, each func(of *Probe, share float32)) {
	col, u := between(p[0], f.HalfX, f.lattice.cols)
	row, v := between(p[1], f.HalfY, f.lattice.rows)
	level, w := 0, mgl64.Clamp((p[2]-Levels[0])/(Levels[1]-Levels[0]), 0, 1)
	if p[2] > Levels[1] {
		level, w = 1, mgl64.Clamp((p[2]-Levels[1])/(Levels[2]-Levels[1]), 0, 1)
	}
	for corner := range 8 {
		share, at := 1.0, 0
		pick := func(bit int, part float64, i, stride int) {
			if corner>>bit&1 != 0 {
				share, at = share*part, at+(i+1)*stride
			} else {
				share, at = share*(1-part), at+i*stride
			}
		}
		pick(0, u, col, 1)
		pick(1, v, row, f.lattice.cols)
		pick(2, w, level, f.lattice.cols*f.lattice.rows)
		each(&f.probes[at], float32(share))
	}
}

// Near the floor, less light comes from below, because a body shades the floor on which it stands.
const (
	// fraction of the light from below that is missing at the floor. 0.6 is a guess from traced images.
	Underneath = 0.6
	Clearance  = 0.25 // height from which no light from below is missing, metres
)

// Received returns the irradiance over π of a body's surface in the light of the probe. The surface has the normal n,
// and the given height above the floor in metres.
func (p *Probe) Received(n mgl32.Vec3, height float32) mgl32.Vec3 {
	e := p.Irradiance(n)
	share := 1 - Underneath*(1-min(max(height/Clearance, 0), 1))*(0.5-0.5*n[2])
	return mgl32.Vec3{max(e[0], 0) * share, max(e[1], 0) * share, max(e[2], 0) * share}
}

// Sharper returns two factors, for the bands of order l = 1 and l = 2 of a probe. They say how much more the light that
// a surface with the GGX roughness α reflects like a mirror depends on the direction than light that a matt surface
// reflects. A Gaussian lobe of width α weakens the bands by exp(−(αl)²), and the cosine weakens them by 2/3 and 1/4
// (Ramamoorthi and Hanrahan, "A signal-processing framework for inverse rendering", SIGGRAPH 2001). A Lanczos window of
// three bands, sinc(l/3), suppresses ringing due to the missing bands (Sloan, "Stupid spherical harmonics tricks",
// 2008).
func Sharper(roughness float64) (first, second float32) {
	const window1, window2 = 0.8270, 0.4135
	a := roughness * roughness
	return float32(window1 / (2. / 3) * math.Exp(-a)), float32(window2 / (1. / 4) * math.Exp(-4*a))
}

// Mirrored returns the light from around the direction d, which a body's surface reflects like a mirror. height is the
// surface's height above the floor in metres, and first and second are the results of Sharper.
func (p *Probe) Mirrored(d mgl32.Vec3, height, first, second float32) mgl32.Vec3 {
	var s Probe
	s[0] = p[0].Add(p[7].Mul((1 - second) / 3)) // a third of z² is constant
	for i := 1; i < len(p); i++ {
		if i < 4 {
			s[i] = p[i].Mul(first)
		} else {
			s[i] = p[i].Mul(second)
		}
	}
	return s.Received(d, height)
}

// sphere returns n directions that are evenly distributed on a spiral of golden angles. Source: Swinbank and Purser,
// "Fibonacci grids: a novel approach to global modelling", Quarterly Journal of the Royal Meteorological Society 132,
// 2006.
func sphere(n int) []mgl64.Vec3 {
	out := make([]mgl64.Vec3, n)
	for i := range out {
		z := 1 - (2*float64(i)+1)/float64(n)
		sin, cos := math.Sincos(goldenAngle * float64(i))
		r := math.Sqrt(1 - z*z)
		out[i] = mgl64.Vec3{r * cos, r * sin, z}
	}
	return out
}

const goldenAngle = 2.399963229728653 // π·(3 − √5)

const (
	openPoints     = 48 // number of sample points on a part's surface
	openDirections = 24 // rays from each
)

// Open describes the fraction of a uniform ambient light that reaches a part's surface past the rest of its body. For a
// surface with the normal n = (x, y, z) in the body's frame, the fraction is Open[0] + Open[1]·x + Open[2]·y +
// Open[3]·z, clamped to 0 to 1.
type Open [4]float32

// Share returns the fraction of the ambient light that reaches a surface with a normal in the body's frame.
func (o *Open) Share(n mgl32.Vec3) float32 { return min(max(o[0]+o[1]*n[0]+o[2]*n[1]+o[3]*n[2], 0), 1) }

var opens = cache[Open]{most: 4096}

// Openness computes the openness of each part of each body. Static bodies are fully open.
func Openness(s *render.Scene) [][]Open {
	all := make([][]Open, len(s.Bodies))
	for i := range s.Bodies {
		b := &s.Bodies[i]
		all[i] = make([]Open, len(b.Parts))
		if b.Static {
			for k := range all[i] {
				all[i][k][0] = 1
			}
			continue
		}
		x := shapeOf(s, b)
		tree := sync.OnceValue(func() *rays.Tree {
			return rays.NewTree(trianglesOf(s, b, x.takes, spatial.Identity()))
		})
		of := x.all
		for _, part := range x.parts {
			of = of.and(part)
		}
		kept.Get(of.keptAs("open"), func() {
			rays.InParallel(len(b.Parts), func(k int) {
				all[i][k] = opens.get(x.all.and(x.parts[k]),
					func() Open { return open(tree(), trianglesOf(s, b, []int{k}, spatial.Identity())) })
			})
		}, kept.Slice(&all[i]))
	}
	return all
}

// open computes the openness of a part, given its triangles and the tree of its whole body.
func open(tree *rays.Tree, part []rays.Triangle) Open {
	areas, total := make([]float32, len(part)), float32(0)
	for i := range part {
		total += part[i].AB.Cross(part[i].AC).Len()
		areas[i] = total
	}
	if !(total > 0) {
		return Open{1}
	}
	// The coefficients are a least-squares fit over the sample points, slightly regularised towards their mean.
	const even = 0.02 // weight of the regularisation relative to the points
	normals, values := mat.NewDense(openPoints+3, 4, nil), mat.NewVecDense(openPoints+3, nil)
	for i := range 3 {
		normals.Set(openPoints+i, i+1, math.Sqrt(even*openPoints))
	}
	for k := range openPoints {
		at := (float32(k) + 0.5) / openPoints * total
		t := &part[min(sort.Search(len(areas), func(i int) bool { return areas[i] > at }), len(part)-1)]
		// The points in a triangle follow the additive recurrence of the plastic number. Source: Roberts, "The
		// unreasonable effectiveness of quasirandom sequences", 2018.
		u, v := math.Mod(0.7548776662*float64(k), 1), math.Mod(0.5698402910*float64(k), 1)
		if u+v > 1 {
			u, v = 1-u, 1-v
		}
		n := t.AB.Cross(t.AC).Unit()
		side := rays.V(1, 0, 0)
		if rays.Abs(n.X) > 0.7 {
			side = rays.V(0, 1, 0)
		}
		side = side.Sub(n.Mul(side.Dot(n))).Unit()
		other := n.Cross(side)
		p := t.A.Add(t.AB.Mul(float32(u))).Add(t.AC.Mul(float32(v))).Add(n.Mul(1e-4))
		free := 0
		for j := range openDirections {
			r := math.Sqrt((float64(j) + 0.5) / openDirections)
			sin, cos := math.Sincos(goldenAngle*float64(j) + float64(k))
			d := side.Mul(float32(r * cos)).Add(other.Mul(float32(r * sin))).Add(n.Mul(float32(math.Sqrt(1 - r*r))))
			if !tree.Blocks(p, d, rays.V(1/d.X, 1/d.Y, 1/d.Z), 0, rays.Never) {
				free++
			}
		}
		normals.SetRow(k, []float64{1, float64(n.X), float64(n.Y), float64(n.Z)})
		values.SetVec(k, float64(free)/openDirections)
	}
	var fit mat.VecDense
	if err := fit.SolveVec(normals, values); err != nil {
		return Open{1}
	}
	return Open{float32(fit.AtVec(0)), float32(fit.AtVec(1)), float32(fit.AtVec(2)), float32(fit.AtVec(3))}
}

// shape lists the parts of a body that block light from the floor and from the body's own parts: all except nets and
// tiny parts.
type shape struct {
	takes []int   // indices of parts
	all   content // hash of these parts
	parts []content
}

// tiny is the area in m² below which a part is left out. So robots have the same shape if they differ only in the
// digits painted on them.
const tiny = 0.005

func shapeOf(s *render.Scene, b *render.Body) (out shape) {
	out.all = noContent
	for i := range b.Parts {
		p := &b.Parts[i]
		m := &p.PoseBP
		c := noContent.with(m.Pos[0], m.Pos[1], m.Pos[2], m.Rot.W, m.Rot.V[0], m.Rot.V[1], m.Rot.V[2])
		mesh, area := &s.Meshes[p.Mesh], 0.0
		for t := 0; t+2 < len(mesh.Indices); t += 3 {
			x, y, z := mesh.Vertices[mesh.Indices[t]].Pos, mesh.Vertices[mesh.Indices[t+1]].Pos,
				mesh.Vertices[mesh.Indices[t+2]].Pos
			for _, v := range [...][3]float32{x, y, z} {
				c = c.with(float64(v[0]), float64(v[1]), float64(v[2]))
			}
			area += float64(y.Sub(x).Cross(z.Sub(x)).Len()) / 2
		}
		out.parts = append(out.parts, c)
		if s.Materials[p.Material].Pattern == render.Net || area < tiny {
			continue
		}
		out.takes = append(out.takes, i)
		out.all = out.all.and(c)
	}
	return out
}

// trianglesOf returns the triangles of the given parts of a body, in the frame in which the body has the given pose.
func trianglesOf(s *render.Scene, b *render.Body, parts []int, pose spatial.Pose) (out []rays.Triangle) {
	for _, i := range parts {
		p := &b.Parts[i]
		out = rays.AddTriangles(out, &s.Meshes[p.Mesh], pose.Mul(p.PoseBP))
	}
	return out
}
