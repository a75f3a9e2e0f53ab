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
	sigma    []float32 // by distance, in steps of max/(len−1)
	slant    []float32 // the same
	columns  []float32 // x of each column's direction with length 1 along the axis
	slanted  []float32 // by the square of the cosine of the angle of incidence, from 0 to 1
	perMetre float32   // entries of sigma
	scratch  sync.Pool // of *ranging
}

// ranging is the memory of one measurement.
type ranging struct {
	z    []float32 // the true depths; 0 where the projector's light does not come
	mark []uint8   // outline or nearOutline
}

const (
	outline     = 1 // next to something nearer or farther
	nearOutline = 2 // within reach of the lateral noise of an outline
)

const rangerSteps = 1024

// Streams of pixel noise within a frame.
const (
	streamColor uint64 = iota
	streamDepth
	streamOutlines
)

// NewRanger returns that of a configuration behind a lens.
func NewRanger(cfg *Ranging, lens optics.Pinhole) *Ranger {
	r := &Ranger{cfg: cfg, lens: lens, normal: normalQuantiles(1024), perMetre: float32((rangerSteps - 1) / cfg.Max)}
	r.sigma, r.slant, r.slanted = make([]float32, rangerSteps+1), make([]float32, rangerSteps+1), make([]float32, rangerSteps+1)
	for i := range r.sigma {
		z := math.Max(float64(i)/float64(r.perMetre), 0.05)
		r.sigma[i], r.slant[i] = float32(cfg.Sigma(z)), float32(cfg.slant(z))
		r.slanted[i] = float32(incidence(float64(i) / rangerSteps))
	}
	r.columns = make([]float32, lens.Width)
	for u := range r.columns {
		r.columns[u] = float32((float64(u) - lens.CX) / lens.FX)
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
	near, far := float32(r.cfg.Min), float32(r.cfg.Max)
	fx, fy := float32(r.lens.FX), float32(r.lens.FY)
	columns := r.columns[:d.Width]
	normal := (*[1024]float32)(r.normal)
	sigmas, slants, slanted := (*[rangerSteps + 1]float32)(r.sigma), (*[rangerSteps + 1]float32)(r.slant), (*[rangerSteps + 1]float32)(r.slanted)
	var bits uint64
	for v := range d.Height {
		y := (float32(v) - float32(r.lens.CY)) / fy
		left := float32(0) // of the pixel's own row
		for u := range d.Width {
			i := v*d.Width + u
			if i&3 == 0 { // one draw holds 16 bits for each of four pixels
				bits = pixels.Bits(uint64(i))
			}
			draw := bits & 1023
			bits >>= 16
			z := m.z[i]
			mark := m.mark[i]
			before := left
			left = z
			if mark != 0 {
				z = r.frayed(m, i, u, v, d.Width, d.Height, fray.Bits(uint64(i)))
			}
			if !(z >= near && z <= far) {
				d.Z[i] = 0
				continue
			}
			at := min(uint(z*r.perMetre), rangerSteps)
			sigma := sigmas[at]
			if u > 0 && v > 0 && mark == 0 {
				// The surface's normal, from how depth changes from the left and from above: n·d = −z/|d| of a direction d.
				x := columns[u]
				nx, ny := fx*(z-before), fy*(z-m.z[i-d.Width])
				nz := z + x*nx + y*ny
				cos2 := z * z / ((1 + x*x + y*y) * (nx*nx + ny*ny + nz*nz))
				sigma += slants[at] * slanted[min(uint(cos2*rangerSteps), rangerSteps)]
			}
			z += sigma * normal[draw]
			if r.cfg.Disparity {
				z = disparity(z)
			}
			d.Z[i] = float32(int32(z*1000+0.5)) * 1e-3
		}
	}
}

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

// apart is by how much depth jumps at an outline: a share of it, and metres. Guess: more than the steepest floor that
// is seen changes from pixel to pixel.
const apartShare, apartMetres = 0.05, 0.03

// findOutlines marks the pixels at jumps of depth.
func (r *Ranger) findOutlines(m *ranging, width, height int) {
	mark := func(i, u, v int) {
		reach := 0
		if r.cfg.Lateral > 0 {
			z := math.Max(float64(min(m.z[i], float32(r.cfg.Max))), 0.1)
			reach = min(int(math.Ceil(2.5*r.cfg.lateral(z, r.lens.FX))), 8)
		}
		for y := max(v-reach, 0); y <= min(v+reach, height-1); y++ {
			for x := max(u-reach, 0); x <= min(u+reach, width-1); x++ {
				m.mark[y*width+x] |= nearOutline
			}
		}
		m.mark[i] |= outline
	}
	jump := func(a, b float32) bool {
		d := a - b
		if d < apartMetres && d > -apartMetres {
			return false
		}
		return d > apartMetres+apartShare*b || -d > apartMetres+apartShare*a
	}
	for v := range height {
		for u := range width {
			i := v*width + u
			if u > 0 && jump(m.z[i], m.z[i-1]) {
				mark(i, u, v)
				mark(i-1, u-1, v)
			}
			if v > 0 && jump(m.z[i], m.z[i-width]) {
				mark(i, u, v)
				mark(i-width, u, v-1)
			}
		}
	}
}

// frayed returns the depth of a pixel near an outline: of a neighbour, mixed with another one, or none.
func (r *Ranger) frayed(m *ranging, i, u, v, width, height int, bits uint64) float32 {
	const ten = 1<<10 - 1
	z := m.z[i]
	if r.cfg.Lateral > 0 && z > 0 {
		s := float32(r.cfg.lateral(math.Min(float64(z), r.cfg.Max), r.lens.FX))
		du := int(math.Round(float64(s * r.normal[bits&ten])))
		dv := int(math.Round(float64(s * r.normal[bits>>10&ten])))
		u, v = min(max(u+du, 0), width-1), min(max(v+dv, 0), height-1)
		i = v*width + u
		z = m.z[i]
	}
	if m.mark[i]&outline == 0 || !(z > 0 && z <= float32(r.cfg.Max)) {
		return z // not at an outline, or nothing is measured anyway
	}
	const whole = float64(ten + 1)
	chance := float64(bits>>20&ten) / whole
	switch {
	case chance < r.cfg.Dropout:
		return 0
	case chance < r.cfg.Dropout+r.cfg.Flying:
		// The share of the light that comes from the surface behind or before.
		other := z
		for _, j := range [4]int{i - 1, i + 1, i - width, i + width} {
			if j >= 0 && j < len(m.z) && m.z[j] > 0 && m.z[j] <= float32(r.cfg.Max) && abs32(m.z[j]-z) > abs32(other-z) {
				other = m.z[j]
			}
		}
		return z + (other-z)*float32(float64(bits>>30&ten)/whole)
	}
	return z
}

func abs32(x float32) float32 { return float32(math.Abs(float64(x))) }

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
