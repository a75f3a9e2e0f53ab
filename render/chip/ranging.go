package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// RangingNumbers holds the parameters of a render.Ranging with a lens, and an image's key, in the form that the
// arithmetic needs, here and in render/internal/tile.
type RangingNumbers struct {
	Near, Far float32
	Axial     [3]float32
	Slant     [2]float32
	// standard deviation of an outline's position, pixels: Lateral[0] is constant, and Lateral[1] applies at 1 m and
	// falls as 1/z
	Lateral [2]float32
	Frays   bool // whether outlines are displaced or mixed
	// thresholds of a 16-bit random number at outlines: below None, a pixel measures nothing; between None and Mixed,
	// it mixes near and far distances
	None, Mixed uint32
	Shadow      float32 // disparity between camera and projector at 1 m, columns
	// light from a white surface that faces the device at 1 m, as a multiple of the least light that is measured; 0 if
	// any light is
	Light         float32
	SignalNoise   float32
	Margin        int
	Step          float32
	Focal, Centre [2]float32 // of the lens, pixels
	PerFocal      [2]float32
	Key           Key
}

// depthNoise is combined with an image's key for its distances, so that the noise of distances is independent of the
// noise of colours.
const depthNoise = 0x6465707468

// darkReflectance is the reflectance of the surface that defines Ranging.DarkRange.
const darkReflectance = 0.1

// NewRangingNumbers returns the parameters of a valid ranging.
func NewRangingNumbers(r *render.Ranging, lens optics.Pinhole, noiseKey uint64) RangingNumbers {
	const whole = 1 << 16
	n := RangingNumbers{
		// a distance of 0 means that there is nothing
		Near: max(float32(r.Min), 1e-6), Far: float32(r.Max), Key: newKey(noiseKey ^ depthNoise),
		Lateral: [2]float32{float32(r.Lateral[0]), float32(r.Lateral[1] * lens.FX)},
		Frays:   r.Lateral != [2]float64{} || r.Flying > 0 || r.Dropout > 0,
		None:    uint32(math.Round(r.Dropout * whole)), Mixed: uint32(math.Round((r.Dropout + r.Flying) * whole)),
		Shadow: float32(r.Baseline * lens.FX), Step: float32(r.Step),
		Light: float32(r.DarkRange * r.DarkRange / darkReflectance), SignalNoise: float32(r.SignalNoise),
		Margin: r.Margin,
		Focal:  [2]float32{float32(lens.FX), float32(lens.FY)}, Centre: [2]float32{float32(lens.CX), float32(lens.CY)},
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

// The kinds of random numbers of a pixel. The index of a random number is randoms times the pixel's index, plus the
// kind.
const (
	axialNoise   = iota
	columnNoise  // sideways displacement of a pixel near an outline
	rowNoise     // downward displacement of a pixel near an outline
	outlineNoise // upper half: what the pixel measures at an outline; lower half: the mixing weight
	randoms
	signalNoise = 1 << 31 // the returned light; beyond the numbers of all pixels
)

// Measure turns true distances into measured distances, in place. A nil Ranging changes nothing. The ranging must be
// valid (see render.View.Validate). The key selects the random numbers: every image needs its own key.
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
			truth: *truth, frayed: *frayed, reflectance: d.Reflectance}
		m.measure(d.Z)
		p.planes.Put(truth)
		p.planes.Put(frayed)
	}
}

// limit replaces distances below near by 0 and distances beyond far by +Inf.
func limit(all []float32, near, far float32) {
	for i, z := range all {
		if z < near {
			all[i] = 0
		} else if z > far {
			all[i] = float32(math.Inf(1))
		}
	}
}

// measurement is the state of one image's measurement. Its planes have a border of one pixel.
type measurement struct {
	RangingNumbers
	width, height int
	// true distances; 0 where the projector's light does not reach; the border repeats the outermost pixels
	truth  []float32
	frayed []float32 // 1 near an outline, within reach of the lateral noise; otherwise 0
	// of the surfaces that the pixels show, without border; it has no effect unless Light > 0
	reflectance []float32
}

// index returns the index of a pixel in the planes, which include the border.
func (m *measurement) index(u, v int) int { return (v+1)*(m.width+2) + u + 1 }

