package quantity

import (
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// barKind is the kind of the shape of a goal's bar. Package abstraction has no constant for it.
const barKind = "goal_bar"

func cardKind(team string) string {
	if team == "magenta" {
		return "magenta_card"
	}
	return "cyan_card"
}

// shapeGroups lists the groups of shapes that have separate lists, so that viewers can show each group separately.
var shapeGroups = []struct {
	name string
	is   func(kind string) bool
}{
	{"ball", func(kind string) bool { return kind == string(abstraction.BallKind) }},
	{"robot", func(kind string) bool { // and obstacles
		return !isGoal(kind) && kind != string(abstraction.BallKind) && !believed(kind)
	}},
	{"goal", isGoal},
	{believedBall, func(kind string) bool { return kind == believedBall }},
	{believedRobot, func(kind string) bool { return kind == believedRobot }},
	{believedGoal, func(kind string) bool { return kind == believedGoal }},
	{believedLine, func(kind string) bool { return kind == believedLine }},
}

// Kinds of the shapes that the robot's own programs have found in the image.
const (
	believedBall  = "believed_ball"
	believedRobot = "believed_robot" // or obstacle
	believedGoal  = "believed_goal"
	believedLine  = "believed_line"
)

func believed(kind string) bool { return strings.HasPrefix(kind, "believed_") }

func isGoal(kind string) bool { return kind == string(abstraction.PostKind) || kind == barKind }

// colors maps each kind to its RGB colour, in [0, 1]. The dashboard uses the same colours.
var colors = map[string][3]float64{
	"ball": {1, 0.82, 0}, "cyan": {0, 0.86, 1}, "magenta": {1, 0, 0.86}, "cyan_card": {0, 0.86, 1},
	"magenta_card": {1, 0, 0.86},
	"goal_post":    {0.3, 0.55, 1}, "goal_bar": {0.3, 0.55, 1}, // not white, because goals are white
	believedBall: white, believedRobot: white, believedGoal: white, believedLine: white,
}

var white = [3]float64{1, 1, 1}

// colorOf returns the colour of a kind; kinds without a colour are red.
func colorOf(kind string) [3]float64 {
	if rgb, ok := colors[kind]; ok {
		return rgb
	}
	return [3]float64{1, 0.24, 0.16}
}

// color adds three quantities: the red, green and blue parts of the colour of a kind. The function kind returns the
// kind.
func (q *Set) color(kind func(*Context) string) {
	for i, channel := range []string{"r", "g", "b"} {
		q.plain("color."+channel, func(c *Context) float64 { return colorOf(kind(c))[i] })
	}
}

// onImage adds a position in an image twice: relative to the centre of the top-left pixel and, for Foxglove's messages,
// relative to the top-left corner of that pixel.
func (q *Set) onImage(get func(*Context) [2]float64) {
	q.pixel("", get)
	q.pixel("from_corner.", func(c *Context) [2]float64 { at := get(c); return [2]float64{at[0] + 0.5, at[1] + 0.5} })
}

// shapeQuantities returns the quantities of the overlay of a camera's images. At levels raw and ideal the overlay shows
// the true outlines, at level features the detected features. The shapes that the robot's own programs have found
// follow.
func shapeQuantities() *Set {
	q := NewSet()
	members := func(at func(*Context) *shape) *Set {
		m := NewSet()
		m.onImage(func(c *Context) [2]float64 { return c.highest(at(c)) })
		m.plain("confidence", func(c *Context) float64 { return at(c).confidence })
		m.Texts["kind"] = func(c *Context) string { return at(c).kind }
		m.Texts["label"] = func(c *Context) string { return at(c).label }
		m.color(m.Texts["kind"])
		return m
	}
	m := members(func(c *Context) *shape { return &c.shapes.all[c.Member] })
	corners := NewSet()
	corners.onImage(func(c *Context) [2]float64 { return c.shapes.corners[c.begin+c.Member] })
	m.list("corners", func(c *Context) int {
		x := &c.shapes.all[c.Member]
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
	}, members(func(c *Context) *shape { return &c.shapes.all[c.members[c.Member]] }))

	for _, g := range shapeGroups {
		m := NewSet()
		m.Texts["kind"] = func(c *Context) string { return c.shapes.all[c.shapes.edges[c.Member].shape].kind }
		m.color(m.Texts["kind"])
		q.list(g.name+"_edges", func(c *Context) int { return c.findEdges(g.is) }, m)
		m = NewSet()
		m.onImage(func(c *Context) [2]float64 {
			e := &c.shapes.edges[c.Member/2]
			if c.Member%2 == 0 {
				return c.shapes.corners[e.from]
			}
			return c.shapes.corners[e.to]
		})
		q.list(g.name+"_edge_ends", func(c *Context) int { return 2 * c.findEdges(g.is) }, m)
	}

	m = NewSet()
	m.onImage(func(c *Context) [2]float64 { return c.linePoints()[c.Member] })
	q.list("line_points", func(c *Context) int { return len(c.linePoints()) }, m)
	for name := range q.Lists {
		q.Needs[name] = Needs{Overlay: sensors.OverlayBodies,
			Beliefs: name == "shapes" || name == "labels" || believed(name)}
	}
	q.Needs["line_points"] = Needs{Overlay: sensors.OverlayLines}
	return q
}

// highest returns the highest corner of a shape in the image, in pixels. The label of the shape is shown there.
func (c *Context) highest(x *shape) [2]float64 {
	best := c.shapes.corners[x.from]
	for _, at := range c.shapes.corners[x.from:x.to] {
		if at[1] < best[1] {
			best = at
		}
	}
	return best
}

// MarkGroups are the groups of shapes that marked images show, the truth first.
var MarkGroups = []string{"ball", "robots", "goals", lineGroup, believedBall, believedRobot + "s", believedGoal + "s",
	believedLine + "s"}

const lineGroup = "lines"

// markGroup returns the group of a kind of shape.
func markGroup(kind string) string {
	switch {
	case kind == string(abstraction.BallKind) || kind == believedBall:
		return kind
	case believed(kind):
		return kind + "s"
	case isGoal(kind):
		return "goals"
	}
	return "robots"
}

// marked appends an image with its overlay: the outlines and line points are drawn in the colours of their kinds. The
// shapes that the robot's own programs have found are drawn last, in dashes. Groups in HiddenMarks are left out.
func (c *Context) marked(into []byte) []byte {
	img := c.Observation.Color
	into = append(into, img.Pix...)
	p := canvas{img, into}
	s := c.findShapes()
	for _, halo := range [2]bool{true, false} { // a black border keeps lines visible on any background
		for i := range s.all {
			if x := &s.all[i]; !believed(x.kind) && !c.HiddenMarks[markGroup(x.kind)] {
				p.outline(s, x, halo)
			}
		}
	}
	if !c.HiddenMarks[lineGroup] {
		for _, uv := range c.linePoints() {
			p.dot(int(math.Round(uv[0])), int(math.Round(uv[1])), lineRGB)
		}
	}
	for _, halo := range [2]bool{true, false} {
		for i := range s.all {
			if x := &s.all[i]; believed(x.kind) && !c.HiddenMarks[markGroup(x.kind)] {
				p.outline(s, x, halo)
			}
		}
	}
	return into
}

// outline draws a shape or, if halo is true, its black border.
func (p canvas) outline(s *shapes, x *shape, halo bool) {
	pen, rgb := p.set, bytesOf(colorOf(x.kind))
	if halo {
		pen, rgb = p.dot, [3]byte{}
	}
	if solid, n := pen, 0; believed(x.kind) {
		pen = func(u, v int, rgb [3]byte) {
			if n++; n%(2*dash) < dash {
				solid(u, v, rgb)
			}
		}
	}
	for k := x.from; k+1 < x.to; k++ {
		p.line(s.corners[k], s.corners[k+1], pen, rgb)
	}
	if x.to-x.from > 2 {
		p.line(s.corners[x.to-1], s.corners[x.from], pen, rgb)
	}
}

// dash is the length of dashes and of the gaps between them, in pixels. It is a guess: small balls have several dashes.
const dash = 6

// lineRGB is the colour of line points: red, because red differs from the white lines and the green floor.
var lineRGB = [3]byte{255, 40, 40}

func bytesOf(color [3]float64) (rgb [3]byte) {
	for i, x := range color {
		rgb[i] = byte(math.Round(255 * x))
	}
	return rgb
}

// canvas is a copy of an image's pixels.
type canvas struct {
	of  *render.Image
	pix []byte
}

func (p canvas) set(u, v int, rgb [3]byte) {
	if u >= 0 && v >= 0 && u < p.of.Width && v < p.of.Height {
		copy(p.pix[3*(v*p.of.Width+u):], rgb[:])
	}
}

// dot draws a cross of five pixels around a pixel.
func (p canvas) dot(x, y int, rgb [3]byte) {
	for _, d := range [...][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		p.set(x+d[0], y+d[1], rgb)
	}
}

// line draws the part of the straight line between the points a and b that is in the image. It calls the function pen
// for each pixel.
func (p canvas) line(a, b [2]float64, pen func(u, v int, rgb [3]byte), rgb [3]byte) {
	if !render.ClipLine(&a, &b, [2]float64{-1, -1}, [2]float64{float64(p.of.Width), float64(p.of.Height)}) {
		return
	}
	du, dv := b[0]-a[0], b[1]-a[1]
	steps := math.Ceil(math.Max(math.Abs(du), math.Abs(dv)))
	for k := 0.0; k <= steps; k++ {
		t := k / math.Max(steps, 1)
		pen(int(math.Round(a[0]+t*du)), int(math.Round(a[1]+t*dv)), rgb)
	}
}
