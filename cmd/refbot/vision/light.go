package vision

import "slices"

// The search for a light: steps of its first round, and how many of the floor's pixels count there. Guesses: what
// matters is wider, and noise is less with so many.
const (
	gainStep     = 2
	searchPixels = 500
)

// Another light is looked for every so many images at last, after a change more often, and at once when the floor is so
// much less deep than when it was looked for last. It is believed when the floor is so much deeper in it, and, where
// the table's own light was taken so far, so shallow in that, in cells: farther from the edge than noise and shadows
// take it all is well, however deep a table is that somebody drew with much room. Measured: in halls lit as a table was
// made nothing is deeper by more than 1.16; in 40 % of the light and at 3,500 K by 1.7 and more, where it is 0.7 to 3.3
// cellCount deep before.
const (
	searchInterval = 32 // images
	suddenDrop     = 0.5
	deeperBy       = 1.3
	shallowDepth   = 4
	lightVoters    = 7 // images by which a light is known better
)

// depth returns of each cell how many cells it is away from all that are not green, along the axes; 0 for those that
// are not. The carpet's own colours are in the middle of what a table has for it, which reaches farther for shadows,
// shine and noise.
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
	for range 2 { // towards each corner and back: distances along axes need no more
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

// adapt looks from time to time for the light in which the floor is the deepest in what the table has for green: the
// table's own, if that will do.
func (s *Segmenter) adapt(pix []byte) {
	if len(s.floor) == 0 {
		return
	}
	plain := lightGains{unitGain, unitGain, unitGain}
	now := s.depths(pix, s.light, 1)
	if s.light != plain { // what had hidden the carpet, and no light, may have made it look for another
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

// vote takes of each channel the middle of what the newest images say, so that no image alone decides.
func (s *Segmenter) vote(l lightGains) {
	if len(s.votes) == cap(s.votes) {
		copy(s.votes, s.votes[1:])
		s.votes = s.votes[:len(s.votes)-1]
	}
	s.votes = append(s.votes, l)
	if len(s.votes)%2 == 0 { // there is no middle
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
	s.light = lightGains{middle(func(l lightGains) int { return l.red }), middle(func(l lightGains) int { return l.green }),
		middle(func(l lightGains) int { return l.blue })}
}

// deepest returns the light in which the floor's pixels are deepest.
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

// valid tells whether there is such a light.
func (l lightGains) valid() bool {
	red, blue := l.red-l.green, l.blue-l.green
	return min(l.red, l.green, l.blue) >= 0 && max(l.red, l.green, l.blue) < gainCount &&
		max(red, -red, blue, -blue) <= maxTint
}

// depths sums up how deep every so many of the floor's pixels are in a light.
func (s *Segmenter) depths(pix []byte, l lightGains, stride int) (sum int) {
	red, green, blue := &s.scaled[l.red], &s.scaled[l.green], &s.scaled[l.blue]
	for k := 0; k < len(s.floor); k += stride {
		i := s.floor[k]
		sum += int(s.deep[red[pix[3*i]]<<(2*cellBits)|green[pix[3*i+1]]<<cellBits|blue[pix[3*i+2]]])
	}
	return sum
}
