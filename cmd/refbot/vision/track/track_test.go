package track_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/track"
)

// stamp returns the stamp of image n, at 30 per second.
func stamp(n int) time.Duration { return time.Duration(n) * time.Second / 30 }

// drawn returns a position with an error along each axis, m.
func drawn(random *rand.Rand, at pitch.Vec, sigma float64) pitch.Vec {
	return at.Add(pitch.Vec{sigma * random.NormFloat64(), sigma * random.NormFloat64()})
}

// The velocity of a rolling ball is estimated from positions within 0.25 m/s root mean square. The difference of two
// images would err by 0.42 m/s.
func TestABallsVelocityIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const sigma = 0.01
	vel := pitch.Vec{1.2, -0.7}
	var b track.Ball
	sum, n := 0.0, 0
	for i := range 90 {
		at := vel.Mul(stamp(i).Seconds())
		b.See(stamp(i), drawn(random, at, sigma), sigma*sigma)
		pos, got, seen, moves := b.Now()
		if !seen || i == 0 && moves {
			t.Fatalf("image %d: seen %v, moves %v", i, seen, moves)
		}
		if i < 10 {
			continue
		}
		if e := pitch.Distance(pos, at); !(e < 4*sigma) || !moves {
			t.Fatalf("image %d: %.3f m off, moves %v", i, e, moves)
		}
		e := got.Sub(vel)
		sum, n = sum+e.Dot(e)/2, n+1
	}
	if rms := math.Sqrt(sum / float64(n)); !(rms < 0.25) {
		t.Errorf("velocity off by %.2f m/s along an axis", rms)
	}
}

// The velocity of a kicked ball is known three images later. Images of another camera, with older stamps, may arrive in
// between.
func TestAKickIsNoticed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const sigma = 0.005
	place := func(n float64) pitch.Vec { return pitch.Vec{5 * max(0, n-29.5) / 30, 0} }
	var b track.Ball
	for i := range 33 {
		b.See(stamp(i), drawn(random, place(float64(i)), sigma), sigma*sigma)
		b.See(stamp(i)-time.Second/60, drawn(random, place(float64(i)-0.5), sigma), sigma*sigma)
	}
	if _, vel, _, moves := b.Now(); !moves || !(math.Abs(vel[0]-5) < 0.6) {
		t.Errorf("known %v, velocity %.2f m/s, want 5", moves, vel[0])
	}
	if _, _, seen, _ := b.Now(); seen {
		t.Error("seen since it was asked for, without an image")
	}
	// without images for a second, and after time has restarted, nothing is known
	b.See(stamp(60), pitch.Vec{1, 1}, sigma*sigma)
	if pos, _, _, moves := b.Now(); moves || !(pitch.Distance(pos, pitch.Vec{1, 1}) < 1e-9) {
		t.Errorf("known %v at %v", moves, pos)
	}
	b.See(0, pitch.Vec{2, 2}, sigma*sigma)
	if pos, _, _, moves := b.Now(); moves || !(pitch.Distance(pos, pitch.Vec{2, 2}) < 1e-9) {
		t.Errorf("known %v at %v", moves, pos)
	}
}

// Two robots that pass each other keep their tracks and are reported with their velocities. Single detections and
// robots that have left are not reported.
func TestObstaclesAreFollowed(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const sigma = 0.05
	vel := [2]pitch.Vec{{1.5, 0}, {-1, 0}}
	var o track.Obstacles
	for i := range 60 {
		s := stamp(i).Seconds()
		at := [2]pitch.Vec{{-1.5 + 1.5*s, 0.45}, {1 - s, -0.45}}
		seen := []track.Body{{Pos: drawn(random, at[1], sigma), Radius: 0.25}, {Pos: drawn(random, at[0], sigma),
			Radius: 0.3}}
		if i%7 == 3 {
			seen = append(seen, track.Body{Pos: pitch.Vec{4, float64(i)}})
		}
		got := o.See(stamp(i), seen)
		if i < 2 && len(got) != 0 || i >= 2 && len(got) != 2 {
			t.Fatalf("image %d: %d told", i, len(got))
		}
		if i < 20 {
			continue
		}
		for k, b := range got {
			who := 1 - k // in the order of their first detection
			if e, v := pitch.Distance(b.Pos, at[who]), b.Vel.Sub(vel[who]).Len(); !(e < 0.12) || !(v < 0.8) {
				t.Errorf("image %d, robot %d: off by %.2f m and %.2f m/s", i, who, e, v)
			}
		}
	}
	if got := o.See(stamp(60), nil); len(got) != 0 {
		t.Errorf("%d told that the image does not show", len(got))
	}
	if got := o.See(stamp(80), []track.Body{{Pos: pitch.Vec{1.5, 0.45}}}); len(got) != 0 {
		t.Errorf("%d told that was forgotten", len(got))
	}
}

func TestTracksAllocateNothing(t *testing.T) {
	var b track.Ball
	var o track.Obstacles
	seen := []track.Body{{Pos: pitch.Vec{1, 0}}, {Pos: pitch.Vec{3, 0}}}
	n := 0
	if got := testing.AllocsPerRun(100, func() {
		b.See(stamp(n), pitch.Vec{2, 0}, 1e-4)
		o.See(stamp(n), seen)
		n++
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
