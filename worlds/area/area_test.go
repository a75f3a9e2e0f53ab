package area

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// field has dimensions of which no two are equal.
var field = physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
	Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5, GoalAreaDepth: 0.75,
	CentreCircle: 2,
	GoalWidth:    2.4, GoalHeight: 1, GoalDepth: 0.5,
}

func TestContains(t *testing.T) {
	all := Of(&field, []Area{
		{Name: "wing", Rectangle: &Rectangle{X: [2]float64{0, 9}, Y: [2]float64{3, 6}}, Z: &[2]float64{0, 0.5}},
		{Name: "spot", Circle: &Circle{X: 1, Y: -2, Radius: 0.5}},
		// An arrow to the left; the notch at +x is outside.
		{Name: "arrow", Polygon: &Polygon{Points: [][2]float64{{-1, 0}, {1, -1}, {0, 0}, {1, 1}}}},
	})
	for _, c := range []struct {
		area string
		p    mgl64.Vec3
		want bool
	}{
		{"field", mgl64.Vec3{9, 6, 0}, true},
		{"field", mgl64.Vec3{9.01, 0, 0}, false},
		{"field", mgl64.Vec3{0, -6.01, 0}, false},
		{"cyan_half", mgl64.Vec3{-0.1, 5, 3}, true},
		{"cyan_half", mgl64.Vec3{0.1, 5, 0}, false},
		{"magenta_half", mgl64.Vec3{0.1, 5, 0}, true},
		{"magenta_half", mgl64.Vec3{-0.1, 5, 0}, false},
		{"centre_circle", mgl64.Vec3{1.4, 1.4, 0}, true},
		{"centre_circle", mgl64.Vec3{1.5, 1.4, 0}, false},
		{"cyan_penalty_area", mgl64.Vec3{-6.8, 3.2, 0}, true},
		{"cyan_penalty_area", mgl64.Vec3{-6.7, 3.2, 0}, false},
		{"cyan_penalty_area", mgl64.Vec3{-9.1, 0, 0}, false},
		{"magenta_penalty_area", mgl64.Vec3{6.8, -3.2, 0}, true},
		{"magenta_penalty_area", mgl64.Vec3{6.8, -3.3, 0}, false},
		{"cyan_goal_area", mgl64.Vec3{-8.3, 1.7, 0}, true},
		{"cyan_goal_area", mgl64.Vec3{-8.2, 1.7, 0}, false},
		{"magenta_goal_area", mgl64.Vec3{8.3, 1.7, 0}, true},
		{"magenta_goal_area", mgl64.Vec3{8.3, 1.8, 0}, false},
		{"cyan_goal", mgl64.Vec3{-9.2, 1.1, 0.9}, true},
		{"cyan_goal", mgl64.Vec3{-9.2, 1.3, 0.9}, false},
		{"cyan_goal", mgl64.Vec3{-9.2, 1.1, 1.1}, false},
		{"cyan_goal", mgl64.Vec3{9.2, 1.1, 0.9}, false},
		{"magenta_goal", mgl64.Vec3{9.2, 1.1, 0.9}, true},
		{"magenta_goal", mgl64.Vec3{9.6, 1.1, 0.9}, false},
		{"wing", mgl64.Vec3{1, 4, 0.4}, true},
		{"wing", mgl64.Vec3{1, 4, 0.6}, false},
		{"spot", mgl64.Vec3{1.3, -2.3, 0}, true},
		{"spot", mgl64.Vec3{1.4, -2.4, 0}, false},
		{"arrow", mgl64.Vec3{-0.5, 0, 0}, true},
		{"arrow", mgl64.Vec3{0.5, 0, 0}, false},
		{"arrow", mgl64.Vec3{0.5, 0.7, 0}, true},
		{"arrow", mgl64.Vec3{-0.5, 0.7, 0}, false},
	} {
		a := must.Get(all.Find(c.area))(t)
		must.Equal(t, a.Contains(c.p), c.want, "%v in %s", c.p, c.area)
	}
}

// In a goal the ball must be wholly behind the line; elsewhere its centre counts.
func TestContainsBall(t *testing.T) {
	const radius = 0.11
	all := Of(&field, nil)
	for _, c := range []struct {
		area string
		x    float64
		want bool
	}{
		{"magenta_goal", 9.05, false}, // partly over the line
		{"magenta_goal", 9.12, true},
		{"cyan_goal", -9.1, false},
		{"cyan_goal", -9.12, true},
		{"field", 9.05, false},
		{"field", 8.95, true}, // partly over the line
	} {
		a := must.Get(all.Find(c.area))(t)
		must.Equal(t, a.ContainsBall(mgl64.Vec3{c.x, 0, radius}, radius), c.want, "ball at x = %v in %s", c.x, c.area)
	}
}

