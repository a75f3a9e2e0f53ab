package odeplain

import (
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// TestRobotsDriveCircles checks that the robots of the scene drive circles with a radius of 2/3 m.
func TestRobotsDriveCircles(t *testing.T) {
	w := New(10)
	defer w.Close()
	for range 400 {
		w.Step(0.005)
	}
	var x0, y0, x1, y1 float64
	for k := range 838 { // 2π/1.5 s
		x, y := w.Place(3)
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		if k == 0 {
			x0, y0, x1, y1 = x, y, x, y
		}
		w.Step(0.005)
	}
	if !scalar.EqualWithinAbs(x1-x0, 4./3, 0.02) || !scalar.EqualWithinAbs(y1-y0, 4./3, 0.02) {
		t.Errorf("%v m by %v m, want 1.33 by 1.33", x1-x0, y1-y0)
	}
}
