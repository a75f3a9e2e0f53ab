package mapping

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// Kinds beside those of abstraction.
const barKind = "goal_bar"

func cardKind(team string) string {
	if team == "magenta" {
		return "magenta_card"
	}
	return "cyan_card"
}

// Of what is drawn over images, groups that are looked at one by one.
var shapeGroups = []struct {
	name string
	is   func(kind string) bool
}{
	{"ball", func(kind string) bool { return kind == string(abstraction.BallKind) }},
	{"robot", func(kind string) bool { return !isGoal(kind) && kind != string(abstraction.BallKind) }}, // and obstacles
	{"goal", isGoal},
}

func isGoal(kind string) bool { return kind == string(abstraction.PostKind) || kind == barKind }

// colors are what things are drawn in, by their kinds: as on the dashboard and in pictures of objects.
var colors = map[string][3]float64{
	"ball": {1, 0.82, 0}, "cyan": {0, 0.86, 1}, "magenta": {1, 0, 0.86}, "cyan_card": {0, 0.86, 1},
	"magenta_card": {1, 0, 0.86},
	"goal_post":    {0.3, 0.55, 1}, "goal_bar": {0.3, 0.55, 1}, // not white, which goals are themselves
}

// colorOf is a kind's color; red of what has none of its own.
func colorOf(kind string) [3]float64 {
	if rgb, ok := colors[kind]; ok {
		return rgb
	}
	return [3]float64{1, 0.24, 0.16}
}

// color adds what something of a kind is drawn in.
func (q *quantities) color(kind func(*Context) string) {
	for i, channel := range []string{"r", "g", "b"} {
		q.plain("color."+channel, func(c *Context) float64 { return colorOf(kind(c))[i] })
	}
}

// onImage adds a place in an image: from the middle of its first pixel, and, as Foxglove's messages want it, from that
// pixel's corner.
func (q *quantities) onImage(get func(*Context) [2]float64) {
	q.pixel("", get)
	q.pixel("from_corner.", func(c *Context) [2]float64 { at := get(c); return [2]float64{at[0] + 0.5, at[1] + 0.5} })
}

// shapeQuantities are what is drawn over the images of a camera at raw and ideal, where it is what they truly show, and
// at features, where it is what vision has found.
func shapeQuantities() *quantities {
	q := newQuantities()
	members := func(at func(*Context) *shape) *quantities {
		m := newQuantities()
		m.onImage(func(c *Context) [2]float64 { return c.highest(at(c)) })
		m.plain("confidence", func(c *Context) float64 { return at(c).confidence })
		m.Texts["kind"] = func(c *Context) string { return at(c).kind }
		m.Texts["label"] = func(c *Context) string { return at(c).label }
		m.color(m.Texts["kind"])
		return m
	}
	m := members(func(c *Context) *shape { return &c.shapes.all[c.at] })
	corners := newQuantities()
	corners.onImage(func(c *Context) [2]float64 { return c.shapes.corners[c.begin+c.at] })
	m.list("corners", func(c *Context) int {
		x := &c.shapes.all[c.at]
		c.begin = x.from
		return x.to - x.from
	}, corners)
	q.list("shapes", func(c *Context) int { return len(c.findShapes().all) }, m)

	q.list("labels", func(c *Context) int {
		s := c.findShapes()
		c.members = c.members[:0]
		for i := range s.all {
			if s.all[i].first {
				c.members = append(c.members, i)
			}
		}
		return len(c.members)
	}, members(func(c *Context) *shape { return &c.shapes.all[c.members[c.at]] }))

	for _, g := range shapeGroups {
		m := newQuantities()
		m.Texts["kind"] = func(c *Context) string { return c.shapes.all[c.shapes.edges[c.at].shape].kind }
		m.color(m.Texts["kind"])
		q.list(g.name+"_edges", func(c *Context) int { return c.findEdges(g.is) }, m)
		m = newQuantities()
		m.onImage(func(c *Context) [2]float64 {
			e := &c.shapes.edges[c.at/2]
			if c.at%2 == 0 {
				return c.shapes.corners[e.from]
			}
			return c.shapes.corners[e.to]
		})
		q.list(g.name+"_edge_ends", func(c *Context) int { return 2 * c.findEdges(g.is) }, m)
	}

	m = newQuantities()
	m.onImage(func(c *Context) [2]float64 { return c.linePoints()[c.at] })
	q.list("line_points", func(c *Context) int { return len(c.linePoints()) }, m)
	for name := range q.Lists {
		q.Parts[name] = sensors.OverlayBodies
	}
	q.Parts["line_points"] = sensors.OverlayLines
	return q
}

// highest is the place of a shape's label: its highest corner.
func (c *Context) highest(x *shape) [2]float64 {
	best := c.shapes.corners[x.from]
	for _, at := range c.shapes.corners[x.from:x.to] {
		if at[1] < best[1] {
			best = at
		}
	}
	return best
}
