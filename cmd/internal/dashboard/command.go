package dashboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// decodeAction reads an action as world files have it, with its key, from a JSON object with that key alone:
//
//	{"place": {"name": "ball", "x_m": 1, "y_m": 0}}
//
// The schema of world files judges it. What is wrong is one sentence, of the first rule that is broken.
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

// withoutPlace is the first of errors in a file, without the line and the column of a file that the client has not
// seen.
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
	plain.Rule, _, _ = strings.Cut(plain.Rule, "\n") // the TOML decoder shows the line
	return &plain
}

// firstBelow is the first of errors in an action with a key.
func firstBelow(key string, err error) error {
	first := schema.Flatten(err)[0]
	if v, ok := errors.AsType[*schema.Violation](first); ok {
		return v.Below(key)
	}
	return first
}

// wrongKey returns the key of an action's table that an error is about, where it is about one.
func wrongKey(err error) string {
	path := ""
	if e, ok := errors.AsType[*schema.Error](err); ok {
		path = e.Where + "." + e.Key
	} else if v, ok := errors.AsType[*schema.Violation](err); ok {
		path = v.Path + "." + v.Key
	}
	_, path, _ = strings.Cut(path, ".") // behind the action's
	if end := strings.IndexAny(path, ".["); end >= 0 {
		path = path[:end]
	}
	return path
}

// stepTime is how long a command waits for the step that carries it out, wall time. A guess: no step takes as long, but
// one that waits for robots at speed lockstep.
const stepTime = 2 * time.Second

// errWaits is returned for a command that has been accepted, and waits for the next step.
var errWaits = errors.New("waits for the next step, which has not come yet")

// do carries an action out: at once, or by the goroutine that steps, whose next step it waits for; at once, too, while
// the run is paused.
func (s *stage) do(ctx context.Context, key string, a action.Action) error {
	if err := action.Check(a); err != nil {
		return err
	}
	if l, ok := a.(*action.SetLevel); ok && s.replay != nil {
		return s.look(ctx, l)
	}
	if _, ok := action.AsCommand(a); ok || a.Anytime() {
		err := s.sim.Do(a)
		if err == nil {
			s.log.did(key, a)
		}
		return err
	}
	if err := a.Validate(s.sim.World()); err != nil {
		return firstBelow(key, err)
	}
	done := make(chan error, 1)
	s.sim.After(0, func(time.Duration) {
		err := s.sim.Do(a)
		if err == nil {
			s.log.did(key, a)
		}
		s.states.moved()
		done <- err
	})
	return s.await(ctx, done)
}

// await waits for what the goroutine that steps is to do.
func (s *stage) await(ctx context.Context, done <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errWaits
	}
}

// mostSteps are asked for at once. A guess: more than eight minutes.
const mostSteps = 100_000

// step has a paused simulation take steps, and returns when they have been taken.
func (s *stage) step(ctx context.Context, n int) error {
	if n < 1 || n > mostSteps {
		return fmt.Errorf("steps = %d: must be 1 to %d", n, mostSteps)
	}
	clock := s.sim.Clock()
	if !clock.Paused() {
		return errors.New("steps are taken one by one while the simulation is paused: pause it first")
	}
	if s.replay != nil && s.now() >= s.replay.Span().To {
		return errors.New("the recording ends here: seek, or resume to see it again")
	}
	taken := make(chan error, 1)
	stop := s.sim.After(time.Duration(n)*clock.Step(), func(time.Duration) { taken <- nil })
	defer stop()
	clock.Advance(n)
	return s.await(ctx, taken)
}
