package imaging

import (
	"math"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Ranger turns true depths into measured ones. Noise drawn per pixel is looked up in tables of quantiles and of sigma.
type Ranger struct {
	cfg      *Ranging
	lens     optics.Pinhole
	normal   []float32 // standard normal quantiles
	sigma    []sigmaAt // by distance, in steps of max/(rangerSteps−1)
	columns  []column
	slanted  []float32 // by the square of the cosine of the angle of incidence, from 0 to 1
	perMetre float32   // entries of sigma
	scratch  sync.Pool // of *ranging
}

// sigmaAt is the standard deviation at a distance, metres: of a surface that faces the camera, and what slanted is multiplied by for
// one that does not.
type sigmaAt struct{ facing, slanted float32 }

// column is x of a column's direction with length 1 along the axis, and 1 + x².
type column struct{ x, x1 float32 }

// ranging is the memory of one measurement.
type ranging struct {
	z    []float32 // the true depths; 0 where the projector's light does not come
	mark []uint8   // outline and nearOutline, or 0
}

const (
	rangerSteps   = 1024
	rangerEntries = 2048 // more than rangerSteps, and a power of two: no index has to be checked
)

// Streams of pixel noise within a frame.
const (
	streamColor uint64 = iota
	streamDepth
	streamOutlines
)

// NewRanger returns that of a configuration behind a lens.
func NewRanger(cfg *Ranging, lens optics.Pinhole) *Ranger {
	r := &Ranger{cfg: cfg, lens: lens, normal: normalQuantiles(1024), perMetre: float32((rangerSteps - 1) / cfg.Max)}
	r.sigma, r.slanted = make([]sigmaAt, rangerEntries), make([]float32, rangerEntries)
	for i := range r.sigma {
		z := math.Max(float64(i)/float64(r.perMetre), 0.05)
		r.sigma[i] = sigmaAt{float32(cfg.Sigma(z)), float32(cfg.slant(z))}
		r.slanted[i] = float32(incidence(float64(i) / rangerSteps))
	}
	r.columns = make([]column, lens.Width)
	for u := range r.columns {
		x := float32((float64(u) - lens.CX) / lens.FX)
		r.columns[u] = column{x, 1 + x*x}
	}
	r.scratch.New = func() any { return new(ranging) }
	return r
}

// Measure replaces true depths by measured ones: 0 where nothing is measured.
func (r *Ranger) Measure(d *render.Depth, noise random.Source) {
	m := r.scratch.Get().(*ranging)
	defer r.scratch.Put(m)
	m.z = append(m.z[:0], d.Z...)
	if cap(m.mark) < len(d.Z) {
		m.mark = make([]uint8, len(d.Z))
	}
	m.mark = m.mark[:len(d.Z)]
	clear(m.mark)
	if r.cfg.Baseline > 0 {
		r.shade(m, d.Width, d.Height)
	}
	if r.cfg.Lateral > 0 || r.cfg.Flying > 0 || r.cfg.Dropout > 0 {
		r.findOutlines(m, d.Width, d.Height)
	}
	pixels, fray := noise.Pixels(streamDepth), noise.Pixels(streamOutlines)
	for v := range d.Height {
		r.measureRow(d, m, v, pixels)
		r.measureOutlines(d, m, v, pixels, fray)
	}
}

// measureRow adds noise to a row of true depths as if there were no outlines.
func (r *Ranger) measureRow(d *render.Depth, m *ranging, v int, pixels random.Pixels) {
	near, far, perMetre, disparities := float32(r.cfg.Min), float32(r.cfg.Max), r.perMetre, r.cfg.Disparity
	fx, fy := float32(r.lens.FX), float32(r.lens.FY)
	y := (float32(v) - float32(r.lens.CY)) / fy
	yy := y * y
	begin := v * d.Width
	row := d.Z[begin:][:d.Width]
	columns, truth, above := r.columns[:len(row)], m.z[begin:][:len(row)], m.z[max(0, begin-d.Width):][:len(row)]
	sigmas, slanted, normal := (*[rangerEntries]sigmaAt)(r.sigma), (*[rangerEntries]float32)(r.slanted), (*[1024]float32)(r.normal)
	bits := pixels.Bits(uint64(begin)&^3) >> (begin & 3 * 16)
	left := truth[0]
	for u, z := range truth {
		if (begin+u)&3 == 0 { // one draw holds 16 bits for each of four pixels
			bits = pixels.Bits(uint64(begin + u))
		}
		draw := bits & 1023
		bits >>= 16
		if !(z >= near && z <= far) {
			row[u], left = 0, z
			continue
		}
		// The surface's normal, from how depth changes from the left and from above: n·d = −z/|d| of a direction d.
		c := &columns[u]
		nx, ny := fx*(z-left), fy*(z-above[u])
		nz := z + c.x*nx + y*ny
		cos2 := z * z / ((c.x1 + yy) * (nx*nx + ny*ny + nz*nz))
		left = z
		at := &sigmas[entry(z*perMetre)]
		z += (at.facing + at.slanted*slanted[entry(cos2*rangerSteps)]) * normal[draw]
		if disparities {
			z = disparity(z)
		}
		row[u] = millimetres(z)
	}
}

// entry returns which entry of a table of rangerEntries a number from 0 to rangerSteps stands for.
func entry(x float32) uint32 { return uint32(int32(x)) % rangerEntries }

// millimetres rounds a distance in metres to whole millimetres.
func millimetres(z float32) float32 { return float32(int32(z*1000+0.5)) * 1e-3 }

// Limit marks true depths that are out of range: 0 nearer and +Inf farther than measured.
func (r *Ranger) Limit(d *render.Depth) {
	near, far := float32(r.cfg.Min), float32(r.cfg.Max)
	inf := float32(math.Inf(1))
	for i, z := range d.Z {
		if z < near {
			d.Z[i] = 0
		} else if z > far {
			d.Z[i] = inf
		}
	}
}

// disparity rounds a distance to a whole step of the disparity.
func disparity(z float32) float32 {
	if z <= 0 {
		return 0
	}
	return 1 / (disparityStep * float32(int32(1/(disparityStep*z)+0.5)))
}

// shade clears the depths where the projector's light does not come. The projector stands to the right and sees a
// point at the column u − f·b/z of its own. Going left in the image, what it sees goes left too, except where
// something nearer has taken that column before.
func (r *Ranger) shade(m *ranging, width, height int) {
	fb := float32(r.lens.FX * r.cfg.Baseline)
	for v := range height {
		row := m.z[v*width : (v+1)*width]
		leftmost := float32(math.Inf(1))
		for u := width - 1; u >= 0; u-- {
			z := row[u]
			if z <= 0 {
				continue
			}
			column := float32(u) - fb/z
			if column >= leftmost {
				row[u] = 0
				continue
			}
			leftmost = column
		}
	}
}

// normalQuantiles returns the standard normal distribution's quantiles in the middle of n equal shares.
func normalQuantiles(n int) []float32 {
	q := make([]float32, n)
	for i := range q {
		q[i] = float32(math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(n)-1))
	}
	return q
}
