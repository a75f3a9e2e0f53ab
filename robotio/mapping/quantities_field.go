package mapping

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds/area"
)

// fieldQuantities list what of a field never moves: its markings, the frames of its goals, and the areas that the
// world's file names.
func fieldQuantities(q *quantities) {
	marks := newQuantities()
	// Every line has two ends, one after the other, as a list of line segments wants them.
	marks.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.at] })
	q.list("line_ends", func(c *Context) int { c.ends = c.lineEnds(); return len(c.ends) }, marks)
	q.length("line.width", func(c *Context) float64 { return c.World.Field.LineWidth })

	arcs, points := newQuantities(), newQuantities()
	points.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.at] })
	arcs.list("points", func(c *Context) int { c.ends = arcPoints(&c.marks[c.at], c.ends[:0]); return len(c.ends) },
		points)
	q.list("arcs", func(c *Context) int { return c.findMarks(spatial.Arc) }, arcs)

	spots := newQuantities()
	spots.vec("", func(c *Context) mgl64.Vec3 { return flat(c.marks[c.at].A) })
	spots.length("diameter", func(c *Context) float64 { return 2 * c.marks[c.at].Radius })
	q.list("spots", func(c *Context) int { return c.findMarks(spatial.Spot) }, spots)

	frames := newQuantities()
	box := func(c *Context) (lo, hi mgl64.Vec3) {
		f := &c.World.Field
		b := f.GoalPosts(f.Goals()[c.at/goalParts])[c.at%goalParts]
		return b.Min, b.Max
	}
	frames.vec("", func(c *Context) mgl64.Vec3 { lo, hi := box(c); return lo.Add(hi).Mul(0.5) })
	frames.vec("size.", func(c *Context) mgl64.Vec3 { lo, hi := box(c); return hi.Sub(lo) })
	q.list("goal_frames", func(*Context) int { return 2 * goalParts }, frames)

	areas := newQuantities()
	at := func(c *Context) *area.Area { return &c.World.Areas[c.at] }
	areas.Texts["name"] = func(c *Context) string { return at(c).Name }
	areas.vec("", func(c *Context) mgl64.Vec3 { return flat(at(c).Border(areaCorners)[0]) })
	border := newQuantities() // which ends where it begins
	border.vec("", func(c *Context) mgl64.Vec3 { return c.ends[c.at] })
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
	arcError    = 1e-3 // m: how far the lines that stand for an arc may lie beside it
)

// lineEnds are the ends of the field's straight lines.
func (c *Context) lineEnds() []mgl64.Vec3 {
	ends := c.ends[:0]
	for range c.findMarks(spatial.Segment) {
		m := &c.marks[len(ends)/2]
		ends = append(ends, flat(m.A), flat(m.B))
	}
	return ends
}

// arcPoints adds points of an arc that are so near to each other that what is between them is straight.
func arcPoints(m *spatial.Mark, into []mgl64.Vec3) []mgl64.Vec3 {
	steps := int(math.Ceil(m.Sweep / (2 * math.Acos(1-arcError/math.Max(m.Radius, arcError)))))
	for k := range steps + 1 {
		sin, cos := math.Sincos(m.From + m.Sweep*float64(k)/float64(steps))
		into = append(into, mgl64.Vec3{m.A[0] + m.Radius*cos, m.A[1] + m.Radius*sin})
	}
	return into
}

// findMarks lists the field's markings of a kind, and returns how many there are.
func (c *Context) findMarks(kind spatial.MarkKind) int {
	c.marks = slices.DeleteFunc(c.World.Field.Marks(), func(m spatial.Mark) bool { return m.Kind != kind })
	return len(c.marks)
}
