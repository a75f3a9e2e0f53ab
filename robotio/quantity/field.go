package quantity

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// fieldQuantities adds lists of the static parts of a field: its markings, the frames of its goals, and the areas of
// the world file.
func fieldQuantities(q *Set) {
	marks := NewSet()
	// The two ends of every line are adjacent, as a marker of type LINE_LIST needs them.
	marks.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.Member] })
	q.list("line_ends", func(c *Context) int { c.ends = c.lineEnds(); return len(c.ends) }, marks)
	q.length("line.width", func(c *Context) float64 { return c.World.Field.LineWidth })

	arcs, points := NewSet(), NewSet()
	points.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.Member] })
	arcs.list("points", func(c *Context) int { c.ends = arcPoints(&c.marks[c.Member], c.ends[:0]); return len(c.ends) },
		points)
	q.list("arcs", func(c *Context) int { return c.findMarks(spatial.Arc) }, arcs)

	spots := NewSet()
	spots.vec("", func(c *Context) mgl64.Vec3 { return flat(c.marks[c.Member].A) })
	spots.length("diameter", func(c *Context) float64 { return 2 * c.marks[c.Member].Radius })
	q.list("spots", func(c *Context) int { return c.findMarks(spatial.Spot) }, spots)

	frames := NewSet()
	box := func(c *Context) (lo, hi mgl64.Vec3) {
		f := &c.World.Field
		b := f.GoalPosts(f.Goals()[c.Member/goalParts])[c.Member%goalParts]
		return b.Min, b.Max
	}
	frames.vec("", func(c *Context) mgl64.Vec3 { lo, hi := box(c); return lo.Add(hi).Mul(0.5) })
	frames.vec("size.", func(c *Context) mgl64.Vec3 { lo, hi := box(c); return hi.Sub(lo) })
	q.list("goal_frames", func(c *Context) int { return len(c.World.Field.Goals()) * goalParts }, frames)

	areas := NewSet()
	at := func(c *Context) *area.Area { return &c.World.Areas[c.Member] }
	areas.Texts["name"] = func(c *Context) string { return at(c).Name }
	areas.vec("", func(c *Context) mgl64.Vec3 { return flat(at(c).Border(areaCorners)[0]) })
	border := NewSet() // closed polygon: the last point equals the first
	border.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.Member] })
	areas.list("border", func(c *Context) int {
		c.ends = c.ends[:0]
		for _, p := range at(c).Border(areaCorners) {
			c.ends = append(c.ends, flat(p))
		}
		c.ends = append(c.ends, c.ends[0])
		return len(c.ends)
	}, border)
	q.list("areas", func(c *Context) int { return len(c.World.Areas) }, areas)
}

const (
	goalParts   = 3 // two posts and the bar
	areaCorners = 64
	arcError    = 1e-3 // m, largest distance between an arc and its polygon
)

// lineEnds returns the end points of the field's straight lines.
func (c *Context) lineEnds() []mgl64.Vec3 {
	ends := c.ends[:0]
	for range c.findMarks(spatial.Segment) {
		m := &c.marks[len(ends)/2]
		ends = append(ends, flat(m.A), flat(m.B))
	}
	return ends
}

// arcPoints approximates the arc m by a polygon, and appends the corners to dst. The polygon is at most arcError away
// from the arc.
func arcPoints(m *spatial.Mark, dst []mgl64.Vec3) []mgl64.Vec3 {
	steps := int(math.Ceil(m.Sweep / (2 * math.Acos(1-arcError/math.Max(m.Radius, arcError)))))
	for k := range steps + 1 {
		sin, cos := math.Sincos(m.From + m.Sweep*float64(k)/float64(steps))
		dst = append(dst, mgl64.Vec3{m.A[0] + m.Radius*cos, m.A[1] + m.Radius*sin})
	}
	return dst
}

// findMarks collects the field's markings of a kind in c.marks and returns the number of these markings.
func (c *Context) findMarks(kind spatial.MarkKind) int {
	c.marks = slices.DeleteFunc(c.World.Field.Marks(), func(m spatial.Mark) bool { return m.Kind != kind })
	return len(c.marks)
}
