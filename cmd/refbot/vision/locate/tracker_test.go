package locate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

const period = 33 * time.Millisecond

// A robot that is carried away while its wheels stand is located again after a few images, but not after one, which may
// be wrong. Without a compass there is no search.
func TestCarriedRobotsAreFoundAgain(t *testing.T) {
	f, random := NewField(small), rand.New(rand.NewPCG(8, 2))
	tr := NewTracker(f)
	stamp := time.Duration(0)
	look := func(at Pose) Estimate {
		stamp += period
		tr.Odometry(stamp, Pose{})
		return tr.Image(stamp, seen(f, at, 200, random))
	}
	first, second := Pose{pitch.Vec{-6, 2}, 0.3}, Pose{pitch.Vec{3, -2.5}, 0.3}
	if e := look(first); e.Known {
		t.Error("is known without a compass")
	}
	tr.Compass(0.35)
	if e := look(first); !e.Known || !(pitch.Distance(e.Pos, first.Pos) < 0.05) {
		t.Fatalf("at first %+v", e)
	}
	look(second)
	if e := look(first); !(pitch.Distance(e.Pos, first.Pos) < 0.3) {
		t.Errorf("one wrong image leads to (%.2f, %.2f)", e.Pos[0], e.Pos[1])
	}
	found := 0
	for k := 1; k <= 20 && found == 0; k++ {
		if e := look(second); pitch.Distance(e.Pos, second.Pos) < 0.05 && e.Misfit < 0.1 {
			found = k
		}
	}
	if found < 2 || found > 8 {
		t.Errorf("found again after %d images", found)
	}
}

// Between images the pose follows odometry, in any frame. A late image corrects the pose at its stamp.
func TestPoseGoesOnWithTheWheels(t *testing.T) {
	f, random := NewField(small), rand.New(rand.NewPCG(8, 3))
	tr := NewTracker(f)
	tr.Compass(math.Pi / 2)
	// It drives at 2 m/s towards +y, which is −x of the wheels' frame.
	truth := func(at time.Duration) Pose { return Pose{pitch.Vec{2, -4 + 2*at.Seconds()}, math.Pi / 2} }
	for k := range 60 {
		at := time.Duration(k) * 10 * time.Millisecond
		tr.Odometry(at, Pose{pitch.Vec{5 - 2*at.Seconds(), 1}, math.Pi})
		if k%6 == 5 { // 33 ms old
			stamp := at - period
			if e := tr.Image(stamp, seen(f, truth(stamp), 200, random)); !e.Known ||
				!(pitch.Distance(e.Pos, truth(stamp).Pos) < 0.03) {
				t.Fatalf("image of %v: %+v, want %+v", stamp, e.Pose, truth(stamp))
			}
			if p, ok := tr.Pose(); !ok || !(pitch.Distance(p.Pos, truth(at).Pos) < 0.03) {
				t.Fatalf("at %v: %+v, want %+v", at, p, truth(at))
			}
		}
	}
	before, _ := tr.Pose()
	tr.Odometry(500*time.Millisecond, Pose{}) // overtaken
	if p, ok := tr.Pose(); !ok || p != before {
		t.Errorf("a message that was overtaken leads to %+v, %v", p, ok)
	}
	tr.Odometry(5*time.Second, Pose{})
	tr.Odometry(0, Pose{}) // the world has restarted
	if _, ok := tr.Pose(); ok {
		t.Error("a pose is known after the world has restarted")
	}
}
