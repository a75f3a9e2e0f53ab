package physics

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Field is a soccer field's markings and goals, measured as in the rule book: areas reach to the outer edges of their
// lines.
type Field struct {
	Name             string  `toml:"name" doc:"name of the field"`
	Length           float64 `toml:"length_m" required:"true" range:"[1, 100]" doc:"distance between the goal lines' outer edges"`
	Width            float64 `toml:"width_m" required:"true" range:"[1, 100]" doc:"distance between the touch lines' outer edges"`
	PenaltyAreaWidth float64 `toml:"penalty_area_width_m" range:"[0, 40]"`
	PenaltyAreaDepth float64 `toml:"penalty_area_depth_m" range:"[0, 20]"`
	GoalAreaWidth    float64 `toml:"goal_area_width_m" range:"[0, 40]"`
	GoalAreaDepth    float64 `toml:"goal_area_depth_m" range:"[0, 20]"`
	PenaltyMark      float64 `toml:"penalty_mark_m" range:"[0, 20]" doc:"distance from the goal line's outer edge to the mark's centre"`
	CentreCircle     float64 `toml:"centre_circle_radius_m" range:"[0, 10]" doc:"radius to the line's outer edge"`
	CornerArc        float64 `toml:"corner_arc_radius_m" range:"[0, 5]" doc:"radius to the line's outer edge"`
	LineWidth        float64 `toml:"line_width_m" required:"true" range:"[0.01, 0.5]"`
	Border           float64 `toml:"border_m" range:"[0, 10]" doc:"width of the carpet outside the lines, up to the boards"`
	GoalWidth        float64 `toml:"goal_width_m" required:"true" range:"[0.2, 10]" doc:"distance between the posts"`
	GoalHeight       float64 `toml:"goal_height_m" required:"true" range:"[0.2, 5]" doc:"height below the bar"`
	GoalDepth        float64 `toml:"goal_depth_m" required:"true" range:"[0.1, 5]"`
	PostWidth        float64 `toml:"post_width_m" required:"true" range:"[0.02, 0.5]" doc:"side of the square posts and bar"`
	WallHeight       float64 `toml:"wall_height_m" required:"true" range:"[0.05, 3]" doc:"height of the boards around the border"`
	HasGoals         bool    `toml:"goals" doc:"whether the field has goals"`
	HasLines         bool    `toml:"lines" doc:"whether lines, circle and marks are painted on the field"`
	HasBoards        bool    `toml:"boards" doc:"whether boards stand around the border; without them, robots and balls can leave the floor"`
}

// SetDefaults gives the field all of its parts.
func (f *Field) SetDefaults() { f.HasGoals, f.HasLines, f.HasBoards = true, true, true }

// Bare reports whether the field is only a floor: it has neither goals, nor lines, nor boards.
func (f *Field) Bare() bool { return !f.HasGoals && !f.HasLines && !f.HasBoards }

// HallHeight is the height of the walls of the hall, in metres. It is a guess for a common exhibition hall.
const HallHeight = 5.0

// WallTop returns the height of the walls around the floor, in metres: of the boards or, around a bare floor, of the
// hall's walls. It is 0 if nothing surrounds the floor.
func (f *Field) WallTop() float64 {
	switch {
	case f.HasBoards:
		return f.WallHeight
	case f.Bare():
		return HallHeight
	}
	return 0
}

// Half returns half of the size of the floor: the field with its border, in metres.
func (f *Field) Half() (x, y float64) { return f.Length/2 + f.Border, f.Width/2 + f.Border }

// spotRadius returns the radius of the penalty and centre marks, in metres. It is a guess: in photographs the marks are
// twice as wide as a line.
func (f *Field) spotRadius() float64 { return f.LineWidth }

