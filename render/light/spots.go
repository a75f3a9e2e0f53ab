package light

import (
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// spotShadow describes the fraction of the direct light of one bulb that reaches the floor past the bodies.
type spotShadow struct {
	group int // index in the Field
	posW  mgl64.Vec3
	// share is the fraction of the lamps' light on the empty floor that comes directly from the bulb, by luminance. It
	// has a value for each texel of the ShadowMap.
	share []float32
	still []float32 // unblocked fraction at each texel with static bodies only; 1 is all
	now   []float32 // unblocked fraction at each texel with all bodies
}

// spots holds the shadows of all bulbs, and scratch memory for drawing them.
type spots struct {
	of   []spotShadow
	mask []uint16 // blocked subtexels of each texel: 4 rows of 4 bits
	span [][2]float64
	hull []mgl64.Vec3
	seen []mgl64.Vec2
}

const (
	finer    = 4    // number of rows and of columns of subtexels per texel
	faintest = 0.01 // a bulb that gives less than this fraction of the lamps' light casts no shadow
	// width of the border of the map in which shadows fade out, metres; otherwise the texels at the edge would extend
	// them to the walls
	edgeFade = 0.4
	// fraction of a bulb's height up to which bodies cast exact shadows; higher points are projected as if they were at
	// that height
	steepest  = 0.9
	outermost = 64 // largest number of points of a part's outline
)

// newSpots returns the shadows of all bulbs of a map. It returns nil if there are no bulbs.
func newSpots(m *ShadowMap) *spots {
	if len(m.field.Bulbs) == 0 {
		return nil
	}
	n := m.Width * m.Height
	s := &spots{mask: make([]uint16, n), span: make([][2]float64, finer*m.Height)}
	for i := range m.field.Bulbs {
		x := spotShadow{int(sources) + i, m.field.Bulbs[i].PosW, make([]float32, n), make([]float32, n),
			make([]float32, n)}
		for k := range x.still {
			x.still[k] = 1
		}
		s.of = append(s.of, x)
	}
	return s
}

// weigh computes, for each bulb and texel, the bulb's fraction of the lamps' light (spotShadow.share).
func (s *spots) weigh(m *ShadowMap) {
	f := m.field
	at := func(x, y float64) (sum float64) {
		col, u := between(x, f.HalfX, f.Floor.Cols)
		row, v := between(y, f.HalfY, f.Floor.Rows)
		k, of := row*f.Floor.Cols+col, f.Floor.Of[Lamps]
		top := of[k].Mul(float32(1 - u)).Add(of[k+1].Mul(float32(u)))
		low := of[k+f.Floor.Cols].Mul(float32(1 - u)).Add(of[k+f.Floor.Cols+1].Mul(float32(u)))
		return float64(render.Luminance(top.Mul(float32(1 - v)).Add(low.Mul(float32(v)))))
	}
	rays.InParallel(m.Height, func(j int) {
		for i := range m.Width {
			x, y := m.middle(i, j)
			k := j*m.Width + i
			inner := float64(min(i, j, m.Width-1-i, m.Height-1-j)) * m.Texel / edgeFade
			all, straight := at(x, y), 0.0
			for b := range s.of {
				light := f.direct(s.of[b].group, mgl64.Vec3{x, y, 0}, mgl64.Vec3{0, 0, 1}) *
					render.Luminance(spatial.Vec32(f.amount(s.of[b].group)))
				s.of[b].share[k] = float32(light)
				straight += light
			}
			// The floor's light is interpolated linearly between the nodes. Directly below a bulb, the result may be
			// less than the bulb's own light, so the larger of the two is used.
			by := 0.0
			if most := max(all, straight); most > 0 {
				by = min(inner, 1) / most
			}
			for b := range s.of {
				s.of[b].share[k] *= float32(by)
			}
		}
	})
}

// restore resets the shadows in a rectangle to those of the static bodies alone.
func (s *spots) restore(m *ShadowMap, r Rect) {
	for b := range s.of {
		for y := r.Y0; y < r.Y1; y++ {
			copy(s.of[b].now[y*m.Width+r.X0:y*m.Width+r.X1], s.of[b].still[y*m.Width+r.X0:])
		}
	}
}

// unblocked returns the unblocked fraction of the lamps' light at a texel. The argument rest is the unblocked fraction
// of the light that does not come directly from bulbs.
func (s *spots) unblocked(texel int, rest float32) float32 {
	sum := rest
	for b := range s.of {
		x := &s.of[b]
		sum += x.share[texel] * (x.now[texel] - rest)
	}
	return min(max(sum, 0), 1)
}

// add removes the light of a bulb that a body at a pose blocks, and returns the rectangle that may have changed.
func (s *spots) add(m *ShadowMap, b *spotShadow, o *occluder, poseWB spatial.Pose) Rect {
	p, q := poseWB.Pos, poseWB.Rot
	if !(math.Abs(p[0]) < 1e3 && math.Abs(p[1]) < 1e3 && math.Abs(p[2]) < 1e3 && q.Len() < 2) {
		return Rect{}
	}
	i, j := min(max(int(p[0]/m.Texel)+m.Width/2, 0), m.Width-1), min(max(int(p[1]/m.Texel)+m.Height/2, 0), m.Height-1)
	if !(b.share[j*m.Width+i] >= faintest) {
		return Rect{}
	}
	r := Rect{m.Width, m.Height, 0, 0}
	points := b.points(p)
	for _, outline := range o.outlines {
		s.hull = s.hull[:0]
		for _, v := range outline {
			s.hull = append(s.hull, poseWB.Apply(v))
		}
		s.maskHull(m, b, &points, &r)
	}
	return s.applyMask(m, b.now, r)
}

// points returns four points of a bulb. They represent the disc as which the bulb appears when seen from the given
// point of the floor.
func (b *spotShadow) points(from mgl64.Vec3) (out [finer]mgl64.Vec3) {
	to := b.posW.Sub(mgl64.Vec3{from[0], from[1], 0})
	side := mgl64.Vec3{1, 0, 0}
	if l := math.Hypot(to[0], to[1]); l > 1e-6 {
		side = mgl64.Vec3{-to[1] / l, to[0] / l, 0}
	}
	across := to.Cross(side).Normalize()
	for i, sign := range [finer][2]float64{{1, 1}, {-1, -1}, {-1, 1}, {1, -1}} {
		out[i] = b.posW.Add(side.Mul(sign[0] * bulbRadius / 2)).Add(across.Mul(sign[1] * bulbRadius / 2))
	}
	return out
}

// onFloor projects a point from a lamp onto the floor, in subtexels of the map.
func onFloor(m *ShadowMap, lamp, p mgl64.Vec3) mgl64.Vec2 {
	by := lamp[2] / (lamp[2] - mgl64.Clamp(p[2], 0, steepest*lamp[2]))
	x, y := lamp[0]+(p[0]-lamp[0])*by, lamp[1]+(p[1]-lamp[1])*by
	return mgl64.Vec2{finer * (x/m.Texel + float64(m.Width)/2), finer * (y/m.Texel + float64(m.Height)/2)}
}

// maskHull marks in the mask where the convex hull of s.hull blocks the light of each of a bulb's four points. Each
// point has its own row of subtexels. maskHull extends the rectangle r so that it contains the marks.
func (s *spots) maskHull(m *ShadowMap, b *spotShadow, points *[finer]mgl64.Vec3, r *Rect) {
	s.seen = s.seen[:0]
	for _, p := range s.hull {
		s.seen = append(s.seen, onFloor(m, b.posW, p))
	}
	n := s.outline()
	for k, lamp := range points {
		for i := range n {
			s.seen[i] = onFloor(m, lamp, s.hull[i])
		}
		s.fill(m, s.seen[:n], k, r)
	}
}

// outline finds the points of s.hull whose images in s.seen are corners of the images' convex hull. It moves these
// points to the front of s.hull, in order around the hull, and returns their number. Source: Jarvis, "On the
// identification of the convex hull of a finite set of points in the plane", Information Processing Letters 2, 1973.
func (s *spots) outline() int {
	p := s.seen
	if len(p) < 3 {
		return len(p)
	}
	first := 0
	for i := range p {
		if p[i][1] < p[first][1] || p[i][1] == p[first][1] && p[i][0] < p[first][0] {
			first = i
		}
	}
	swap := func(i, j int) {
		p[i], p[j] = p[j], p[i]
		s.hull[i], s.hull[j] = s.hull[j], s.hull[i]
	}
	swap(0, first)
	for n := 1; n < len(p); n++ {
		next := n
		at := p[n-1]
		for i := n + 1; i < len(p); i++ {
			if cross(p[next].Sub(at), p[i].Sub(at)) < 0 {
				next = i
			}
		}
		if n > 1 && cross(p[next].Sub(at), p[0].Sub(at)) <= 0 { // the hull is closed
			return n
		}
		swap(n, next)
	}
	return len(p)
}

func cross(a, b mgl64.Vec2) float64 { return a[0]*b[1] - a[1]*b[0] }

// fill marks a convex polygon in the masks of texels, in their row of subtexels with index k.
func (s *spots) fill(m *ShadowMap, polygon []mgl64.Vec2, k int, r *Rect) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range polygon {
		low, high = min(low, p[1]), max(high, p[1])
	}
	// A row of texels has several rows of subtexels, and k is one of these. Visit each row of texels whose subtexel row
	// k crosses the polygon with its centre line.
	middle := float64(k) + 0.5
	row := func(y float64) int {
		return int(math.Ceil((mgl64.Clamp(y, 0, float64(finer*m.Height)) - middle) / finer))
	}
	j0, j1 := row(low), min(row(high), m.Height)
	for j := j0; j < j1; j++ {
		s.span[j] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		if a[1] > b[1] {
			a, b = b, a
		}
		for j := row(a[1]); j < min(row(b[1]), m.Height); j++ {
			x := a[0] + (b[0]-a[0])*(float64(finer*j)+middle-a[1])/(b[1]-a[1])
			s.span[j][0], s.span[j][1] = min(s.span[j][0], x), max(s.span[j][1], x)
		}
	}
	column := func(x float64) int { return int(math.Ceil(mgl64.Clamp(x, 0, float64(finer*m.Width)) - 0.5)) }
	for j := j0; j < j1; j++ {
		x0, x1 := column(s.span[j][0]), column(s.span[j][1])
		if x0 >= x1 {
			continue
		}
		first, last := x0/finer, (x1-1)/finer
		r.X0, r.Y0, r.X1, r.Y1 = min(r.X0, first), min(r.Y0, j), max(r.X1, last+1), max(r.Y1, j+1)
		for i := first; i <= last; i++ {
			from, to := max(x0-finer*i, 0), min(x1-finer*i, finer)
			s.mask[j*m.Width+i] |= (1<<to - 1<<from) << (finer * k)
		}
	}
}