func (m *measurement) measure(z []float32) {
	for v := -1; v <= m.height; v++ {
		row := z[min(max(v, 0), m.height-1)*m.width:][:m.width]
		into := m.truth[m.index(-1, v):][:m.width+2]
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
			if u >= m.width-m.Margin {
				z[i] = 0
				continue
			}
			s := m.surface(u, v)
			if m.frayed[m.index(u, v)] != 0 {
				s = m.fray(u, v)
			}
			if m.Light > 0 && !m.lit(&s, u, v) {
				z[i] = 0
			} else {
				z[i] = m.reading(s.z, s.sigma, uint32(i))
			}
		}
	}
}

// shown is what a pixel shows.
type shown struct {
	z, sigma float32 // distance and its standard deviation, metres
	secant   float32 // of the angle of incidence
	pixel    int     // index of the pixel that has this surface
}

// lit reports whether enough light returns from what the pixel (u, v) shows.
func (m *measurement) lit(s *shown, u, v int) bool {
	x, y := m.direction(u, v)
	square := float32(s.z*s.z) * float32(1+float32(x*x)+float32(y*y)) // of the range
	light := float32(m.Light*m.reflectance[s.pixel]) / float32(square*least(s.secant, steepest))
	return light+float32(m.SignalNoise*m.normal(uint32(v*m.width+u), signalNoise)) >= 1
}

// direction returns the direction of a pixel, (x, y, 1).
func (m *measurement) direction(u, v int) (x, y float32) {
	return float32((float32(u) - m.Centre[0]) * m.PerFocal[0]), float32((float32(v) - m.Centre[1]) * m.PerFocal[1])
}

// shade sets the distances in a row to 0 where the projector's light does not reach. The projector is to the right of
// the camera, at the distance b. In its own image, the projector has a point at the column u − f·b/z. Going from right
// to left in the camera's image, this column decreases, except for points behind a nearer object.
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

// nearest is the smallest distance for which noise is computed, metres.
const nearest = 0.05

// sigma returns the standard deviation of the distance of a surface that faces the device, metres.
func (m *measurement) sigma(z float32) float32 {
	z = most(z, nearest)
	return m.Axial[0] + float32(z*(m.Axial[1]+float32(z*m.Axial[2])))
}

// surface returns the surface at a pixel. It computes the normal from the differences to the left and above. In the
// first row and column the normal is unknown, and the surface is assumed to face the device.
func (m *measurement) surface(u, v int) shown {
	i := m.index(u, v)
	z := m.truth[i]
	s := shown{z, m.sigma(z), 1, v*m.width + u}
	if u == 0 || v == 0 {
		return s
	}
	x, y := m.direction(u, v)
	nx, ny := m.Focal[0]*(z-m.truth[i-1]), m.Focal[1]*(z-m.truth[i-m.width-2])
	// The normal is n = (nx, ny, −nz). For the pixel's direction d = (x, y, 1), n·d is −z.
	nz := z + float32(x*nx) + float32(y*ny)
	square := float32(1+float32(x*x)+float32(y*y)) * float32(float32(nx*nx)+float32(ny*ny)+float32(nz*nz))
	z = most(z, nearest)
	per := 1 / z
	slant := sqrt(z) * (float32(m.Slant[0]*per) + float32(m.Slant[1]*z))
	s.secant = float32(sqrt(square) * per)
	s.sigma += float32(slant * incidence(s.secant))
	return s
}

// steepest is the secant of 82°, the largest angle in the measurements on which the noise model is based.
const steepest = 7.1852965

// incidence returns θ²/(π/2 − θ)², given the secant of θ, which is clamped to steepest. The error is at most 0.1 % of
// the value plus 5. Polynomial: minimax, computed.
func incidence(secant float32) float32 {
	s := least(secant, steepest)
	p := float32(-0.0026094774*s) + 0.05120253
	p = float32(p*s) - 0.3781919
	p = float32(p*s) + 3.7889962
	p = float32(p*s) - 5.4023447
	return float32(p*s) + 1.9376735
}

// reading returns the measured value of a distance. It returns 0 if nothing is measured.
func (m *measurement) reading(z, sigma float32, pixel uint32) float32 {
	if !(z >= m.Near && z <= m.Far) {
		return 0
	}
	const longest = 1e5 // metres; larger distances are clamped
	z += float32(sigma * m.normal(pixel, axialNoise))
	z = least(most(z, 0), longest)
	if m.Step > 0 {
		const finest = 1e9 // larger numbers of disparity steps are clamped
		steps := least(most(1/float32(m.Step*z), 1), finest)
		z = 1 / float32(m.Step*float32(int32(steps+0.5)))
	}
	return float32(int32(float32(z*1000)+0.5)) * 1e-3
}

