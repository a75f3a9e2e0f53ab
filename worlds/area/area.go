package area

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// Area is a shape on the floor, together with all the space above the shape. It may have limits of height.
type Area struct {
	Name      string      `toml:"name" required:"true" match:"name" fixed:"true"`
	Rectangle *Rectangle  `toml:"rectangle" doc:"rectangle with sides along the field's sides"`
	Circle    *Circle     `toml:"circle"`
	Polygon   *Polygon    `toml:"polygon"`
	Z         *[2]float64 `toml:"z_m" range:"[0, 50]" doc:"lowest and greatest height above the floor; left out, any height"`

	// reports whether the ball is in the goal, if the area is a goal; nil for all other areas
	inGoal func(pos [3]float64, radius float64) bool
}

// Rectangle is a rectangle whose sides are parallel to x and y.
type Rectangle struct {
	X [2]float64 `toml:"x_m" required:"true" range:"[-50, 50]" doc:"smallest and largest x; x points towards the goal that cyan attacks"`
	Y [2]float64 `toml:"y_m" required:"true" range:"[-50, 50]" doc:"smallest and largest y, to the left"`
}

// Circle is a disc on the floor.
type Circle struct {
	X      float64 `toml:"x_m" range:"[-50, 50]" doc:"position of the centre"`
	Y      float64 `toml:"y_m" range:"[-50, 50]"`
	Radius float64 `toml:"radius_m" required:"true" range:"(0, 50]"`
}

// Validate reports, as rules.Violations, the rules that the shape breaks. It does not check the rules in the tags of
// fields.
func (a *Area) Validate() error {
	var errs []error
	fail := func(field string, value any, rule string) {
		errs = append(errs, &rules.Violation{Field: field, Value: value, Rule: rule})
	}
	shapes := struct {
		Rectangle *Rectangle `toml:"rectangle"`
		Circle    *Circle    `toml:"circle"`
		Polygon   *Polygon   `toml:"polygon"`
	}{a.Rectangle, a.Circle, a.Polygon}
	const needs = "an area needs one of"
	if _, _, err := rules.One(shapes, needs, needs+" rectangle, circle, polygon"); err != nil {
		fail("", nil, err.Error())
	}
	order := func(field string, span [2]float64) {
		if !(span[0] < span[1]) {
			fail(field, span, "the first must be less than the second")
		}
	}
	if a.Rectangle != nil {
		order("Rectangle.X", a.Rectangle.X)
		order("Rectangle.Y", a.Rectangle.Y)
	}
	if a.Polygon != nil {
		if rule := a.Polygon.broken(); rule != "" {
			fail("Polygon.Points", a.Polygon.Points, rule)
		}
	}
	if a.Z != nil {
		order("Z", *a.Z)
	}
	return errors.Join(errs...)
}

// Contains reports whether a point is in the area.
func (a *Area) Contains(p mgl64.Vec3) bool {
	if a.Z != nil && !(a.Z[0] <= p[2] && p[2] <= a.Z[1]) {
		return false
	}
	switch {
	case a.Rectangle != nil:
		r := a.Rectangle
		return r.X[0] <= p[0] && p[0] <= r.X[1] && r.Y[0] <= p[1] && p[1] <= r.Y[1]
	case a.Circle != nil:
		return math.Hypot(p[0]-a.Circle.X, p[1]-a.Circle.Y) <= a.Circle.Radius
	case a.Polygon != nil:
		return a.Polygon.contains(p[0], p[1])
	}
	return false
}

// ContainsBall reports whether a ball is in the area. If the area is a goal, the whole ball must be behind the goal
// line and between the posts. In any other area it is enough that the ball's centre is.
func (a *Area) ContainsBall(p mgl64.Vec3, radius float64) bool {
	if a.inGoal != nil {
		return a.inGoal(p, radius)
	}
	return a.Contains(p)
}

// Areas is the list of all areas of a world.
type Areas []Area

// Of returns the areas of a field, followed by the given areas of a world.
func Of(f *physics.Field, added []Area) Areas { return append(ofField(f), added...) }

// Find returns the area with a name. It fails if there is no such area.
func (all Areas) Find(name string) (*Area, error) {
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, errors.New("there is no such area" + rules.DidYouMean(name, all.names()))
}

func (all Areas) names() []string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

// Border returns the corners of the area's border on the floor, in order along the border, as x and y in W, in m. The
// border is closed: its last side joins the last corner to the first. A circle is approximated by the given number of
// corners.
func (a *Area) Border(circleCorners int) [][2]float64 {
	switch {
	case a.Rectangle != nil:
		x, y := a.Rectangle.X, a.Rectangle.Y
		return [][2]float64{{x[0], y[0]}, {x[1], y[0]}, {x[1], y[1]}, {x[0], y[1]}}
	case a.Circle != nil:
		points := make([][2]float64, circleCorners)
		for i := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(circleCorners))
			points[i] = [2]float64{a.Circle.X + a.Circle.Radius*cos, a.Circle.Y + a.Circle.Radius*sin}
		}
		return points
	}
	return a.Polygon.Points
}

