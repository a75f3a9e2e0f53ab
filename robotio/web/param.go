package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// maxValues is the maximum number of values, members and names in a JSON text that is not a message of a topic. The
// limit is needed because such a text may grow a thousandfold when it is encoded for the master. It is a guess, far
// above any real list.
const maxValues = 1 << 14

// CheckValues returns an error if a JSON text has more than maxValues values, members and names.
func CheckValues(text []byte) error {
	n, quoted, escaped := 1, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	if n > maxValues {
		return fmt.Errorf("%d values: must be at most %d", n, maxValues)
	}
	return nil
}

// Param parses a parameter's value from JSON. A number becomes an int if it has no fraction and no exponent and fits
// into 32 bits, else a float64. null is an error, because ROS has no such value.
func Param(text []byte) (any, error) {
	if err := CheckValues(text); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, fmt.Errorf("value = %.80q: must be JSON", text)
	}
	return param(v)
}

func param(v any) (any, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return nil, fmt.Errorf("value = null: must be a value, or the parameter deleted")
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 32); err == nil {
			return int(n), nil
		}
		x, err := v.Float64()
		if err != nil {
			return nil, fmt.Errorf("value = %.80s: must fit float64", v)
		}
		return x, nil
	case []any:
		for i := range v {
			if v[i], err = param(v[i]); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = param(v[k]); err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
		}
	}
	return v, nil
}

// ParamJSON encodes a parameter's value as JSON. NaN and infinities become null, bytes become base64.
func ParamJSON(v any) []byte {
	b, err := json.Marshal(finite(v))
	if err != nil {
		return []byte("null")
	}
	return b
}

func finite(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = finite(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = finite(v[k])
		}
	}
	return v
}

// ParamNames returns the names of all parameters, sorted and never nil. It fails if the master does not answer.
func ParamNames(ctx context.Context, n *ros1.Node) ([]string, error) {
	v, err := n.CallMaster(ctx, "getParamNames")
	if err != nil {
		return nil, err
	}
	list, _ := v.([]any)
	names := make([]string, 0, len(list))
	for _, e := range list {
		if s, ok := e.(string); ok {
			names = append(names, s)
		}
	}
	slices.Sort(names)
	return names, nil
}
