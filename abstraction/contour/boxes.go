package contour

import "math"

// markedBody is a body with marked pieces in an image.
type markedBody struct {
	body   *body
	level  *level
	pieces int // index of the body's first piece in Image.pieces; its marked pieces come last
}

// pieceRows are the rows that a piece covers. Row v extends from lo[k] to hi[k] of the Image, where k = at + v − first.
type pieceRows struct {
	first, last, at int
	extent          extent
}

// drawBody adds a body's pixels to its region.
func (im *Image) drawBody(b *body, r *region) {
	if b.Form == nil {
		im.pen.drawBall(im.camera, b)
		im.pen.fill(r)
		return
	}
	l := b.Form.at(b.detail)
	keep := len(l.marks) > 0
	if keep {
		im.marks = append(im.marks, markedBody{b, l, len(im.pieces)})
	}
	p := &im.pen
	for _, pieces := range [2][]polyhedron{l.pieces, l.marked} {
		for i := range pieces {
			p.drawPolyhedron(im.camera, b, &pieces[i])
			p.fill(r)
			if keep {
				im.pieces = append(im.pieces, pieceRows{p.first, p.last, len(im.lo), p.extent})
				if p.first <= p.last {
					im.lo, im.hi = append(im.lo, p.lo[p.first:p.last+1]...), append(im.hi, p.hi[p.first:p.last+1]...)
				}
			}
		}
	}
}

// Boxes returns the boxes of all targets. It reuses the memory of its last argument.
func (im *Image) Boxes(targets int, into []Boxes) []Boxes {
	into = grown(into, targets)
	clear(into)
	for i := range into {
		im.alone[i] = 0
		if r := &im.targets[i]; r.body != nil {
			im.alone[i] = im.box(r, &into[i])
		}
	}
	for i := range im.marks {
		m := &im.marks[i]
		if at := &into[m.body.Target]; at.All.Pixels > 0 {
			for k := range m.level.marks {
				im.markedBox(m, k, &at.Marked)
			}
		}
	}
	return into
}

// Unoccluded returns the number of pixels that would show a target if nothing occluded it. It must be called after
// Boxes.
func (im *Image) Unoccluded(target int) int { return im.alone[target] }

// box sets the boxes of the visible part of a region. It returns the number of pixels that would show the region if
// nothing occluded it.
func (im *Image) box(r *region, into *Boxes) (alone int) {
	var buf [mostHiders]*region
	hiders := im.hidersOf(r, &r.extent, buf[:0])
	c := im.camera
	own := im.own.overlaps(&r.extent)
	whole := r.extent.within(c.width, c.height)
	left, right := float32(-0.5), float32(c.width)-0.5
	ball := r.body.Form == nil
	cut := false
	if whole && len(hiders) == 0 && !own { // most bodies
		for v := r.first; v <= r.last; v++ {
			alone += r.rows[v].pixels(sampled, c.width, v, &into.All)
			if ball {
				r.rows[v].pixels(halfway, c.width, v, &into.Half)
			}
		}
		im.free(&r.extent, into)
		return max(alone, into.All.Pixels)
	}
	for v := r.first; v <= r.last; v++ {
		s := r.rows[v]
		if !whole {
			s.subtract(float32(math.Inf(-1)), left)
			s.subtract(right, float32(math.Inf(1)))
		}
		if len(hiders) > 0 || own {
			before := s.size()
			alone += s.pixels(sampled, c.width, v, nil)
			for _, o := range hiders {
				s.without(o, v)
			}
			if own {
				im.own.subtractFrom(&s, v)
			}
			cut = cut || s.size() < before
			s.pixels(sampled, c.width, v, &into.All)
		} else {
			alone += s.pixels(sampled, c.width, v, &into.All)
		}
		if ball {
			s.pixels(halfway, c.width, v, &into.Half)
		}
	}
	if whole && !cut {
		im.free(&r.extent, into)
	}
	return max(alone, into.All.Pixels)
}

