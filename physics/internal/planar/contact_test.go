package planar

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// When free bodies meet, linear and angular momentum are conserved, energy does not grow, and nothing continues to
// approach.
func TestContactsKeepMomentum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(-3, 3)
		place := rapid.Float64Range(-0.45, 0.45)
		b := &bodies{dt: 0.005, robots: 2, friction: rapid.Float64Range(0, 1).Draw(t, "friction"), clearX: 100,
			clearY: 100}
		for range 2 {
			b.all = append(b.all, body{x: place.Draw(t, "x"), y: place.Draw(t, "y"), vx: f.Draw(t, "vx"),
				vy:    f.Draw(t, "vy"),
				omega: f.Draw(t, "omega"), radius: 0.25, reach: 0.25, invM: 1 / rapid.Float64Range(1, 40).Draw(t,
					"mass"), invI: 1})
		}
		b.all = append(b.all, body{x: place.Draw(t, "x"), y: place.Draw(t, "y"), vx: f.Draw(t, "vx"),
			heading: f.Draw(t, "heading"),
			halfX:   0.3, halfY: 0.2, reach: math.Hypot(0.3, 0.2), invM: 0.1, invI: 2})
		b.collide()
		for i := range b.contacts {
			b.contacts[i].want = 0 // removing an overlap adds energy on purpose
		}
		p0, e0 := momentum(b)
		b.solve()
		p1, e1 := momentum(b)
		for k := range p0 {
			if !scalar.EqualWithinAbs(p1[k], p0[k], 1e-9) {
				t.Fatalf("momentum %d went from %v to %v", k, p0[k], p1[k])
			}
		}
		if !(e1 <= e0+1e-9) {
			t.Fatalf("energy grew from %v to %v", e0, e1)
		}
		if len(b.contacts) != 1 {
			return // one step solves several contacts only approximately
		}
		c := &b.contacts[0]
		if vx, vy := c.velocity(); !(vx*c.nx+vy*c.ny >= -1e-9) {
			t.Fatalf("still approach at %v m/s", -vx*c.nx-vy*c.ny)
		}
		if !(c.jn >= 0) || !(math.Abs(c.jt) <= b.friction*c.jn+1e-12) {
			t.Fatalf("pulls or rubs too much: %v along, %v across", c.jn, c.jt)
		}
	})
}

// momentum returns the momentum along x, along y and about the origin, and the energy.
func momentum(b *bodies) (p [3]float64, energy float64) {
	for i := range b.all {
		q := &b.all[i]
		m, inertia := 1/q.invM, 1/q.invI
		p[0] += m * q.vx
		p[1] += m * q.vy
		p[2] += inertia*q.omega + m*(q.x*q.vy-q.y*q.vx)
		energy += (m*(q.vx*q.vx+q.vy*q.vy) + inertia*q.omega*q.omega) / 2
	}
	return p, energy
}

// The oracle is the disc's distance from many points on the rectangle's outline.
func TestDiscInRect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hx, hy := rapid.Float64Range(0.1, 2).Draw(t, "hx"), rapid.Float64Range(0.1, 2).Draw(t, "hy")
		x, y := rapid.Float64Range(-3, 3).Draw(t, "x"), rapid.Float64Range(-3, 3).Draw(t, "y")
		r := rapid.Float64Range(0, 1).Draw(t, "radius")
		nx, ny, depth, ok := discInRect(x, y, r, hx, hy)
		nearest := math.Inf(1)
		const n = 400
		for i := range n + 1 {
			u := 2*float64(i)/n - 1
			for _, p := range [4][2]float64{{u * hx, hy}, {u * hx, -hy}, {hx, u * hy}, {-hx, u * hy}} {
				nearest = math.Min(nearest, math.Hypot(p[0]-x, p[1]-y))
			}
		}
		inside := math.Abs(x) < hx && math.Abs(y) < hy
		want := r - nearest
		if inside {
			want = r + nearest
		}
		if ok != (want > 0) && !(math.Abs(want) <= 0.02) {
			t.Fatalf("touch %v, depth should be %v", ok, want)
		}
		if ok && (!scalar.EqualWithinAbs(depth, want, 0.02) || !scalar.EqualWithinAbs(math.Hypot(nx, ny), 1, 1e-12)) {
			t.Fatalf("depth %v along (%v, %v), want %v", depth, nx, ny, want)
		}
	})
}

// The test of corners and sides reports an overlap exactly if two rectangles overlap. The oracle samples points of one
// rectangle and tests whether they are in the other. Each contact point is in both rectangles, and moving a rectangle
// along the normal separates them.
func TestRects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place, turn, half := rapid.Float64Range(-0.8, 0.8), rapid.Float64Range(-3, 3), rapid.Float64Range(0.1, 0.6)
		rectangle := func() body {
			p := body{x: place.Draw(t, "x"), y: place.Draw(t, "y"), heading: turn.Draw(t, "heading"),
				halfX: half.Draw(t, "hx"), halfY: half.Draw(t, "hy"), invM: 1, invI: 1}
			p.sin, p.cos = math.Sincos(p.heading)
			return p
		}
		p, q := rectangle(), rectangle()
		b := &bodies{dt: 0.005}
		b.rects(&p, &q, 0, 1)
		common := false
		const n = 60
		for i := range n + 1 {
			for j := range n + 1 {
				u, v := (2*float64(i)/n-1)*p.halfX, (2*float64(j)/n-1)*p.halfY
				x, y := p.x+p.cos*u-p.sin*v-q.x, p.y+p.sin*u+p.cos*v-q.y
				common = common || math.Abs(q.cos*x+q.sin*y) < q.halfX && math.Abs(-q.sin*x+q.cos*y) < q.halfY
			}
		}
		if common && len(b.contacts) == 0 {
			t.Fatalf("overlap without a contact: %+v %+v", p, q)
		}
		deepest := 0.0
		for i := range b.contacts {
			c := &b.contacts[i]
			deepest = math.Max(deepest, c.depth)
			if dot := c.nx*(p.x-q.x) + c.ny*(p.y-q.y); !(dot >= -1e-9) && !(math.Abs(dot) <= 1e-3) {
				t.Fatalf("the normal (%v, %v) points into the other", c.nx, c.ny)
			}
		}
		if len(b.contacts) > 0 {
			c := b.contacts[0]
			p.x, p.y = p.x+c.nx*(deepest+1e-9), p.y+c.ny*(deepest+1e-9)
			b.contacts = b.contacts[:0]
			if b.rects(&p, &q, 0, 1); len(b.contacts) > 0 {
				t.Fatalf("moved out by %v m and still overlapping by %v m", deepest, b.contacts[0].depth)
			}
		}
	})
}
