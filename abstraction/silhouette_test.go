package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// A tower of prisms covers the slopes from its lowest to its highest corner from every side, as its prisms do one by
// one.
func TestSilhouetteSpansItsPrisms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var prisms []Prism
		size := rapid.Float64Range(0.05, 0.4)
		bottom := rapid.Float64Range(0, 0.3).Draw(t, "bottom")
		for range rapid.IntRange(1, 5).Draw(t, "prisms") {
			top := bottom + size.Draw(t, "height")
			prisms = append(prisms, octagon(0.1*(size.Draw(t, "x")-0.2), 0.1+size.Draw(t, "radius"), bottom, top))
			bottom = top + rapid.Float64Range(-0.02, 0.02).Draw(t, "gap")
		}
		s := NewSilhouette(prisms)
		turn, column := rapid.IntRange(0, turns-1).Draw(t, "turn"), rapid.IntRange(0, columns-1).Draw(t, "column")
		ahead := s.reach + rapid.Float64Range(0.05, 8).Draw(t, "ahead")
		base := rapid.Float64Range(-3, 1).Draw(t, "base")
		angle := 2 * math.Pi * float64(turn) / turns
		from, to := math.Inf(1), math.Inf(-1)
		for _, p := range prisms {
			near, far := intersect(p.Plan, mgl64.Vec2{math.Cos(angle), math.Sin(angle)}, s.reach*offset(column))
			if near < far {
				low, high := prismSlopes(ahead+near, ahead+far, base+p.Bottom, base+p.Top)
				from, to = min(from, low), max(to, high)
			}
		}
		got := slopes{}
		for p := s.column(angle, column); p != nil; p = s.after(p) {
			if low, high, ok := s.slopes(p, ahead, base); ok {
				got.add(low, high)
			}
		}
		if math.IsInf(from, 1) {
			if got.n != 0 {
				t.Fatalf("%v slopes of nothing", got.n)
			}
			return
		}
		// Omitted corners stick out by blunt. Seen from d away and h below or above, that is up to blunt/d·√(1 +
		// (h/d)²), and more for chains of corners.
		near := ahead - s.reach
		tol := 3 * blunt / near * math.Hypot(1, max(math.Abs(from), math.Abs(to)))
		if got.n == 0 || !scalar.EqualWithinAbs(got.from[0], from, tol) || !scalar.EqualWithinAbs(got.to[got.n-1], to,
			tol) {
			t.Fatalf("slopes %v to %v, want %v to %v within %v", got.from[:got.n], got.to[:got.n], from, to, tol)
		}
	})
}

func TestBearingAndSlant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.Float64Range(-5, 5)
		ahead, x, y := mgl64.Vec2{c.Draw(t, "a"), c.Draw(t, "b")}, c.Draw(t, "x"), c.Draw(t, "y")
		if ahead.Len()*math.Hypot(x, y) < 1e-6 {
			t.Skip("no direction")
		}
		want := math.Atan2(ahead[0]*y-ahead[1]*x, ahead[0]*x+ahead[1]*y)
		if got := bearing(&ahead, x, y); !(math.Abs(math.Remainder(got-want, 2*math.Pi)) <= 1.2e-5) {
			t.Fatalf("bearing = %v, want %v", got, want)
		}
		sin := rapid.Float64Range(-1, 1).Draw(t, "sin")
		cos, secant, angle := slant(sin)
		// √(1 − s²) cancels towards s = 1.
		inverse := scalar.EqualWithinAbs(secant*cos, 1, 4e-4) || cos == 0 && math.IsInf(secant, 1)
		if want := math.Asin(sin); !inverse || !scalar.EqualWithinAbs(angle, want, 2.5e-4) ||
			!scalar.EqualWithinAbs(cos, math.Cos(want), 1e-4) {
			t.Fatalf("slant(%v) = %v, %v, %v", sin, cos, secant, angle)
		}
	})
}
