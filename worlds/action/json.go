package action

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Marshal returns an action's key, as in world files, and the action's fields as JSON. The JSON has the names and units
// of the Go fields. Unmarshal makes the same action from the key and the JSON; its numbers then have the same bits.
func Marshal(a Action) (key string, fields []byte, err error) {
	choice := reflect.TypeFor[Choice]()
	for i := range choice.NumField() {
		if choice.Field(i).Type == reflect.TypeOf(a) {
			fields, err = json.Marshal(a)
			return keyOf(choice.Field(i)), fields, err
		}
	}
	return "", nil, fmt.Errorf("%T: is no action of world files", a)
}

// Unmarshal returns the action that has the given key and fields. It fails for input that Marshal cannot have returned.
// It does not check the rules in the fields' tags, which Check checks.
func Unmarshal(key string, fields []byte) (Action, error) {
	choice := reflect.TypeFor[Choice]()
	for i := range choice.NumField() {
		if keyOf(choice.Field(i)) != key {
			continue
		}
		a := reflect.New(choice.Field(i).Type.Elem()).Interface().(Action)
		if err := json.Unmarshal(fields, a); err != nil {
			return nil, fmt.Errorf("action %s: %w", key, err)
		}
		return a, nil
	}
	return nil, fmt.Errorf("action = %q: there is no such action", key)
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// Parse decodes an action and its key from a JSON object in the form of world files, with exactly one key:
//
//	{"place": {"name": "ball", "x_m": 1, "y_m": 0}}
//
// The schema of world files validates it. The error is one sentence about the first violated rule.
func Parse(body []byte) (key string, a Action, err error) {
	text, keys, err := schema.FromJSON(body)
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
	var c struct{ Choice }
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
