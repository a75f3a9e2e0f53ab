package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// RangingNumbers is a render.Ranging behind a lens, and the key of an image, as the arithmetic has them, for whoever
// does it elsewhere.
type RangingNumbers struct {
	Near, Far float32
	Axial     [3]float32
	Slant     [2]float32
	Lateral   [2]float32 // pixels; pixels at a distance of 1 m
	Frays     bool       // outlines are not as they are
	// of 65,536 pixels at outlines so many measure nothing, and so many measure nothing or mix near and far
	None, Mixed   uint32
	Shadow        float32 // columns between where the camera and the projector see what is 1 m away
	Step          float32
	Focal, Centre [2]float32 // of the lens, pixels
	PerFocal      [2]float32
	Key           Key
}

// depthNoise makes an image's key that of its distances, so that their noise does not depend on the colours'.
const depthNoise = 0x6465707468

// NewRangingNumbers returns those of a valid ranging.
func NewRangingNumbers(r *render.Ranging, lens optics.Pinhole, noiseKey uint64) RangingNumbers {
	const whole = 1 << 16
	n := RangingNumbers{
		// at 0 there is nothing
		Near: max(float32(r.Min), 1e-6), Far: float32(r.Max), Key: newKey(noiseKey ^ depthNoise),
		Lateral: [2]float32{float32(r.Lateral[0]), float32(r.Lateral[1] * lens.FX)},
		Frays:   r.Lateral != [2]float64{} || r.Flying > 0 || r.Dropout > 0,
		None:    uint32(math.Round(r.Dropout * whole)), Mixed: uint32(math.Round((r.Dropout + r.Flying) * whole)),
		Shadow: float32(r.Baseline * lens.FX), Step: float32(r.Step),
		Focal: [2]float32{float32(lens.FX), float32(lens.FY)}, Centre: [2]float32{float32(lens.CX), float32(lens.CY)},
		PerFocal: [2]float32{float32(1 / lens.FX), float32(1 / lens.FY)},
	}
	for i, a := range r.Axial {
		n.Axial[i] = float32(a)
	}
	for i, s := range r.Slant {
		n.Slant[i] = float32(s)
	}
	return n
}

// Random numbers of a pixel: of its index times randoms, and the next.
const (
	axialNoise   = iota
	columnNoise  // the sideways displacement of a pixel near an outline
	rowNoise     // the same down the image
	outlineNoise // what becomes of a pixel at an outline, in the upper half, and the share of what is mixed in
	randoms
)

// Measure makes true distances what a device behind a lens measures, in place; nil changes nothing. The ranging must be
// valid (render.View.Validate tells). The key selects the random numbers: one for each image.
func (p *Processor) Measure(d *render.Depth, r *render.Ranging, lens optics.Pinhole, noiseKey uint64) {
	switch {
	case r == nil:
	case r.Exact:
		limit(d.Z, float32(r.Min), float32(r.Max))
	case p.Vectors != nil:
		p.Vectors.Measure(d, r, lens, noiseKey)
	default:
		cells := (d.Width + 2) * (d.Height + 2)
		truth, frayed := p.plane(cells), p.plane(cells)
		m := measurement{RangingNumbers: NewRangingNumbers(r, lens, noiseKey), width: d.Width, height: d.Height,
			truth: *truth, frayed: *frayed}
		m.measure(d.Z)
		p.planes.Put(truth)
		p.planes.Put(frayed)
	}
}

// limit leaves nothing nearer or farther than is measured.
func limit(all []float32, near, far float32) {
	for i, z := range all {
		if z < near {
			all[i] = 0
		} else if z > far {
			all[i] = float32(math.Inf(1))
		}
	}
}

// measurement is of one image. Its planes have a border of one pixel.
type measurement struct {
	RangingNumbers
	width, height int
	truth         []float32 // 0 where the projector's light does not come; the border repeats the outermost pixels
	frayed        []float32 // 1 within reach of an outline, or 0
}

// at returns where a pixel is in the planes.
func (m *measurement) at(u, v int) int { return (v+1)*(m.width+2) + u + 1 }

