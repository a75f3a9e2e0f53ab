package area

import "testing"

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
			if got := (&Polygon{Points: points}).broken(); got != want {
				t.Errorf("%v: got %q, want %q", points, got, want)
			}
		}
	}
}
