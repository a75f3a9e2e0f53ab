package chip

import "math"

// Two distances jump if they differ by more than apartShare times the nearer distance plus apartMetres. Both values are
// guesses: more than the distance of the floor changes from pixel to pixel where it looks steepest.
const apartShare, apartMetres = 0.05, 0.03

// jump reports whether the distances of two neighbouring pixels differ so much that there is an outline between the
// pixels.
func jump(a, b float32) bool {
	return float32(math.Abs(float64(a-b))) > apartMetres+float32(apartShare*least(a, b))
}

// neighbours returns the distances to the left, to the right, above and below of index i of the planes.
func (m *measurement) neighbours(i int) [4]float32 {
	stride := m.width + 2
	return [4]float32{m.truth[i-1], m.truth[i+1], m.truth[i-stride], m.truth[i+stride]}
}

// outlined reports whether there is an outline between the pixel at index i of the planes and one of its four
// neighbours.
func (m *measurement) outlined(i int) bool {
	for _, z := range m.neighbours(i) {
		if jump(m.truth[i], z) {
			return true
		}
	}
	return false
}

// longestReach is the largest distance from an outline at which lateral noise shows, pixels.
const longestReach = 8

// lateral returns the standard deviation of an outline's position at a distance, pixels.
func (m *measurement) lateral(z float32) float32 { return m.Lateral[0] + m.Lateral[1]/least(z, m.Far) }

// reach returns how far from an outline, pixels, lateral noise may show if the outline is at the depth z.
func (m *measurement) reach(z float32) int {
	return int(math.Ceil(float64(least(2.5*m.lateral(most(z, 0.1)), longestReach))))
}

// findOutlines marks the pixels near jumps of distance, if the device frays outlines.
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

// fray returns the distance that a pixel near an outline shows: the distance of a displaced pixel, perhaps mixed with
// the distance beyond the outline, or 0 if it measures nothing.
func (m *measurement) fray(u, v int) float32 {
	pixel := uint32(v*m.width + u)
	i := m.index(u, v)
	if z := m.truth[i]; z > 0 {
		s := m.lateral(z)
		i = m.index(m.displaced(u, m.width, s*m.normal(pixel, columnNoise)),
			m.displaced(v, m.height, s*m.normal(pixel, rowNoise)))
	}
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
		// a random part of the light comes from beyond the outline
		return z + float32((other-z)*float32(float32(bits&0xffff)*share))
	}
	return z
}

// measures reports whether the device can measure a distance.
func (m *measurement) measures(z float32) bool { return z > 0 && z <= m.Far }

// displaced returns the index of the pixel that is displaced from another pixel by a distance, pixels, along a line of
// n pixels. The index is clamped to the line.
func (m *measurement) displaced(pixel, n int, by float32) int {
	whole := float32(math.Floor(float64(float32(by) + 0.5)))
	return int(least(most(float32(pixel)+whole, 0), float32(n-1)))
}
