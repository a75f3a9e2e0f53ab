package area

import "github.com/omnipitch/omnipitch/physics"

// ofField returns the areas that every field has, for a field with these dimensions.
func ofField(f *physics.Field) Areas {
	x, y := f.Length/2, f.Width/2
	list := Areas{
		rectangle("field", -x, x, y),
		rectangle("cyan_half", -x, 0, y),
		rectangle("magenta_half", 0, x, y),
		{Name: "centre_circle", Circle: &Circle{Radius: f.CentreCircle}},
	}
	// first the team that defends the goal at −x, then the team that defends the goal at +x
	for i, team := range []string{"cyan", "magenta"} {
		g := f.Goals()[i]
		before := func(name string, depth, width float64) Area {
			return rectangle(team+name, min(g.X, g.X-g.Side*depth), max(g.X, g.X-g.Side*depth), width/2)
		}
		goal := before("_goal", -f.GoalDepth, f.GoalWidth)
		goal.Z = &[2]float64{0, f.GoalHeight}
		goal.inGoal = func(pos [3]float64, radius float64) bool { return f.InGoal(g, pos, radius) }
		list = append(list, goal,
			before("_penalty_area", f.PenaltyAreaDepth, f.PenaltyAreaWidth),
			before("_goal_area", f.GoalAreaDepth, f.GoalAreaWidth))
	}
	return list
}

func rectangle(name string, fromX, toX, halfY float64) Area {
	return Area{Name: name, Rectangle: &Rectangle{X: [2]float64{fromX, toX}, Y: [2]float64{-halfY, halfY}}}
}
