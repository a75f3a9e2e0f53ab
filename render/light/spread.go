package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/kept"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// group is the light of some sources at unit strength. The sources are all panels with a radiance of 1, all windows
// with a radiance of 1, or one bulb with an irradiance of 1 at 1 m.
type group struct {
	source                Source
	floor, ceiling, walls []mgl64.Vec3
	probes                []Probe
	// mean horizontal direction of the light that arrives at each node of the floor, times the light's luminance
	leans   []mgl64.Vec2
	arrives []float64 // luminance of the light that arrives at each node of the floor
}

const (
	nodePitch = 1.0  // approximate distance between nodes, metres
	inset     = 0.05 // the light of a node on an edge is sampled this far from the edge, metres
)

// spread is the light of an empty hall's groups at unit strength, on the hall's faces and in its space. It is
// immutable.
type spread struct {
	*hall
	groups     []group // first the panels, then the windows, then each bulb
	cols, rows int     // numbers of nodes of the floor and of the ceiling
	wide, high int     // nodes of a wall
	lattice    lattice
	profile    [sources]profile
}

var spreads = cache[*spread]{most: 8}

func newSpread(in *hall) *spread {
	nodes := func(half float64) int { return max(int(math.Ceil(2*half/nodePitch)), 2) + 1 }
	f := &spread{hall: in, cols: nodes(in.HalfX), rows: nodes(in.HalfY), high: nodes(in.Height / 2),
		lattice: lattice{max(int(2*in.HalfX/probePitch), 1) + 1, max(int(2*in.HalfY/probePitch), 1) + 1}}
	f.wide = max(f.cols, f.rows)
	f.groups = []group{{source: Lamps}, {source: Windows}}
	for range f.Bulbs {
		f.groups = append(f.groups, group{source: Lamps})
	}
	for g := range f.groups {
		x := &f.groups[g]
		x.floor, x.ceiling, x.walls = make([]mgl64.Vec3, f.cols*f.rows), make([]mgl64.Vec3, f.cols*f.rows),
			make([]mgl64.Vec3, 4*f.wide*f.high)
		x.probes = make([]Probe, f.lattice.size())
		x.leans, x.arrives = make([]mgl64.Vec2, f.cols*f.rows), make([]float64, f.cols*f.rows)
	}
	var parts []kept.Field
	for g := range f.groups {
		x := &f.groups[g]
		parts = append(parts, kept.Slice(&x.floor), kept.Slice(&x.ceiling), kept.Slice(&x.walls),
			kept.Slice(&x.probes), kept.Slice(&x.leans), kept.Slice(&x.arrives))
	}
	profiles := f.profile[:]
	kept.Get(in.content.keptAs("spread"), func() {
		f.gather()
		f.lightProbes()
		f.findLeans()
	}, append(parts, kept.Slice(&profiles))...)
	copy(f.profile[:], profiles)
	return f
}

// node returns the position of a node, and the normal of its face. The face is the floor (0), the ceiling (1) or a wall
// (2 to 5). The position of a node at an edge is slightly inside of the edge.
func (f *spread) node(face, col, row int) (p, normal mgl64.Vec3) {
	at := func(i, n int, half float64) float64 {
		return mgl64.Clamp(half*(2*float64(i)/float64(n-1)-1), inset-half, half-inset)
	}
	switch face {
	case 0:
		return mgl64.Vec3{at(col, f.cols, f.HalfX), at(row, f.rows, f.HalfY), 0}, mgl64.Vec3{0, 0, 1}
	case 1:
		return mgl64.Vec3{at(col, f.cols, f.HalfX), at(row, f.rows, f.HalfY), f.Height}, mgl64.Vec3{0, 0, -1}
	}
	z := at(row, f.high, f.Height/2) + f.Height/2
	side := float64(2*(face&1) - 1)
	if face < 4 {
		return mgl64.Vec3{side * f.HalfX, at(col, f.wide, f.HalfY), z}, mgl64.Vec3{-side, 0, 0}
	}
	return mgl64.Vec3{at(col, f.wide, f.HalfX), side * f.HalfY, z}, mgl64.Vec3{0, -side, 0}
}

