package raster

import (
	"fmt"
	"math"
	"sort"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// maxMarks is the largest number of markings. The grid stores a marking in a byte: its index + 1, or 0 for no marking.
const maxMarks = 255

// markCell is the side of a cell of the grid's finest level, metres. 0.25 is a guess. With it, few markings are near a
// cell.
const markCell = 0.25

// Marks holds the floor's markings for drawing: the dimensions of each marking, and a grid that lists up to four
// markings near each cell. Cells double in width from level to level. A pixel uses the level whose cells are at least
// as wide as its footprint.
type Marks struct {
	Scale [4]float32 // cells per metre, corner (x, y) of the first cell, index of the last level
	// Data holds two vectors per marking. The first vector begins with the centre x, y of a segment, a circle or a
	// spot, metres. Then comes a unit vector: along a segment, or from an arc's centre to its middle. The second vector
	// holds four numbers: half the length of a segment or the radius of an arc, metres; half the width of a line or the
	// radius of a spot, metres; 1 for round markings, otherwise 0; and the cosine of half an arc's angle, or −2 for a
	// full circle.
	Data   [][4]float32
	Levels []MarkLevel // fine to coarse
	all    []spatial.Mark
	half   [2]float64 // half the carpet's size, metres
	margin float64    // width of the bare floor around the carpet, metres
}

// MarkLevel is a grid of cells, in rows from the lowest y.
type MarkLevel struct {
	Width, Height int
	IDs           []uint8 // four markings per cell, nearest first: index + 1, or 0 for none
}

// NewMarks prepares the markings of a floor. margin is the width of the bare floor around the carpet, metres. NewMarks
// fails if there are too many markings.
func NewMarks(f *render.Floor, margin float64) (*Marks, error) {
	if len(f.Marks) > maxMarks {
		return nil, fmt.Errorf("floor: %d markings: at most %d can be drawn", len(f.Marks), maxMarks)
	}
	m := &Marks{all: f.Marks, margin: margin, half: [2]float64{f.SizeX / 2, f.SizeY / 2}}
	for _, k := range f.Marks {
		a, b := markData(k)
		m.Data = append(m.Data, a, b)
	}
	// n is a power of two, so that every cell consists of whole cells of the next finer level.
	n := 1
	for float64(n)*markCell < math.Max(f.SizeX, f.SizeY) {
		n *= 2
	}
	corner := -float64(n) * markCell / 2
	side := markCell
	for size := n; size >= 1; size /= 2 {
		m.Levels = append(m.Levels, markGrid(f.Marks, size, corner, side))
		side *= 2
	}
	m.Scale = [4]float32{1 / markCell, float32(corner), float32(corner), float32(len(m.Levels) - 1)}
	return m, nil
}

func markData(k spatial.Mark) (a, b [4]float32) {
	f := func(x ...float64) (v [4]float32) {
		for i := range x {
			v[i] = float32(x[i])
		}
		return v
	}
	switch k.Kind {
	case spatial.Arc:
		s, c := math.Sincos(k.From + k.Sweep/2)
		low := math.Cos(math.Min(k.Sweep/2, math.Pi))
		if k.Sweep >= 2*math.Pi {
			low = -2
		}
		return f(k.A[0], k.A[1], c, s), f(k.Radius, k.Width/2, 1, low)
	case spatial.Spot:
		return f(k.A[0], k.A[1], 1, 0), f(0, k.Radius, 1, -2)
	default:
		dx, dy := k.B[0]-k.A[0], k.B[1]-k.A[1]
		l := math.Hypot(dx, dy)
		if l == 0 {
			dx, l = 1, 1
		}
		// Both ends of a line are extended by half its width, so that corners are closed.
		return f((k.A[0]+k.B[0])/2, (k.A[1]+k.B[1])/2, dx/l, dy/l),
			f(math.Hypot(k.B[0]-k.A[0], k.B[1]-k.A[1])/2+k.Width/2, k.Width/2, 0, 0)
	}
}

// markDistance returns a lower bound of the distance of a point from a marking's painted area, metres.
func markDistance(k *spatial.Mark, x, y float64) float64 {
	return math.Max(0, k.Distance(x, y)-markReach(k))
}

// markReach returns the largest distance from a marking's centre line to its paint, metres.
func markReach(k *spatial.Mark) float64 {
	if k.Kind == spatial.Segment {
		return k.Width * (math.Sqrt2 / 2) // its ends are square
	}
	return k.Width / 2
}

// mayReach reports whether markDistance is less than reach. For most markings it does so without computing a root.
func mayReach(k *spatial.Mark, x, y, reach float64) bool {
	dx, dy := x-k.A[0], y-k.A[1]
	reach += markReach(k)
	if k.Kind == spatial.Segment {
		ex, ey := k.B[0]-k.A[0], k.B[1]-k.A[1]
		if along, l2 := dx*ex+dy*ey, ex*ex+ey*ey; along >= l2 {
			dx, dy = dx-ex, dy-ey
		} else if along > 0 {
			dx, dy = dx-along/l2*ex, dy-along/l2*ey
		}
		return dx*dx+dy*dy < reach*reach
	}
	r2, outer, inner := dx*dx+dy*dy, k.Radius+reach, k.Radius-reach
	switch {
	case r2 >= outer*outer:
		return false
	case k.Kind == spatial.Spot:
		return true
	case inner > 0 && r2 <= inner*inner:
		return false
	}
	return k.Sweep >= 2*math.Pi || k.Distance(x, y) < reach
}

// markGrid returns a grid with the four nearest markings of each cell, among those that a pixel in the cell may show. A
// pixel's footprint is at most a cell wide, so it extends at most half a cell beyond the cell.
func markGrid(all []spatial.Mark, n int, corner, side float64) MarkLevel {
	g := MarkLevel{Width: n, Height: n, IDs: make([]uint8, 4*n*n)}
	reach := side * (math.Sqrt2/2 + 0.5*math.Sqrt2)
	type near struct {
		id       int
		distance float64
	}
	var found []near
	for row := range n {
		for col := range n {
			x, y := corner+(float64(col)+0.5)*side, corner+(float64(row)+0.5)*side
			found = found[:0]
			for i := range all {
				if !mayReach(&all[i], x, y, reach) {
					continue
				}
				if d := markDistance(&all[i], x, y); d < reach {
					found = append(found, near{i, d})
				}
			}
			sort.Slice(found, func(i, j int) bool { return found[i].distance < found[j].distance })
			for i := range min(4, len(found)) {
				g.IDs[4*(row*n+col)+i] = uint8(found[i].id + 1)
			}
		}
	}
	return g
}

// touches reports whether a marking may be in a rectangle of the carpet, metres.
func (m *Marks) touches(lo, hi [2]float64) bool {
	sx, sy := hi[0]-lo[0], hi[1]-lo[1]
	level, side := 0, markCell
	for size := max(sx, sy); side < size/2 && level+1 < len(m.Levels); side *= 2 {
		level++
	}
	g := &m.Levels[level]
	by := 1 / side
	col0, col1 := g.index((lo[0]-float64(m.Scale[1]))*by), g.index((hi[0]-float64(m.Scale[1]))*by)
	row0, row1 := g.index((lo[1]-float64(m.Scale[2]))*by), g.index((hi[1]-float64(m.Scale[2]))*by)
	x, y := (lo[0]+hi[0])/2, (lo[1]+hi[1])/2
	reach := math.Sqrt(sx*sx+sy*sy) / 2
	for row := row0; row <= row1; row++ {
		for i := 4 * (row*g.Width + col0); i <= 4*(row*g.Width+col1); i += 4 {
			for _, id := range g.IDs[i : i+4] {
				if id == 0 {
					break
				}
				if mayReach(&m.all[id-1], x, y, reach) {
					return true
				}
			}
		}
	}
	return false
}

// index returns the index of the column or row that contains a coordinate, in units of cells. For a coordinate outside
// of the grid it returns the nearest column or row.
func (g *MarkLevel) index(x float64) int { return min(max(int(x), 0), g.Width-1) }
