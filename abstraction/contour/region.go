package contour

import (
	"math"
)

// span is an interval of a row of pixels, in pixels.
type span struct{ from, to float32 }

// mostSpans is the number of intervals of a row, more than a body with wheels, rods and a tower has, or what remains of
// it between others. The gaps before further intervals count as covered.
const mostSpans = 10

// spans are disjoint intervals in ascending order that do not touch.
type spans struct {
	n  int
	at [mostSpans]span
}

// add adds an interval.
func (s *spans) add(from, to float32) {
	if s.n == 0 {
		s.n, s.at[0] = 1, span{from, to}
		return
	}
	i := 0
	for i < s.n && s.at[i].to < from {
		i++
	}
	j := i
	for j < s.n && s.at[j].from <= to {
		from, to = min(from, s.at[j].from), max(to, s.at[j].to)
		j++
	}
	if i == j {
		if s.n == mostSpans {
			i = min(i, s.n-1)
			s.at[i].from, s.at[i].to = min(from, s.at[i].from), max(to, s.at[i].to)
			return
		}
		copy(s.at[i+1:s.n+1], s.at[i:s.n])
		s.n++
	} else if j > i+1 {
		copy(s.at[i+1:], s.at[j:s.n])
		s.n -= j - i - 1
	}
	s.at[i] = span{from, to}
}

// subtract removes an interval.
func (s *spans) subtract(from, to float32) {
	for i := 0; i < s.n; i++ {
		a := &s.at[i]
		switch {
		case a.to <= from:
		case a.from >= to:
			return
		case a.from < from && a.to > to:
			if s.n < mostSpans {
				copy(s.at[i+2:s.n+1], s.at[i+1:s.n])
				s.n++
				s.at[i+1] = span{to, a.to}
			}
			a.to = from
			return
		case a.from < from:
			a.to = from
		case a.to > to:
			a.from = to
			return
		default:
			copy(s.at[i:], s.at[i+1:s.n])
			s.n--
			i--
		}
	}
}

// size returns the total length.
func (s *spans) size() (sum float32) {
	for i := range s.n {
		sum += s.at[i].to - s.at[i].from
	}
	return sum
}

func (s *spans) contains(u float32) bool {
	for i := range s.n {
		if u < s.at[i].from {
			return false
		}
		if u <= s.at[i].to {
			return true
		}
	}
	return false
}

// region is the part of an image that a body covers, without occlusion.
type region struct {
	body   *body
	rows   []spans // of all rows of the image
	first  int     // of the rows that it covers
	last   int     // less than first if there are none
	extent extent  // includes what is beyond the image
}

// extent is a box in the image, pixels.
type extent struct{ minU, maxU, minV, maxV float64 }

func noExtent() extent {
	return extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
}

func (e *extent) add(u, v float64) {
	// Not math.Min: this code runs for every corner.
	if u < e.minU {
		e.minU = u
	}
	if u > e.maxU {
		e.maxU = u
	}
	if v < e.minV {
		e.minV = v
	}
	if v > e.maxV {
		e.maxV = v
	}
}

func (e *extent) widen(o *extent) {
	e.minU, e.maxU, e.minV, e.maxV = min(e.minU, o.minU), max(e.maxU, o.maxU), min(e.minV, o.minV), max(e.maxV, o.maxV)
}

func (e *extent) overlaps(o *extent) bool {
	return e.minU < o.maxU && o.minU < e.maxU && e.minV < o.maxV && o.minV < e.maxV
}

// within reports whether the extent is entirely in an image.
func (e *extent) within(width, height int) bool {
	return e.minU > -0.5 && e.minV > -0.5 && e.maxU < float64(width)-0.5 && e.maxV < float64(height)-0.5
}

// reset clears the region for an image with a number of rows.
func (r *region) reset(height int) {
	if len(r.rows) < height {
		r.rows = make([]spans, height)
		r.first, r.last = 0, -1
	}
	for v := r.first; v <= r.last; v++ {
		r.rows[v].n = 0
	}
	r.first, r.last, r.extent = height, -1, noExtent()
}

// covers reports whether the region covers the centre of a pixel.
func (r *region) covers(u, v int) bool {
	return v >= r.first && v <= r.last && float64(u) >= r.extent.minU && float64(u) <= r.extent.maxU &&
		r.rows[v].contains(float32(u))
}

// Box is a number of pixels and their bounding box.
type Box struct{ Pixels, MinU, MaxU, MinV, MaxV int }

// addRun adds the pixels of a row from one to another.
func (b *Box) addRun(from, to, v int) {
	if from > to {
		return
	}
	if b.Pixels == 0 {
		*b = Box{0, from, to, v, v}
	}
	b.Pixels += to - from + 1
	b.MinU, b.MaxU, b.MinV, b.MaxV = min(b.MinU, from), max(b.MaxU, to), min(b.MinV, v), max(b.MaxV, v)
}

// Boxes are the boxes of the pixels that show a part of a target, of those that it fills by half or more, and of those
// that show its marked part.
type Boxes struct{ All, Half, Marked Box }

// Add adds a pixel that shows a part of a target.
func (b *Boxes) Add(u, v int, half, marked bool) {
	b.All.addRun(u, u, v)
	if half {
		b.Half.addRun(u, u, v)
	}
	if marked {
		b.Marked.addRun(u, u, v)
	}
}

// A pixel shows a body if one of its four samples does. The samples are offset from its centre in u and v, as in
// rendered images.
const (
	sampled = 0.2
	halfway = 0.125 // from here on two samples
)
