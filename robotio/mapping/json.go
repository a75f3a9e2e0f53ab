package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// addOnly compiles the key only: a source of a number, as of an argument. Messages for which it is 0 cause nothing.
func (a *Actions) addOnly(def *msg.Definition, only map[string]any) error {
	a.only = &source{}
	field, err := a.only.compile(only, false, units{1, 1}, quantity.Plain)
	if err != nil {
		return err
	}
	if field == "" {
		return errors.New("must be a field of the message")
	}
	if err := a.only.checkJSON(def, field); err != nil {
		return err
	}
	a.only.slot = len(a.fields)
	a.fields = append(a.fields, field)
	return nil
}

// checkJSON returns an error if the source reads a field as JSON that is no text.
func (s *source) checkJSON(def *msg.Definition, field string) error {
	if s.json == "" || isText(def, strings.Split(field, ".")) {
		return nil
	}
	return fmt.Errorf("field = %q: %s has no text of that name, which could be JSON", field, def.Name)
}

// fromJSON returns the number, truth value or text of a key of a JSON object; true is 1. It fails if the text is no
// object, or lacks the key.
func fromJSON(text, key string) (s dynamic.Scalar, err error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return s, fmt.Errorf("%.80q: must be a JSON object: %w", text, err)
	}
	var value any
	if raw, ok := object[key]; !ok || json.Unmarshal(raw, &value) != nil {
		return s, fmt.Errorf("%.80q: has no key %s", text, key)
	}
	switch v := value.(type) {
	case float64:
		s.Number = v
	case bool:
		s.Number = oneIf(v)
	case string:
		s.Text, s.IsText = v, true
	default:
		return s, fmt.Errorf("%s = %.80s: must be a number, a text, true or false", key, object[key])
	}
	return s, nil
}
