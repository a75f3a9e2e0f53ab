package outline

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

const (
	// exact is how far a surface may lie inside the box that stands for it, m. A box whose surface lies deeper is cut.
	exact = 0.01
	// mostBoxes is the largest number of boxes of a body: enough for a ball of 60 cm.
	mostBoxes = 400
	// mostBlocks is the number of blocks up to which blocks are cut. Guess: a chair takes ten.
	mostBlocks = 150
	// thinPanel is the least thickness of a box, m.
	thinPanel = 0.01
	// cutWork bounds the number of triangles that are divided to find a cut. More triangles are cut at fewer places,
	// and a piece of more triangles than that is not cut.
	cutWork = 10_000
	// mostTriangles is the number of triangles up to which a body is more than one box: 60 MB of memory.
	mostTriangles = 50_000
	// mostCuts is the largest number of places at which a cut along an axis is tried.
	mostCuts = 12
	// same is a distance of corners that count as one, m. Meshes have single precision.
	same = 1e-4
	// closed is the share of a side that must be covered by triangles that face outwards in a closed body.
	closed = 0.5
)

// Boxes returns upright boxes that stand for a body, in the body's frame turned by rot. The result deepest says how far
// the body's surface lies inside of them at most, m: a centimetre, unless that takes too many boxes. Separate pieces of
// the surface get separate boxes. A closed piece is solid; of an open piece, each side is a panel of its own. A body of
// more than mostTriangles triangles is one box.
func Boxes(g *render.Group, rot mgl64.Quat) (boxes []spatial.UprightBox, deepest float64) {
	count := 0
	for i := range g.Parts {
		count += len(g.Meshes[g.Parts[i].Mesh].Indices) / 3
	}
	if count > mostTriangles {
		return boxAround(g, rot)
	}
	scene := render.Scene{}
	body := &scene.Bodies[scene.Add("", g)]
	var all []triangle
	for i := range body.Parts {
		all = append(all, triangles(&scene, &body.Parts[i], spatial.Pose{Rot: rot})...)
	}
	pieces := connected(all)
	if len(pieces) > mostBoxes {
		pieces = [][]triangle{all}
	}
	var blocks []block
	for _, p := range pieces {
		b := newBlock(p)
		if b.wrong > exact {
			if round := round(p, mostBoxes-len(boxes)-len(pieces)); round != nil {
				boxes = append(boxes, round...)
				continue
			}
		}
		blocks = append(blocks, b)
	}
	for len(blocks) > 0 && len(blocks) < mostBlocks && len(boxes)+len(blocks) < mostBoxes {
		worst := 0
		for i := range blocks {
			if blocks[i].wrong > blocks[worst].wrong {
				worst = i
			}
		}
		b := &blocks[worst]
		if b.wrong <= exact {
			break
		}
		if low, high, ok := b.divide(); ok {
			blocks[worst] = low
			blocks = append(blocks, high)
		} else {
			deepest = max(deepest, b.wrong)
			b.wrong = 0
		}
	}
	for i := range blocks {
		deepest = max(deepest, blocks[i].wrong)
		boxes = blocks[i].appendBoxes(boxes)
	}
	return boxes, deepest
}

// boxAround returns one box around a body, with sides along the axes of the frame.
func boxAround(g *render.Group, rot mgl64.Quat) (boxes []spatial.UprightBox, deepest float64) {
	each := func(f func(triangle)) {
		for i := range g.Parts {
			mesh, pose := &g.Meshes[g.Parts[i].Mesh], spatial.Pose{Rot: rot}.Mul(g.Parts[i].PoseBP)
			for k := 0; k+2 < len(mesh.Indices); k += 3 {
				var t triangle
				for c := range t {
					t[c] = pose.Apply(spatial.Vec64(mesh.Vertices[mesh.Indices[k+c]].Pos))
				}
				f(t)
			}
		}
	}
	var b block
	b.empty()
	each(b.extend)
	each(func(t triangle) { b.wrong = max(b.wrong, b.depth(t)) })
	return []spatial.UprightBox{b.box()}, b.wrong
}

// connected divides a surface into pieces that share no corner.
func connected(all []triangle) [][]triangle {
	owner := map[mgl64.Vec3]int{} // index of a triangle with a corner
	group := make([]int, len(all))
	var root func(i int) int
	root = func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	for i, t := range all {
		group[i] = i
		for _, v := range t {
			for k := range v {
				v[k] = math.Round(v[k] / same)
			}
			if o, ok := owner[v]; ok {
				group[root(i)] = root(o)
			}
			owner[v] = i
		}
	}
	at := map[int]int{}
	var pieces [][]triangle
	for i := range all {
		r := root(i)
		k, ok := at[r]
		if !ok {
			k, at[r] = len(pieces), len(pieces)
			pieces = append(pieces, nil)
		}
		pieces[k] = append(pieces[k], all[i])
	}
	return pieces
}

