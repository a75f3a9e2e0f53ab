package imaging

import (
	"encoding/binary"
	"math"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

const (
	outline     = 1 // next to something nearer or farther
	nearOutline = 2 // within reach of the lateral noise of an outline
)

// apart is by how much depth jumps at an outline: a share of it, and metres. Guess: more than the steepest floor that
// is seen changes from pixel to pixel.
const apartShare, apartMetres = 0.05, 0.03

// findOutlines marks the pixels at jumps of depth.
func (r *Ranger) findOutlines(m *ranging, width, height int) {
	mark := func(i, u, v int) {
		if m.mark[i]&outline != 0 {
			return
		}
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
	for v := range height {
		row := m.z[v*width:][:width]
		above := m.z[max(0, v-1)*width:][:width]
		left := row[0]
		for u, z := range row {
			before := left
			left = z
			if z == before && z == above[u] { // both infinite: their difference is no number
				continue
			}
			if x, y := z-before, z-above[u]; x*x+y*y < apartMetres*apartMetres { // nearly always
				continue
			}
			if jump(z, before) {
				mark(v*width+u, u, v)
				mark(v*width+u-1, u-1, v)
			}
			if jump(z, above[u]) {
				mark(v*width+u, u, v)
				mark((v-1)*width+u, u, v-1)
			}
		}
	}
}

// jump tells whether two depths are so far apart that an outline is between them.
func jump(a, b float32) bool {
	d := a - b
	return d > apartMetres+apartShare*b || -d > apartMetres+apartShare*a
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

// measureOutlines measures again what is next to outlines, and where the image begins and no slant is known: in the first row and column.
func (r *Ranger) measureOutlines(d *render.Depth, m *ranging, v int, pixels, fray random.Pixels) {
	near, far := float32(r.cfg.Min), float32(r.cfg.Max)
	begin := v * d.Width
	marks := m.mark[begin:][:d.Width]
	for u := 0; u < len(marks); u++ {
		if u > 0 && v > 0 && marks[u] == 0 {
			for u+8 < len(marks) && binary.NativeEndian.Uint64(marks[u:]) == 0 { // nearly always
				u += 8
			}
			if marks[u] == 0 {
				continue
			}
		}
		i, mark := begin+u, marks[u]
		z := m.z[i]
		if mark != 0 {
			z = r.frayed(m, i, u, v, d.Width, d.Height, fray.Bits(uint64(i)))
		}
		if !(z >= near && z <= far) {
			d.Z[i] = 0
			continue
		}
		draw := pixels.Bits(uint64(i)&^3) >> (i & 3 * 16) & 1023
		z += r.sigma[entry(z*r.perMetre)].facing * r.normal[draw]
		if r.cfg.Disparity {
			z = disparity(z)
		}
		d.Z[i] = millimetres(z)
	}
}
