package omnipitch

import (
	"math"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

func TestDiscsMeet(t *testing.T) {
	for _, c := range []struct {
		d, v mgl64.Vec2
		want float64
	}{
		{mgl64.Vec2{2, 0}, mgl64.Vec2{-1, 0}, 1.5},
		{mgl64.Vec2{0, -3}, mgl64.Vec2{0, 2}, 1.25},
		{mgl64.Vec2{2, 0}, mgl64.Vec2{1, 0}, math.Inf(1)},    // apart
		{mgl64.Vec2{2, 0.6}, mgl64.Vec2{-1, 0}, math.Inf(1)}, // past each other
		{mgl64.Vec2{2, 0}, mgl64.Vec2{}, math.Inf(1)},
		{mgl64.Vec2{0.3, 0}, mgl64.Vec2{1, 0}, 0}, // they do
	} {
		if got := discs(c.d, c.v, 0.5); !scalar.EqualWithinAbs(got, c.want, 1e-12) && got != c.want {
			t.Errorf("discs at %v that move by %v meet after %v s, want %v", c.d, c.v, got, c.want)
		}
	}
}

// When a disc meets a box, it is as far from it as its radius, but at corners, and never nearer before.
func TestDiscMeetsBox(t *testing.T) {
	b := &physics.Box{Min: [3]float64{-1, -2, 0}, Max: [3]float64{1, 2, 1}}
	apart := func(p mgl64.Vec2) float64 {
		return max(math.Abs(p[0])-1, math.Abs(p[1])-2)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := mgl64.Vec2{rapid.Float64Range(-9, 9).Draw(t, "x"), rapid.Float64Range(-9, 9).Draw(t, "y")}
		v := mgl64.Vec2{rapid.Float64Range(-3, 3).Draw(t, "vx"), rapid.Float64Range(-3, 3).Draw(t, "vy")}
		const r = 0.25
		at := discBox(p, v, r, b)
		if (at == 0) != (apart(p) <= r) {
			t.Fatalf("they meet after %v s from %v m apart", at, apart(p))
		}
		if at > 0 && at < 1e6 {
			if d := apart(p.Add(v.Mul(at))); !scalar.EqualWithinAbs(d, r, 1e-6) {
				t.Fatalf("after %v s they are %v m apart", at, d)
			}
		}
		for s := 0.01; s < min(at, 10)-0.01; s += 0.1 {
			if d := apart(p.Add(v.Mul(s))); !(d >= r) {
				t.Fatalf("after %v of %v s they are %v m apart", s, at, d)
			}
		}
	})
}

// Two robots that drive at each other strain the steps from their meeting on.
func TestMeetingsStrain(t *testing.T) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		t.Fatal(err)
	}
	scene := w.Model()
	scene.Robots = scene.Robots[:2]
	m := newMeetings(scene)
	now := &physics.Snapshot{Robots: make([]physics.RobotState, 2), Touches: make([]physics.Touch, 3)}
	gap := 20.5 * m.step.Seconds() // seconds at 1 m/s
	now.Robots[0].PoseWB.Pos = mgl64.Vec3{}
	now.Robots[0].TwistWBInW.Lin = mgl64.Vec3{1, 0, 0}
	now.Robots[1].PoseWB.Pos = mgl64.Vec3{m.radius[0] + m.radius[1] + nearlyTouch + gap, 0, 0}
	var ahead timesync.Spans
	if got := m.strain(now, &ahead); got != 3 {
		t.Errorf("%v contacts now, want 3", got)
	}
	for k, got := range ahead {
		n := float64(int(1) << k)
		if want := 2 * max(n-20, 0) / n; !scalar.EqualWithinAbs(got, want, 1e-9) {
			t.Errorf("%v contacts in the mean of %v steps, want %v", got, n, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { m.strain(now, &ahead) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkStrain(b *testing.B) {
	w, err := worlds.Load("ten-robots")
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(w, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for s.Time() < time.Second {
		if err := s.Step(); err != nil {
			b.Fatal(err)
		}
	}
	var ahead timesync.Spans
	for b.Loop() {
		s.strain(&ahead)
	}
}
