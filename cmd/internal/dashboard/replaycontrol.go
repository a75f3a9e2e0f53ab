package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/replay"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// timelineJSON is the list of events of a recorded run. The key at_s of an event is its sim time.
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

// shownLevels contains the levels at which a replay shows sensors, where they differ from the recorded levels.
type shownLevels struct {
	any atomic.Bool // the map in the field all is not empty

	mu  sync.Mutex
	all map[[2]string]abstraction.Level // level by the names of robot and sensor
}

// setReplayLevel changes the level at which a replay shows a sensor, at all times. This does not change an exact
// replay. It could change a replay that simulates the world again, so for such a replay setReplayLevel fails, and the
// recorded levels remain.
func (s *simServer) setReplayLevel(ctx context.Context, l *action.SetLevel) error {
	if !s.replay.Plays() {
		return omnipitch.ErrReplaying
	}
	if err := l.Validate(s.sim.World()); err != nil {
		return err
	}
	// The first level with images starts the renderer, which takes less time than this. A guess.
	const rendererTime = 10 * time.Minute
	return s.betweenSteps(ctx, rendererTime, func() error {
		err := s.sim.Replay().SetReplayLevel(l.Robot, l.Sensor, l.Level)
		if err == nil {
			s.shown.set(l)
			s.states.publish()
		}
		return err
	})
}

func (k *shownLevels) set(l *action.SetLevel) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[[2]string]abstraction.Level{}
	}
	k.all[[2]string{l.Robot, l.Sensor}] = l.Level
	k.any.Store(true)
}

// apply restores levels that the recording, or a seek, has changed. The goroutine that steps calls it.
func (k *shownLevels) apply(sim *omnipitch.Sim) {
	if !k.any.Load() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, level := range k.all {
		if is, err := sim.Sensors().Level(name[0], name[1]); err == nil && is != level {
			_ = sim.Replay().SetReplayLevel(name[0], name[1], level) // it was possible before
		}
	}
}
