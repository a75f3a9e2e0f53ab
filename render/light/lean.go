package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// profile is the distribution of the light that arrives on the floor by elevation, averaged over the carpet: the
// radiance in bands of equal solid angle, from the horizon to the zenith, indexed by the cosine to the normal.
type profile [bands]float64

const bands = 16

// at returns the radiance at a cosine to the normal.
func (p *profile) at(cos float64) float64 { return p[min(int(cos*bands), bands-1)] }

// lean holds the horizontal components of the mean direction from which light arrives at a point of the floor, for each
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
				add(g, d, render.Luminance(vec32(f.groups[g].radianceAt(&m))), 4*math.Pi/around)
			}
		}
		for g := range sources { // direct light of bulbs has its own shadows
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

// mixLeans computes the leans of the light of all groups together.
func (f *Field) mixLeans() {
	f.leaning++
	for i := range f.leans {
		var sum [sources]float64
		f.leans[i] = lean{}
		for g := range f.groups {
			x := &f.groups[g]
			amount := render.Luminance(vec32(f.amount(g)))
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
