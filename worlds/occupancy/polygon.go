package occupancy

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

const (
	// away is how far a side of a simplified contour may be from the points of its contour, in half cells: half a cell.
	away = 1 + 1e-9
	// reach is the largest number of vertices of a contour that one side of the simplified contour replaces. It bounds
	// the time for long slanted walls.
	reach = 500
	// bend is the cost of a squared distance of one half cell from a corner, in sides. With 0.7, a slanted line costs
	// less than its steps, and a single cell stays a square.
	bend = 0.7
	// counted is the number of corners of a side that cost at most. Long sides cost no more, and do not break.
	counted = 8
)

// vertex is a point of a contour. The contour passes through the middles of the sides of cells. Corners of cells are
// not on it, but many simplified contours turn there.
type vertex struct {
	point
	corner bool // a corner, whose distance costs
	middle bool // a middle, which must stay near
	turn   bool // a possible vertex of the simplified contour
}

// polygon simplifies contours. It keeps its memory from contour to contour.
type polygon struct {
	points []vertex
	sums   []sums
	cost   []float64
	from   []int32
}

// sums are sums over corners, from which the squared distances from a line follow.
type sums struct{ n, x, y, xx, xy, yy float64 }

// simplify returns the polygon with few sides, close to the corners, that is at most half a cell from each middle of
// the sides of cells between two corners. Its vertices are in cells.
func (p *polygon) simplify(corners []point) []mgl64.Vec2 {
	p.read(corners)
	// The polygon has a vertex at the first point. Start at a vertex far from it, which belongs there.
	if path := p.cheapest(); len(path) > 3 {
		p.rotate(path[len(path)/2])
	}
	path := p.cheapest()
	all := make([]mgl64.Vec2, len(path))
	for i, k := range path {
		all[i] = mgl64.Vec2{float64(p.points[k].x) / 2, float64(p.points[k].y) / 2}
	}
	return all
}

// read sets the points for a contour. Of a side of several cells, it takes the first middle and the last one.
func (p *polygon) read(corners []point) {
	p.points = p.points[:0]
	for i, c := range corners {
		p.points = append(p.points, vertex{point: c, corner: true, turn: true})
		next := corners[(i+1)%len(corners)]
		x, y := sign(next.x-c.x), sign(next.y-c.y)
		first, last := point{c.x + x, c.y + y}, point{next.x - x, next.y - y}
		p.points = append(p.points, vertex{point: first, middle: true, turn: first == last})
		if first != last {
			p.points = append(p.points, vertex{point: last, middle: true})
		}
	}
	p.close()
}

func sign(v int32) int32 { return min(max(v, -1), 1) }

// rotate begins the contour with another point.
func (p *polygon) rotate(first int) {
	all := slices.Clone(p.points[:len(p.points)-1])
	p.points = append(append(p.points[:0], all[first:]...), all[:first]...)
	p.close()
}

// close repeats the first point at the end, and sums up the corners.
func (p *polygon) close() {
	p.points = append(p.points, p.points[0])
	p.sums = append(p.sums[:0], sums{})
	for i, c := range p.points {
		s := p.sums[i]
		if c.corner {
			x, y := float64(c.x-p.points[0].x), float64(c.y-p.points[0].y) // small numbers are exact
			s = sums{s.n + 1, s.x + x, s.y + y, s.xx + x*x, s.xy + x*y, s.yy + y*y}
		}
		p.sums = append(p.sums, s)
	}
}

// cheapest returns the indices of the vertices of the cheapest polygon that begins at the first point.
func (p *polygon) cheapest() (path []int) {
	n := len(p.points)
	p.cost, p.from = append(p.cost[:0], 0), append(p.from[:0], 0)
	for len(p.cost) < n {
		p.cost, p.from = append(p.cost, math.Inf(1)), append(p.from, 0)
	}
	for i := range n - 1 {
		if p.points[i].turn && !math.IsInf(p.cost[i], 1) {
			p.extend(i)
		}
	}
	for k := n - 1; k > 0; {
		k = int(p.from[k])
		path = append(path, k)
	}
	slices.Reverse(path)
	return path
}

// extend tries all sides that begin at point i.
func (p *polygon) extend(i int) {
	// Lines from point i that pass all middles so far at most half a cell away lie between the directions low and high.
	var low, high mgl64.Vec2
	bounded, farthest := false, 0.0
	for k := i + 1; k < min(len(p.points), i+reach); k++ {
		v := mgl64.Vec2{float64(p.points[k].x - p.points[i].x), float64(p.points[k].y - p.points[i].y)}
		length2 := v.Dot(v)
		inside := !bounded || cross(low, v) >= -1e-9 && cross(v, high) >= -1e-9 && v.Dot(low.Add(high)) > 0
		if p.points[k].turn && inside && length2 > 0 && length2 >= farthest-1e-9 {
			if c := p.cost[i] + 1 + bend*p.deviation(i, k); c < p.cost[k] {
				p.cost[k], p.from[k] = c, int32(i)
			}
		}
		if !p.points[k].middle {
			continue
		}
		farthest = max(farthest, length2)
		if length2 <= away*away {
			continue
		}
		ahead, aside := v.Mul(math.Sqrt(length2-away*away)), mgl64.Vec2{-v[1], v[0]}.Mul(away)
		l, h := ahead.Sub(aside), ahead.Add(aside)
		if !bounded {
			low, high, bounded = l, h, true
			continue
		}
		if v.Dot(low.Add(high)) <= 0 {
			return
		}
		if cross(low, l) > 0 {
			low = l
		}
		if cross(h, high) > 0 {
			high = h
		}
		if cross(low, high) < 0 {
			return
		}
	}
}

// deviation returns the sum of the squared distances of the corners between two points from the line through both. For
// many corners, it returns the mean for as many as are counted.
func (p *polygon) deviation(i, k int) float64 {
	a, b := p.sums[i+1], p.sums[k] // without both ends
	s := sums{b.n - a.n, b.x - a.x, b.y - a.y, b.xx - a.xx, b.xy - a.xy, b.yy - a.yy}
	dx, dy := float64(p.points[k].x-p.points[i].x), float64(p.points[k].y-p.points[i].y)
	x0, y0 := float64(p.points[i].x-p.points[0].x), float64(p.points[i].y-p.points[0].y)
	xx := s.xx - 2*x0*s.x + s.n*x0*x0
	yy := s.yy - 2*y0*s.y + s.n*y0*y0
	xy := s.xy - x0*s.y - y0*s.x + s.n*x0*y0
	return max(0, dx*dx*yy-2*dx*dy*xy+dy*dy*xx) / (dx*dx + dy*dy) * min(1, counted/max(s.n, 1))
}

func cross(a, b mgl64.Vec2) float64 { return a[0]*b[1] - a[1]*b[0] }