// Marks returns all markings. Lines end on the centre lines of other lines, so that corners are closed.
func (f *Field) Marks() []spatial.Mark {
	if !f.HasLines {
		return nil
	}
	hw := f.LineWidth / 2
	x, y := f.Length/2-hw, f.Width/2-hw
	var marks []spatial.Mark
	line := func(x0, y0, x1, y1 float64) {
		marks = append(marks, spatial.Mark{Kind: spatial.Segment, A: [2]float64{x0, y0}, B: [2]float64{x1, y1},
			Width: f.LineWidth})
	}
	spot := func(cx, cy, r float64) {
		marks = append(marks, spatial.Mark{Kind: spatial.Spot, A: [2]float64{cx, cy}, Radius: r})
	}
	arc := func(cx, cy, outer, from, sweep float64) {
		if outer > f.LineWidth {
			marks = append(marks, spatial.Mark{Kind: spatial.Arc, A: [2]float64{cx, cy}, Radius: outer - hw, From: from,
				Sweep: sweep, Width: f.LineWidth})
		}
	}
	line(-x, y, x, y)
	line(-x, -y, x, -y)
	line(0, -y, 0, y)
	arc(0, 0, f.CentreCircle, 0, 2*math.Pi)
	spot(0, 0, f.spotRadius())
	for _, side := range []float64{-1, 1} {
		line(side*x, -y, side*x, y)
		for _, area := range [][2]float64{{f.PenaltyAreaDepth, f.PenaltyAreaWidth},
			{f.GoalAreaDepth, f.GoalAreaWidth}} {
			depth, half := area[0]-hw, area[1]/2-hw
			if depth <= hw || half <= hw {
				continue
			}
			front := side * (f.Length/2 - depth)
			line(side*x, half, front, half)
			line(front, half, front, -half)
			line(front, -half, side*x, -half)
		}
		if f.PenaltyMark > 0 {
			spot(side*(f.Length/2-f.PenaltyMark), 0, f.spotRadius())
		}
	}
	// Corner arcs open towards the field's centre.
	arc(-x, -y, f.CornerArc, 0, math.Pi/2)
	arc(x, -y, f.CornerArc, math.Pi/2, math.Pi/2)
	arc(x, y, f.CornerArc, math.Pi, math.Pi/2)
	arc(-x, y, f.CornerArc, 3*math.Pi/2, math.Pi/2)
	return marks
}

// Goal is one goal: two posts and a bar on the goal line, and a net behind them.
type Goal struct {
	Side float64 // +1: the goal at +x, which team cyan attacks; −1: the goal at −x
	X    float64 // outer edge of the goal line, metres
}

// Goals returns the goal at −x and the goal at +x, or nothing for a field without goals.
func (f *Field) Goals() []Goal {
	if !f.HasGoals {
		return nil
	}
	return []Goal{f.end(-1), f.end(1)}
}

// Box is an axis-aligned box in the world frame, metres.
type Box struct{ Min, Max [3]float64 }

// end returns the goal at an end of the field, +1 or −1. A field without goals has the ends of goals, too.
func (f *Field) end(side float64) Goal { return Goal{Side: side, X: side * f.Length / 2} }

// GoalPosts returns a goal's two posts and its bar.
func (f *Field) GoalPosts(g Goal) [3]Box {
	x0, x1 := g.X, g.X+g.Side*f.PostWidth
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	half, w, h := f.GoalWidth/2, f.PostWidth, f.GoalHeight
	return [3]Box{
		{Min: [3]float64{x0, half, 0}, Max: [3]float64{x1, half + w, h + w}},
		{Min: [3]float64{x0, -half - w, 0}, Max: [3]float64{x1, -half, h + w}},
		{Min: [3]float64{x0, -half, h}, Max: [3]float64{x1, half, h + w}},
	}
}

// netThickness is the thickness, in metres, of the bodies that represent nets. It is the distance that a ball at 12 m/s
// flies in a step of 5 ms.
const netThickness = 0.06