// applyMask removes the light that the mask marks as blocked, in a rectangle. It also clears the mask in this
// rectangle.
func (s *spots) applyMask(m *ShadowMap, of []float32, r Rect) Rect {
	if r.X0 >= r.X1 {
		return Rect{}
	}
	for y := r.Y0; y < r.Y1; y++ {
		mask, to := s.mask[y*m.Width+r.X0:y*m.Width+r.X1], of[y*m.Width+r.X0:]
		for i, hidden := range mask {
			if hidden != 0 {
				to[i] *= 1 - float32(bits.OnesCount16(hidden))/(finer*finer)
			}
		}
		clear(mask)
	}
	return r
}

// addStill removes the light of all bulbs that the triangles of a static body block. The triangles are in W.
func (s *spots) addStill(m *ShadowMap, o *occluder) {
	for i := range s.of {
		b, r := &s.of[i], Rect{m.Width, m.Height, 0, 0}
		for k := range o.triangles {
			s.hull = s.hull[:0]
			for _, c := range o.triangles[k].Corners() {
				s.hull = append(s.hull, c.In64())
			}
			points := b.points(s.hull[0])
			s.maskHull(m, b, &points, &r)
		}
		r = s.applyMask(m, b.still, r)
		for y := r.Y0; y < r.Y1; y++ {
			for x := r.X0; x < r.X1; x++ {
				if at := y*m.Width + x; b.still[at] < 1 {
					m.Still[2*at] = 0
				}
			}
		}
	}
}

// outermostOf returns the points that are farthest in any of a set of directions all around, without duplicates.
func outermostOf(points []mgl64.Vec3) (out []mgl64.Vec3) {
	known := map[mgl64.Vec3]bool{}
	for _, d := range sphere(outermost) {
		best := points[0]
		for _, p := range points {
			if d.Dot(p) > d.Dot(best) {
				best = p
			}
		}
		if !known[best] {
			known[best] = true
			out = append(out, best)
		}
	}
	return out
}
