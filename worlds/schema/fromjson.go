package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxNesting is the largest depth of nested JSON values. Worlds and actions need less than half of it.
const maxNesting = 16

// FromJSON converts a JSON object to a TOML document with one line per member, because only TOML is checked. It returns
// the keys of the object, too. Keys keep their order; duplicates remain. The error is one sentence.
func FromJSON(body []byte) (text []byte, keys []string, err error) {
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
