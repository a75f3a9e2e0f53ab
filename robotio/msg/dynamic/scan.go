package dynamic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// space skips white space.
func space(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// cut splits the first value off b, which must be valid JSON without leading white space.
func cut(b []byte) (value, rest []byte) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return b[:i+1], b[i+1:]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of the enclosing value
				return b[:i], b[i:]
			}
			if depth--; depth == 0 {
				return b[:i+1], b[i+1:]
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return b[:i], b[i:]
			}
		}
	}
	return b, nil
}

// object calls f for each pair of the object b, which must be valid JSON.
func object(b []byte, f func(key, value []byte) error) error {
	if b[0] != '{' {
		return fmt.Errorf("%s: must be an object", clip(b))
	}
	for b = space(b[1:]); b[0] != '}'; {
		key, rest := cut(b)
		value, rest := cut(space(space(rest)[1:])) // skip the colon
		if err := f(key[1:len(key)-1], value); err != nil {
			return err
		}
		if b = space(rest); b[0] == ',' {
			b = space(b[1:])
		}
	}
	return nil
}

// list calls f for each element of the array b, which must be valid JSON.
func list(b []byte, f func(i int, value []byte) error) error {
	if b[0] != '[' {
		return fmt.Errorf("%s: must be an array", clip(b))
	}
	b = space(b[1:])
	for i := 0; b[0] != ']'; i++ {
		value, rest := cut(b)
		if err := f(i, value); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
		if b = space(rest); b[0] == ',' {
			b = space(b[1:])
		}
	}
	return nil
}

// unquote returns the text of a JSON string.
func unquote(b []byte) ([]byte, error) {
	if b[0] != '"' {
		return nil, fmt.Errorf("%s: must be a string", clip(b))
	}
	text := b[1 : len(b)-1]
	if bytes.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var s string
	err := json.Unmarshal(b, &s)
	return []byte(s), err
}

// errJSON is the error for all errors of syntax.
var errJSON = errors.New("must be valid JSON")

// valid checks the syntax of b, and returns it without surrounding white space.
func valid(b []byte) ([]byte, error) {
	if !json.Valid(b) {
		return nil, fmt.Errorf("%s: %w", clip(b), errJSON)
	}
	return bytes.TrimSpace(b), nil
}

// clip truncates text for an error message.
func clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	n := most
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n]) + "…"
}
