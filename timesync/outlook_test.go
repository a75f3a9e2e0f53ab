package timesync

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

const ms = time.Millisecond

// An Outlook interpolates between forecasts, extrapolates from the last two, and shifts to a later start.
func TestOutlook(t *testing.T) {
	o := &Outlook{From: time.Second, Ahead: []time.Duration{10 * ms, 20 * ms, 40 * ms},
		Forecasts: []Forecast{{5 * ms, 6 * ms}, {25 * ms, 30 * ms}, {35 * ms, 42 * ms}}}
	for _, c := range []struct {
		now, sim      time.Duration
		likely, upper time.Duration
	}{
		{0, 10 * ms, 5 * ms, 6 * ms}, {0, 5 * ms, 2500 * time.Microsecond, 3 * ms}, {0, 15 * ms, 15 * ms, 18 * ms},
		{0, 80 * ms, 55 * ms, 66 * ms},
		{10 * ms, 10 * ms, 20 * ms, 25 * ms}, {30 * ms, 10 * ms, 5 * ms, 12 * ms}, {50 * ms, 20 * ms, 10 * ms, 20 * ms},
		{20 * ms, 0, 0, 5 * ms},
	} {
		if got := o.Wall(o.From+c.now, c.sim); got != (Forecast{c.likely, c.upper}) {
			t.Errorf("%v later, %v: %+v, want %v and %v", c.now, c.sim, got, c.likely, c.upper)
		}
	}
	if likely, least := o.Sim(o.From, 15*ms); likely != 15*ms || least != 13750*time.Microsecond {
		t.Errorf("in 15 ms likely %v, at least %v, want 15ms and 13.75ms", likely, least)
	}
	unknown := &Outlook{}
	likely, least := unknown.Sim(time.Second, time.Second)
	if f := unknown.Wall(time.Second, time.Second); f != (Forecast{}) || likely != 0 || least != 0 {
		t.Errorf("an empty Outlook says %+v, %v, %v", f, likely, least)
	}
}

// Sim is the inverse of Wall.
func TestOutlookInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Outlook{}
		var sim, wall time.Duration
		for range rapid.IntRange(1, 8).Draw(t, "forecasts") {
			sim += time.Duration(rapid.Int64Range(int64(ms), int64(time.Second)).Draw(t, "sim"))
			wall += time.Duration(rapid.Int64Range(int64(ms), int64(time.Second)).Draw(t, "wall"))
			o.Ahead, o.Forecasts = append(o.Ahead, sim), append(o.Forecasts, Forecast{wall, wall})
		}
		now := time.Duration(rapid.Int64Range(0, int64(2*sim)).Draw(t, "now"))
		d := time.Duration(rapid.Int64Range(0, int64(2*sim)).Draw(t, "ahead"))
		likely, least := o.Sim(now, o.Wall(now, d).Likely)
		// rounding to ns, up to 1000 times as much on the other scale
		if off := (likely - d).Abs(); off > 2*time.Microsecond || least != likely {
			t.Fatalf("%v take %v, in which %v, at least %v, go by", d, o.Wall(now, d), likely, least)
		}
	})
}

// From the announced sim time on, steps are paced to the announced factor, and forecasts have taken it into account.
func TestAnnouncedFactorComes(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Steady, Plan{})
	announced := 0
	var next float64
	var from, sim time.Duration
	for n := range 4000 {
		sim = time.Duration(n) * step
		before := wall.now
		begin(p, sim)
		if next > 0 && sim >= from {
			if announced++; p.Factor() != next {
				t.Errorf("at %v the factor is %v, announced was %v from %v on", sim, p.Factor(), next, from)
			}
		} else if next > 0 && before < wall.now && p.Factor() == next {
			t.Errorf("at %v the factor is %v before its time, %v", sim, next, from)
		}
		cost := 2 * ms
		if n > 2000 {
			cost = ms / 2
		}
		wall.now += cost
		p.Done(Work{})
		next, from = p.Announced()
	}
	if announced == 0 {
		t.Error("nothing was announced although steps take a quarter of the time")
	}
}

func TestClockTellsPauses(t *testing.T) {
	c := NewClock(&fakeWall{}, step)
	var told []bool
	c.OnPause(func() { told = append(told, c.Paused()) })
	c.Resume()
	c.Pause()
	c.Pause()
	c.Resume()
	if len(told) != 2 || !told[0] || told[1] {
		t.Errorf("told %v, want a pause and its end", told)
	}
}
