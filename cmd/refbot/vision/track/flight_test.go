package track

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// throw is a ball's path by small steps of the textbook's equation: gravity, and the air's k·v². Bounces are upwards
// with 0.7 of the speed.
func throw(pos, vel mgl64.Vec3, k float64, until float64, see func(t float64, pos mgl64.Vec3)) (down mgl64.Vec3,
	at float64) {
	const h = 1e-4
	for n := 0; float64(n)*h < until; n++ {
		if n%333 == 0 {
			see(float64(n)*h, pos)
		}
		middle := pos.Add(vel.Mul(h / 2))
		a := vel.Mul(-k * vel.Len())
		a[2] -= 9.81
		vel = vel.Add(a.Mul(h))
		pos = middle.Add(vel.Mul(h / 2))
		if pos[2] < 0.11 && vel[2] < 0 {
			if at == 0 {
				down, at = pos, float64(n+1)*h
			}
			vel[2] *= -0.7
		}
	}
	return down, at
}

// noise is a diagonal covariance of a standard deviation of so many metres.
func noise(sigma float64) mgl64.Mat3 { return mgl64.Ident3().Mul(sigma * sigma) }

func seconds(t float64) time.Duration { return time.Duration(t * 1e9) }

// last is when something was seen last.
func (t *FlightTracker) last() time.Duration { return t.seen[max(t.count, 1)-1].Stamp }

// Through exact places the path is the ball's, and comes down where and when that does.
func TestExactPlacesGiveTheExactTouchdown(t *testing.T) {
	for _, c := range []struct{ pos, vel mgl64.Vec3 }{
		{mgl64.Vec3{6, 0, 0.11}, mgl64.Vec3{-6, 0, 6}},
		{mgl64.Vec3{6, -1, 0.11}, mgl64.Vec3{-7, 1.5, 4}},
		{mgl64.Vec3{2, 1, 2.5}, mgl64.Vec3{0, 0, 0}},
		{mgl64.Vec3{3, 0, 0.11}, mgl64.Vec3{0.1, 0, 7}},
		{mgl64.Vec3{8, 0, 0.5}, mgl64.Vec3{-12, 0, 3}},
	} {
		tracker := new(FlightTracker)
		var predicted []Touchdown
		down, at := throw(c.pos, c.vel, 0.0212, 2, func(s float64, pos mgl64.Vec3) {
			if s > 0.4 {
				return
			}
			tracker.Add(BallSighting{Stamp: seconds(s), Pos: pos, Covariance: noise(0.003)})
			if f, ok := tracker.Flight(tracker.last()); ok {
				if d, ok := f.Touchdown(); ok {
					predicted = append(predicted, d)
				}
			}
		})
		if len(predicted) < 4 {
			t.Errorf("%v: %d predictions", c, len(predicted))
			continue
		}
		// Of the air k is known to 1 %: after a second that is some 5 mm.
		for _, d := range predicted {
			if !(d.Pos.Sub(down).Len() < 0.02) || !(math.Abs(d.Stamp.Seconds()-at) < 0.003) {
				t.Errorf("%v: down at %.3f in %.4f s, want %.3f in %.4f s", c, d.Pos, d.Stamp.Seconds(), down, at)
			}
		}
	}
}

// Errors of touchdowns by noisy places are as large as Sigma says: the mean of their squares, in units of it, is 1
// within what chance does (χ², two degrees of freedom each: 5σ of 600 is 0.2).
func TestTouchdownIsAsUncertainAsItSays(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	sum, n := 0.0, 0
	for range 600 {
		tracker := new(FlightTracker)
		vel := mgl64.Vec3{-5 - 2*random.Float64(), 2 * (random.Float64() - 0.5), 4 + 3*random.Float64()}
		var d Touchdown
		known := false
		c := mgl64.Diag3(mgl64.Vec3{1e-4, 0.25e-4, 0.5e-4})
		down, _ := throw(mgl64.Vec3{6, 0, 0.11}, vel, 0.021, 1.6, func(s float64, pos mgl64.Vec3) {
			if s > 0.5 {
				return
			}
			for i := range pos {
				pos[i] += random.NormFloat64() * math.Sqrt(c.At(i, i))
			}
			tracker.Add(BallSighting{Stamp: seconds(s), Pos: pos, Covariance: c})
		})
		if f, ok := tracker.Flight(tracker.last()); ok {
			d, known = f.Touchdown()
		}
		if !known {
			t.Fatalf("%v: no flight", vel)
		}
		e := d.Pos.Sub(down)
		sum += e.Dot(e) / (d.Sigma * d.Sigma)
		n++
	}
	// Weights that fall with the error waste some of the information.
	if mean := sum / float64(n); !(mean > 0.75 && mean < 1.35) {
		t.Errorf("mean of squared errors %.2f Sigma², want 1", mean)
	}
}

