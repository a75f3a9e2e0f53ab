package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

func (s *simServer) timeline(*http.Request) (any, error) {
	if s.replay == nil {
		return nil, errRuns
	}
	return s.line(), nil
}

// seek moves a replay to another time. It returns when the replay shows the state of that time.
func (s *simServer) seek(ctx context.Context, body []byte) (any, error) {
	var in struct {
		Time *float64 `json:"time_s"`
	}
	switch err := decode(body, &in); {
	case err != nil:
		return nil, err
	case s.replay == nil:
		return nil, errRuns
	case in.Time == nil:
		return nil, errors.New("time_s: must be given")
	}
	span, step := s.replay.Span(), s.replay.Recording().World.Time.Step
	if from, to := span.From.Seconds(), span.To.Seconds(); !(*in.Time >= from && *in.Time <= to) {
		return nil, fmt.Errorf("time_s = %v: must lie in [%v, %v]", *in.Time, from, to)
	}
	to := time.Duration(*in.Time*float64(time.Second)) + step/2
	to -= to % step
	if err := s.replay.Seek(ctx, min(max(to, span.From), span.To)); err != nil {
		return nil, err
	}
	s.states.changes.Add(1)
	return timeJSON{s.now().Seconds()}, nil
}