// free extends the boxes of an unoccluded region to the region's extent, whose ends may lie between two rows.
func (im *Image) free(e *extent, into *Boxes) {
	outer := func(b *Box, margin float64) {
		minU, maxU := int(math.Ceil(e.minU-margin)), int(math.Floor(e.maxU+margin))
		minV, maxV := int(math.Ceil(e.minV-margin)), int(math.Floor(e.maxV+margin))
		if minU > maxU || minV > maxV {
			return
		}
		if b.Pixels == 0 {
			*b = Box{1, minU, maxU, minV, maxV}
			return
		}
		*b = Box{b.Pixels, min(b.MinU, minU), max(b.MaxU, maxU), min(b.MinV, minV), max(b.MaxV, maxV)}
	}
	outer(&into.All, sampled)
	outer(&into.Half, halfway)
}

// pixels returns the number of pixels of a row of which a sample lies in the intervals. It also adds these pixels to a
// box, unless the box is nil.
func (s *spans) pixels(margin float64, width, v int, into *Box) (n int) {
	next := 0 // first pixel that has not been counted
	for i := range s.n {
		from := max(int(math.Ceil(float64(s.at[i].from)-margin)), next)
		to := min(int(math.Floor(float64(s.at[i].to)+margin)), width-1)
		if from > to {
			continue
		}
		n += to - from + 1
		next = to + 1
		if into != nil {
			into.addRun(from, to, v)
		}
	}
	return n
}

// markedBox adds the visible part of a marked piece to a box.
func (im *Image) markedBox(b *markedBody, marked int, into *Box) {
	piece, m := &im.pieces[b.pieces+len(b.level.pieces)+marked], &b.level.marks[marked]
	if piece.first > piece.last {
		return
	}
	// own are occluding pieces of the same body, and hiders are other bodies.
	var ownBuf [mostHiders]*pieceRows
	own := ownBuf[:0]
	eyeB := b.body.eyeB
	for i := range m.before {
		d := &m.before[i]
		if d.sense*eyeB[d.axis] <= d.sense*d.at {
			continue
		}
		if o := &im.pieces[b.pieces+d.piece]; len(own) < len(ownBuf) && o.extent.overlaps(&piece.extent) {
			own = append(own, o)
		}
	}
	r := &im.targets[b.body.Target]
	var buf [mostHiders]*region
	hiders := im.hidersOf(r, &piece.extent, buf[:0])
	masked := im.own.overlaps(&piece.extent)
	right := float32(im.camera.width) - 0.5
	for v := piece.first; v <= piece.last; v++ {
		k := piece.at + v - piece.first
		from, to := max(im.lo[k], -0.5), min(im.hi[k], right)
		if from >= to {
			continue
		}
		s := spans{n: 1}
		s.at[0] = span{from, to}
		for _, o := range own {
			if s.n == 0 {
				break
			}
			if v >= o.first && v <= o.last {
				k := o.at + v - o.first
				s.subtract(im.lo[k], im.hi[k])
			}
		}
		for _, o := range hiders {
			s.without(o, v)
		}
		if masked {
			im.own.subtractFrom(&s, v)
		}
		s.pixels(sampled, im.camera.width, v, into)
	}
}

// mostHiders is the largest number of occluding bodies that are considered.
const mostHiders = 32

// hidersOf appends the regions that may occlude a region within an extent. It considers at most as many as the last
// argument has room for.
func (im *Image) hidersOf(r *region, within *extent, into []*region) []*region {
	for _, o := range im.shown {
		if len(into) < cap(into) && o.extent.overlaps(within) && im.hides(o, r) {
			into = append(into, o)
		}
	}
	return into
}

// without removes the part of a row that a region covers.
func (s *spans) without(r *region, v int) {
	if v < r.first || v > r.last {
		return
	}
	for k := range r.rows[v].n {
		if s.n == 0 {
			return
		}
		s.subtract(r.rows[v].at[k].from, r.rows[v].at[k].to)
	}
}
