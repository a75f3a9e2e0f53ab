package contour

import (
	"math"
	"math/rand/v2"
	"testing"
)

// around returns the winding number of lines around a point, by signed crossings of a ray to the right.
func around(o Outline, u, v float64) bool {
	in := false
	for _, line := range o {
		for i, a := range line {
			b := line[(i+1)%len(line)]
			if (a[1] > v) != (b[1] > v) && u < a[0]+(v-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
				in = !in
			}
		}
	}
	return in
}

// An outline encloses what the rows cover and nothing else, with any holes, forks and islands. The test points lie
// between two rows that agree in their surroundings, farther away than the error of outlines.
func TestOutlinesGoAroundRows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const first, width = 3, 40
		rows := make([][]span, 12)
		for i := range rows {
			for u := float32(rnd.Float64() * 8); u < width; u += 3 + float32(rnd.Float64()*12) {
				to := u + 1 + float32(rnd.Float64()*10)
				rows[i] = append(rows[i], span{u, to})
				u = to
			}
		}
		o := trace(rows, first)
		for i := range len(rows) - 1 {
			for u := 0.25; u < width; u += 0.5 {
				covers := func(row []span, off float64) bool {
					for _, s := range row {
						if u > float64(s.from)+off && u < float64(s.to)-off {
							return true
						}
					}
					return false
				}
				v := float64(first+i) + 0.5
				const off = 0.7 // outlines may be off by detail; slanted ones more along the row
				all := covers(rows[i], off) && covers(rows[i+1], off)
				none := !covers(rows[i], -off) && !covers(rows[i+1], -off)
				if got := around(o, u, v); all && !got || none && got {
					t.Fatalf("(%g, %g): around: %v; rows %v and %v", u, v, got, rows[i], rows[i+1])
				}
			}
		}
	}
}

// A disc's outline is a circle with few points, within detail and half a row.
func TestOutlineOfDisc(t *testing.T) {
	const radius, middle = 20.3, 30
	var rows [][]span
	for v := 0; v <= 60; v++ {
		var row []span
		if w := radius*radius - float64((v-middle)*(v-middle)); w > 0 {
			row = []span{{float32(middle - math.Sqrt(w)), float32(middle + math.Sqrt(w))}}
		}
		rows = append(rows, row)
	}
	o := trace(rows, 0)
	if len(o) != 1 || len(o[0]) < 12 || len(o[0]) > 50 {
		t.Fatalf("%d lines: %v", len(o), o)
	}
	for _, p := range o[0] {
		if r := math.Hypot(p[0]-middle, p[1]-middle); !(math.Abs(r-radius) <= 0.5) {
			t.Errorf("%v is %g from the middle, want %g", p, r, radius)
		}
	}
	if o := trace(nil, 0); len(o) != 0 {
		t.Errorf("of nothing: %v", o)
	}
}