// A third of the sightings may be something else, at random or always at one place, and the ball may have lain before
// and may bounce after.
func TestFlightAmongOtherThings(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 2))
	tracker := new(FlightTracker)
	for k := range 20 { // it lies
		tracker.Add(BallSighting{Stamp: seconds(float64(k) * 0.0333), Pos: mgl64.Vec3{6, 0, 0.11},
			Covariance: noise(0.003)})
		if f, ok := tracker.Flight(tracker.last()); ok {
			t.Fatalf("a ball that lies flies: %+v", f)
		}
	}
	start := 0.667
	known, bounced := 0, 0
	type guess struct {
		seen float64
		Touchdown
	}
	var all []guess
	var downs []float64
	under := false
	down, at := throw(mgl64.Vec3{6, 0, 0.11}, mgl64.Vec3{-5, 0.3, 5.5}, 0.021, 1.9, func(s float64, pos mgl64.Vec3) {
		stamp := seconds(start + s)
		tracker.Add(BallSighting{Stamp: stamp, Pos: pos.Add(mgl64.Vec3{random.NormFloat64(), random.NormFloat64(),
			random.NormFloat64()}.Mul(0.003)), Covariance: noise(0.003)})
		tracker.Add(BallSighting{Stamp: stamp, Pos: mgl64.Vec3{8.9, -0.3, 0.18}, Covariance: noise(0.003)})
		if random.Float64() < 0.5 {
			tracker.Add(BallSighting{Stamp: stamp, Pos: mgl64.Vec3{8 * random.Float64(), 4 * (random.Float64() - 0.5),
				2 * random.Float64()}, Covariance: noise(0.003)})
		}
		if f, ok := tracker.Flight(tracker.last()); ok {
			if d, ok := f.Touchdown(); ok {
				all = append(all, guess{s, d})
			}
		}
		if low := pos[2] < 0.15; low != under {
			under = low
			downs = append(downs, s)
		}
	})
	for _, g := range all {
		if g.seen < at {
			known++
			// Half a second ahead by five places: the noise of the first predictions is some cm.
			if e := g.Pos.Sub(down).Len(); !(e < 0.25) || !(g.seen <= 0.4 || e < 0.03) {
				t.Errorf("%.2f s after the kick: down %.3f m off", g.seen, e)
			}
		} else if g.Stamp.Seconds() > start+at+0.3 {
			bounced++
		}
	}
	if known < 20 || bounced < 5 {
		t.Errorf("known in %d images before the touchdown and in %d after it, want 20 and 5", known, bounced)
	}
}

// What does not fly is none: what lies at any height, rolls, or is carried evenly; and neither is noise.
func TestOtherMotionsAreNoFlight(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 3)) // the same for each
	for name, at := range map[string]func(t float64) mgl64.Vec3{
		"lies":    func(float64) mgl64.Vec3 { return mgl64.Vec3{3, 1, 0.11} },
		"is high": func(float64) mgl64.Vec3 { return mgl64.Vec3{3, 1, 1.7} },
		"rolls":   func(t float64) mgl64.Vec3 { return mgl64.Vec3{6 - 5*t, 1, 0.11} },
		"carried": func(t float64) mgl64.Vec3 { return mgl64.Vec3{6 - 2*t, 1 + t, 1.2 + 0.3*t} },
		"noise": func(float64) mgl64.Vec3 {
			return mgl64.Vec3{8 * random.Float64(), 4 * random.Float64(), 2 * random.Float64()}
		},
	} {
		*random = *rand.New(rand.NewPCG(4, 3))
		tracker := new(FlightTracker)
		for k := range 120 {
			s := float64(k) / 30
			pos := at(s)
			for i := range pos {
				pos[i] += 0.004 * random.NormFloat64()
			}
			tracker.Add(BallSighting{Stamp: seconds(s), Pos: pos, Covariance: noise(0.005)})
			if f, ok := tracker.Flight(tracker.last()); ok {
				t.Errorf("%s: %+v after %.2f s", name, f, s)
				break
			}
		}
	}
}