// gather computes the interreflection of each group's light and the irradiance at the nodes.
func (f *spread) gather() {
	radiances := make([][]mgl64.Vec3, len(f.groups)) // per patch
	radiances[Lamps], radiances[Windows] = f.unit[0], f.unit[1]
	for g := int(sources); g < len(f.groups); g++ {
		own := make([]mgl64.Vec3, len(f.patches))
		for i := range own {
			p := &f.patches[i]
			p.over(func(at mgl64.Vec3, share float64) {
				own[i] = own[i].Add(p.reflectance.Mul(share * f.direct(g, at, p.normal)))
			})
		}
		radiances[g] = f.solve(own)
	}
	arriving := func(face, cols, rows, col0, stride int, to func(g *group) []mgl64.Vec3) {
		rays.InParallel(rows, func(row int) {
			for col := range cols {
				p, normal := f.node(face, col, row)
				at := row*stride + col0 + col
				for g := range f.groups {
					d := f.direct(g, p, normal)
					to(&f.groups[g])[at] = mgl64.Vec3{d, d, d}
				}
				for j := range f.patches {
					x := &f.patches[j]
					share := rectangleFactor(p, normal, x.centre, x.u, x.v)
					if share == 0 {
						continue
					}
					for g := range f.groups {
						sum := &to(&f.groups[g])[at]
						*sum = sum.Add(radiances[g][j].Mul(share))
					}
				}
			}
		})
	}
	arriving(0, f.cols, f.rows, 0, f.cols, func(g *group) []mgl64.Vec3 { return g.floor })
	arriving(1, f.cols, f.rows, 0, f.cols, func(g *group) []mgl64.Vec3 { return g.ceiling })
	for wall := range 4 {
		arriving(2+wall, f.wide, f.high, wall*f.wide, 4*f.wide, func(g *group) []mgl64.Vec3 { return g.walls })
	}
}

// direct returns the irradiance over π that the group with index g causes directly at unit strength. It is that of a
// surface at p with the given normal.
func (f *spread) direct(g int, p, normal mgl64.Vec3) (sum float64) {
	switch g {
	case 0:
		for i := range f.Panels {
			sum += rectangleFactor(p, normal, f.Panels[i].CentreW, f.Panels[i].U, f.Panels[i].V)
		}
	case 1:
		for i := range f.Windows {
			sum += rectangleFactor(p, normal, f.Windows[i].CentreW, f.Windows[i].U, f.Windows[i].V)
		}
	default:
		to := f.Bulbs[g-2].PosW.Sub(p)
		d := max(to.Len(), bulbRadius)
		sum = max(normal.Dot(to), 0) / (d * d * d)
	}
	return sum
}

// between returns the index of the last node at or before x, and the weight of the next node in an interpolation. There
// are n evenly spaced nodes from −half to half.
func between(x, half float64, n int) (i int, share float64) {
	at := mgl64.Clamp((x/half+1)/2*float64(n-1), 0, float64(n-1))
	i = max(min(int(at), n-2), 0) // handles NaN too
	return i, at - float64(i)
}

// facePoint is the point where a ray from inside meets the box. It is between four nodes of a face.
type facePoint struct {
	face, cols, k int // face: 0 floor, 1 ceiling, 2 walls; cols: nodes per row; k: index of the first of the four nodes
	u, v          float64
	p, reflects   mgl64.Vec3
}

// intersect returns the point where a ray meets the box.
func (f *spread) intersect(o, d mgl64.Vec3) facePoint {
	across := func(axis int, half, middle float64) float64 {
		switch {
		case d[axis] > 0:
			return (middle + half - o[axis]) / d[axis]
		case d[axis] < 0:
			return (middle - half - o[axis]) / d[axis]
		}
		return math.Inf(1)
	}
	x, y, z := across(0, f.HalfX, 0), across(1, f.HalfY, 0), across(2, f.Height/2, f.Height/2)
	p := o.Add(d.Mul(min(x, y, z)))
	if z <= x && z <= y {
		col, u := between(p[0], f.HalfX, f.cols)
		row, v := between(p[1], f.HalfY, f.rows)
		if d[2] > 0 {
			return facePoint{1, f.cols, row*f.cols + col, u, v, p, f.floor.ceiling}
		}
		return facePoint{0, f.cols, row*f.cols + col, u, v, p, f.floor.at(p[0], p[1])}
	}
	row, v := between(p[2]-f.Height/2, f.Height/2, f.high)
	wall, along, half := 0, p[1], f.HalfY
	switch {
	case x <= y && d[0] > 0:
		wall = 1
	case x > y:
		wall, along, half = 2, p[0], f.HalfX
		if d[1] > 0 {
			wall = 3
		}
	}
	col, u := between(along, half, f.wide)
	return facePoint{2, 4 * f.wide, row*4*f.wide + wall*f.wide + col, u, v, p, f.floor.wall}
}

// irradianceAt returns the irradiance over π at a point, for the group at unit strength.
func (g *group) irradianceAt(m *facePoint) mgl64.Vec3 {
	of := g.floor
	switch m.face {
	case 1:
		of = g.ceiling
	case 2:
		of = g.walls
	}
	top := of[m.k].Mul(1 - m.u).Add(of[m.k+1].Mul(m.u))
	low := of[m.k+m.cols].Mul(1 - m.u).Add(of[m.k+m.cols+1].Mul(m.u))
	return top.Mul(1 - m.v).Add(low.Mul(m.v))
}

// radianceAt returns the radiance that a point reflects, for the group at unit strength. It does not contain light that
// panels, windows and bulbs emit.
func (g *group) radianceAt(m *facePoint) mgl64.Vec3 { return times(g.irradianceAt(m), m.reflects) }

