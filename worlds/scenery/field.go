package scenery

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/shapes"
)

const (
	boardLength    = 1.6   // length in m of one board of the wall around the field; about what one person can carry
	boardThickness = 0.04  // metres
	netThickness   = 0.006 // thickness of a net as a sheet, metres
	bareMargin     = 0.001 // distance of the hall's walls from the edge of a bare floor; 0 would mean no hall; metres
)

// field adds carpet, goals and boards.
func (b *builder) field(f *physics.Field) {
	b.scene.Floor = render.Floor{
		SizeX: f.Length + 2*f.Border, SizeY: f.Width + 2*f.Border,
		// the reflectances of the lines and of the carpet are guesses from photographs
		LineColor: mgl32.Vec3{0.80, 0.81, 0.79},
		Marks:     f.Marks(),
	}
	b.scene.Carpet = mgl32.Vec3{0.035, 0.235, 0.055}
	b.startBody("field")
	b.body.Static = true
	for _, g := range f.Goals() {
		for _, part := range f.GoalPosts(g) {
			for _, piece := range atCorners(part) {
				b.box("post", piece, white)
			}
		}
		for _, sheet := range f.GoalCage(g) {
			b.sheet("net", thin(sheet), net)
		}
		b.cage(f, g)
	}
	x, y := f.Half()
	if f.Bare() {
		b.scene.Room.Margin, b.scene.Room.Solid = bareMargin, true
	}
	if !f.HasBoards {
		return
	}
	const t = boardThickness
	b.boards(f, -x-t, x+t, func(u0, u1 float64) (boxes [2]physics.Box) {
		return [2]physics.Box{span(u0, u1, -y-t, -y, f.WallHeight), span(u0, u1, y, y+t, f.WallHeight)}
	})
	b.boards(f, -y, y, func(u0, u1 float64) (boxes [2]physics.Box) {
		return [2]physics.Box{span(-x-t, -x, u0, u1, f.WallHeight), span(x, x+t, u0, u1, f.WallHeight)}
	})
}

// cage adds the thin rods that hold a goal's net.
func (b *builder) cage(f *physics.Field, g physics.Goal) {
	const r = 0.015
	back, half, top := g.X+g.Side*f.GoalDepth, f.GoalWidth/2+f.PostWidth/2, f.GoalHeight+f.PostWidth/2
	front := g.X + g.Side*f.PostWidth/2
	v := vec
	for _, side := range []float64{-1, 1} {
		y := side * half
		b.add("rod", shapes.Tube(v(back, y, 0), v(back, y, top), r, 8), white, translation(0, 0, 0))
		b.add("rod", shapes.Tube(v(front, y, top), v(back, y, top), r, 8), white, translation(0, 0, 0))
		b.add("rod", shapes.Tube(v(front, y, r), v(back, y, r), r, 8), white, translation(0, 0, 0))
	}
	b.add("rod", shapes.Tube(v(back, -half, top), v(back, half, top), r, 8), white, translation(0, 0, 0))
	b.add("rod", shapes.Tube(v(back, -half, r), v(back, half, r), r, 8), white, translation(0, 0, 0))
}

// boards splits a stretch of the wall, from u0 to u1, into boards with two alternating shades.
func (b *builder) boards(f *physics.Field, u0, u1 float64, boxes func(u0, u1 float64) [2]physics.Box) {
	if f.WallHeight <= 0 {
		return
	}
	n := int(math.Ceil((u1 - u0) / boardLength))
	for i := range n {
		end := func(k int) float64 { return u0 + (u1-u0)*float64(k)/float64(n) }
		shade := board
		if i%2 == 1 {
			shade = boardDark
		}
		for _, box := range boxes(end(i), end(i+1)) {
			b.box("board", box, shade)
		}
	}
}

func span(x0, x1, y0, y1, height float64) physics.Box {
	return physics.Box{Min: [3]float64{x0, y0, 0}, Max: [3]float64{x1, y1, height}}
}

// atCorners cuts a box into pieces where the light on the box starts to change. This is needed because some renderers
// compute light only at the corners of boxes.
func atCorners(box physics.Box) []physics.Box {
	if box.Min[2] >= render.NearFloor || box.Max[2] <= render.NearFloor {
		return []physics.Box{box}
	}
	low, high := box, box
	low.Max[2], high.Min[2] = render.NearFloor, render.NearFloor
	return []physics.Box{low, high}
}

// thin returns a sheet that replaces a flat box. The sheet is in the middle of the box's shortest side.
func thin(box physics.Box) physics.Box {
	axis := 0
	for i := range 3 {
		if box.Max[i]-box.Min[i] < box.Max[axis]-box.Min[axis] {
			axis = i
		}
	}
	mid := (box.Min[axis] + box.Max[axis]) / 2
	box.Min[axis], box.Max[axis] = mid-netThickness/2, mid+netThickness/2
	return box
}

// sheet adds a box as one mesh that has corners where the light on it starts to change. The mesh has no inner faces,
// because these would be visible through a net.
func (b *builder) sheet(name string, box physics.Box, p paint) {
	const same = 1e-5 // metres
	pieces := atCorners(box)
	var mid [3]float64
	for i := range mid {
		mid[i] = (box.Min[i] + box.Max[i]) / 2
	}
	var all render.Mesh
	for _, piece := range pieces {
		lo, hi := piece.Min, piece.Max
		m := shapes.Box(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2])
		first := uint32(len(all.Vertices))
		inside := func(i uint32) bool { // at the cut
			z := float64(all.Vertices[first+i].Pos[2]) + mid[2]
			return math.Abs(z-box.Min[2]) > same && math.Abs(z-box.Max[2]) > same
		}
		for _, v := range m.Vertices {
			v.Pos[2] += float32((lo[2]+hi[2])/2 - mid[2])
			all.Vertices = append(all.Vertices, v)
		}
		for t := 0; t < len(m.Indices); t += 3 {
			i, j, k := m.Indices[t], m.Indices[t+1], m.Indices[t+2]
			if !inside(i) || !inside(j) || !inside(k) {
				all.Indices = append(all.Indices, first+i, first+j, first+k)
			}
		}
	}
	b.add(name, all, p, translation(mid[0], mid[1], mid[2]))
}

func (b *builder) box(name string, box physics.Box, p paint) {
	lo, hi := box.Min, box.Max
	b.add(name, shapes.Box(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2]), p, translation((lo[0]+hi[0])/2, (lo[1]+hi[1])/2,
		(lo[2]+hi[2])/2))
}
