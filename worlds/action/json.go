package action

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
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