func TestFindProposes(t *testing.T) {
	_, err := Of(&field, nil).Find("center_circle")
	must.Fail(t, err, "did you mean centre_circle?")
}

func TestValidate(t *testing.T) {
	circle := &Circle{Radius: 1}
	for _, c := range []struct {
		area Area
		want string
	}{
		{Area{Circle: circle}, ""},
		{Area{}, "an area needs one of rectangle, circle, polygon"},
		{Area{Circle: circle, Polygon: &Polygon{}}, "has circle and polygon: an area needs one of rectangle, circle, " +
			"polygon"},
		{Area{Rectangle: &Rectangle{X: [2]float64{2, 1}, Y: [2]float64{0, 1}}},
			"Rectangle.X = [2 1]: the first must be less than the second"},
		{Area{Rectangle: &Rectangle{X: [2]float64{1, 2}, Y: [2]float64{1, 1}}},
			"Rectangle.Y = [1 1]: the first must be less than the second"},
		{Area{Circle: circle, Z: &[2]float64{1, 0}}, "Z = [1 0]: the first must be less than the second"},
	} {
		got := ""
		if err := c.area.Validate(); err != nil {
			got = err.Error()
		}
		must.Equal(t, got, c.want, "%+v", c.area)
	}
}

// The area contains a point just inside each corner of a convex border, and none just outside.
func TestBorder(t *testing.T) {
	for _, a := range []Area{
		{Name: "rectangle", Rectangle: &Rectangle{X: [2]float64{1, 5}, Y: [2]float64{-3, -1}}},
		{Name: "circle", Circle: &Circle{X: 2, Y: -1, Radius: 0.5}},
		{Name: "polygon", Polygon: &Polygon{Points: [][2]float64{{-1, 0}, {1, -1}, {2, 3}}}},
	} {
		border := a.Border(36)
		var middle mgl64.Vec2
		for _, p := range border {
			middle = middle.Add(mgl64.Vec2(p).Mul(1 / float64(len(border))))
		}
		for _, p := range border {
			out := mgl64.Vec2(p).Sub(middle)
			if in, beyond := middle.Add(out.Mul(0.999)), middle.Add(out.Mul(1.001)); !a.Contains(in.Vec3(0)) ||
				a.Contains(beyond.Vec3(0)) {
				t.Errorf("%s: %v is not on the border", a.Name, p)
			}
		}
	}
}

// A polygon has an area, and its sides meet at corners only.
func TestPolygonThatIsNone(t *testing.T) {
	for want, all := range map[string][][][2]float64{
		"": {
			{{0, 0}, {1, 0}, {0, 1}},
			{{0, 1}, {1, 0}, {0, 0}},
			{{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}}, // a corner in the middle of a side
			{{-1, 0}, {1, -1}, {0, 0}, {1, 1}},       // an arrow
			{{0, 0}, {0.002, 0}, {0, 0.002}},         // small
			{{0, 0}, {4, 0}, {4, 4}, {1, 4}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 1}, {0, 1}}, // a spiral
		},
		"all corners lie on one line: there is no area": {
			{{0, 0}, {1, 1}, {2, 2}},
			{{0.1, 0.3}, {0.2, 0.6}, {0.3, 0.9}, {0.7, 2.1}}, // on a line but for rounding
		},
		"corner 4 is corner 1 again: each stands once, and the last is joined to the first": {{{0, 0}, {1, 0}, {0, 1},
			{0, 0}}},
		"corner 3 is corner 2 again: each stands once, and the last is joined to the first": {{{0, 0}, {1, 0}, {1, 0},
			{0, 1}}},
		"turns back at corner 3 on itself": {{{0, 0}, {1, 0}, {3, 0},
			{2, 0}, {0, 1}}},
		"crosses itself: the side after corner 1 meets the side after corner 3": {
			{{0, 0}, {2, 2}, {2, 0}, {0, 2}},         // a bow tie
			{{0, 0}, {4, 0}, {4, 4}, {2, 0}, {0, 4}}, // touches itself
		},
		"crosses itself: the side after corner 2 meets the side after corner 4": {{{0, 2}, {0, 0}, {2, 2}, {2, 0}}},
	} {
		for _, points := range all {
			must.Equal(t, (&Polygon{Points: points}).broken(), want, "%v", points)
		}
	}
}
