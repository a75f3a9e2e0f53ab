package refine

import (
	"github.com/omnipitch/omnipitch/render"
)

// Level is a mesh subdivided so that its edges are at most Edge metres long, where cameras come near enough.
type Level struct {
	Edge      float64
	Triangles int
}

// Levels subdivides a mesh of n corners, three per triangle, at every level that it needs, coarse to fine. The first
// level is the mesh itself. Corners are in the body's frame. The function middle must return the corner halfway between
// two corners, always the same corner for the same pair. Levels calls the function emit with the pieces, level by
// level; if emit returns false, the subdivision stops.
func Levels(b *render.Body, n int, corner func(i int) Corner, middle func(i, j Corner) Corner,
	emit func(i, j, k Corner) bool) (levels []Level) {
	var l Level
	take := func(i, j, k Corner) bool {
		l.Triangles++
		for _, e := range [3][2]*Corner{{&i, &j}, {&j, &k}, {&k, &i}} {
			if length, longer := long(b, l.Edge, e[0].Pos, e[1].Pos); longer {
				l.Edge = length
			}
		}
		return emit(i, j, k)
	}
	going := true
	for t := 0; t < n && going; t += 3 {
		going = take(corner(t), corner(t+1), corner(t+2))
	}
	levels = append(levels, l)
	for _, edge := range Edges {
		if !going || l.Edge <= edge {
			continue
		}
		l = Level{}
		for t := 0; t < n && going; t += 3 {
			going = cut(b, edge, corner(t), corner(t+1), corner(t+2), middle, take)
		}
		levels = append(levels, l)
	}
	return levels
}
