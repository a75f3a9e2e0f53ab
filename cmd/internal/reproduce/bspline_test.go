package reproduce

import (
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/soccer"
)

// TestBSpline checks the ends of a curve, and its derivatives by differences, also across its knots.
func TestBSpline(t *testing.T) {
	b := bspline{{0, 0}, {1, 2}, {3, 1}, {4, 4}, {7, 3}}
	for u, want := range map[float64]mgl64.Vec2{0: b[0], 1: b[4], 0.5: {17. / 6, 10. / 6}} { // (p1+4·p2+p3)/6
		if got, _, _ := b.at(u); !(got.Sub(want).Len() <= 1e-12) {
			t.Errorf("at %v: %v, want %v", u, got, want)
		}
	}
	const step = 1e-4
	for u := step; u < 1-step; u += 0.0499 {
		before, d0, _ := b.at(u - step)
		after, d1, _ := b.at(u + step)
		_, d, dd := b.at(u)
		if got := after.Sub(before).Mul(1 / (2 * step)); !(got.Sub(d).Len() <= 1e-4) {
			t.Errorf("at %v: derivative %v, by differences %v", u, d, got)
		}
		if got := d1.Sub(d0).Mul(1 / (2 * step)); !(got.Sub(dd).Len() <= 0.05) { // its slope changes at a knot
			t.Errorf("at %v: second derivative %v, by differences %v", u, dd, got)
		}
	}
}

// TestThroughEqualPoints checks that via-points on the same place leave a course finite, which still reaches its end.
func TestThroughEqualPoints(t *testing.T) {
	for _, vel := range []mgl64.Vec2{{}, {3, 0}, {1e-9, 0}} {
		b := through([]mgl64.Vec2{{0, 0}, {0, 0}, {0.001, 0}, {1, 1}, {1, 1}, {1.01, 1}}, vel, 0.8)
		c := newCourse(b.at, 100, 0, vel.Len(), pathSpeed, 2)
		if last := c.at(c.end()); !(last.pos.Sub(mgl64.Vec2{1.01, 1}).Len() <= 1e-9) || !(c.end() < 10) {
			t.Errorf("from %v: ends at %v after %v s", vel, last.pos, c.end())
		}
	}
}

// TestPlanSmooth checks that courses around moving discs end at the target, enter no disc, and keep speed and
// acceleration. The discs are apart from each other and from the ends.
func TestPlanSmooth(t *testing.T) {
	random, detours := rand.New(rand.NewPCG(1, 2)), 0
	for run := range 200 {
		from, target := mgl64.Vec2{-7, 4*random.Float64() - 2}, mgl64.Vec2{7, 4*random.Float64() - 2}
		var movers []mover
		for x := -4.0; x <= 4; x += 4 {
			m := mover{Disc: soccer.Disc{Centre: mgl64.Vec2{x, 4*random.Float64() - 2}, Radius: 0.7}}
			m.vel = mgl64.Vec2{0, random.Float64() - 0.5}
			movers = append(movers, m)
		}
		const maxAccel = 2.0
		c := planSmooth(from, mgl64.Vec2{}, target, movers, 5, maxAccel)
		first, last := c.at(5), c.at(c.end())
		if !(first.pos.Sub(from).Len() <= 1e-9) || first.speed != 0 || !(last.pos.Sub(target).Len() <= 1e-9) ||
			last.speed != 0 {
			t.Fatalf("%d: from %+v to %+v, want from %v to %v", run, first, last, from, target)
		}
		if c.end()-5 > pitch.Distance(from, target)/pathSpeed+pathSpeed/maxAccel+0.01 {
			detours++
		}
		const dt = 0.01
		velocity := func(time float64) mgl64.Vec2 {
			p := c.at(time)
			return pitch.Direction(p.direction).Mul(p.speed)
		}
		for time := 5 + dt; time < c.end()-dt; time += dt {
			at, v := c.at(time), velocity(time)
			if a := velocity(time+dt).Sub(velocity(time-dt)).Len() / (2 * dt); !(a < maxAccel*1.1) ||
				!(v.Len() <= pathSpeed+1e-9) {
				t.Fatalf("%d: %v m/s and %.3f m/s² at %.2f s", run, v, a, time)
			}
			moved := c.at(time + dt).pos.Sub(c.at(time - dt).pos).Mul(1 / (2 * dt))
			if !(moved.Sub(v).Len() < 0.1) {
				t.Fatalf("%d: %v m/s at %.2f s, but the position moves with %v", run, v, time, moved)
			}
			for i := range movers {
				if off := pitch.Distance(at.pos, movers[i].at(time-5)); !(off > movers[i].Radius-0.01) {
					t.Fatalf("%d: %.3f m from disc %d at %.2f s, at %v", run, off, i, time, at.pos)
				}
			}
		}
	}
	if detours < 50 {
		t.Errorf("%d of 200 courses are not straight: the discs are in no way", detours)
	}
}
