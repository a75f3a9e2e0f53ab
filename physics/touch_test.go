package physics

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// watched feeds an EventDetector with one touch per step, of the given impulses in N s per 5 ms, where −1 means no
// touch. It returns the events by step.
func watched(closing float64, impulses ...float64) map[int]string {
	s := &Model{Robots: make([]Robot, 2)}
	w := NewEventDetector(s)
	events := map[int]string{}
	for i, j := range impulses {
		now := &Snapshot{}
		if j >= 0 {
			// Reported twice and with the bodies swapped, as engines may.
			half := Touch{A: 1, B: 0, Impulse: j / 2, Closing: closing}
			now.Touches = []Touch{half, half}
		}
		w.Update(now, 0.005)
		for _, e := range now.Events {
			events[i] = e.Kind.String()
		}
	}
	return events
}

func repeat(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

func TestWatch(t *testing.T) {
	hard, soft, none := 0.2, 0.1, -1. // 40 N and 20 N
	for _, tt := range []struct {
		name     string
		closing  float64
		impulses []float64
		want     map[int]string
	}{
		{"a knock", 2, append([]float64{hard}, repeat(50, none)...), map[int]string{0: "collision"}},
		{"a lean", 0.1, repeat(200, soft), map[int]string{}},
		{"a push", 0, append(repeat(150, hard), repeat(50, none)...), map[int]string{99: "push_begins",
			170: "push_ends"}},
		{"a push that lets go for a moment", 0, append(append(repeat(60, hard), repeat(15, none)...),
			repeat(60, hard)...), map[int]string{114: "push_begins"}},
		{"two knocks", 1, append(append([]float64{hard}, repeat(30, none)...), hard), map[int]string{0: "collision",
			31: "collision"}},
		{"bouncing at once is one knock", 1, append(append([]float64{hard}, repeat(5, none)...), hard),
			map[int]string{0: "collision"}},
	} {
		must.Equal(t, watched(tt.closing, tt.impulses...), tt.want, "%s", tt.name)
	}
}

// Balls bounce off things all the time, so contact with one is no push.
func TestTheBallPushesNobody(t *testing.T) {
	s := &Model{Robots: make([]Robot, 1)}
	w := NewEventDetector(s)
	for range 300 {
		now := &Snapshot{Touches: []Touch{{A: 0, B: s.BallID(), Impulse: 1}}}
		if w.Update(now, 0.005); len(now.Events) > 0 {
			t.Fatalf("%+v", now.Events)
		}
	}
}

func TestStuckTimer(t *testing.T) {
	slow, fast := 0.04, PlanarTwist{VX: 1}
	var timer StuckTimer
	for step := 1; step <= 12; step++ {
		must.Equal(t, timer.Update(fast, slow, 0.05), step > 10, "after %d steps of 50 ms", step)
	}
	if timer.Update(fast, 1, 0.05) || timer.Update(fast, slow, 0.05) {
		t.Error("motion does not reset the timer")
	}
	if timer.Update(PlanarTwist{Omega: 3}, slow, 10) {
		t.Error("a robot that wants to stay counts as stuck")
	}
}