// Sightings of two cameras may come in any order; when the world restarts the old ones are forgotten; bad
// covariances are left out.
func TestOrderOfSightings(t *testing.T) {
	var seen []BallSighting
	throw(mgl64.Vec3{6, 0, 0.11}, mgl64.Vec3{-5, 0.3, 5.5}, 0.021, 0.5, func(s float64, pos mgl64.Vec3) {
		seen = append(seen, BallSighting{Stamp: seconds(s), Pos: pos, Covariance: noise(0.003)})
	})
	in, swapped := new(FlightTracker), new(FlightTracker)
	// before it began again
	swapped.Add(BallSighting{Stamp: time.Hour, Pos: mgl64.Vec3{1, 1, 1}, Covariance: noise(0.003)})
	for i := range seen {
		in.Add(seen[i])
		swapped.Add(seen[i^1])
		swapped.Add(BallSighting{Stamp: seen[i].Stamp, Pos: seen[i].Pos})
		nan := mgl64.Mat3{}
		nan[0] = math.NaN()
		swapped.Add(BallSighting{Stamp: seen[i].Stamp, Pos: seen[i].Pos, Covariance: nan})
	}
	a, ok := in.Flight(in.last())
	b, ok2 := swapped.Flight(swapped.last())
	if len(seen)%2 != 0 || !ok || !ok2 || a != b {
		t.Errorf("%v %+v, swapped %v %+v", ok, a, ok2, b)
	}
}

// However many sightings there are, the newest count, and no memory is asked for.
func TestManySightings(t *testing.T) {
	tracker := new(FlightTracker)
	k := 0
	see := func() {
		k++
		tracker.Add(BallSighting{Stamp: time.Duration(k) * 2 * time.Millisecond, Pos: mgl64.Vec3{float64(k%9) + 1, 1,
			1},
			Covariance: noise(0.003)})
		tracker.Flight(tracker.last())
	}
	if n := testing.AllocsPerRun(400, see); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if tracker.count != maxSightings || tracker.seen[maxSightings-1].Stamp != time.Duration(k)*2*time.Millisecond {
		t.Errorf("%d sightings up to %v", tracker.count, tracker.seen[tracker.count-1].Stamp)
	}
}

// A path is forgotten when the ball has not been seen for long.
func TestPathsAreForgotten(t *testing.T) {
	tracker := inTheAir()
	last := tracker.last()
	if _, ok := tracker.Flight(last + 200*time.Millisecond); !ok {
		t.Error("forgotten after 0.2 s")
	}
	if f, ok := tracker.Flight(last + sightingMemory + time.Millisecond); ok {
		t.Errorf("%+v after %v", f, sightingMemory)
	}
	if tracker.Flight(0); tracker.count != 0 {
		t.Errorf("%d sightings left", tracker.count)
	}
}

// A ball below the floor, or that goes on upwards for longer than any kick, has no touchdown.
func TestNoTouchdown(t *testing.T) {
	for _, f := range []Flight{{Pos: mgl64.Vec3{1, 1, 0.05}}, {Pos: mgl64.Vec3{1, 1, 1}, Vel: mgl64.Vec3{0, 0, 40}},
		{Pos: mgl64.Vec3{0, 0, math.NaN()}}} {
		if d, ok := f.Touchdown(); ok {
			t.Errorf("%+v comes down: %+v", f, d)
		}
	}
}

// inTheAir is a tracker of a ball that flies, by two cameras with two candidates each.
func inTheAir() *FlightTracker {
	tracker := new(FlightTracker)
	throw(mgl64.Vec3{6, 0, 0.11}, mgl64.Vec3{-5, 0.3, 5.8}, 0.021, 1.1, func(s float64, pos mgl64.Vec3) {
		for k := range 4 {
			tracker.Add(BallSighting{Stamp: seconds(s), Pos: pos.Add(mgl64.Vec3{0, float64(k / 2), 0}),
				Covariance: noise(0.003)})
		}
	})
	return tracker
}

func TestFlightAllocatesNothing(t *testing.T) {
	tracker := inTheAir()
	if n := testing.AllocsPerRun(5, func() {
		if f, ok := tracker.Flight(tracker.last()); ok {
			f.Touchdown()
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFlight(b *testing.B) {
	tracker := inTheAir()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := tracker.Flight(tracker.last()); !ok {
			b.Fatal("no flight")
		}
	}
}
