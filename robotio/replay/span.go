package replay

import (
	"slices"
	"time"
)

// Span is a part of a recorded run, from one time to another, including both. Times are counted from the beginning of
// the run.
type Span struct{ From, To time.Duration }

// span finds the parts of the run with exact states, and stores them in Spans.
func (r *Recording) span() {
	at := func(episode int, step int64) time.Duration {
		return r.Episodes[episode].Began + time.Duration(step)*r.World.Time.Step
	}
	for i, b := range r.blocks {
		follows := false
		if i > 0 {
			switch before := &r.blocks[i-1]; b.episode {
			case before.episode:
				follows = b.first <= before.last+1
			case before.episode + 1:
				follows = b.first == 0 && before.last == r.Episodes[before.episode].Steps
			}
		}
		if !follows {
			r.Spans = append(r.Spans, Span{From: at(b.episode, b.first)})
		}
		r.Spans[len(r.Spans)-1].To = at(b.episode, b.last)
	}
	r.Exact = len(r.Spans) == 1 && r.Spans[0].From == 0 && r.Spans[0].To == r.Length()
}

// playable reports, in ok, whether the exact states cover the time from one moment to another. If the exact states
// begin during the run, playable returns their first key frame. If fromBeginning is set, the exact states must begin
// with the run.
func (r *Recording) playable(from, to time.Duration, fromBeginning bool) (first *keyFrame, ok bool) {
	i := slices.IndexFunc(r.Spans, func(s Span) bool { return s.From <= from && to <= s.To })
	switch {
	case i < 0:
		return nil, false
	case r.Spans[i].From == 0:
		return nil, true
	case fromBeginning:
		return nil, false
	}
	for k := range r.frames {
		if f := &r.frames[k]; r.Spans[i].From <= f.at && f.at <= from {
			return f, true
		}
	}
	return nil, false
}
