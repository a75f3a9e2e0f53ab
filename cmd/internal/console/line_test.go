package console

import (
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// A line gives up words first, then its last parts, then its end.
func TestLineFits(t *testing.T) {
	m := NewMeter(Streams{}, time.Minute, nil)
	g := omnipitch.GameReport{}
	g.Score = game.Score{Cyan: 2, Magenta: 1}
	parts := m.describe(&omnipitch.Progress{Sim: 8 * time.Second, Wall: 10 * time.Second, Frames: 1200, Game: &g})
	whole := "8.0 of 60.0 s simulated in 10.0 s, real-time factor 0.80, recently 0.80, cyan 2 : 1 magenta, 120 frames/s"
	for _, c := range []struct {
		columns int
		want    string
	}{
		{len(whole), whole},
		{len(whole) - 1, "8.0/60.0 s, factor 0.80, recently 0.80, 2:1, 120 frames/s"},
		{50, "8.0/60.0 s, factor 0.80, recently 0.80, 2:1"},
		{24, "8.0/60.0 s, factor 0.80"},
		{10, "8.0/60.0 s"}, {9, "8.0/60.0 "}, {1, "8"}, {0, ""}, {-1, ""},
	} {
		if got := fit(parts, c.columns); got != c.want {
			t.Errorf("in %d columns: %q, want %q", c.columns, got, c.want)
		}
	}
	if got := fit(nil, 10); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	if got, want := fit([]part{alike("Grün\x1b[2J\n足球\u0301")}, 80), "Grün?[2J????"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// With Quiet, progress is not printed.
func TestQuiet(t *testing.T) {
	var out strings.Builder
	con := Streams{Err: &out, Quiet: true}
	m := NewMeter(con, 0, nil)
	m.Show(omnipitch.Progress{Sim: time.Minute, Wall: time.Minute})
	c, s := NewCounter(con, 3), NewStatus(con, "w")
	byHand(&c.stop)
	byHand(&s.stop)
	s.Set("drawing")
	c.tick(time.Minute)
	s.tick(time.Minute)
	m.Close()
	c.Close()
	s.Close()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
