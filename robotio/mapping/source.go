package mapping

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// source is where an argument of an action comes from: a constant, or a field of the message.
type source struct {
	slot  int // of the field, or −1
	scale float64
	fixed Value            // the constant
	is    map[string]Value // what values of the field mean; nil: themselves
	other *Value           // what its other values mean; nil: an error
}

// compile takes what a profile says: a number that stays, the name of a field, { text = … }, or { field = …, is = { value = meaning, … },
// else = … }. It returns the field; scale is how many of the profile's units make one of SI.
func (s *source) compile(v any, text bool, scale float64) (field string, err error) {
	*s = source{slot: -1, scale: scale}
	switch v := v.(type) {
	case string:
		return v, nil
	case map[string]any:
		if fixed, ok := v["text"].(string); ok && text && len(v) == 1 {
			s.fixed.Text = fixed
			return "", nil
		}
		return s.choice(v, text)
	}
	s.fixed, err = s.meaning(v, text)
	return "", err
}

func (s *source) choice(v map[string]any, text bool) (field string, err error) {
	field, _ = v["field"].(string)
	is, ok := v["is"].(map[string]any)
	if field == "" || !ok {
		return "", errors.New(`must be a field, a number, or { field = "…", is = { value = meaning, … }, else = meaning }`)
	}
	s.is = map[string]Value{}
	for value, means := range is {
		if s.is[value], err = s.meaning(means, text); err != nil {
			return "", err
		}
	}
	if other, ok := v["else"]; ok {
		means, err := s.meaning(other, text)
		if err != nil {
			return "", err
		}
		s.other = &means
	}
	return field, nil
}

// meaning is a constant of the profile in SI.
func (s *source) meaning(v any, text bool) (Value, error) {
	if fixed, ok := v.(string); ok && text {
		return Value{Text: fixed}, nil
	}
	if x, ok := asNumber(v); ok && !text {
		if _, truth := v.(bool); !truth {
			x /= s.scale
		}
		return Value{Number: x}, nil
	}
	return Value{}, fmt.Errorf("%v: must be a %s", v, map[bool]string{true: "text", false: "number"}[text])
}

// value is the argument that a message gives, in SI.
func (s *source) value(values []Value) (Value, error) {
	if s.slot < 0 {
		return s.fixed, nil
	}
	v := values[s.slot]
	if s.is == nil {
		return Value{Number: v.Number / s.scale, Text: v.Text}, nil
	}
	key := v.Text
	if key == "" {
		key = strconv.FormatFloat(v.Number, 'g', -1, 64)
	}
	if means, ok := s.is[key]; ok {
		return means, nil
	}
	if s.other != nil {
		return *s.other, nil
	}
	return Value{}, fmt.Errorf("%s: must be one of %s", key, strings.Join(slices.Sorted(maps.Keys(s.is)), ", "))
}
