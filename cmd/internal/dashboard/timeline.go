package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/replay"
)

// timelineJSON is the list of events of a recorded run. Times are at_s.
type timelineJSON struct {
	From   float64    `json:"from_s"`
	To     float64    `json:"to_s"`
	Step   float64    `json:"step_s"`
	Events []happened `json:"events"` // sorted by time
	More   int        `json:"left_out"`
	Damage string     `json:"damage,omitempty"` // why later events are missing
}

type happened struct {
	Time float64         `json:"time_s"`
	Kind replay.MarkKind `json:"kind"`
	Text string          `json:"text"`
}

// timeline reads the events of a recording once, at the first request. Requests share the result.
type timeline struct {
	once sync.Once
	done chan struct{}
	read *timelineJSON
}

// events starts reading the recording, unless that has begun. It returns a channel that is closed when the reading is
// done. Only the handler of a request may call it. The simServer waits for the reading before it closes, as it waits
// for requests.
func (s *simServer) events() <-chan struct{} {
	t := &s.line
	t.once.Do(func() {
		t.done = make(chan struct{})
		s.wait.Go(func() {
			defer close(t.done)
			t.read = timelineOf(s.replay)
		})
	})
	return t.done
}

func timelineOf(x *replay.Replay) *timelineJSON {
	span := x.Span()
	rec := x.Recording()
	j := &timelineJSON{From: span.From.Seconds(), To: span.To.Seconds(), Step: rec.World.Time.Step.Seconds(),
		Events: []happened{}}
	marks, more, err := rec.Marks()
	if err == nil {
		err = rec.Damage()
	}
	if j.More = more; err != nil {
		j.Damage = err.Error()
	}
	for _, m := range marks {
		if m.At >= span.From && m.At <= span.To {
			j.Events = append(j.Events, happened{m.At.Seconds(), m.Kind, m.Text})
		}
	}
	return j
}

// errRuns reports a request to a run that only a replay can answer.
var errRuns = errors.New("the simulation runs: only a replay has a time line, and goes to another time")

func (s *simServer) serveTimeline(w http.ResponseWriter, r *http.Request) {
	if s.replay == nil {
		refuse(w, errRuns)
		return
	}
	noReadDeadline(w)
	select {
	case <-s.events():
		answer(w, http.StatusOK, s.line.read)
	case <-r.Context().Done():
	}
}

func outside(t float64, span replay.Span) error {
	return fmt.Errorf("time_s = %v: must lie in [%v, %v]", t, span.From.Seconds(), span.To.Seconds())
}

// serveSeek moves a replay to another time. It answers when the replay shows the state of that time.
func (s *simServer) serveSeek(w http.ResponseWriter, r *http.Request) {
	body, err := bodyOfRequest(w, r)
	var in struct {
		Time *float64 `json:"time_s"`
	}
	if err == nil {
		err = decode(body, &in)
	}
	span := replay.Span{}
	switch {
	case err != nil:
	case s.replay == nil:
		err = errRuns
	case in.Time == nil:
		err = errors.New("time_s: must be given")
	default:
		if span = s.replay.Span(); !(*in.Time >= span.From.Seconds() && *in.Time <= span.To.Seconds()) {
			err = outside(*in.Time, span)
		}
	}
	if err != nil {
		refuse(w, err)
		return
	}
	noReadDeadline(w)
	to := time.Duration(*in.Time*float64(time.Second)) + s.replay.Recording().World.Time.Step/2
	to -= to % s.replay.Recording().World.Time.Step
	if err := s.replay.Seek(r.Context(), min(max(to, span.From), span.To)); err != nil {
		refuse(w, err)
		return
	}
	s.states.changes.Add(1)
	answer(w, http.StatusOK, struct {
		Time float64 `json:"time_s"`
	}{s.now().Seconds()})
}
