package mapping

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/quantity"
)

// source says where an argument of an action comes from: a constant, or a field of the message.
type source struct {
	slot  int // index of the field in Actions.fields; −1 for a constant
	scale float64
	fixed dynamic.Scalar // the constant
	json  string         // the field is text in JSON, and the value is that of this key; empty if it is not
	// argument for each value of the field; if nil, the value of the field is the argument
	is    map[string]dynamic.Scalar
	other *dynamic.Scalar // argument for all other values of the field; if nil, other values are errors
}

// compile compiles the value v that the profile gives for an argument. It returns the name of the field of the message,
// or "" for a constant. The value is one of these: a constant number; the name of a field; { field = …, length = …,
// times = … } for a field in another unit; { text = … }; { field = …, is = { value = argument, … }, else = … }. If text
// is true, the argument is text, else a number of dimension d.
func (s *source) compile(v any, text bool, u units, d quantity.Dimension) (field string, err error) {
	*s = source{slot: -1, scale: u.scale(d)}
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any:
		if fixed, ok := v["text"].(string); ok && text && len(v) == 1 {
			s.fixed.Text = fixed
			return "", nil
		}
		s.json, _ = v["json"].(string)
		if field, ok := v["field"].(string); ok && field != "" && (!text || s.json != "") && v["is"] == nil {
			return field, s.scaled(v, d)
		}
		return s.choice(v, text)
	}
	s.fixed, err = s.constant(v, text)
	return "", err
}

// scaled compiles the keys that set the unit of a field, or a factor for its value.
func (s *source) scaled(v map[string]any, d quantity.Dimension) error {
	for key, value := range v {
		switch unit, _ := value.(string); key {
		case "field", "json":
		case "length":
			perMetre, known := perMetre[unit]
			if !known || d != quantity.Length {
				return fmt.Errorf("length = %v: must be m, cm or mm, of a length or a speed", value)
			}
			s.scale = perMetre
		case "times":
			if x, ok := asNumber(value); !ok || !(x != 0 && math.Abs(x) <= maxTimes) {
				return fmt.Errorf("times = %v: must be a number other than 0, at most %g", value, maxTimes)
			}
		default:
			return fmt.Errorf(`%s: is no part of { field = "…", length = "m", times = 2 }`, key)
		}
	}
	if times, ok := asNumber(v["times"]); ok {
		s.scale /= times
	}
	return nil
}

// maxTimes is the maximum factor of the key times. 1e6 is a guess.
const maxTimes = 1e6

func (s *source) choice(v map[string]any, text bool) (field string, err error) {
	field, _ = v["field"].(string)
	is, ok := v["is"].(map[string]any)
	if field == "" || !ok {
		return "", errors.New(`must be a field, a number, or { field = "…", is = { value = argument, … }, else = argument }`)
	}
	s.is = map[string]dynamic.Scalar{}
	for value, arg := range is {
		if s.is[value], err = s.constant(arg, text); err != nil {
			return "", err
		}
	}
	if other, ok := v["else"]; ok {
		arg, err := s.constant(other, text)
		if err != nil {
			return "", err
		}
		s.other = &arg
	}
	return field, nil
}

// constant converts the constant v of the profile to a Scalar in SI units.
func (s *source) constant(v any, text bool) (dynamic.Scalar, error) {
	if fixed, ok := v.(string); ok && text {
		return dynamic.Scalar{Text: fixed}, nil
	}
	if x, ok := asNumber(v); ok && !text {
		if _, truth := v.(bool); !truth {
			x /= s.scale
		}
		return dynamic.Scalar{Number: x}, nil
	}
	return dynamic.Scalar{}, fmt.Errorf("%v: must be a %s", v, map[bool]string{true: "text", false: "number"}[text])
}

// value returns the argument in SI units, for a message whose fields have the given values. It returns an error if the
// profile gives no argument for the field's value.
func (s *source) value(values []dynamic.Scalar) (dynamic.Scalar, error) {
	if s.slot < 0 {
		return s.fixed, nil
	}
	v := values[s.slot]
	if s.json != "" {
		var err error
		if v, err = fromJSON(v.Text, s.json); err != nil {
			return v, err
		}
	}
	if s.is == nil {
		return dynamic.Scalar{Number: v.Number / s.scale, Text: v.Text, All: v.All}, nil
	}
	key := v.Text
	if key == "" {
		key = numberText(v.Number)
	}
	if arg, ok := s.is[key]; ok {
		return arg, nil
	}
	if s.other != nil {
		return *s.other, nil
	}
	return dynamic.Scalar{}, fmt.Errorf("%s: must be one of %s", key,
		strings.Join(slices.Sorted(maps.Keys(s.is)), ", "))
}

// asText returns the value as text, or "" if the message lacks it.
func (s *source) asText(values []dynamic.Scalar) string {
	v, err := s.value(values)
	switch {
	case err != nil:
		return ""
	case v.Text == "" && !v.IsText:
		return numberText(v.Number)
	}
	return v.Text
}

// numberText returns a number as text without an exponent, so that whole numbers are written as such.
func numberText(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

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
	raw, ok := object[key]
	if !ok {
		return s, fmt.Errorf("%.80q: has no key %s", text, key)
	}
	var value any
	if json.Unmarshal(raw, &value) != nil { // a number that is too large
		value = nil
	}
	switch v := value.(type) {
	case float64:
		s.Number = v
	case bool:
		s.Number = oneIf(v)
	case string:
		s.Text, s.IsText = v, true
	default:
		return s, fmt.Errorf("%s = %.80s: must be a number, a text, true or false", key, raw)
	}
	return s, nil
}
