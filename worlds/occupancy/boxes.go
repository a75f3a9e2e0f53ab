package occupancy

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// MaxBoxes is the largest number of boxes of a map. It bounds the time of a simulation step.
const MaxBoxes = 5000

const (
	// thickest is the largest thickness of a box, in cells. Whatever lies deeper in a solid is never met.
	thickest = 60
	// thinnest is the thickness of a box behind a slanted side, in cells.
	thinnest = 0.5
	// corner is the part of a side at a convex corner where the solid may be thinner than the box, in cells.
	corner = 0.75
	// overlap is by how much boxes overlap at corners that are not convex, in cells.
	overlap = 0.1
	// overhang is how far a box may stand out of a solid at its ends, in cells.
	overhang = 0.25
)

// side is a side of a simplified contour, in cells. The solid is on its left.
type side struct {
	from, to      mgl64.Vec2
	before, after float64 // angles of the solid at both ends, rad
}

func (s *side) length() float64 { return s.to.Sub(s.from).Len() }

// Boxes returns upright boxes that stand for the occupied cells, from height bottom to height top. Boxes stand behind
// the sides of the simplified contours, which are at most half a cell from the contours of the cells.
func (g *Grid) Boxes(bottom, top float64) ([]spatial.UprightBox, error) {
	var sides []side
	var p polygon
	err := g.contours(func(corners []point) error {
		sides = appendSides(sides, p.simplify(corners))
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sides, func(a, b side) int { return cmp.Compare(b.length(), a.length()) })
	b := builder{Grid: g, bottom: bottom, top: top, covered: make([]uint8, len(g.Cells))}
	for i := range sides {
		if s := &sides[i]; !b.straight(s) {
			b.slanted(s)
		}
		if len(b.boxes) > MaxBoxes {
			return nil, fmt.Errorf("its occupied cells take more than %d boxes: must be the map of a place, with less noise",
				MaxBoxes)
		}
	}
	return b.boxes, nil
}

// appendSides appends the sides of a polygon.
func appendSides(all []side, vertices []mgl64.Vec2) []side {
	n := len(vertices)
	angle := func(i int) float64 { // of the solid at a vertex
		in := vertices[i].Sub(vertices[(i+n-1)%n])
		out := vertices[(i+1)%n].Sub(vertices[i])
		return math.Pi - math.Atan2(cross(in, out), in.Dot(out))
	}
	for i, v := range vertices {
		next := (i + 1) % n
		all = append(all, side{from: v, to: vertices[next], before: angle(i), after: angle(next)})
	}
	return all
}

// builder makes boxes behind sides.
type builder struct {
	*Grid
	bottom, top float64
	boxes       []spatial.UprightBox
	covered     []uint8 // for each cell, a bit for each of its sides that is the side of a box
}

// The sides of a cell, as bits.
const (
	lower uint8 = 1 << iota
	right
	upper
	left
)

// add adds a box. Its corner and its sides are in cells; the sides x and y are perpendicular.
func (b *builder) add(corner, x, y mgl64.Vec2) {
	centre := b.World(corner.Add(x.Add(y).Mul(0.5)))
	half := mgl64.Vec3{x.Len(), y.Len(), 0}.Mul(b.Resolution / 2)
	half[2] = (b.top - b.bottom) / 2
	b.boxes = append(b.boxes, spatial.UprightBox{Centre: centre.Vec3((b.top + b.bottom) / 2), Half: half,
		Heading: math.Atan2(x[1], x[0]) + b.Origin.Yaw})
}

// line is a row of cells behind a side, or a column if upright is true.
type line struct {
	upright bool
	at      int // y of the row, or x of the column
	inward  int // 1 or −1: towards the solid
	side    uint8
}

// cell returns the place of a cell of the line that lies depth cells deep.
func (l *line) cell(k, depth int) (x, y int) {
	if at := l.at + l.inward*depth; l.upright {
		return at, k
	} else {
		return k, at
	}
}

// lineBehind returns the cells behind a side from the first up to but not including the end. It returns false for a
// side that does not lie along cells.
func lineBehind(s *side) (l line, first, end int, ok bool) {
	along, across := 0, 1
	if l.upright = s.from[0] == s.to[0]; l.upright {
		along, across = 1, 0
	}
	at := s.from[across]
	if s.to[across] != at || at != math.Trunc(at) {
		return l, 0, 0, false
	}
	forwards := s.to[along] > s.from[along]
	if l.at, l.inward = int(at), 1; forwards == l.upright {
		l.at, l.inward = l.at-1, -1
	}
	switch {
	case l.upright && forwards:
		l.side = right
	case l.upright:
		l.side = left
	case forwards:
		l.side = lower
	default:
		l.side = upper
	}
	first, end = int(math.Floor(min(s.from[along], s.to[along]))), int(math.Ceil(max(s.from[along], s.to[along])))
	return l, first, end, true
}

// straight adds boxes behind a side that lies along cells, except where another box has this side. It returns false for
// another side.
func (b *builder) straight(s *side) bool {
	l, first, end, ok := lineBehind(s)
	if !ok {
		return false
	}
	missing := func(k int) bool {
		x, y := l.cell(k, 0)
		return b.solid(x, y) && b.covered[y*b.Width+x]&l.side == 0
	}
	for k := first; k < end; k++ {
		if !missing(k) {
			continue
		}
		from := k
		for k < end && missing(k) {
			k++
		}
		b.block(&l, from, k)
	}
	return true
}

// block adds a box as deep as the solid behind cells of a line. The box extends into the solid at both ends, so that
// boxes overlap where they meet.
func (b *builder) block(l *line, first, end int) {
	depth := 1
	for depth < thickest && b.full(l, first, end, depth) {
		depth++
	}
	across := func(k int) bool { // whether the line is solid over the whole depth
		for d := range depth {
			if !b.solid(l.cell(k, d)) {
				return false
			}
		}
		return true
	}
	for n := 0; n < thickest && across(first-1); n++ {
		first--
	}
	for n := 0; n < thickest && across(end); n++ {
		end++
	}
	x0, y0 := l.cell(first, 0)
	x1, y1 := l.cell(end-1, depth-1)
	x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
	width, height := float64(x1-x0+1), float64(y1-y0+1)
	b.add(mgl64.Vec2{float64(x0), float64(y0)}, mgl64.Vec2{width, 0}, mgl64.Vec2{0, height})
	for x := x0; x <= x1; x++ {
		b.covered[y0*b.Width+x] |= lower
		b.covered[y1*b.Width+x] |= upper
	}
	for y := y0; y <= y1; y++ {
		b.covered[y*b.Width+x0] |= left
		b.covered[y*b.Width+x1] |= right
	}
}

// full reports whether all cells from the first up to the end are solid at a depth.
func (b *builder) full(l *line, first, end, depth int) bool {
	for k := first; k < end; k++ {
		if !b.solid(l.cell(k, depth)) {
			return false
		}
	}
	return true
}

// slanted adds a box behind any side, as thick as the solid is along the whole side, but not thicker than long.
func (b *builder) slanted(s *side) {
	length := s.length()
	along := s.to.Sub(s.from).Mul(1 / length)
	inward := mgl64.Vec2{-along[1], along[0]}
	most := max(thinnest, min(thickest, length))
	first, last := 0.0, length // the part of the side behind which the solid must be thick
	for _, a := range []float64{s.before, s.after} {
		if a < math.Pi/2 {
			most = min(most, overhang/math.Cos(a))
		}
	}
	from, to := s.from, s.to
	if s.before > math.Pi { // into the solid, so that boxes overlap where they meet
		from = from.Sub(along.Mul(overlap))
	} else {
		first = min(corner, length/2)
	}
	if s.after > math.Pi {
		to = to.Add(along.Mul(overlap))
	} else {
		last = max(length-corner, length/2)
	}
	thick := thinnest
	for t := 1.0; t <= most; t += 0.5 {
		const within = 0.02 // of the cells up to t
		if !b.solidAlong(s.from.Add(along.Mul(first)).Add(inward.Mul(t-within)), along, last-first) {
			break
		}
		thick = t
	}
	b.add(from, to.Sub(from), inward.Mul(min(thick, most)))
}

// solidAlong reports whether the solid is at points half a cell apart along a line.
func (b *builder) solidAlong(from, along mgl64.Vec2, length float64) bool {
	for at := 0.0; ; at = min(at+0.5, length) {
		p := from.Add(along.Mul(at))
		if !b.solid(int(math.Floor(p[0])), int(math.Floor(p[1]))) {
			return false
		}
		if at == length {
			return true
		}
	}
}
