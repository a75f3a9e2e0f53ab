package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// Probe is the light that arrives at a point from all directions. It gives the irradiance over π of a surface with the
// normal n, as the sum of the coefficients times 1, x, y, z, xy, yz, xz, z² and x² − y² of n. Source: Ramamoorthi and
// Hanrahan, "An efficient representation for irradiance environment maps", SIGGRAPH 2001. The error of nine terms is 1
// % of the light on average, and below 9 % everywhere.
type Probe [9]mgl32.Vec3

// Irradiance returns the irradiance over π of a surface with a normal.
func (p *Probe) Irradiance(n mgl32.Vec3) (sum mgl32.Vec3) {
	x, y, z := n[0], n[1], n[2]
	for i, weight := range [9]float32{1, x, y, z, x * y, y * z, x * z, z * z, x*x - y*y} {
		sum = sum.Add(p[i].Mul(weight))
	}
	return sum
}

// add adds light with a radiance from a solid angle around a direction.
func (p *Probe) add(d mgl64.Vec3, radiance mgl64.Vec3, angle float64) {
	x, y, z := d[0], d[1], d[2]
	// Each constant is that of a spherical-harmonic band, times that of the cosine lobe over π: 1, 2/3 and 1/4.
	const (
		c0 = 1 / (4 * math.Pi)
		c1 = 3 / (4 * math.Pi) * 2 / 3
		c2 = 15 / (4 * math.Pi) / 4
	)
	zz := 5 / (16 * math.Pi) / 4 * (3*z*z - 1) // coefficient of 3z² − 1 of the normal
	for i, weight := range [9]float64{c0 - zz, c1 * x, c1 * y, c1 * z, c2 * x * y, c2 * y * z, c2 * x * z, 3 * zz,
		c2 / 4 * (x*x - y*y)} {
		p[i] = p[i].Add(vec32(radiance.Mul(weight * angle)))
	}
}

// lattice is the number of probes in a hall along x and y, on each level.
type lattice struct{ cols, rows int }

func newLattice(in *hall) lattice {
	return lattice{max(int(2*in.HalfX/probePitch), 1) + 1, max(int(2*in.HalfY/probePitch), 1) + 1}
}

func (l lattice) size() int { return l.cols * l.rows * len(Levels) }

// Levels are the heights of probes, metres. The values are guesses: the highest level is above robots and goal frames.
var Levels = [3]float64{0.05, 0.7, 2}

const (
	probePitch = 2.5 // approximate distance between neighbouring probes, metres
	fromWall   = 0.2 // metres from a wall to the outermost probes
	around     = 400 // number of directions in which the faces' light is sampled
)

// lightProbes computes, for each group, the light at all probes from a unit of the group.
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
				f.groups[g].probes[i].add(d, mgl64.Vec3{1, 1, 1},
					angle)
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
		amount := vec32(f.amount(i))
		for k := range g.probes {
			for c := range g.probes[k] {
				u := g.probes[k][c]
				to[k][c] = to[k][c].Add(mgl32.Vec3{u[0] * amount[0], u[1] * amount[1], u[2] * amount[2]})
			}
		}
	}
}

// Lattice returns the probes between which Probe interpolates linearly: columns along x, rows along y, and Levels.
// Columns vary fastest. The first and last columns and rows count as if they were at the walls. Shade changes the
// probes.
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

// nearby calls the function each for every probe of the lattice that the light at a point is interpolated from, with
// the weight of that probe.
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

// Near the floor, less of the light comes from below, since a body shades the floor that it stands on.
const (
	// fraction of the light from below that is missing at the floor. 0.6 is a guess from traced images.
	Underneath = 0.6
	Clearance  = 0.25 // height, metres, at which no light from below is missing
)

// Received returns the irradiance over π of a body's surface at a height, metres, in the light of the probe.
func (p *Probe) Received(n mgl32.Vec3, height float32) mgl32.Vec3 {
	e := p.Irradiance(n)
	share := 1 - Underneath*(1-min(max(height/Clearance, 0), 1))*(0.5-0.5*n[2])
	return mgl32.Vec3{max(e[0], 0) * share, max(e[1], 0) * share, max(e[2], 0) * share}
}

// Sharper returns the factors by which mirror-like reflection depends more on the direction than matt reflection does,
// for a roughness α of GGX: for the bands of order 1 and 2. A Gaussian lobe of width α weakens them by exp(−(αl)²), the
// cosine by 2/3 and 1/4 (Ramamoorthi and Hanrahan, "A signal-processing framework for inverse rendering", SIGGRAPH
// 2001). A Lanczos window of three bands, sinc(l/3), suppresses ringing from the missing bands (Sloan, "Stupid
// spherical harmonics tricks", 2008).
func Sharper(roughness float64) (first, second float32) {
	const window1, window2 = 0.8270, 0.4135
	a := roughness * roughness
	return float32(window1 / (2. / 3) * math.Exp(-a)), float32(window2 / (1. / 4) * math.Exp(-4*a))
}

// Mirrored returns the probe's light from around a direction that a body's surface at a height reflects like a mirror.
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

// sphere returns n evenly distributed directions, on a spiral of golden angles. Source: Swinbank and Purser, "Fibonacci
// grids: a novel approach to global modelling", Quarterly Journal of the Royal Meteorological Society 132, 2006.
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
