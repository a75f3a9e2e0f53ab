package abstraction

import (
	"math"
)

// slopes is a set of directions in a vertical plane through the viewpoint. A slope is height over horizontal distance.
// The set is a list of disjoint intervals of slopes in ascending order.
type slopes struct {
	n    int
	from [maxSlopes]float64
	to   [maxSlopes]float64
}

// maxSlopes is the maximum number of intervals. It suffices for the visible part of a body of eight prisms that other
// bodies partly occlude. Further intervals are dropped.
const maxSlopes = 12

// steep is the slope of the direction straight up. The slope of the direction straight down is −steep.
const steep = 1e6

// set replaces the contents of the set by one interval.
func (s *slopes) set(from, to float64) { s.n, s.from[0], s.to[0] = 1, from, to }

// add adds an interval to the set.
func (s *slopes) add(from, to float64) {
	if s.n == 0 {
		s.set(from, to)
		return
	}
	i := 0
	for i < s.n && s.to[i] < from {
		i++
	}
	j := i
	for j < s.n && s.from[j] <= to {
		from, to = min(from, s.from[j]), max(to, s.to[j])
		j++
	}
	if i == j { // between others
		if s.n == maxSlopes {
			return
		}
		copy(s.from[i+1:s.n+1], s.from[i:s.n])
		copy(s.to[i+1:s.n+1], s.to[i:s.n])
		s.n++
	} else if j > i+1 {
		copy(s.from[i+1:], s.from[j:s.n])
		copy(s.to[i+1:], s.to[j:s.n])
		s.n -= j - i - 1
	}
	s.from[i], s.to[i] = from, to
}

// subtract removes an interval of slopes from the set. It returns true if this changed the set.
func (s *slopes) subtract(from, to float64) bool {
	changed := false
	for i := 0; i < s.n; i++ {
		if s.to[i] <= from || s.from[i] >= to {
			continue
		}
		changed = true
		switch {
		case s.from[i] < from && s.to[i] > to:
			end := s.to[i]
			s.to[i] = from
			if s.n < maxSlopes {
				copy(s.from[i+2:s.n+1], s.from[i+1:s.n])
				copy(s.to[i+2:s.n+1], s.to[i+1:s.n])
				s.n++
				s.from[i+1], s.to[i+1] = to, end
			}
			return true
		case s.from[i] < from:
			s.to[i] = from
		case s.to[i] > to:
			s.from[i] = to
		default:
			copy(s.from[i:], s.from[i+1:s.n])
			copy(s.to[i:], s.to[i+1:s.n])
			s.n--
			i--
		}
	}
	return changed
}

// size returns the set's solid angle per radian of azimuth, which is the sum of differences of the sines of elevations.
// If small is true, it returns the sum of differences of slopes instead, which is about proportional to the solid
// angle.
func (s *slopes) size(small bool) float64 {
	sum := 0.0
	if small {
		for i := range s.n {
			sum += s.to[i] - s.from[i]
		}
		return sum
	}
	for i := range s.n {
		sum += sine(s.to[i]) - sine(s.from[i])
	}
	return sum
}

// sine returns the sine of the elevation of a direction with the given slope.
func sine(slope float64) float64 { return slope / math.Sqrt(1+slope*slope) }

// prismSlopes returns the lowest and highest slope of a prism. The prism extends between the distances near and far,
// and between the heights bottom and top over the viewpoint. The distances must not be negative, and not both 0.
func prismSlopes(near, far, bottom, top float64) (from, to float64) {
	if bottom < 0 {
		from = slopeOf(bottom, near)
	} else {
		from = slopeOf(bottom, far)
	}
	if top < 0 {
		to = slopeOf(top, far)
	} else {
		to = slopeOf(top, near)
	}
	return from, to
}

func slopeOf(height, distance float64) float64 {
	if math.Abs(height) >= steep*distance {
		return math.Copysign(steep, height)
	}
	return height / distance
}

// discSlopes returns the lowest and highest slope of a disc in the vertical plane. The arguments are the distance of
// the disc's centre, the centre's height over the viewpoint, and the disc's radius. It returns false if the viewpoint
// is straight above, straight below or inside the disc, or if the disc is behind the viewpoint.
func discSlopes(ahead, height, radius float64) (from, to float64, ok bool) {
	// The slopes are those of the tangents through the viewpoint.
	a := ahead*ahead - radius*radius
	if a <= 0 || ahead <= 0 {
		return 0, 0, false
	}
	root := radius * math.Sqrt(a+height*height)
	return (ahead*height - root) / a, (ahead*height + root) / a, true
}
