package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// decodeAction decodes an action and its key from a JSON object in the form of world files, with exactly one key:
//
//	{"place": {"name": "ball", "x_m": 1, "y_m": 0}}
//
// The schema of world files validates it. The error is one sentence about the first violated rule.
func decodeAction(body []byte) (key string, a action.Action, err error) {
	text, keys, err := tomlOf(body)
	if err != nil {
		return "", nil, fmt.Errorf("action: %w", err)
	}
	if len(keys) != 1 {
		return "", nil, fmt.Errorf(`action: has %d keys: must have one, as {"pause": {}} has`, len(keys))
	}
	file, err := schema.Parse("action", text)
	if err != nil {
		return "", nil, withoutPlace(err)
	}
	var c struct{ action.Choice }
	if err := file.Bind(&c); err != nil {
		return "", nil, withoutPlace(err)
	}
	return c.Action()
}

// withoutPlace returns the first error in a file, without line and column: the file was made from the request, and the
// client does not know it.
func withoutPlace(err error) error {
	first := schema.Flatten(err)[0]
	e, ok := errors.AsType[*schema.Error](first)
	if !ok {
		return first
	}
	plain := *e
	plain.Pos = schema.Pos{}
	if plain.Where == "" {
		plain.Where = "action"
	}
	plain.Rule, _, _ = strings.Cut(plain.Rule, "\n") // the TOML decoder quotes the line
	return &plain
}

// firstBelow returns the first error in the table of the action that has the given key.
func firstBelow(key string, err error) error {
	first := schema.Flatten(err)[0]
	if v, ok := errors.AsType[*schema.Violation](first); ok {
		return v.Below(key)
	}
	return first
}

// wrongKey returns the key, in the table of an action, that an error is about. It returns "" if the error is not about
// a key.
func wrongKey(err error) string {
	path := ""
	if e, ok := errors.AsType[*schema.Error](err); ok {
		path = e.Where + "." + e.Key
	} else if v, ok := errors.AsType[*schema.Violation](err); ok {
		path = v.Path + "." + v.Key
	}
	_, path, _ = strings.Cut(path, ".") // after the action's key
	if end := strings.IndexAny(path, ".["); end >= 0 {
		path = path[:end]
	}
	return path
}

// stepTime is the wall time for which a command waits for the step that executes it. 2 s is a guess: only at speed
// lockstep, where steps wait for robots, can a step take longer.
const stepTime = 2 * time.Second

// errWaits reports that a command was accepted but its step has not come in time.
var errWaits = statusError{errors.New("waits for the next step, which has not come yet"), http.StatusAccepted}

// do executes an action and returns when that is done. While the run is paused, every action is executed immediately.
// Otherwise some actions are executed in the next step.
func (s *simServer) do(ctx context.Context, body []byte) (any, error) {
	key, a, err := decodeAction(body)
	if err == nil {
		err = action.Check(a)
	}
	if err != nil {
		return nil, err
	}
	if l, ok := a.(*action.SetLevel); ok && s.replay != nil {
		return struct{}{}, s.setReplayLevel(ctx, l)
	}
	execute := func() error {
		err := s.sim.Do(a)
		if err == nil {
			s.log.did(key, a)
		}
		return err
	}
	if _, ok := action.AsCommand(a); ok || a.Anytime() {
		return struct{}{}, execute()
	}
	if err := a.Validate(s.sim.World()); err != nil {
		return nil, firstBelow(key, err)
	}
	return struct{}{}, s.betweenSteps(ctx, stepTime, func() error {
		err := execute()
		s.states.moved()
		return err
	})
}

// mostSteps is the largest number of steps in one request. 100 000 is a guess: more than eight minutes of sim time.
const mostSteps = 100_000

// timeJSON is the answer to a command that changes the time.
type timeJSON struct {
	Time float64 `json:"time_s"`
}

// step advances a paused simulation by a number of steps. It returns when they are done.
func (s *simServer) step(ctx context.Context, body []byte) (any, error) {
	in := struct {
		Steps int `json:"steps"`
	}{1}
	clock := s.sim.Clock()
	switch err := decode(body, &in); {
	case err != nil:
		return nil, err
	case in.Steps < 1 || in.Steps > mostSteps:
		return nil, fmt.Errorf("steps = %d: must be 1 to %d", in.Steps, mostSteps)
	case !clock.Paused():
		return nil, errors.New("single steps need a paused simulation: pause it first")
	case s.replay != nil && s.now() >= s.replay.Span().To:
		return nil, errors.New("the recording ends here: seek, or resume to restart it")
	}
	taken := make(chan error, 1)
	stop := s.sim.After(time.Duration(in.Steps)*clock.Step(), func(time.Duration) { taken <- nil })
	defer stop()
	clock.Advance(in.Steps)
	err := await(ctx, stepTime, taken)
	return timeJSON{clock.Time().Seconds()}, err
}