// GoalCage returns a goal's net as boxes: back, two sides and top.
func (f *Field) GoalCage(g Goal) [4]Box {
	front, back := g.X, g.X+g.Side*f.GoalDepth
	span := func(a, b float64) (float64, float64) { return math.Min(a, b), math.Max(a, b) }
	fx0, fx1 := span(front, back)
	bx0, bx1 := span(back, back+g.Side*netThickness)
	half, w, h := f.GoalWidth/2, f.PostWidth, f.GoalHeight
	return [4]Box{
		{Min: [3]float64{bx0, -half - w, 0}, Max: [3]float64{bx1, half + w, h + w}},
		{Min: [3]float64{fx0, half, 0}, Max: [3]float64{fx1, half + netThickness, h}},
		{Min: [3]float64{fx0, -half - netThickness, 0}, Max: [3]float64{fx1, -half, h}},
		{Min: [3]float64{fx0, -half, h}, Max: [3]float64{fx1, half, h + netThickness}},
	}
}

// InGoal reports whether a ball is wholly behind the goal line and inside the goal. The arguments pos and radius are
// the ball's centre in the world frame and its radius, in metres.
func (f *Field) InGoal(g Goal, pos [3]float64, radius float64) bool {
	beyond := g.Side*(pos[0]-g.X) - radius
	return beyond > 0 && beyond < f.GoalDepth &&
		math.Abs(pos[1]) < f.GoalWidth/2 && pos[2] < f.GoalHeight
}

const (
	// BoardThickness and boardTop are the thickness and the height, in metres, of the bodies that stand for the boards
	// around the border. Robots can neither pass nor tip over the boards. For the ball the boards end at
	// Field.WallHeight, so that the ball can fly over them.
	BoardThickness = 2.0
	boardTop       = 4.0
)

// StaticBox is a body that does not move: a box that is turned about the vertical axis through its centre, or the
// upright cylinder in a square box.
type StaticBox struct {
	Box
	Heading  float64 // of the box's x axis, rad
	Round    bool    // it is a cylinder
	BallTop  float64 // height up to which the box stops the ball, metres
	Material Material
}

// upright returns the same body with its centre and half sizes.
func (b *StaticBox) upright() (u spatial.UprightBox) {
	u.Heading, u.Round = b.Heading, b.Round
	for k := range 3 {
		u.Centre[k], u.Half[k] = (b.Min[k]+b.Max[k])/2, (b.Max[k]-b.Min[k])/2
	}
	return u
}

// Extent returns how far the body extends from its centre along the world's x and y axes, metres.
func (b *StaticBox) Extent() (x, y float64) {
	u := b.upright()
	return u.Extent()
}

// StaticGrid returns a grid in which engines find static bodies.
func StaticGrid(boxes []StaticBox) *spatial.Grid {
	all := make([]spatial.UprightBox, len(boxes))
	for i := range boxes {
		all[i] = boxes[i].upright()
	}
	return spatial.NewGrid(all)
}

// StaticBoxes returns a field's boards and goals as bodies, if it has them. Around a bare floor, the walls of the hall
// take the place of the boards.
func (f *Field) StaticBoxes() []StaticBox {
	x, y := f.Half()
	const t = BoardThickness
	var boxes []StaticBox
	top := f.WallTop()
	if top > 0 {
		boxes = []StaticBox{
			{Box: Box{Min: [3]float64{x, -y - t, 0}, Max: [3]float64{x + t, y + t, boardTop}}},
			{Box: Box{Min: [3]float64{-x - t, -y - t, 0}, Max: [3]float64{-x, y + t, boardTop}}},
			{Box: Box{Min: [3]float64{-x, y, 0}, Max: [3]float64{x, y + t, boardTop}}},
			{Box: Box{Min: [3]float64{-x, -y - t, 0}, Max: [3]float64{x, -y, boardTop}}},
		}
	}
	for i := range boxes {
		boxes[i].BallTop, boxes[i].Material = top, Board
	}
	for _, g := range f.Goals() {
		for _, b := range f.GoalPosts(g) {
			boxes = append(boxes, StaticBox{Box: b, BallTop: b.Max[2], Material: Post})
		}
		for _, b := range f.GoalCage(g) {
			boxes = append(boxes, StaticBox{Box: b, BallTop: b.Max[2], Material: Net})
		}
	}
	return boxes
}
