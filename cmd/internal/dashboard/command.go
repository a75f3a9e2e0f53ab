package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// wrongKey returns the key in the table of an action that has caused an error. It returns "" if no key has caused it.
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

// do executes an action and returns when the action has been executed. While the run is paused, every action is
// executed immediately. Otherwise some actions are executed in the next step.
func (s *simServer) do(ctx context.Context, body []byte) (any, error) {
	key, a, err := action.Parse(body)
	if err == nil {
		err = action.Check(a)
	}
	if err != nil {
		return nil, err
	}
	if l, ok := a.(*action.SetLevel); ok && s.replay != nil {
		return struct{}{}, s.setReplayLevel(ctx, l)
	}
	done := make(chan error, 1)
	err = s.sim.Post(func(err error) {
		if err == nil {
			s.log.did(key, a)
		}
		if !action.Anytime(a) { // this function runs on the goroutine that steps
			s.states.publish()
		}
		done <- err
	}, a)
	if err != nil {
		if v, ok := errors.AsType[*schema.Violation](schema.Flatten(err)[0]); ok {
			return nil, v.Below(key)
		}
		return nil, schema.Flatten(err)[0]
	}
	return struct{}{}, await(ctx, stepTime, done)
}

// card answers the referee box's question which robot a command is for.
func (s *simServer) card(_ context.Context, body []byte) (any, error) {
	var in struct {
		Number int `json:"number"`
	}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	if s.states.box == nil {
		return nil, errors.New("the run follows no referee box")
	}
	return struct{}{}, s.states.box.Answer(in.Number)
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
	stop := s.sim.Clock().After(time.Duration(in.Steps)*clock.Step(), func(time.Duration) { taken <- nil })
	defer stop()
	clock.Advance(in.Steps)
	err := await(ctx, stepTime, taken)
	return timeJSON{clock.Time().Seconds()}, err
}

// actionJSON describes an action of world files.
type actionJSON struct {
	Key   string    `json:"key"`
	About string    `json:"about"`
	Keys  []keyJSON `json:"keys"`
}

// keyJSON describes a key in the table of an action, or in a table within it.
type keyJSON struct {
	Key      string    `json:"key"`
	Type     string    `json:"type"`
	Unit     string    `json:"unit,omitempty"`
	Rule     string    `json:"rule,omitempty"`    // which values are valid, in words
	Default  string    `json:"default,omitempty"` // as in world files
	About    string    `json:"about,omitempty"`
	Required bool      `json:"required,omitempty"`
	Choices  []string  `json:"choices,omitempty"` // the permitted values
	Names    []string  `json:"names,omitempty"`   // the names that this world has
	Keys     []keyJSON `json:"keys,omitempty"`    // the keys of a table, or of each table in an array
}

// actionsOf describes all actions that a world can use. The descriptions come from the tags of the actions' fields.
func actionsOf(w *worlds.World) []actionJSON {
	list := []actionJSON{}
	for _, d := range schema.Describe(&action.Choice{}) {
		path := strings.Split(strings.ReplaceAll(d.Path, "[]", ""), ".")
		if len(path) == 1 {
			list = append(list, actionJSON{d.Key, d.Doc, []keyJSON{}})
			continue
		}
		last := &list[len(list)-1]
		keys := &last.Keys
		for range path[2:] {
			keys = &(*keys)[len(*keys)-1].Keys
		}
		*keys = append(*keys, keyJSON{d.Key, d.Type, d.Unit, d.Rule, d.Default, d.Doc, d.Required, d.Choices,
			namesOf(w, last.Key, d.Key), nil})
	}
	return list
}

// namesOf returns the names in a world that a key of an action can refer to.
func namesOf(w *worlds.World, of, key string) (names []string) {
	switch {
	case key == "robot":
		for i := range w.Robots {
			names = append(names, w.Robots[i].Name)
		}
	case (of == "place" || of == "spawn" || of == "delete") && key == "name":
		if of == "place" {
			names = []string{"ball"}
		}
		names = append(names, namesOf(w, of, "robot")...)
		for _, o := range w.AllObstacles() {
			names = append(names, o.Name)
		}
	case of == "hang" && key == "name":
		for i := range w.Boards {
			names = append(names, w.Boards[i].Name)
		}
	case of == "set_lamp" && key == "name":
		for i := range w.Light.Spots {
			names = append(names, w.Light.Spots[i].Name)
		}
	}
	return names
}

func (s *simServer) actions(*http.Request) (any, error) {
	world, _ := s.states.current()
	return actionsOf(world), nil
}