// emitters cuts the sources of the group g into pieces. It calls a function for every piece, with the piece's direction
// and its solid angle as seen from the point p.
func (f *spread) emitters(g int, p mgl64.Vec3, each func(d mgl64.Vec3, angle float64)) {
	rectangles := f.Panels
	switch g {
	case 0:
	case 1:
		rectangles = f.Windows
	default:
		to := f.Bulbs[g-2].PosW.Sub(p)
		l := max(to.Len(), bulbRadius)
		each(to.Mul(1/l), 1/(l*l)) // a solid angle that causes an irradiance of 1 at 1 m
		return
	}
	for i := range rectangles {
		r := &rectangles[i]
		normal := r.U.Cross(r.V)
		area := 4 * normal.Len()
		normal = normal.Normalize()
		for k := range pieces {
			to := r.CentreW.Add(r.U.Mul((2*float64(k)+1)/pieces - 1)).Sub(p)
			l := to.Len()
			if cos := -normal.Dot(to) / l; cos > 0 {
				each(to.Mul(1/l), area/pieces*cos/(l*l))
			}
		}
	}
}

// pieces is the number of pieces, along each side, into which an emitting rectangle is cut.
const pieces = 4

// profile is the distribution of the light that arrives on the floor by elevation, averaged over the carpet. It holds
// the radiance in bands of equal solid angle, from the horizon to the zenith. The index of a band is proportional to
// the cosine to the normal.
type profile [bands]float64

const bands = 16

// at returns the radiance from directions with the given cosine to the normal.
func (p *profile) at(cos float64) float64 { return p[min(int(cos*bands), bands-1)] }

// lean holds the horizontal part of the mean direction from which light arrives at a point of the floor, for each
// source. The mean is weighted by irradiance.
type lean [sources]mgl64.Vec2

// findLeans computes the profiles of lamps and of windows, and the lean of each group at the nodes of the floor.
func (f *spread) findLeans() {
	directions := sphere(around)[:around/2] // the upper hemisphere
	profiles := make([][sources]profile, f.cols*f.rows)
	rays.InParallel(len(profiles), func(i int) {
		p, _ := f.node(0, i%f.cols, i/f.cols)
		p[2] = inset
		onCarpet := math.Abs(p[0]) < f.floor.half[0] && math.Abs(p[1]) < f.floor.half[1]
		add := func(g int, d mgl64.Vec3, radiance, angle float64) {
			x := &f.groups[g]
			light := radiance * angle * max(d[2], 0)
			x.arrives[i] += light / math.Pi
			x.leans[i] = x.leans[i].Add(mgl64.Vec2{d[0], d[1]}.Mul(light / math.Pi))
			if g < int(sources) && onCarpet {
				profiles[i][g][min(int(max(d[2], 0)*bands), bands-1)] += radiance * angle
			}
		}
		for _, d := range directions {
			m := f.intersect(p, d)
			for g := range f.groups {
				add(g, d, render.Luminance(spatial.Vec32(f.groups[g].radianceAt(&m))), 4*math.Pi/around)
			}
		}
		for g := range sources { // not for bulbs, because the shadows of their direct light are computed separately
			f.emitters(int(g), p, func(d mgl64.Vec3, angle float64) { add(int(g), d, 1, angle) })
		}
	})
	for i := range profiles {
		for g := range f.profile {
			for band, light := range profiles[i][g] {
				f.profile[g][band] += light
			}
		}
	}
}

// mixLeans updates f.leans: the lean of each source's light at each node of the floor. The lean is the mean of the
// groups' leans, weighted by luminance.
func (f *Field) mixLeans() {
	f.leaning++
	for i := range f.leans {
		var sum [sources]float64
		f.leans[i] = lean{}
		for g := range f.groups {
			x := &f.groups[g]
			amount := render.Luminance(spatial.Vec32(f.amount(g)))
			sum[x.source] += amount * x.arrives[i]
			f.leans[i][x.source] = f.leans[i][x.source].Add(x.leans[i].Mul(amount))
		}
		for s := range sum {
			if sum[s] > 0 {
				f.leans[i][s] = f.leans[i][s].Mul(1 / sum[s])
			}
		}
	}
}

// leanAt returns the lean of a source's light at a point of the floor.
func (f *Field) leanAt(x, y float64, of Source) mgl64.Vec2 {
	col, u := between(x, f.HalfX, f.Floor.Cols)
	row, v := between(y, f.HalfY, f.Floor.Rows)
	k := row*f.Floor.Cols + col
	top := f.leans[k][of].Mul(1 - u).Add(f.leans[k+1][of].Mul(u))
	low := f.leans[k+f.Floor.Cols][of].Mul(1 - u).Add(f.leans[k+f.Floor.Cols+1][of].Mul(u))
	return top.Mul(1 - v).Add(low.Mul(v))
}
