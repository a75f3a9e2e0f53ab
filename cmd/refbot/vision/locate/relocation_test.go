package locate_test

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision/locate"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// headView returns the points of lines that a camera sees from a pose: up to 4 m away, and 35° beside where it looks.
func headView(f *locate.Field, from locate.Pose, pan float64) (points []vision.LinePoint) {
	for d := 0.6; d < 4; d += 0.02 {
		for b := -0.6; b <= 0.6; b += 0.02 {
			at := pitch.Turn(pitch.Vec{d, 0}, pan+b)
			on := from.Pos.Add(pitch.Turn(at, from.Heading))
			if dx, dy, ok := f.Way(on[0], on[1]); ok && math.Hypot(dx, dy) < 0.01 {
				points = append(points, vision.LinePoint{X: at[0], Y: at[1], Across: 0.02})
			}
		}
	}
	return points
}

// A robot whose head sweeps finds its pose: at the start, after it has been put at a touch line of its half, and after
// it has turned in a fall, where it fell. Another pose of a symmetric field would fit as well.
func TestPoseByLookingAround(t *testing.T) {
	markings, _ := locate.MarkingsOf("hsl-9x6")
	f := locate.NewField(markings)
	at := func(x, y, degrees float64) locate.Pose {
		return locate.Pose{Pos: pitch.Vec{x, y}, Heading: degrees * math.Pi / 180}
	}
	for name, c := range map[string]struct {
		start *locate.Pose
		is    locate.Pose
		plus  bool
		falls bool
	}{
		"turns in the other half":  {start: &locate.Pose{Pos: pitch.Vec{2.5, 1}}, is: at(2.5, 1, 20)},
		"pushed in the other half": {start: &locate.Pose{Pos: pitch.Vec{2.5, 1}}, is: at(2.2, 0.2, 0)},

		"start":           {is: at(-2.4, 0.3, 5)},
		"start, magenta":  {is: at(0.9, -1.4, 180), plus: true},
		"returns":         {start: &locate.Pose{Pos: pitch.Vec{2, 1}}, is: at(-3, -3, 90)},
		"returns, left":   {start: &locate.Pose{Pos: pitch.Vec{2, 1}}, is: at(-1.7, 3, -90)},
		"returns, mirror": {start: &locate.Pose{Pos: pitch.Vec{-2, 1}}, is: at(3, 3, -90), plus: true},
		"falls":           {start: &locate.Pose{Pos: pitch.Vec{2.5, 1}}, is: at(2.6, 1.1, 130), falls: true},
	} {
		tracker := locate.NewTracker(f)
		tracker.SearchHalf(c.plus)
		tracker.StartAt(c.start)
		var got locate.Estimate
		for k := range 100 { // 15 images per second
			stamp := time.Duration(k) * time.Second / 15
			tracker.Odometry(stamp, locate.Pose{Heading: 1})
			if c.falls && k < 10 {
				tracker.Fell(stamp)
				continue
			}
			pan := 1.4 * math.Sin(2*math.Pi*stamp.Seconds()/5)
			got = tracker.Image(stamp, headView(f, c.is, pan))
			if c.start == nil && stamp < 2500*time.Millisecond && got.Known {
				t.Errorf("%s: believes after %v to be at %v, want a sweep of the head first", name, stamp, got.Pose)
				break
			}
			if off := pitch.Distance(got.Pos, c.is.Pos); k >= 80 && (!got.Known || !(off < 0.05) ||
				!(math.Abs(pitch.Wrap(got.Heading-c.is.Heading)) < 0.03)) {
				t.Errorf("%s: at %v believes to be at %v, known %v, want %v", name, stamp, got.Pose, got.Known, c.is)
				break
			}
		}
	}
}

// looker is a tracker on the field hsl-9x6 whose robot looks around and whose feet stand still.
type looker struct {
	*locate.Tracker
	field *locate.Field
	stamp time.Duration
}