// block is a part of a surface with the box around it, in axes that are turned by heading about the vertical.
type block struct {
	surface []triangle
	heading float64
	lo, hi  mgl64.Vec3
	cut     [2]mgl64.Vec3 // where the block was cut off its neighbours, at the low and high ends
	wrong   float64       // depth of the deepest triangle below the box's sides, m
}

// newBlock returns the block of a whole piece. Its plan is the smallest rectangle around the piece's plan.
func newBlock(surface []triangle) block {
	var points []mgl64.Vec2
	for _, t := range surface {
		for _, v := range t {
			points = append(points, v.Vec2())
		}
	}
	heading, _, _ := rectangleAround(hull(points))
	sin, cos := math.Sincos(-heading)
	turned := make([]triangle, len(surface))
	for i, t := range surface {
		for k, v := range t {
			turned[i][k] = mgl64.Vec3{cos*v[0] - sin*v[1], sin*v[0] + cos*v[1], v[2]}
		}
	}
	nowhere := math.Inf(1)
	b := block{surface: turned, heading: heading, cut: [2]mgl64.Vec3{{-nowhere, -nowhere, -nowhere},
		{nowhere, nowhere, nowhere}}}
	b.measure()
	return b
}

// rectangleAround returns the smallest rectangle around the corners of a plan: its heading, and its corners in axes
// with this heading.
func rectangleAround(corners []mgl64.Vec2) (heading float64, lo, hi mgl64.Vec2) {
	least := math.Inf(1)
	for i := range corners {
		edge := corners[(i+1)%len(corners)].Sub(corners[i])
		turn := math.Remainder(math.Atan2(edge[1], edge[0]), math.Pi/2) // in quarter turns the rectangle is the same
		sin, cos := math.Sincos(turn)
		from, to := mgl64.Vec2{math.Inf(1), math.Inf(1)}, mgl64.Vec2{math.Inf(-1), math.Inf(-1)}
		for _, c := range corners {
			for k, x := range [2]float64{cos*c[0] + sin*c[1], -sin*c[0] + cos*c[1]} {
				from[k], to[k] = min(from[k], x), max(to[k], x)
			}
		}
		// of equal rectangles, the first; a plan without area has a smallest rectangle too
		if area := (to[0] - from[0] + thinPanel) * (to[1] - from[1] + thinPanel); area < least*(1-1e-6) {
			heading, lo, hi, least = turn, from, to, area
		}
	}
	return heading, lo, hi
}

// measure sets the box around the surface and how wrong it is.
func (b *block) measure() {
	b.empty()
	for _, t := range b.surface {
		b.extend(t)
	}
	for _, t := range b.surface {
		b.wrong = max(b.wrong, b.depth(t))
	}
}

// empty makes the box contain nothing.
func (b *block) empty() {
	inf := math.Inf(1)
	b.lo, b.hi, b.wrong = mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}, 0
}

// extend extends the box to contain a triangle.
func (b *block) extend(t triangle) {
	for _, v := range t {
		for k := range v {
			b.lo[k], b.hi[k] = min(b.lo[k], v[k]), max(b.hi[k], v[k])
		}
	}
}

// depth returns how deep a triangle lies below the side of the box that is nearest to it.
func (b *block) depth(t triangle) float64 {
	least := math.Inf(1)
	for k := range 3 {
		least = min(least, max(t[0][k], t[1][k], t[2][k])-b.lo[k], b.hi[k]-min(t[0][k], t[1][k], t[2][k]))
	}
	return least
}

// divide cuts a block in two where the boxes around both parts are smallest together. A box that the surface fills
// counts half.
func (b *block) divide() (low, high block, ok bool) {
	least := math.Inf(1)
	for axis := range 3 {
		for _, at := range b.cuts(axis) {
			l, h := b.cutAt(axis, at)
			if l.surface == nil || h.surface == nil {
				continue
			}
			l.measure()
			h.measure()
			if v := l.cost() + h.cost(); v < least {
				low, high, least = l, h, v
			}
		}
	}
	return low, high, !math.IsInf(least, 1)
}

// cost returns the volume of a block, twice that if the surface lies too deep inside. A flat block has a volume too.
func (b *block) cost() float64 {
	size := b.hi.Sub(b.lo)
	v := (size[0] + exact) * (size[1] + exact) * (size[2] + exact)
	if b.wrong > exact {
		v *= 2
	}
	return v
}

// cuts returns where a cut along an axis is tried: at corners of triangles inside the box, and in its middle.
func (b *block) cuts(axis int) []float64 {
	if b.hi[axis]-b.lo[axis] < 2*exact || len(b.surface) > cutWork {
		return nil
	}
	all := []float64{(b.lo[axis] + b.hi[axis]) / 2}
	for _, t := range b.surface {
		if b.depth(t) <= exact {
			continue
		}
		for _, v := range t {
			if v[axis] > b.lo[axis]+exact/2 && v[axis] < b.hi[axis]-exact/2 {
				all = append(all, v[axis])
			}
		}
	}
	slices.Sort(all)
	all = slices.CompactFunc(all, func(a, b float64) bool { return math.Abs(a-b) < exact/10 })
	if most := min(cutWork/len(b.surface), mostCuts); len(all) > most {
		some := make([]float64, most)
		for i := range some {
			some[i] = all[(2*i+1)*len(all)/(2*most)]
		}
		return some
	}
	return all
}

