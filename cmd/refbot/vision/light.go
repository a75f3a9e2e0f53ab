package vision

import "slices"

// Guesses for the search of the light: the step of the coarse search, and the number of floor pixels that the search
// uses.
const (
	gainStep     = 2
	searchPixels = 500
)

// A Segmenter searches for a new light at least every searchInterval images, more often after a change, and at once if
// the depth of the floor's colours in the table's green has dropped by the fraction suddenDrop. It accepts a new light
// if the floor is at least deeperBy times as deep in the new light as in the present light. If the present light is the
// light of the table, the floor must also be less than shallowDepth cells deep in it. In a deeper floor, noise and
// shadows do no harm, because its colours are far from the edge of green. Measured: in halls with the table's light, no
// other light is deeper by more than 1.16; with 40 % of the light, and at 3,500 K, another light is deeper by 1.7 or
// more, and the floor was 0.7 to 3.3 cells deep before.
const (
	searchInterval = 32 // images
	suddenDrop     = 0.5
	deeperBy       = 1.3
	shallowDepth   = 4
	lightVoters    = 7 // number of images from which the median light is computed
)

// depth returns the depth of each cell in the table's green: the cell's distance from the nearest cell that is not
// green, along the axes, in cells. Cells that are not green have the depth 0. The table's green also covers shadows,
// gloss and noise, so the colours of the carpet itself have a large depth.
func (t *ColorTable) depth() []uint8 {
	deep := make([]uint8, cellCount)
	for c := range deep {
		if t.cells[c] == ClassGreen {
			deep[c] = cellsPerAxis
		}
	}
	step := func(c, shift, by int) {
		if x := c >> shift & (cellsPerAxis - 1); x+by >= 0 && x+by < cellsPerAxis {
			deep[c] = min(deep[c], deep[c+by<<shift]+1)
		}
	}
	for range 2 { // Distances along axes need only one pass in each direction.
		for c := range deep {
			for shift := 0; shift <= 2*cellBits; shift += cellBits {
				step(c, shift, -1)
			}
		}
		for c := cellCount - 1; c >= 0; c-- {
			for shift := 0; shift <= 2*cellBits; shift += cellBits {
				step(c, shift, 1)
			}
		}
	}
	return deep
}

// adapt updates the light for an image. From time to time it searches for the light in which the colours of the floor
// have the largest depth in the table's green. It prefers the table's own light.
func (s *Segmenter) adapt(pix []byte) {
	if len(s.floor) == 0 {
		return
	}
	plain := lightGains{unitGain, unitGain, unitGain}
	now := s.depths(pix, s.light, 1)
	// The last change may have been caused by an object that covered the carpet, not by the light.
	if s.light != plain {
		if own := s.depths(pix, plain, 1); own >= now {
			s.light, now = plain, own
		}
	}
	if s.wait--; s.wait >= 0 && float64(now) >= suddenDrop*float64(s.depth) {
		return
	}
	s.pause = min(2*s.pause+1, searchInterval)
	s.wait = s.pause
	best := s.deepest(pix)
	most := s.depths(pix, best, 1)
	if own := s.depths(pix, plain, 1); deeperBy*float64(own) >= float64(most) {
		best, most = plain, own
	}
	switch {
	case float64(most) >= deeperBy*float64(now) && (s.light != plain || now < shallowDepth*len(s.floor)):
		s.light, now, s.pause, s.wait = best, most, 0, 0
		s.votes = append(s.votes[:0], best)
	case s.light != plain && best != plain:
		s.vote(best)
	}
	s.depth = now
}

// vote records the light found in an image. It then sets the gain of each channel to the median of the last lightVoters
// lights, so that no single image decides.
func (s *Segmenter) vote(l lightGains) {
	if len(s.votes) == cap(s.votes) {
		copy(s.votes, s.votes[1:])
		s.votes = s.votes[:len(s.votes)-1]
	}
	s.votes = append(s.votes, l)
	if len(s.votes)%2 == 0 { // an even count has no middle element
		return
	}
	middle := func(channel func(lightGains) int) int {
		var all [lightVoters]int
		for i, v := range s.votes {
			all[i] = channel(v)
		}
		slices.Sort(all[:len(s.votes)])
		return all[len(s.votes)/2]
	}
	s.light = lightGains{middle(func(l lightGains) int { return l.red }),
		middle(func(l lightGains) int { return l.green }),
		middle(func(l lightGains) int { return l.blue })}
}

// deepest returns the light in which the pixels of the floor have the largest total depth in the table's green.
func (s *Segmenter) deepest(pix []byte) lightGains {
	stride := max(1, len(s.floor)/searchPixels)
	best, most := lightGains{unitGain, unitGain, unitGain}, -1
	for green := 0; green < gainCount; green += gainStep {
		for red := -maxTint; red <= maxTint; red += gainStep {
			for blue := -maxTint; blue <= maxTint; blue += gainStep {
				l := lightGains{green + red, green, green + blue}
				if !l.valid() {
					continue
				}
				if n := s.depths(pix, l, stride); n > most {
					best, most = l, n
				}
			}
		}
	}
	most = s.depths(pix, best, 1)
	for moved := true; moved; {
		moved = false
		for _, by := range [...]lightGains{{1, 1, 1}, {-1, -1, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}} {
			l := lightGains{best.red + by.red, best.green + by.green, best.blue + by.blue}
			if !l.valid() {
				continue
			}
			if n := s.depths(pix, l, 1); n > most {
				best, most, moved = l, n, true
			}
		}
	}
	return best
}

// valid reports whether the gains, and their differences between channels, are in the allowed ranges.
func (l lightGains) valid() bool {
	red, blue := l.red-l.green, l.blue-l.green
	return min(l.red, l.green, l.blue) >= 0 && max(l.red, l.green, l.blue) < gainCount &&
		max(red, -red, blue, -blue) <= maxTint
}

// depths returns the sum of the depths of floor pixels in a light. It uses every stride-th floor pixel.
func (s *Segmenter) depths(pix []byte, l lightGains, stride int) (sum int) {
	red, green, blue := &s.scaled[l.red], &s.scaled[l.green], &s.scaled[l.blue]
	for k := 0; k < len(s.floor); k += stride {
		i := s.floor[k]
		sum += int(s.deep[red[pix[3*i]]<<(2*cellBits)|green[pix[3*i+1]]<<cellBits|blue[pix[3*i+2]]])
	}
	return sum
}