// Centre returns the centre of the area's bounding box on the floor, x and y in W, in m.
func (a *Area) Centre() (x, y float64) {
	border := a.Border(4)
	lo, hi := border[0], border[0]
	for _, p := range border {
		for k := range p {
			lo[k], hi[k] = min(lo[k], p[k]), max(hi[k], p[k])
		}
	}
	return (lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2
}

// ofField returns the areas that the parts of a field give. A bare floor has the area floor alone.
func ofField(f *physics.Field) Areas {
	x, y := f.Length/2, f.Width/2
	if f.Bare() {
		return Areas{rectangle("floor", -x, x, y)}
	}
	list := Areas{
		rectangle("field", -x, x, y),
		rectangle("cyan_half", -x, 0, y),
		rectangle("magenta_half", 0, x, y),
		{Name: "centre_circle", Circle: &Circle{Radius: f.CentreCircle}},
	}
	// cyan defends the goal at −x, and magenta defends the goal at +x
	for i, team := range []string{"cyan", "magenta"} {
		g := [2]physics.Team{physics.Magenta, physics.Cyan}[i].Attacks(f)
		before := func(name string, depth, width float64) Area {
			return rectangle(team+name, min(g.X, g.X-g.Side*depth), max(g.X, g.X-g.Side*depth), width/2)
		}
		if f.HasGoals {
			goal := before("_goal", -f.GoalDepth, f.GoalWidth)
			goal.Z = &[2]float64{0, f.GoalHeight}
			goal.inGoal = func(pos [3]float64, radius float64) bool { return f.InGoal(g, pos, radius) }
			list = append(list, goal)
		}
		list = append(list,
			before("_penalty_area", f.PenaltyAreaDepth, f.PenaltyAreaWidth),
			before("_goal_area", f.GoalAreaDepth, f.GoalAreaWidth))
	}
	return list
}

func rectangle(name string, fromX, toX, halfY float64) Area {
	return Area{Name: name, Rectangle: &Rectangle{X: [2]float64{fromX, toX}, Y: [2]float64{-halfY, halfY}}}
}

// Polygon is the area within a closed line that does not cross itself.
type Polygon struct {
	Points [][2]float64 `toml:"points_m" required:"true" minlen:"3" maxlen:"100" range:"[-50, 50]" doc:"corners in turn, each once, as [x, y]; sides must not cross"`
}

// contains reports whether a point is in the polygon. It counts the sides that a ray from the point towards +x crosses,
// and returns true if their number is odd.
// For a point on a side, the result may be true or false.
func (g *Polygon) contains(x, y float64) (in bool) {
	last := g.Points[len(g.Points)-1]
	for _, p := range g.Points {
		if (p[1] > y) != (last[1] > y) && x < p[0]+(y-p[1])/(last[1]-p[1])*(last[0]-p[0]) {
			in = !in
		}
		last = p
	}
	return in
}

// width is a distance in m. A corner that is closer than this to the line through two other corners counts as being on
// that line. The distance is far less than a ball moves in a step, and far more than rounding errors.
const width = 1e-6

// broken returns the rule that the corners of the polygon break. It returns "" if they break no rule.
func (g *Polygon) broken() string {
	n := len(g.Points)
	if n < 3 {
		return "" // the rule of the tag minlen reports that there are too few corners
	}
	corner := func(i int) mgl64.Vec2 { return g.Points[i%n] }
	for i := range n {
		for k := range i {
			if g.Points[i] == g.Points[k] {
				return fmt.Sprintf(
					"corner %d is corner %d again: each stands once, and the last is joined to the first", i+1, k+1)
			}
		}
	}
	flat := true
	for i := range n {
		flat = flat && !besides(corner(0), corner(1), corner(i))
	}
	if flat {
		return "all corners lie on one line: there is no area"
	}
	for i := range n {
		a, b, c := corner(i), corner(i+1), corner(i+2)
		if !besides(a, b, c) && a.Sub(b).Dot(c.Sub(b)) > 0 {
			return fmt.Sprintf("turns back at corner %d on itself", (i+1)%n+1)
		}
		// starts after the next side and ends before the previous one, because these two share a corner with this side
		for k := i + 2; k < n && k < i+n-1; k++ {
			if meet(a, b, corner(k), corner(k+1)) {
				return fmt.Sprintf("crosses itself: the side after corner %d meets the side after corner %d", i+1, k+1)
			}
		}
	}
	return ""
}

// besides reports whether the point p is not on the line through a and b.
func besides(a, b, p mgl64.Vec2) bool {
	return math.Abs(cross(a, b, p)) > width*b.Sub(a).Len()
}

// cross returns a number that is positive if p is to the left of the line from a to b, and negative if p is to the
// right.
func cross(a, b, p mgl64.Vec2) float64 {
	return (b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0])
}

// meet reports whether the side from a to b and the side from c to d have a point in common.
func meet(a, b, c, d mgl64.Vec2) bool {
	between := func(lo, hi, x, y float64) bool { return min(x, y) <= hi && max(x, y) >= lo }
	if !between(min(a[0], b[0]), max(a[0], b[0]), c[0], d[0]) || !between(min(a[1], b[1]), max(a[1], b[1]), c[1],
		d[1]) {
		return false
	}
	return cross(a, b, c)*cross(a, b, d) <= 0 && cross(c, d, a)*cross(c, d, b) <= 0
}
