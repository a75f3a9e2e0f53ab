package area

import "math"

// Border returns the corners of the area's border on the floor, in order along the border, as x and y in W, in m. For a
// circle it returns ofCircle corners. The border also joins the last corner to the first.
func (a *Area) Border(ofCircle int) [][2]float64 {
	switch {
	case a.Rectangle != nil:
		x, y := a.Rectangle.X, a.Rectangle.Y
		return [][2]float64{{x[0], y[0]}, {x[1], y[0]}, {x[1], y[1]}, {x[0], y[1]}}
	case a.Circle != nil:
		points := make([][2]float64, ofCircle)
		for i := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(ofCircle))
			points[i] = [2]float64{a.Circle.X + a.Circle.Radius*cos, a.Circle.Y + a.Circle.Radius*sin}
		}
		return points
	}
	return a.Polygon.Points
}