func (m *measurement) measure(z []float32) {
	for v := -1; v <= m.height; v++ {
		row := z[min(max(v, 0), m.height-1)*m.width:][:m.width]
		into := m.truth[m.at(-1, v):][:m.width+2]
		copy(into[1:], row)
		if m.Shadow > 0 {
			m.shade(into[1 : 1+m.width])
		}
		into[0], into[m.width+1] = into[1], into[m.width]
	}
	m.findOutlines()
	for v := range m.height {
		for u := range m.width {
			i := v*m.width + u
			if m.frayed[m.at(u, v)] != 0 {
				frayed := m.fray(u, v)
				z[i] = m.reading(frayed, m.sigma(frayed), uint32(i))
			} else {
				z[i] = m.reading(m.truth[m.at(u, v)], m.slantedSigma(u, v), uint32(i))
			}
		}
	}
}

// shade clears a row's distances where the projector's light does not come. The projector stands to the right and sees
// a point at the column u − f·b/z of its own. Going left in the image, what it sees goes left too, except where
// something nearer has taken that column before.
func (m *measurement) shade(row []float32) {
	leftmost := float32(math.Inf(1))
	for u := len(row) - 1; u >= 0; u-- {
		if row[u] <= 0 {
			continue
		}
		if column := float32(u) - m.Shadow/row[u]; column >= leftmost {
			row[u] = 0
		} else {
			leftmost = column
		}
	}
}

// nearest is as near as anything is that noise is computed for, metres.
const nearest = 0.05

// sigma returns the standard deviation of a distance of what faces the device.
func (m *measurement) sigma(z float32) float32 {
	z = most(z, nearest)
	return m.Axial[0] + float32(z*(m.Axial[1]+float32(z*m.Axial[2])))
}

// slantedSigma returns the standard deviation of the distance of a pixel's surface. Its normal is told from how
// distances change from the left and from above, so that in the first row and column it is not known: there it faces
// the device.
func (m *measurement) slantedSigma(u, v int) float32 {
	i := m.at(u, v)
	z := m.truth[i]
	facing := m.sigma(z)
	if u == 0 || v == 0 {
		return facing
	}
	x, y := float32((float32(u)-m.Centre[0])*m.PerFocal[0]), float32((float32(v)-m.Centre[1])*m.PerFocal[1])
	nx, ny := m.Focal[0]*(z-m.truth[i-1]), m.Focal[1]*(z-m.truth[i-m.width-2])
	nz := z + float32(x*nx) + float32(y*ny) // n·d is −z of a direction d = (x, y, 1)
	square := float32(1+float32(x*x)+float32(y*y)) * float32(float32(nx*nx)+float32(ny*ny)+float32(nz*nz))
	z = most(z, nearest)
	per := 1 / z
	slant := sqrt(z) * (float32(m.Slant[0]*per) + float32(m.Slant[1]*z))
	return facing + float32(slant*incidence(float32(sqrt(square)*per)))
}

// steepest is the secant of 82°, where the sources of noise stop having measured.
const steepest = 7.1852965

// incidence returns θ²/(π/2 − θ)² by the secant of θ, which it takes for at most steepest: within 0.1 % of 5 more than
// it. Polynomial: minimax, computed.
func incidence(secant float32) float32 {
	s := least(secant, steepest)
	p := float32(-0.0026094774*s) + 0.05120253
	p = float32(p*s) - 0.3781919
	p = float32(p*s) + 3.7889962
	p = float32(p*s) - 5.4023447
	return float32(p*s) + 1.9376735
}

// reading returns what is measured of a distance: 0 where nothing is.
func (m *measurement) reading(z, sigma float32, pixel uint32) float32 {
	if !(z >= m.Near && z <= m.Far) {
		return 0
	}
	const longest = 1e5 // that counts in millimetres
	z += float32(sigma * m.normal(pixel, axialNoise))
	z = least(most(z, 0), longest)
	if m.Step > 0 {
		const finest = 1e9 // of disparities that are counted
		steps := least(most(1/float32(m.Step*z), 1), finest)
		z = 1 / float32(m.Step*float32(int32(steps+0.5)))
	}
	return float32(int32(float32(z*1000)+0.5)) * 1e-3
}

// normal returns a normal number of a pixel.
func (m *measurement) normal(pixel, which uint32) float32 {
	return normal(byteSum(m.Key.bits(pixel*randoms + which)))
}

// least and most return the second number for what is none.
func least(x, limit float32) float32 {
	if x < limit {
		return x
	}
	return limit
}

func most(x, limit float32) float32 {
	if x > limit {
		return x
	}
	return limit
}
