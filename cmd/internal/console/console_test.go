package console

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// byHand stops the ticker of a display, so that only the test calls tick.
func byHand(stop *func()) {
	(*stop)()
	*stop = func() {}
}

// The status is printed after a second of silence, and every few seconds again.
func TestStatusLines(t *testing.T) {
	var out strings.Builder
	l := &Status{display: display{out: &out}, world: "w"}
	at := func(s float64) {
		out.Reset()
		l.tick(time.Duration(s * float64(time.Second)))
	}
	for _, c := range []struct {
		now        float64
		text, want string
	}{
		{0.5, "building the scene of 200 robots", ""},
		{1, "building the scene of 200 robots", "w: building the scene of 200 robots, 1 s so far\n"},
		{3, "starting the renderer", ""},
		{6, "starting the renderer", "w: starting the renderer, 6 s so far\n"},
		{10.9, "starting the renderer", ""},
		{11, "drawing picture 3 of 30", "w: drawing picture 3 of 30, 11 s so far\n"},
		{12, "", ""}, // this activity reports its own progress
		{60, "", ""},
		{60.5, "drawing picture 4 of 30", ""},
		{61, "drawing picture 4 of 30", "w: drawing picture 4 of 30, 1 s so far\n"},
	} {
		l.Set(c.text)
		if at(c.now); out.String() != c.want {
			t.Errorf("at %v s: %q, want %q", c.now, out.String(), c.want)
		}
	}
}

// The meter prints the whole run's factor, and that since the last line.
func TestProgressLines(t *testing.T) {
	var out strings.Builder
	m := NewMeter(Streams{Err: &out}, time.Minute, func() bool { return false })
	defer m.Close()
	show := func(sim, wall time.Duration) string {
		out.Reset()
		m.Show(omnipitch.Progress{Sim: sim, Wall: wall, Factor: 60, Frames: uint64(20 * sim.Seconds())})
		return out.String()
	}
	for _, c := range []struct {
		sim, wall time.Duration
		want      string
	}{
		{time.Second, time.Second, ""},
		{5 * time.Second, 5 * time.Second, "5.0 of 60.0 s simulated in 5.0 s, real-time factor 1.00, recently 1.00, " +
			"20 frames/s\n"},
		{6 * time.Second, 9 * time.Second, ""},
		{6 * time.Second, 30 * time.Second,
			"6.0 of 60.0 s simulated in 30.0 s, real-time factor 0.20, recently 0.04, 1 frames/s\n"},
	} {
		must.Equal(t, show(c.sim, c.wall), c.want, "at %v", c.wall)
	}
}

// A counter prints a line every few seconds, whether runs end or not.
func TestCounterLines(t *testing.T) {
	var out strings.Builder
	c := &Counter{display: display{out: &out}, total: 30}
	for _, x := range []struct {
		now          time.Duration
		done, failed int
		want         string
	}{
		{1 * time.Second, 2, 0, ""},
		{5 * time.Second, 7, 1, "7 of 30 runs, 1 failed, 5 s so far\n"},
		{9 * time.Second, 8, 1, ""},
		{10 * time.Second, 8, 1, "8 of 30 runs, 1 failed, 10 s so far\n"},
	} {
		out.Reset()
		c.Show(x.done, x.failed)
		if c.tick(x.now); out.String() != x.want {
			t.Errorf("at %v: %q, want %q", x.now, out.String(), x.want)
		}
	}
}

// What cannot be broken off is left behind when a run is interrupted, and discarded when it is done.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began, release, discarded := make(chan bool), make(chan bool), make(chan int)
	go func() { <-began; cancel() }()
	_, err := Await(ctx, func() (int, error) { began <- true; <-release; return 7, nil },
		func(n int) { discarded <- n })
	if !errors.Is(err, ErrInterrupted) {
		t.Fatalf("%v, want %v", err, ErrInterrupted)
	}
	release <- true
	must.Equal(t, <-discarded, 7, "discarded")
	if n, err := Await(t.Context(), func() (int, error) { return 7, nil },
		func(int) { t.Error("discarded") }); n != 7 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A line gives up words first, then its last parts, then its end.
func TestLineFits(t *testing.T) {
	m := NewMeter(Streams{}, time.Minute, nil)
	g := match.Report{}
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
		must.Equal(t, fit(parts, c.columns), c.want, "in %d columns", c.columns)
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

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{"planar": "planar", "": "''", "a b": "'a b'",
		"*.omni=raw": "'*.omni=raw'", "it's": `'it'\''s'`, "dir/w.toml": "dir/w.toml", "$(rm)": "'$(rm)'"} {
		must.Equal(t, Quote(word), want, "%q", word)
	}
}
