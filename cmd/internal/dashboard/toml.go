package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxNesting is the largest depth of nested JSON values. Actions need less than half of it.
const maxNesting = 16

// tomlOf converts a JSON object to a TOML document with one line per member, because world files are checked as TOML.
// Keys keep their order; duplicates remain.
func tomlOf(body []byte) (text []byte, keys []string, err error) {
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	if t, err := d.Token(); err != nil {
		return nil, nil, jsonError(err)
	} else if t != json.Delim('{') {
		return nil, nil, errors.New(`must be a JSON object, such as {"pause": {}}`)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, jsonError(err)
		}
		keys = append(keys, key.(string))
		text = append(appendTOMLString(text, key.(string)), " = "...)
		if text, err = appendTOML(text, d, 1); err != nil {
			return nil, nil, err
		}
		text = append(text, '\n')
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("must be one JSON object, with nothing after it")
	}
	return text, keys, nil
}

// appendTOML appends the next JSON value as inline TOML.
func appendTOML(text []byte, d *json.Decoder, depth int) ([]byte, error) {
	t, err := d.Token()
	if err != nil {
		return nil, jsonError(err)
	}
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
		text = append(text, byte(t))
		for n := 0; d.More(); n++ {
			if n > 0 {
				text = append(text, ", "...)
			}
			if t == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, jsonError(err)
				}
				text = append(appendTOMLString(text, key.(string)), " = "...)
			}
			if text, err = appendTOML(text, d, depth+1); err != nil {
				return nil, err
			}
		}
		end, err := d.Token()
		if err != nil {
			return nil, jsonError(err)
		}
		return append(text, byte(end.(json.Delim))), nil
	}
	return nil, errors.New("null is no value: leave the key out")
}

// appendTOMLString appends a quoted string. TOML has JSON's escapes, and does not allow a raw byte 0x7f.
func appendTOMLString(text []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // cannot fail
	return append(text, strings.ReplaceAll(string(quoted), "\x7f", `\u007f`)...)
}

func jsonError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("is no JSON: it ends before the object does")
	}
	return fmt.Errorf("is no JSON: %w", err)
}
