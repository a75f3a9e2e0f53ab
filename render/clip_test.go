package render

import (
	"math"
	"testing"
)

func TestClipLine(t *testing.T) {
	for _, c := range []struct {
		a, b, wantA, wantB [2]float64
		left               bool
	}{
		{[2]float64{1, 1}, [2]float64{3, 2}, [2]float64{1, 1}, [2]float64{3, 2}, true},
		{[2]float64{-2, 2}, [2]float64{6, 2}, [2]float64{0, 2}, [2]float64{4, 2}, true},
		{[2]float64{2, 5}, [2]float64{2, -5}, [2]float64{2, 4}, [2]float64{2, 0}, true},
		{[2]float64{-1, 3}, [2]float64{3, -1}, [2]float64{0, 2}, [2]float64{2, 0}, true},
		{[2]float64{-3, 2}, [2]float64{2, -3}, [2]float64{}, [2]float64{}, false},
		{[2]float64{5, 0}, [2]float64{5, 4}, [2]float64{}, [2]float64{}, false},
		{[2]float64{2, 2}, [2]float64{2, 2}, [2]float64{2, 2}, [2]float64{2, 2}, true},
		{[2]float64{math.NaN(), 2}, [2]float64{2, 2}, [2]float64{}, [2]float64{}, false},
	} {
		a, b := c.a, c.b
		if left := ClipLine(&a, &b, [2]float64{}, [2]float64{4, 4}); left != c.left || left &&
			(a != c.wantA || b != c.wantB) {
			t.Errorf("%v to %v: %v, %v to %v, want %v, %v to %v", c.a, c.b, left, a, b, c.left, c.wantA, c.wantB)
		}
	}
}