func newLooker(start *locate.Pose) looker {
	markings, _ := locate.MarkingsOf("hsl-9x6")
	l := looker{field: locate.NewField(markings)}
	l.Tracker = locate.NewTracker(l.field)
	l.SearchHalf(false)
	l.StartAt(start)
	return l
}

// next returns the points of lines that the head sees next from the pose is.
func (l *looker) next(is locate.Pose) []vision.LinePoint {
	l.stamp += time.Second / 15
	l.Odometry(l.stamp, locate.Pose{})
	return headView(l.field, is, 1.4*math.Sin(2*math.Pi*l.stamp.Seconds()/5))
}

// A robot that falls while it looks around forgets what it saw before.
func TestFallsWhileLookingAround(t *testing.T) {
	before := locate.Pose{Pos: pitch.Vec{-2.4, 0.3}}
	after := locate.Pose{Pos: before.Pos, Heading: 2}
	l := newLooker(nil)
	for range 30 {
		l.Image(l.stamp, l.next(before))
	}
	l.next(before)
	l.Fell(l.stamp)
	known := 0
	for k := range 60 {
		got := l.Image(l.stamp, l.next(after))
		if !got.Known {
			continue
		}
		if known++; !(math.Abs(pitch.Wrap(got.Heading-after.Heading)) < 0.05) {
			t.Fatalf("image %d after the fall: heading %v, want %v", k, got.Heading, after.Heading)
		}
	}
	if known < 15 {
		t.Errorf("the pose is known in %d of 60 images after the fall", known)
	}
}

// A robot keeps its pose while others hide most lines and white things beside the field fit another pose a little
// better.
func TestLookingAroundKeepsAPose(t *testing.T) {
	is, other := locate.Pose{Pos: pitch.Vec{-2.4, 0.3}}, locate.Pose{Pos: pitch.Vec{-1, -1.6}, Heading: 1.9}
	l := newLooker(&is)
	lost := false
	for range 120 {
		stamp := l.stamp
		var some []vision.LinePoint
		for k, p := range l.next(is) {
			if k%25 < 12 {
				some = append(some, p)
			}
		}
		l.stamp = stamp
		for k, p := range l.next(other) {
			if k%25 < 13 {
				some = append(some, p)
			}
		}
		got := l.Image(l.stamp, some)
		if lost = lost || !got.Known; got.Known && !(pitch.Distance(got.Pos, is.Pos) < 0.3) {
			t.Fatalf("at %v it believes to be at %v, want %v", l.stamp, got.Pose, is)
		}
	}
	if !lost {
		t.Error("it never looks around")
	}
}

// A restart of time ends a search: the robot is where it starts.
func TestRestartWhileLookingAround(t *testing.T) {
	start := locate.Pose{Pos: pitch.Vec{-2.4, 0.3}}
	l := newLooker(&start)
	known := true
	for range 30 {
		known = l.Image(l.stamp, l.next(locate.Pose{Pos: pitch.Vec{-3, -3}, Heading: 1.5})).Known
	}
	if known {
		t.Fatal("it knows its pose before the restart")
	}
	l.stamp = 0
	if got := l.Image(l.stamp, l.next(start)); !got.Known || !(pitch.Distance(got.Pos, start.Pos) < 0.05) {
		t.Errorf("after the restart it believes to be at %v, known %v, want %v", got.Pose, got.Known, start)
	}
}

// A search allocates nothing.
func TestLookingAroundAllocatesNothing(t *testing.T) {
	markings, _ := locate.MarkingsOf("hsl-9x6")
	f := locate.NewField(markings)
	tracker := locate.NewTracker(f)
	tracker.SearchHalf(false)
	var images [75][]vision.LinePoint
	for k := range images {
		images[k] = headView(f, locate.Pose{Pos: pitch.Vec{-2, 1}}, 1.4*math.Sin(2*math.Pi*float64(k)/75))
	}
	n := testing.AllocsPerRun(1, func() {
		for k, points := range images {
			stamp := time.Duration(k) * time.Second / 15
			tracker.Odometry(stamp, locate.Pose{})
			tracker.Image(stamp, points)
		}
	})
	must.Equal(t, n, 0, "allocations")
}
