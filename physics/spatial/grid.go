package spatial

import (
	"math"
	"slices"
)

// Grid finds those of many boxes that are near a place on the floor. It is immutable. The time of a search depends on
// the number of boxes near the place, and on the number of boxes that are much larger than the others.
type Grid struct {
	boxes  []flatBox
	x, y   float64 // corner of the first cell, m
	cell   float64 // side of a cell, m; 0 if there are so few boxes that a search tests all
	nx, ny int
	first  []int32 // index in items of the first box of each cell, and the number of items
	items  []int32 // boxes in the order of the cells that contain their centres
	reach  float64 // largest extent of these boxes from their centres, m
	large  []int32 // boxes with a larger extent
}

// flatBox is the centre of a box, and its extent from there along the world's axes, m.
type flatBox struct{ x, y, wideX, wideY float64 }

// Parameters of grids. With fewer boxes than fewBoxes a search that tests all of them is as fast. A field of soccer has
// 18 static boxes.
const (
	fewBoxes   = 32
	cellSide   = 2.0     // m, of the smallest cells
	mostCells  = 1 << 16 // cells grow with the area of the boxes
	largeReach = 4.0     // m, extent above which a box is in no cell
)

// NewGrid returns a grid of boxes.
func NewGrid(boxes []UprightBox) *Grid {
	g := &Grid{boxes: make([]flatBox, len(boxes))}
	loX, loY, hiX, hiY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range boxes {
		b := &boxes[i]
		f := flatBox{x: b.Centre[0], y: b.Centre[1]}
		f.wideX, f.wideY = b.Extent()
		g.boxes[i] = f
		loX, loY, hiX, hiY = min(loX, f.x), min(loY, f.y), max(hiX, f.x), max(hiY, f.y)
	}
	if len(boxes) < fewBoxes {
		return g
	}
	g.x, g.y, g.cell = loX, loY, max(cellSide, math.Sqrt((hiX-loX+cellSide)*(hiY-loY+cellSide)/mostCells))
	g.nx, g.ny = int((hiX-loX)/g.cell)+1, int((hiY-loY)/g.cell)+1
	g.first = make([]int32, g.nx*g.ny+1)
	cells := make([]int, len(boxes))
	for i := range g.boxes {
		f := &g.boxes[i]
		wide := max(f.wideX, f.wideY)
		if wide > largeReach {
			g.large, cells[i] = append(g.large, int32(i)), -1
			continue
		}
		g.reach = max(g.reach, wide)
		cells[i] = int((f.y-g.y)/g.cell)*g.nx + int((f.x-g.x)/g.cell)
		g.first[cells[i]+1]++
	}
	for c := range g.nx * g.ny {
		g.first[c+1] += g.first[c]
	}
	g.items = make([]int32, len(boxes)-len(g.large))
	next := slices.Clone(g.first)
	for i, c := range cells {
		if c >= 0 {
			g.items[next[c]] = int32(i)
			next[c]++
		}
	}
	return g
}

// Near appends the indices of the boxes that reach into a square around a place, in ascending order. half is half of
// the square's side, m.
func (g *Grid) Near(into []int32, x, y, half float64) []int32 {
	from := len(into)
	g.Visit(x, y, 0, half, func(i int) { into = append(into, int32(i)) })
	if g.cell > 0 {
		slices.Sort(into[from:])
	}
	return into
}

// Visit calls a function with the index of each box that reaches into a square around a place, but not into a smaller
// square around the same place. The arguments inner and outer are half of the squares' sides, m. With an inner of 0
// there is no smaller square.
func (g *Grid) Visit(x, y, inner, outer float64, visit func(i int)) {
	test := func(i int) {
		b := &g.boxes[i]
		dx, dy := math.Abs(b.x-x)-b.wideX, math.Abs(b.y-y)-b.wideY
		if dx < outer && dy < outer && !(inner > 0 && dx < inner && dy < inner) {
			visit(i)
		}
	}
	if g.cell == 0 {
		for i := range g.boxes {
			test(i)
		}
		return
	}
	for _, i := range g.large {
		test(int(i))
	}
	index := func(at, from float64, n int) int {
		if c := (at - from) / g.cell; c > 0 { // so that NaN gives 0
			return int(min(c, float64(n-1)))
		}
		return 0
	}
	reach := outer + g.reach
	fromX, toX := index(x-reach, g.x, g.nx), index(x+reach, g.x, g.nx)
	for row := index(y-reach, g.y, g.ny); row <= index(y+reach, g.y, g.ny); row++ {
		for _, i := range g.items[g.first[row*g.nx+fromX]:g.first[row*g.nx+toX+1]] {
			test(int(i))
		}
	}
}
