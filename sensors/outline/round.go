package outline

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// round returns boxes that make up a convex surface that is no box, such as a column, a sphere or a tilted plate: those
// that fill the plans of its slices. It returns nil for any other surface, and if there would be more than a number of
// boxes.
func round(surface []triangle, most int) (boxes []spatial.UprightBox) {
	corners := cornersOf(surface)
	if len(corners) > mostCorners || !oneSided(surface, corners) {
		return nil
	}
	lid, ends := 0.0, []float64{math.Inf(1), math.Inf(-1)}
	for _, t := range surface {
		lid += max(faces(t, 2), 0) / 2
	}
	for _, c := range corners {
		ends[0], ends[1] = min(ends[0], c[2]), max(ends[1], c[2])
	}
	open := lid < closed*area(outlineBetween(surface, ends[0], ends[1]))
	for i := 0; i+1 < len(ends); {
		low, high := ends[i], ends[i+1]
		if high-low > exact && shrinks(surface, low, high) > 2*exact {
			ends = slices.Insert(ends, i+1, (low+high)/2)
			continue
		}
		i++
		slice := fill(simplify(plan(surface, (low+high)/2)), open) // between the slice's largest and least plans
		for k := range slice {
			slice[k].Centre[2], slice[k].Half[2] = (low+high)/2, max(high-low, thinPanel)/2
		}
		boxes = append(boxes, slice...)
		if slice == nil || len(boxes) > most || len(ends) > most {
			return nil
		}
	}
	return boxes
}

// oneSided reports whether all corners lie on the same side of each triangle. Backs of triangles count as triangles.
func oneSided(surface []triangle, corners []mgl64.Vec3) bool {
	for _, t := range surface {
		n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
		l := n.Len()
		if l < 1e-12 {
			continue
		}
		above, below := 0.0, 0.0
		for _, c := range corners {
			d := n.Dot(c.Sub(t[0])) / l
			above, below = max(above, d), max(below, -d)
		}
		if min(above, below) > dent {
			return false
		}
	}
	return true
}

// outlineBetween returns the plan of the part of a surface between two heights.
func outlineBetween(surface []triangle, low, high float64) []mgl64.Vec2 {
	var points []mgl64.Vec2
	for _, v := range sliceOf(surface, low, high) {
		points = append(points, v.Vec2())
	}
	return simplify(hull(points))
}

// shrinks returns how far inside of a slice's plan its section at one of its ends lies at most, m.
func shrinks(surface []triangle, low, high float64) (most float64) {
	outline := outlineBetween(surface, low, high)
	margin := 0.02 * (high - low) // the plan at the end of the surface itself may be empty
	bottom, top := plan(surface, low+margin), plan(surface, high-margin)
	const directions = 16
	for i := range directions {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / directions)
		dir := mgl64.Vec2{cos, sin}
		most = max(most, reach(outline, dir)-min(reach(bottom, dir), reach(top, dir)))
	}
	return most
}

// reach returns how far a plan extends from the origin in a direction.
func reach(plan []mgl64.Vec2, dir mgl64.Vec2) float64 {
	far := math.Inf(-1)
	for _, p := range plan {
		far = max(far, p.Dot(dir))
	}
	return far
}

// fill returns boxes that together fill a convex plan: one on each edge, as deep as it fits, or thin ones if the plan
// is open. Their heights are not set. A plan with an acute angle, or a narrow one, gets one rectangle; if that is too
// large, fill returns nil.
func fill(plan []mgl64.Vec2, open bool) (boxes []spatial.UprightBox) {
	for i, from := range plan {
		to := plan[(i+1)%len(plan)]
		along := to.Sub(from).Normalize()
		in := mgl64.Vec2{-along[1], along[0]}
		deep := min(inside(plan, from, in), inside(plan, to, in))
		if deep < 2*exact {
			return fillWithOne(plan)
		}
		if open {
			deep = thinPanel
		}
		c := from.Add(to).Mul(0.5).Add(in.Mul(deep / 2))
		box := spatial.UprightBox{Centre: c.Vec3(0), Half: mgl64.Vec3{to.Sub(from).Len() / 2, deep / 2},
			Heading: math.Atan2(along[1], along[0])}
		if !slices.ContainsFunc(boxes, func(o spatial.UprightBox) bool { return samePlan(&o, &box) }) {
			boxes = append(boxes, box)
		}
	}
	return boxes
}

// samePlan reports whether two boxes have nearly the same plan, maybe turned by half a turn or a quarter turn.
func samePlan(a, b *spatial.UprightBox) bool {
	near := func(x, y float64) bool { return math.Abs(x-y) < exact }
	turn := math.Remainder(a.Heading-b.Heading, math.Pi)
	far := max(b.Half[0], b.Half[1])
	halfX, halfY := b.Half[0], b.Half[1]
	if math.Abs(turn) > math.Pi/4 {
		turn, halfX, halfY = math.Remainder(turn, math.Pi/2), halfY, halfX
	}
	return near(a.Centre.Sub(b.Centre).Len(), 0) && near(turn*far, 0) && near(a.Half[0], halfX) &&
		near(a.Half[1], halfY)
}

// fillWithOne returns the smallest rectangle around a plan, or nil if it is too large.
func fillWithOne(plan []mgl64.Vec2) []spatial.UprightBox {
	heading, lo, hi := rectangleAround(plan)
	sin, cos := math.Sincos(heading)
	world := func(x, y float64) mgl64.Vec2 { return mgl64.Vec2{cos*x - sin*y, sin*x + cos*y} }
	for _, c := range [4]mgl64.Vec2{lo, {hi[0], lo[1]}, hi, {lo[0], hi[1]}} {
		at, outside := world(c[0], c[1]), 0.0
		for i, from := range plan {
			along := plan[(i+1)%len(plan)].Sub(from).Normalize()
			outside = max(outside, -cross(along, at.Sub(from)))
		}
		if outside > 2*exact {
			return nil
		}
	}
	c := world((lo[0]+hi[0])/2, (lo[1]+hi[1])/2)
	return []spatial.UprightBox{{Centre: c.Vec3(0), Half: mgl64.Vec3{max(hi[0]-lo[0], thinPanel) / 2,
		max(hi[1]-lo[1], thinPanel) / 2}, Heading: heading}}
}

// simplify leaves out corners of a plan that are close to the line between others.
func simplify(plan []mgl64.Vec2) (out []mgl64.Vec2) {
	for i := 0; i < len(plan); {
		next := i + 1
	longer:
		for next < len(plan) {
			end := plan[(next+1)%len(plan)]
			for k := i + 1; k <= next; k++ {
				if along := end.Sub(plan[i]); math.Abs(cross(along, plan[k].Sub(plan[i]))) > exact/2*along.Len() {
					break longer
				}
			}
			next++
		}
		out = append(out, plan[i])
		i = next
	}
	return out
}

func cross(a, b mgl64.Vec2) float64 { return a[0]*b[1] - a[1]*b[0] }

// inside returns how far a convex plan, widened by half of exact, extends from one of its corners in a direction.
func inside(plan []mgl64.Vec2, from, dir mgl64.Vec2) float64 {
	far := math.Inf(1)
	for i, at := range plan {
		along := plan[(i+1)%len(plan)].Sub(at)
		along = along.Mul(1 / along.Len())
		if falls := -cross(along, dir); falls > 1e-6 {
			far = min(far, (cross(along, from.Sub(at))+exact/2)/falls)
		}
	}
	return far
}
