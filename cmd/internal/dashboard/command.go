package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
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
// client does not know the file.
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
		for i := range w.Obstacles {
			names = append(names, w.Obstacles[i].Name)
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

// maxNesting is the largest depth of nested JSON values. Actions need less than half of it.
const maxNesting = 16

// tomlOf converts a JSON object to a TOML document with one line per member, because world files are checked as TOML.
// Keys keep their order; duplicates remain.
func tomlOf(body []byte) (text []byte, keys []string, err error) {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	if t, err := token(d); err != nil {
		return nil, nil, err
	} else if t != json.Delim('{') {
		return nil, nil, errors.New(`must be a JSON object, such as {"pause": {}}`)
	}
	text, keys, err = appendMembers(nil, d, '{', "\n", 1)
	if err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("must be one JSON object, with nothing after it")
	}
	return append(text, '\n'), keys, nil
}

// appendMembers appends the members of an object or an array up to its end, with a separator between them. It returns
// the keys of an object.
func appendMembers(text []byte, d *json.Decoder, kind json.Delim, separator string, depth int) ([]byte, []string,
	error) {
	var keys []string
	for n := 0; d.More(); n++ {
		if n > 0 {
			text = append(text, separator...)
		}
		if kind == '{' {
			key, err := token(d)
			if err != nil {
				return nil, nil, err
			}
			keys = append(keys, key.(string))
			text = append(appendTOMLString(text, key.(string)), " = "...)
		}
		var err error
		if text, err = appendTOML(text, d, depth); err != nil {
			return nil, nil, err
		}
	}
	_, err := token(d)
	return text, keys, err
}

// appendTOML appends the next JSON value as inline TOML.
func appendTOML(text []byte, d *json.Decoder, depth int) ([]byte, error) {
	t, err := token(d)
	switch t := t.(type) {
	case bool:
		return fmt.Append(text, t), nil
	case json.Number:
		return append(text, t...), nil
	case string:
		return appendTOMLString(text, t), nil
	case json.Delim:
		if depth == maxNesting {
			return nil, fmt.Errorf("is nested deeper than %d levels", maxNesting)
		}
		text, _, err := appendMembers(append(text, byte(t)), d, t, ", ", depth+1)
		return append(text, byte(t)+2), err // in ASCII, ] and } have the codes of [ and { plus 2
	case nil:
		if err == nil {
			err = errors.New("null is no value: leave the key out")
		}
	}
	return nil, err
}

// appendTOMLString appends a quoted string. TOML has JSON's escapes, and does not allow a raw byte 0x7f.
func appendTOMLString(text []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // cannot fail
	return append(text, strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)...)
}

// token returns the next token of JSON.
func token(d *json.Decoder) (json.Token, error) {
	t, err := d.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.New("is no JSON: it ends before the object does")
	}
	if err != nil {
		return nil, fmt.Errorf("is no JSON: %w", err)
	}
	return t, nil
}