// cutAt cuts a block at a place along an axis.
func (b *block) cutAt(axis int, at float64) (low, high block) {
	low, high = *b, *b
	low.surface, high.surface = nil, nil
	low.cut[1][axis], high.cut[0][axis] = at, at
	for _, t := range b.surface {
		first, last := min(t[0][axis], t[1][axis], t[2][axis]), max(t[0][axis], t[1][axis], t[2][axis])
		switch {
		case last <= at+same && (first < at-same || faces(t, axis) > 0): // in the plane, the body is at its back
			low.surface = append(low.surface, t)
		case first >= at-same:
			high.surface = append(high.surface, t)
		default:
			low.surface = appendCut(low.surface, t, axis, at, -1)
			high.surface = appendCut(high.surface, t, axis, at, 1)
		}
	}
	return low, high
}

// faces returns a number that is positive if a triangle faces up an axis, and negative if it faces down the axis. It is
// twice the area of the triangle as seen along the axis.
func faces(t triangle, axis int) float64 {
	return t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))[axis]
}

// appendCut appends the part of a triangle on one side of a plane: above it if sense is 1, below it if sense is −1.
func appendCut(into []triangle, t triangle, axis int, at, sense float64) []triangle {
	var corners [4]mgl64.Vec3
	n := 0
	for i := range t {
		p, q := t[i], t[(i+1)%3]
		inP, inQ := sense*(p[axis]-at) >= 0, sense*(q[axis]-at) >= 0
		if inP {
			corners[n] = p
			n++
		}
		if inP != inQ {
			corners[n] = p.Add(q.Sub(p).Mul((at - p[axis]) / (q[axis] - p[axis])))
			corners[n][axis] = at
			n++
		}
	}
	for i := 2; i < n; i++ {
		into = append(into, triangle{corners[0], corners[i-1], corners[i]})
	}
	return into
}

// appendBoxes appends the boxes of a block: one if it is closed or flat, or else one for each side with triangles.
func (b *block) appendBoxes(into []spatial.UprightBox) []spatial.UprightBox {
	size := b.hi.Sub(b.lo)
	if min(size[0], size[1], size[2]) <= 2*exact || b.wrong > exact || b.isClosed() {
		return append(into, b.box())
	}
	var sides [6]block
	for _, t := range b.surface {
		best, least := 0, math.Inf(1)
		for side := range 6 {
			if d := b.below(t, side); d < least {
				best, least = side, d
			}
		}
		sides[best].surface = append(sides[best].surface, t)
	}
	for i := range sides {
		if s := &sides[i]; s.surface != nil {
			s.heading = b.heading
			s.measure()
			into = append(into, s.box())
		}
	}
	return into
}

// below returns how deep a triangle lies below a side: 2·axis is the low side along an axis, 2·axis+1 the high one.
func (b *block) below(t triangle, side int) float64 {
	k := side / 2
	if side%2 == 0 {
		return max(t[0][k], t[1][k], t[2][k]) - b.lo[k]
	}
	return b.hi[k] - min(t[0][k], t[1][k], t[2][k])
}

// isClosed reports whether triangles that face outwards cover every side of the box except for its bottom, and for
// sides at which it was cut off.
func (b *block) isClosed() bool {
	size := b.hi.Sub(b.lo)
	for side := range 6 {
		k, sense, end := side/2, -1.0, b.lo
		if side%2 == 1 {
			sense, end = 1, b.hi
		}
		if side == 4 || math.Abs(end[k]-b.cut[side%2][k]) < exact {
			continue
		}
		area := 0.0
		for _, t := range b.surface {
			if f := sense * faces(t, k) / 2; f > 0 && b.below(t, side) <= exact {
				area += f
			}
		}
		if area < closed*size[(k+1)%3]*size[(k+2)%3] {
			return false
		}
	}
	return true
}

// box returns the box around the block's surface, at least thinPanel thick.
func (b *block) box() spatial.UprightBox {
	centre, half := b.lo.Add(b.hi).Mul(0.5), b.hi.Sub(b.lo).Mul(0.5)
	for k := range half {
		half[k] = max(half[k], thinPanel/2)
	}
	sin, cos := math.Sincos(b.heading)
	return spatial.UprightBox{Half: half, Heading: b.heading,
		Centre: mgl64.Vec3{cos*centre[0] - sin*centre[1], sin*centre[0] + cos*centre[1], centre[2]}}
}