// normal returns the normal random number of a pixel of the given kind.
func (m *measurement) normal(pixel, which uint32) float32 {
	return normal(byteSum(m.Key.bits(pixel*randoms + which)))
}

// least returns the smaller of two numbers, and most returns the larger. If the first number is NaN, both return the
// second.
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

// The distances of two pixels differ by a jump if the difference is more than apartShare times the nearer distance plus
// apartMetres. Both values are guesses. They are larger than the difference of the floor's distance between
// neighbouring pixels where the floor is seen at the steepest slope.
const apartShare, apartMetres = 0.05, 0.03

// jump reports whether the distances of two neighbouring pixels differ so much that there is an outline between the
// pixels.
func jump(a, b float32) bool {
	return float32(math.Abs(float64(a-b))) > apartMetres+float32(apartShare*least(a, b))
}

// neighbours returns the distances at the pixels to the left, to the right, above and below. The argument is the
// pixel's index in the planes.
func (m *measurement) neighbours(i int) [4]float32 {
	stride := m.width + 2
	return [4]float32{m.truth[i-1], m.truth[i+1], m.truth[i-stride], m.truth[i+stride]}
}

// outlined reports whether there is an outline between a pixel and one of its four neighbours. The argument is the
// pixel's index in the planes.
func (m *measurement) outlined(i int) bool {
	for _, z := range m.neighbours(i) {
		if jump(m.truth[i], z) {
			return true
		}
	}
	return false
}

// longestReach is the largest distance from an outline, in pixels, at which there is lateral noise.
const longestReach = 8

// lateral returns the standard deviation of an outline's position at a distance, pixels.
func (m *measurement) lateral(z float32) float32 { return m.Lateral[0] + m.Lateral[1]/least(z, m.Far) }

// reach returns the distance from an outline, in pixels, up to which there may be lateral noise, if the outline is at
// the depth z.
func (m *measurement) reach(z float32) int {
	return int(math.Ceil(float64(least(2.5*m.lateral(most(z, 0.1)), longestReach))))
}

// findOutlines marks the pixels near jumps of the distance, if the device displaces or mixes outlines.
func (m *measurement) findOutlines() {
	clear(m.frayed)
	for v := 0; v < m.height && m.Frays; v++ {
		for u := range m.width {
			i := m.index(u, v)
			if !m.outlined(i) {
				continue
			}
			reach := m.reach(m.truth[i])
			for y := max(v-reach, 0); y <= min(v+reach, m.height-1); y++ {
				for x := max(u-reach, 0); x <= min(u+reach, m.width-1); x++ {
					m.frayed[m.index(x, y)] = 1
				}
			}
		}
	}
}

// fray returns what a pixel near an outline shows. It is the surface of a displaced pixel, which is assumed to face the
// device.
func (m *measurement) fray(u, v int) shown {
	pixel := uint32(v*m.width + u)
	if z := m.truth[m.index(u, v)]; z > 0 {
		s := m.lateral(z)
		u, v = m.displaced(u, m.width, s*m.normal(pixel, columnNoise)),
			m.displaced(v, m.height, s*m.normal(pixel, rowNoise))
	}
	z := m.mixed(m.index(u, v), pixel)
	return shown{z, m.sigma(z), 1, v*m.width + u}
}

// mixed returns the distance at the index i of the planes, perhaps mixed with the distance beyond an outline, for a
// pixel's random number. It is 0 if the pixel measures nothing.
func (m *measurement) mixed(i int, pixel uint32) float32 {
	z := m.truth[i]
	if !m.outlined(i) || !m.measures(z) {
		return z
	}
	bits := m.Key.bits(pixel*randoms + outlineNoise)
	switch chance := bits >> 16; {
	case chance < m.None:
		return 0
	case chance < m.Mixed:
		const share = 1.0 / (1 << 16)
		other := z
		for _, beside := range m.neighbours(i) {
			if m.measures(beside) && math.Abs(float64(beside-z)) > math.Abs(float64(other-z)) {
				other = beside
			}
		}
		// a random fraction of the light comes from beyond the outline
		return z + float32((other-z)*float32(float32(bits&0xffff)*share))
	}
	return z
}

// measures reports whether the device can measure a distance.
func (m *measurement) measures(z float32) bool { return z > 0 && z <= m.Far }

// displaced returns the index of the pixel at a displacement, in pixels, along a line of n pixels. The index is clamped
// to the line.
func (m *measurement) displaced(pixel, n int, by float32) int {
	whole := float32(math.Floor(float64(float32(by) + 0.5)))
	return int(least(most(float32(pixel)+whole, 0), float32(n-1)))
}
