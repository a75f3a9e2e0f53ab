package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
)

// Pos is a place in a file. Line and Col count from 1, Col in characters. Line is 0 if only the file is known.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Error is a rule that a file breaks: `file:line:col: where: key = value: rule (i = 3)`. Where is the path of the
// table, Value the text of the file; empty parts are left out.
type Error struct {
	Pos
	Where, Key, Value, Rule string
	// values of the for_each around it with which the error occurs, such as i = 3
	With string
	err  error
}

func (e *Error) Error() string {
	assignment := e.Key
	if e.Key != "" && e.Value != "" {
		assignment += " = " + e.Value
	}
	text := joinText(": ", e.Pos.String(), e.Where, assignment, e.Rule)
	if e.With != "" {
		text += " (" + e.With + ")"
	}
	return text
}

// Given returns the error with one more value with which it occurs.
func (e *Error) Given(value string) *Error {
	given := *e
	given.With = joinText(", ", e.With, value)
	return &given
}

// Unwrap returns the error of a [Binder], or nil.
func (e *Error) Unwrap() error { return e.err }

// Violation is a rule that a Go value breaks: `path.key = value: rule`. Path and Key use the keys of the file, as in
// robot[0].sensor[1]. Value is in the key's unit, nil if there is none to show. Key is empty if the rule concerns the
// whole table. [File.Locate] adds the position.
type Violation struct {
	Path, Key string
	Value     any
	Rule      string
	err       error
}

func (v *Violation) Error() string {
	assignment := joinPath(v.Path, v.Key)
	if text := valueText(v.Value); text != "" && assignment != "" {
		assignment += " = " + text
	}
	return joinText(": ", assignment, v.Rule)
}

// Below returns the violation with a path prepended.
func (v *Violation) Below(path string) *Violation {
	below := *v
	below.Path = joinPath(path, v.Path)
	return &below
}

// Unwrap returns the error of a nested Validate, or nil.
func (v *Violation) Unwrap() error { return v.err }

// Flatten returns the single errors inside err, which may be nested [errors.Join]s, sorted by file, line and column.
// Errors without a position come last, in their original order.
func Flatten(err error) []error {
	list := rules.Split(err)
	slices.SortStableFunc(list, func(a, b error) int {
		p, q := posOf(a), posOf(b)
		if known := cmp.Compare(min(q.Line, 1), min(p.Line, 1)); known != 0 {
			return known
		}
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return list
}

// WithoutRepeats removes from a sorted list the [Error]s that repeat an earlier one about the same place: for another
// robot with the same keys, or with other values of for_each, which are counted.
func WithoutRepeats(list []error) (fewer []error) {
	type place struct {
		Pos
		key, value, rule string
	}
	said, more := map[place]*Error{}, map[*Error]int{}
	for _, err := range list {
		e, ok := err.(*Error)
		if !ok || e.Line == 0 {
			fewer = append(fewer, err)
			continue
		}
		at := place{e.Pos, e.Key, e.Value, e.Rule}
		if e.With != "" {
			at.value = ""
		}
		if first := said[at]; first == nil {
			again := *e
			said[at] = &again
			fewer = append(fewer, &again)
		} else if e.With != "" {
			more[first]++
		}
	}
	for e, n := range more {
		e.With += fmt.Sprintf(" and %d more", n)
	}
	return fewer
}

func posOf(err error) Pos {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Pos
	}
	return Pos{}
}

// valueText writes a Go value as a file would. Numbers have the 12 digits that a change of unit preserves.
func valueText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return shorten(strconv.Quote(v))
	case float64:
		text := strings.ToLower(strconv.FormatFloat(v, 'g', 12, 64))
		return strings.TrimPrefix(text, "+")
	default:
		return shorten(fmt.Sprint(v))
	}
}

// shorten returns a text as one line of at most 60 characters.
func shorten(s string) string {
	const most = 60
	if len(s) > 8*most {
		s = strings.ToValidUTF8(s[:8*most], "")
	}
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > most {
		r = append(r[:most-1], '…')
	}
	return string(r)
}

func joinText(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}
